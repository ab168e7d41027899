/* 8 numbers of 16 bits in a 128-bit register. */
#include <stdint.h>
#include <string.h>

typedef __m128i half_vec;

static inline half_vec half_load(const uint16_t *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

/* Of fewer than 8, the first ones; there are no masks of 16 bits. */
static inline half_vec half_load_some(const uint16_t *from, lanes which)
{
    const int count = __builtin_popcount((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(which)));
    uint64_t four = 0, rest = 0;
    uint32_t two = 0;
    if (count == 8)
        return half_load(from);
    if (count & 4)
        memcpy(&four, from, sizeof four);
    if (count & 1)
        rest = from[count - 1];
    if (count & 2) {
        memcpy(&two, from + (count & 4), sizeof two);
        rest = rest << 32 | two;
    }
    return count & 4 ? _mm_set_epi64x((long long)rest, (long long)four) : _mm_set_epi64x(0, (long long)rest);
}

static inline void half_store(uint16_t *to, half_vec x)
{
    _mm_storeu_si128((__m128i *)(void *)to, x);
}
