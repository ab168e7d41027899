/* Packing panels for split products with AVX-512. A tile of a panel is 16 rows of 16 words, and a word is made of two
 * floats 16 steps apart (kernels/cpu_split.h), so a row of words comes from two vectors, lane by lane:
 *
 *     left    row = a line:   x = its steps 0 .. 15       y = its steps 16 .. 31
 *     right   row = a step q: x = step q of 16 lines      y = step q + 16 of 16 lines
 *
 * Where the source has these vectors (left along k, right across) they are loaded, where it has them the other way they
 * are 16 x 16 floats transposed in registers; else gathered. Each leaf looks for itself which it is, so that blocks of
 * a nested layout are as good as plain matrices wherever leaves and panels do not straddle them. */
#include <immintrin.h>
#include <string.h>

#include "cpu/simd/unrolled.h"
#include "cpu_split.h"

enum {
    ROWS = 16,
    AHEAD = 1 /* leaves that are asked for: some hundred nanoseconds */
};

/* The greatest and the least of doubled bits, the least minus 1: so 0 counts as neither. */
typedef struct extremes {
    __m512i greatest, least;
} extremes;

/* A 16 x 16 block: vectors[i] at from + offset[i], lanes of first .. that are there. */
typedef struct block {
    const float *from;
    const int64_t *offset; /* [count], of each vector */
    int count;             /* vectors that are there, perhaps none; the others are 0 */
    int64_t start;         /* of the lanes, added to each offset */
    __mmask16 lanes;
} block;

static inline __mmask16 first_lanes(int64_t count)
{
    return count >= ROWS ? 0xffff : count <= 0 ? 0 : (__mmask16)((1u << count) - 1);
}

static inline __attribute__((always_inline)) __m512 load_vector(const block *of, int i)
{
    const int is_there = i < of->count;
    return _mm512_maskz_loadu_ps(is_there ? of->lanes : 0, of->from + (is_there ? of->offset[i] + of->start : 0));
}

/* The transpose of 16 vectors, in place. */
static inline __attribute__((always_inline)) void transpose(__m512 x[ROWS])
{
    __m512 y[ROWS];
    UNROLLED
    for (int i = 0; i < ROWS; i += 2) { /* pairs of rows: 2 x 2 */
        y[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
    }
    UNROLLED
    for (int i = 0; i < ROWS; i += 4) { /* 4 x 4, in parts of 128 bits: x[i + c] has column 4 part + c of rows i.. */
        x[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(y[i]), _mm512_castps_pd(y[i + 2])));
        x[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(y[i]), _mm512_castps_pd(y[i + 2])));
        x[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(y[i + 1]), _mm512_castps_pd(y[i + 3])));
        x[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(y[i + 1]), _mm512_castps_pd(y[i + 3])));
    }
    UNROLLED
    for (int c = 0; c < 4; c++) { /* limbs of rows 0, 4, 8, 12 next to each other */
        const __m512 low0 = _mm512_shuffle_f32x4(x[c], x[c + 4], 0x44),
                     low1 = _mm512_shuffle_f32x4(x[c + 8], x[c + 12], 0x44);
        const __m512 high0 = _mm512_shuffle_f32x4(x[c], x[c + 4], 0xee),
                     high1 = _mm512_shuffle_f32x4(x[c + 8], x[c + 12], 0xee);
        y[c] = _mm512_shuffle_f32x4(low0, low1, 0x88);
        y[c + 4] = _mm512_shuffle_f32x4(low0, low1, 0xdd);
        y[c + 8] = _mm512_shuffle_f32x4(high0, high1, 0x88);
        y[c + 12] = _mm512_shuffle_f32x4(high0, high1, 0xdd);
    }
    UNROLLED
    for (int i = 0; i < ROWS; i++)
        x[i] = y[i];
}

static inline __attribute__((always_inline)) __m512i round_to_piece(__m512 x)
{
    const __m512i half = _mm512_set1_epi32(0x8000), upper = _mm512_set1_epi32((int)0xffff0000);
    return _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x), half), upper);
}

