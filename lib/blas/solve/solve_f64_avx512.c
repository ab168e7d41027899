/* Triangular systems of doubles, in registers of 512 bits: 8 rows by 2 are sums, 2 of right sides, 1 of M. */
#include <immintrin.h>

typedef double real;
typedef __m512d vec;

enum { LANES = 8, ROWS = 8, NV = 2 };

static inline vec vec_set(real x)
{
    return _mm512_set1_pd(x);
}

static inline vec vec_load(const real *from)
{
    return _mm512_loadu_pd(from);
}

static inline void vec_store(real *to, vec x)
{
    _mm512_storeu_pd(to, x);
}

static inline vec vec_mul(vec x, vec y)
{
    return _mm512_mul_pd(x, y);
}

static inline vec vec_div(vec x, vec y)
{
    return _mm512_div_pd(x, y);
}

/* z - x y, rounded once. */
static inline vec vec_fnma(vec x, vec y, vec z)
{
    return _mm512_fnmadd_pd(x, y, z);
}

#define NAME layblas_solve_f64_avx512
#include "blas/solve/registers.h"
