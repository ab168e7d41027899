/* 8 floats in a 256-bit register. */
#include <immintrin.h>

#include "cpu/simd/unrolled.h"

#include "cpu/simd/fold_f32.h"

typedef float real;
typedef __m256 vec;
typedef __m256i lanes;

enum { LANES = 8, PIECES = 2 }; /* a piece is 128 bits; shuffles within pieces are the cheap ones */

#define WIDTH 8
#include "cpu/simd/pairs.h"

static inline vec vec_zero(void)
{
    return _mm256_setzero_ps();
}

static inline vec vec_set(real x)
{
    return _mm256_set1_ps(x);
}

static inline vec vec_load(const real *from)
{
    return _mm256_loadu_ps(from);
}

static inline void vec_store(real *to, vec x)
{
    _mm256_storeu_ps(to, x);
}

static inline vec vec_add(vec x, vec y)
{
    return _mm256_add_ps(x, y);
}

static inline vec vec_mul(vec x, vec y)
{
    return _mm256_mul_ps(x, y);
}

static inline vec vec_fma(vec x, vec y, vec z)
{
    return _mm256_fmadd_ps(x, y, z);
}

/* z - x y, rounded once. */
static inline vec vec_fnma(vec x, vec y, vec z)
{
    return _mm256_fnmadd_ps(x, y, z);
}

/* As vec_fma in the lanes that are named; the others keep z's. */
static inline vec vec_fma_some(vec x, vec y, vec z, lanes which)
{
    return _mm256_blendv_ps(z, _mm256_fmadd_ps(x, y, z), _mm256_castsi256_ps(which));
}

/* The first count of 8 lanes; other elements are not touched in memory, and are 0 when loaded. */
static inline lanes first_lanes(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline vec vec_load_some(const real *from, lanes which)
{
    return _mm256_maskload_ps(from, which);
}

static inline void vec_store_some(real *to, lanes which, vec x)
{
    _mm256_maskstore_ps(to, which, x);
}

/* In each 128-bit piece apart: in[i] has 4 steps of row i; out, piece by piece, has [4 steps][rows]. */
static inline __attribute__((always_inline)) void transpose_pieces(const vec in[], vec out[], int rows)
{
    if (rows == 6) { /* not a multiple of 4: pairs of rows, 64 bits, are the units */
        __m256d low[3], high[3];
        UNROLLED
        for (int i = 0; i < 3; i++) {
            low[i] = _mm256_castps_pd(_mm256_unpacklo_ps(in[2 * i], in[2 * i + 1]));
            high[i] = _mm256_castps_pd(_mm256_unpackhi_ps(in[2 * i], in[2 * i + 1]));
        }
        out[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(low[0], low[1]));
        out[1] = _mm256_castpd_ps(_mm256_shuffle_pd(low[2], low[0], 0xa));
        out[2] = _mm256_castpd_ps(_mm256_unpackhi_pd(low[1], low[2]));
        out[3] = _mm256_castpd_ps(_mm256_unpacklo_pd(high[0], high[1]));
        out[4] = _mm256_castpd_ps(_mm256_shuffle_pd(high[2], high[0], 0xa));
        out[5] = _mm256_castpd_ps(_mm256_unpackhi_pd(high[1], high[2]));
        return;
    }
    UNROLLED
    for (int i = 0; i + 4 <= rows; i += 4) {
        const __m256d low01 = _mm256_castps_pd(_mm256_unpacklo_ps(in[i], in[i + 1]));
        const __m256d low23 = _mm256_castps_pd(_mm256_unpacklo_ps(in[i + 2], in[i + 3]));
        const __m256d high01 = _mm256_castps_pd(_mm256_unpackhi_ps(in[i], in[i + 1]));
        const __m256d high23 = _mm256_castps_pd(_mm256_unpackhi_ps(in[i + 2], in[i + 3]));
        out[i / 4] = _mm256_castpd_ps(_mm256_unpacklo_pd(low01, low23));
        out[i / 4 + rows / 4] = _mm256_castpd_ps(_mm256_unpackhi_pd(low01, low23));
        out[i / 4 + rows / 4 * 2] = _mm256_castpd_ps(_mm256_unpacklo_pd(high01, high23));
        out[i / 4 + rows / 4 * 3] = _mm256_castpd_ps(_mm256_unpackhi_pd(high01, high23));
    }
}

/* The pieces of v[0..PIECES), as a matrix of them, transposed. */
static inline __attribute__((always_inline)) void transpose_registers(vec v[])
{
    const vec low = _mm256_permute2f128_ps(v[0], v[1], 0x20);
    v[1] = _mm256_permute2f128_ps(v[0], v[1], 0x31);
    v[0] = low;
}

/* Of count <= 4 times 64 bytes, two registers each, halves are added to each other until one element is left. */
static inline __attribute__((always_inline)) void vec_fold(const vec of[][2], int count, real out[])
{
    __m256 half[4];
    UNROLLED
    for (int r = 0; r < 4; r++)
        half[r] = r < count ? vec_add(of[r][0], of[r][1]) : vec_zero();
    real sum[4];
    _mm_storeu_ps(sum, fold_four(half));
    UNROLLED
    for (int r = 0; r < count; r++)
        out[r] = sum[r];
}