/* A row of words of each limb. */
static inline __attribute__((always_inline)) void split_row(__m512 x, __m512 y, char *to, int limbs, extremes *seen)
{
    const __m512i minus_one = _mm512_set1_epi32(-1);
    const __m512i x_bits = _mm512_castps_si512(x), y_bits = _mm512_castps_si512(y);
    const __m512i x2 = _mm512_add_epi32(x_bits, x_bits), y2 = _mm512_add_epi32(y_bits, y_bits);
    seen->greatest = _mm512_max_epu32(seen->greatest, _mm512_max_epu32(x2, y2));
    seen->least = _mm512_min_epu32(seen->least,
                                   _mm512_min_epu32(_mm512_add_epi32(x2, minus_one), _mm512_add_epi32(y2, minus_one)));
    UNROLLED
    for (int limb = 0; limb < limbs; limb++) {
        /* The last of three is exact as it is. */
        const int is_exact = limb == LAY_CPU_SPLIT_LIMBS - 1;
        const __m512i low = is_exact ? _mm512_castps_si512(x) : round_to_piece(x);
        const __m512i high = is_exact ? _mm512_castps_si512(y) : round_to_piece(y);
        _mm512_store_si512(to + limb * 2 * LAY_CPU_SPLIT_TILE, _mm512_or_si512(_mm512_srli_epi32(low, 16), high));
        x = _mm512_sub_ps(x, _mm512_castsi512_ps(low));
        y = _mm512_sub_ps(y, _mm512_castsi512_ps(high));
    }
}

/* A tile of each limb from two blocks, whose vectors are rows of words, or columns where it is transposed. */
static inline __attribute__((always_inline)) void split_blocks(const block *low, const block *high, int is_transposed,
                                                               char *to, int limbs, extremes *seen)
{
    __m512 x[ROWS], y[ROWS];
    extremes now = *seen;
    if (is_transposed) {
        UNROLLED
        for (int i = 0; i < ROWS; i++)
            x[i] = load_vector(low, i);
        transpose(x);
        UNROLLED
        for (int i = 0; i < ROWS; i++)
            y[i] = load_vector(high, i);
        transpose(y);
        UNROLLED
        for (int i = 0; i < ROWS; i++)
            split_row(x[i], y[i], to + i * 64, limbs, &now);
    } else {
        UNROLLED
        for (int i = 0; i < ROWS; i++)
            split_row(load_vector(low, i), load_vector(high, i), to + i * 64, limbs, &now);
    }
    *seen = now;
}

/* With what the compiler is to know written out. */
static inline __attribute__((always_inline)) void choose_split(const block *low, const block *high, int is_transposed,
                                                               char *to, int limbs, extremes *seen)
{
    if (limbs == 3)
        is_transposed ? split_blocks(low, high, 1, to, 3, seen) : split_blocks(low, high, 0, to, 3, seen);
    else if (limbs == 2)
        is_transposed ? split_blocks(low, high, 1, to, 2, seen) : split_blocks(low, high, 0, to, 2, seen);
    else
        is_transposed ? split_blocks(low, high, 1, to, 1, seen) : split_blocks(low, high, 0, to, 1, seen);
}

static __attribute__((noinline)) void split_edge(const block *low, const block *high, int is_transposed, char *to,
                                                 int limbs, extremes *seen)
{
    choose_split(low, high, is_transposed, to, limbs, seen);
}

/* All vectors are there, and all lanes. */
static __attribute__((noinline)) void split_whole(const block *low, const block *high, int is_transposed, char *to,
                                                  int limbs, extremes *seen)
{
    const block x = { low->from, low->offset, ROWS, low->start, 0xffff };
    const block y = { high->from, high->offset, ROWS, high->start, 0xffff };
    choose_split(&x, &y, is_transposed, to, limbs, seen);
}

static inline int is_unit(const int64_t offset[], int64_t count)
{
    int64_t jumps = 0;
    for (int64_t i = 1; i < count; i++)
        jumps |= offset[i] - offset[i - 1] - 1;
    return jumps == 0;
}

/* Steps steps of lines lines that lie anywhere, to dense lines of 32. */
static void gather(const lay_cpu_split_pack *of, int line, int lines, int64_t step, int64_t steps, float to[])
{
    for (int i = 0; i < lines; i++)
        for (int64_t p = 0; p < steps; p++)
            to[i * LAY_CPU_SPLIT_STEPS + p] = of->src[of->across[line + i] + of->along[step + p]];
}

/* The same 16 lines of a leaf to come: rows a page or more apart are no stream to the hardware. As far as the second
 * cache, for rows a power of two apart share few sets of the first. */
