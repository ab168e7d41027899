/* Complex numbers of two doubles, two in a register of 256 bits. */
#include "cpu/avx2/vec_f64.h"

enum { LINES = 2 };

static inline vec vec_pair(const real *from)
{
    return _mm256_broadcast_pd((const __m128d *)(const void *)from);
}

static inline vec vec_real(vec x)
{
    return _mm256_movedup_pd(x);
}

static inline vec vec_imaginary(vec x)
{
    return _mm256_permute_pd(x, 15);
}

static inline vec vec_one(const real *from, int64_t line)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(from)), _mm_loadu_pd(from + line), 1);
}

static inline void vec_turn(const real *from, int64_t line, vec out[LINES])
{
    const vec x = vec_load(from), y = vec_load(from + line);
    out[0] = _mm256_permute2f128_pd(x, y, 0x20);
    out[1] = _mm256_permute2f128_pd(x, y, 0x31);
}

static inline real fused(real x, real y, real z)
{
    return __builtin_fma(x, y, z);
}

#include "blas/vector/sums.h"

void layblas_vector_c64_avx2(const layblas_vector *of)
{
    multiply(of);
}
