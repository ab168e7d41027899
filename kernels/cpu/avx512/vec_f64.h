/* 8 doubles in a 512-bit register. */
#include <immintrin.h>

#include "cpu/simd/unrolled.h"

#include "cpu/simd/fold_f64.h"

typedef double real;
typedef __m512d vec;
typedef __mmask8 lanes;

enum { LANES = 8, PIECES = 4 }; /* a piece is 128 bits; shuffles within pieces are the cheap ones */

#define WIDTH 8
#include "cpu/simd/pairs.h"

static inline vec vec_zero(void)
{
    return _mm512_setzero_pd();
}

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

static inline vec vec_add(vec x, vec y)
{
    return _mm512_add_pd(x, y);
}

static inline vec vec_mul(vec x, vec y)
{
    return _mm512_mul_pd(x, y);
}

static inline vec vec_fma(vec x, vec y, vec z)
{
    return _mm512_fmadd_pd(x, y, z);
}

/* z - x y, rounded once. */
static inline vec vec_fnma(vec x, vec y, vec z)
{
    return _mm512_fnmadd_pd(x, y, z);
}

/* As vec_fma in the lanes that are named; the others keep z's. */
static inline vec vec_fma_some(vec x, vec y, vec z, lanes which)
{
    return _mm512_mask3_fmadd_pd(x, y, z, which);
}

/* The first count of 8 lanes; other elements are not touched in memory, and are 0 when loaded. */
static inline lanes first_lanes(int count)
{
    return (lanes)((1u << count) - 1);
}

static inline vec vec_load_some(const real *from, lanes which)
{
    return _mm512_maskz_loadu_pd(which, from);
}

static inline void vec_store_some(real *to, lanes which, vec x)
{
    _mm512_mask_storeu_pd(to, which, x);
}

/* In each 128-bit piece apart: in[i] has 2 steps of row i; out, piece by piece, has [2 steps][rows]. */
static inline __attribute__((always_inline)) void transpose_pieces(const vec in[], vec out[], int rows)
{
    UNROLLED
    for (int i = 0; i + 2 <= rows; i += 2) {
        out[i / 2] = _mm512_unpacklo_pd(in[i], in[i + 1]);
        out[i / 2 + rows / 2] = _mm512_unpackhi_pd(in[i], in[i + 1]);
    }
}

/* The pieces of v[0..PIECES), as a matrix of them, transposed. */
static inline __attribute__((always_inline)) void transpose_registers(vec v[])
{
    const vec low01 = _mm512_shuffle_f64x2(v[0], v[1], 0x44), high01 = _mm512_shuffle_f64x2(v[0], v[1], 0xee);
    const vec low23 = _mm512_shuffle_f64x2(v[2], v[3], 0x44), high23 = _mm512_shuffle_f64x2(v[2], v[3], 0xee);
    v[0] = _mm512_shuffle_f64x2(low01, low23, 0x88);
    v[1] = _mm512_shuffle_f64x2(low01, low23, 0xdd);
    v[2] = _mm512_shuffle_f64x2(high01, high23, 0x88);
    v[3] = _mm512_shuffle_f64x2(high01, high23, 0xdd);
}

/* Of count <= 4 times 64 bytes, one register each, halves are added to each other until one element is left. */
static inline __attribute__((always_inline)) void vec_fold(const vec of[][1], int count, real out[])
{
    __m256d half[4];
    UNROLLED
    for (int r = 0; r < 4; r++)
        half[r] = r < count ? _mm256_add_pd(_mm512_castpd512_pd256(of[r][0]), _mm512_extractf64x4_pd(of[r][0], 1))
                            : _mm256_setzero_pd();
    real sum[4];
    _mm256_storeu_pd(sum, fold_four(half));
    UNROLLED
    for (int r = 0; r < count; r++)
        out[r] = sum[r];
}
