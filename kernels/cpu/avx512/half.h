/* 16 numbers of 16 bits in a 256-bit register. */
#include <stdint.h>

typedef __m256i half_vec;

static inline half_vec half_load(const uint16_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

static inline half_vec half_load_some(const uint16_t *from, lanes which)
{
    return _mm256_maskz_loadu_epi16(which, from);
}

static inline void half_store(uint16_t *to, half_vec x)
{
    _mm256_storeu_si256((__m256i *)(void *)to, x);
}
