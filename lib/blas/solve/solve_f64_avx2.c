/* Triangular systems of doubles, in registers of 256 bits: 4 rows by 2 are sums, 2 of right sides, 1 of M. */
#include <immintrin.h>

typedef double real;
typedef __m256d vec;

enum { LANES = 4, ROWS = 4, NV = 2 };

static inline vec vec_set(real x)
{
    return _mm256_set1_pd(x);
}

static inline vec vec_load(const real *from)
{
    return _mm256_loadu_pd(from);
}

static inline void vec_store(real *to, vec x)
{
    _mm256_storeu_pd(to, x);
}

static inline vec vec_mul(vec x, vec y)
{
    return _mm256_mul_pd(x, y);
}

static inline vec vec_div(vec x, vec y)
{
    return _mm256_div_pd(x, y);
}

/* z - x y, rounded once. */
static inline vec vec_fnma(vec x, vec y, vec z)
{
    return _mm256_fnmadd_pd(x, y, z);
}

#define NAME layblas_solve_f64_avx2
#include "blas/solve/registers.h"