static inline void prefetch_leaf(const lay_cpu_split_pack *of, int line, int lines, int64_t step, int is_by_lines)
{
    const int64_t end = of->k + of->coming;
    if (step >= end)
        return;
    if (is_by_lines)
        for (int i = 0; i < lines; i++) {
            const float *const at = of->src + of->across[line + i] + of->along[step];
            __builtin_prefetch(at, 0, 2);
            __builtin_prefetch(at + ROWS, 0, 2);
        }
    else
        for (int64_t p = step; p < step + LAY_CPU_SPLIT_STEPS && p < end; p++)
            __builtin_prefetch(of->src + of->across[line] + of->along[p], 0, 2);
}

/* 16 lines from line on of a leaf from step on. */
static void split_part(const lay_cpu_split_pack *of, int line, int64_t step, lay_pack_class class, int is_left,
                       char *to, extremes *seen)
{
    static const int64_t dense[ROWS] = { 0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480 };
    _Alignas(64) float gathered[ROWS * LAY_CPU_SPLIT_STEPS];
    const int64_t steps = of->k - step < LAY_CPU_SPLIT_STEPS ? of->k - step : LAY_CPU_SPLIT_STEPS;
    const int lines = of->w - line < ROWS ? of->w - line : ROWS;
    if (lines <= 0) {
        for (int limb = 0; limb < of->limbs; limb++)
            memset(to + limb * 2 * LAY_CPU_SPLIT_TILE, 0, LAY_CPU_SPLIT_TILE);
        return;
    }
    /* By lines: vectors of steps. */
    block low = { .from = of->src, .offset = of->across + line, .count = lines, .lanes = first_lanes(steps) };
    block high = low;
    int is_by_lines = 1;
    if (class == LAY_PACK_ACROSS || (class == LAY_PACK_ANY && is_unit(of->across + line, lines))) {
        is_by_lines = 0; /* vectors of lines */
        low.offset = of->along + step;
        low.count = (int)(steps < ROWS ? steps : ROWS);
        low.start = of->across[line];
        low.lanes = first_lanes(lines);
        high = low;
        high.offset += ROWS;
        high.count = (int)steps - ROWS;
    } else {
        high.lanes = first_lanes(steps - ROWS);
        if (class == LAY_PACK_ALONG || is_unit(of->along + step, steps)) {
            low.start = of->along[step];
        } else {
            gather(of, line, lines, step, steps, gathered);
            low.from = high.from = gathered;
            low.offset = high.offset = dense;
        }
        high.start = low.start + (steps > ROWS ? ROWS : 0);
    }
    prefetch_leaf(of, line, lines, step + AHEAD * LAY_CPU_SPLIT_STEPS, is_by_lines);
    if (lines == ROWS && steps == LAY_CPU_SPLIT_STEPS)
        split_whole(&low, &high, is_by_lines != is_left, to, of->limbs, seen);
    else
        split_edge(&low, &high, is_by_lines != is_left, to, of->limbs, seen);
}

static int pack(const lay_cpu_split_pack *of, lay_pack_class class, int is_left)
{
    const uint32_t beyond = (uint32_t)(127 + LAY_CPU_SPLIT_MOST + 1) << 24;
    const uint32_t least = (uint32_t)(127 + LAY_CPU_SPLIT_LEAST) << 24;
    extremes seen = { _mm512_setzero_si512(), _mm512_set1_epi32(-1) };
    char *to = of->dst;
    for (int64_t step = 0; step < of->k; step += LAY_CPU_SPLIT_STEPS, to += lay_cpu_split_leaf(of->limbs)) {
        split_part(of, 0, step, class, is_left, to, &seen);
        split_part(of, ROWS, step, class, is_left, to + LAY_CPU_SPLIT_TILE, &seen);
    }
    return _mm512_reduce_max_epu32(seen.greatest) < beyond && _mm512_reduce_min_epu32(seen.least) >= least - 1;
}

static int pack_left_across(const lay_cpu_split_pack *of)
{
    return pack(of, LAY_PACK_ACROSS, 1);
}

static int pack_left_along(const lay_cpu_split_pack *of)
{
    return pack(of, LAY_PACK_ALONG, 1);
}

static int pack_left_any(const lay_cpu_split_pack *of)
{
    return pack(of, LAY_PACK_ANY, 1);
}

static int pack_right_across(const lay_cpu_split_pack *of)
{
    return pack(of, LAY_PACK_ACROSS, 0);
}

static int pack_right_along(const lay_cpu_split_pack *of)
{
    return pack(of, LAY_PACK_ALONG, 0);
}

static int pack_right_any(const lay_cpu_split_pack *of)
{
    return pack(of, LAY_PACK_ANY, 0);
}
