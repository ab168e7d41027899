/* Triangular systems of floats, in registers of 512 bits: 8 rows by 2 are sums, 2 of right sides, 1 of M. */
#include <immintrin.h>

typedef float real;
typedef __m512 vec;

enum { LANES = 16, ROWS = 8, NV = 2 };

static inline vec vec_set(real x)
{
    return _mm512_set1_ps(x);
}

static inline vec vec_load(const real *from)
{
    return _mm512_loadu_ps(from);
}

static inline void vec_store(real *to, vec x)
{
    _mm512_storeu_ps(to, x);
}

static inline vec vec_mul(vec x, vec y)
{
    return _mm512_mul_ps(x, y);
}

static inline vec vec_div(vec x, vec y)
{
    return _mm512_div_ps(x, y);
}

/* z - x y, rounded once. */
static inline vec vec_fnma(vec x, vec y, vec z)
{
    return _mm512_fnmadd_ps(x, y, z);
}

#define NAME layblas_solve_f32_avx512
#include "blas/solve/registers.h"
