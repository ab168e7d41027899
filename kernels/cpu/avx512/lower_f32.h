/* 8 floats, the lower half of a register with AVX-512's masks. */
#include "cpu/avx512/vec_f32.h"

typedef __m256 lower;

#define LOWER_LANES 8

static inline lower lower_zero(void)
{
    return _mm256_setzero_ps();
}

static inline lower lower_set(real x)
{
    return _mm256_set1_ps(x);
}

static inline lower lower_load(const real *from)
{
    return _mm256_loadu_ps(from);
}

static inline void lower_store(real *to, lower x)
{
    _mm256_storeu_ps(to, x);
}

static inline lower lower_mul(lower x, lower y)
{
    return _mm256_mul_ps(x, y);
}

static inline lower lower_fma(lower x, lower y, lower z)
{
    return _mm256_fmadd_ps(x, y, z);
}

static inline lower lower_load_some(const real *from, lanes which)
{
    return _mm256_maskz_loadu_ps((__mmask8)which, from);
}

static inline void lower_store_some(real *to, lanes which, lower x)
{
    _mm256_mask_storeu_ps(to, (__mmask8)which, x);
}
