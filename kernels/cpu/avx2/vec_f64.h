/* 4 doubles in a 256-bit register. */
#include <immintrin.h>

#include "cpu/simd/unrolled.h"

#include "cpu/simd/fold_f64.h"

typedef double real;
typedef __m256d vec;
typedef __m256i lanes;

enum { LANES = 4, PIECES = 2 }; /* a piece is 128 bits; shuffles within pieces are the cheap ones */

#define WIDTH 4
#include "cpu/simd/pairs.h"

static inline vec vec_zero(void)
{
    return _mm256_setzero_pd();
}

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

static inline vec vec_add(vec x, vec y)
{
    return _mm256_add_pd(x, y);
}

static inline vec vec_mul(vec x, vec y)
{
    return _mm256_mul_pd(x, y);
}

static inline vec vec_fma(vec x, vec y, vec z)
{
    return _mm256_fmadd_pd(x, y, z);
}

/* z - x y, rounded once. */
static inline vec vec_fnma(vec x, vec y, vec z)
{
    return _mm256_fnmadd_pd(x, y, z);
}

/* As vec_fma in the lanes that are named; the others keep z's. */
static inline vec vec_fma_some(vec x, vec y, vec z, lanes which)
{
    return _mm256_blendv_pd(z, _mm256_fmadd_pd(x, y, z), _mm256_castsi256_pd(which));
}

/* The first count of 4 lanes; other elements are not touched in memory, and are 0 when loaded. */
static inline lanes first_lanes(int count)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}

static inline vec vec_load_some(const real *from, lanes which)
{
    return _mm256_maskload_pd(from, which);
}

static inline void vec_store_some(real *to, lanes which, vec x)
{
    _mm256_maskstore_pd(to, which, x);
}

/* In each 128-bit piece apart: in[i] has 2 steps of row i; out, piece by piece, has [2 steps][rows]. */
static inline __attribute__((always_inline)) void transpose_pieces(const vec in[], vec out[], int rows)
{
    UNROLLED
    for (int i = 0; i + 2 <= rows; i += 2) {
        out[i / 2] = _mm256_unpacklo_pd(in[i], in[i + 1]);
        out[i / 2 + rows / 2] = _mm256_unpackhi_pd(in[i], in[i + 1]);
    }
}

/* The pieces of v[0..PIECES), as a matrix of them, transposed. */
static inline __attribute__((always_inline)) void transpose_registers(vec v[])
{
    const vec low = _mm256_permute2f128_pd(v[0], v[1], 0x20);
    v[1] = _mm256_permute2f128_pd(v[0], v[1], 0x31);
    v[0] = low;
}

/* Of count <= 4 times 64 bytes, two registers each, halves are added to each other until one element is left. */
static inline __attribute__((always_inline)) void vec_fold(const vec of[][2], int count, real out[])
{
    __m256d half[4];
    UNROLLED
    for (int r = 0; r < 4; r++)
        half[r] = r < count ? vec_add(of[r][0], of[r][1]) : vec_zero();
    real sum[4];
    _mm256_storeu_pd(sum, fold_four(half));
    UNROLLED
    for (int r = 0; r < count; r++)
        out[r] = sum[r];
}
