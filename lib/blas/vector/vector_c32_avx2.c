/* Complex numbers of two floats, four in a register of 256 bits. */
#include <string.h>

#include "cpu/avx2/vec_f32.h"

enum { LINES = 4 };

/* A number as one word. */
static inline __m256d load_words(const real *from)
{
    return _mm256_castps_pd(vec_load(from));
}

static inline vec vec_pair(const real *from)
{
    double word;
    memcpy(&word, from, sizeof word);
    return _mm256_castpd_ps(_mm256_set1_pd(word));
}

static inline vec vec_real(vec x)
{
    return _mm256_moveldup_ps(x);
}

static inline vec vec_imaginary(vec x)
{
    return _mm256_movehdup_ps(x);
}

static inline vec vec_one(const real *from, int64_t line)
{
    return _mm256_setr_ps(from[0], from[1], from[line], from[line + 1], from[2 * line], from[2 * line + 1],
                          from[3 * line], from[3 * line + 1]);
}

static inline void vec_turn(const real *from, int64_t line, vec out[LINES])
{
    const __m256d a = load_words(from), b = load_words(from + line), c = load_words(from + 2 * line),
                  d = load_words(from + 3 * line);
    const __m256d low_ab = _mm256_unpacklo_pd(a, b), high_ab = _mm256_unpackhi_pd(a, b);
    const __m256d low_cd = _mm256_unpacklo_pd(c, d), high_cd = _mm256_unpackhi_pd(c, d);
    out[0] = _mm256_castpd_ps(_mm256_permute2f128_pd(low_ab, low_cd, 0x20));
    out[1] = _mm256_castpd_ps(_mm256_permute2f128_pd(high_ab, high_cd, 0x20));
    out[2] = _mm256_castpd_ps(_mm256_permute2f128_pd(low_ab, low_cd, 0x31));
    out[3] = _mm256_castpd_ps(_mm256_permute2f128_pd(high_ab, high_cd, 0x31));
}

static inline real fused(real x, real y, real z)
{
    return __builtin_fmaf(x, y, z);
}

#include "blas/vector/sums.h"

void layblas_vector_c32_avx2(const layblas_vector *of)
{
    multiply(of);
}
