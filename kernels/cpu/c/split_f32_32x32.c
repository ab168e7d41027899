/* Split f32, 32x32, portable C: a model of the matrix unit, bit for bit (kernels/cpu_split.h). What every other row
 * must equal; also the way to run the whole of it on a machine without one. */
#include <assert.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "cpu_split.h"

enum { LINES = LAY_CPU_SPLIT_LINES, HALF = 16, WORDS = 16 };

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- packing: element by element ---- */

/* The nearest number of 8 bits, as float. */
static float round_to_piece(float x)
{
    return float_of((bits_of(x) + 0x8000u) & 0xffff0000u);
}

static int is_plain(float x)
{
    const uint32_t magnitude = bits_of(x) & 0x7fffffffu;
    const uint32_t least = (uint32_t)(127 + LAY_CPU_SPLIT_LEAST) << 23;
    const uint32_t beyond = (uint32_t)(127 + LAY_CPU_SPLIT_MOST + 1) << 23;
    return magnitude == 0 || (magnitude >= least && magnitude < beyond);
}

/* Where the half word of a line and a step is in its leaf's first limb. */
static size_t place_left(int line, int step)
{
    return (size_t)(line / HALF) * LAY_CPU_SPLIT_TILE +
           (size_t)(line % HALF * 64 + step % WORDS * 4 + step / WORDS * 2);
}

static size_t place_right(int line, int step)
{
    return (size_t)(line / HALF) * LAY_CPU_SPLIT_TILE +
           (size_t)(step % WORDS * 64 + line % HALF * 4 + step / WORDS * 2);
}

static int pack(const lay_cpu_split_pack *of, size_t (*place)(int line, int step))
{
    const size_t leaf = lay_cpu_split_leaf(of->limbs);
    int all_plain = 1;
    memset(of->dst, 0, (size_t)lay_cpu_split_leaves(of->k) * leaf);
    for (int64_t p = 0; p < of->k; p++)
        for (int i = 0; i < of->w; i++) {
            float rest = of->src[of->across[i] + of->along[p]];
            char *to =
                (char *)of->dst + (size_t)(p / LAY_CPU_SPLIT_STEPS) * leaf + place(i, (int)(p % LAY_CPU_SPLIT_STEPS));
            all_plain = all_plain && is_plain(rest);
            for (int limb = 0; limb < of->limbs && all_plain; limb++, to += 2 * LAY_CPU_SPLIT_TILE) {
                const float rounded = round_to_piece(rest);
                const uint16_t upper = (uint16_t)(bits_of(rounded) >> 16);
                memcpy(to, &upper, sizeof upper);
                rest -= rounded;
            }
        }
    return all_plain;
}

static int pack_left(const lay_cpu_split_pack *of)
{
    return pack(of, place_left);
}

static int pack_right(const lay_cpu_split_pack *of)
{
    return pack(of, place_right);
}

/* ---- the matrix unit ---- */

static inline float flush(float x)
{
    const uint32_t bits = bits_of(x);
    return float_of(bits & 0x7f800000u ? bits : bits & 0x80000000u);
}

/* acc + a b, rounded once: the product has 16 bits, so that a double holds all of the sum that can matter. */
static inline float multiply_add(float a, float b, float acc)
{
    return flush((float)((double)a * (double)b + (double)acc));
}

static inline float low_half(uint32_t word)
{
    return flush(float_of(word << 16));
}

static inline float high_half(uint32_t word)
{
    return flush(float_of(word & 0xffff0000u));
}

/* sum[16][32] of two tiles. */
static void lay_tdp(const uint32_t *left, const uint32_t *right, float *sum)
{
    float low[WORDS][HALF], high[WORDS][HALF]; /* of right */
    for (int q = 0; q < WORDS; q++)
        for (int j = 0; j < HALF; j++) {
            low[q][j] = low_half(right[q * HALF + j]);
            high[q][j] = high_half(right[q * HALF + j]);
        }
    for (int i = 0; i < HALF; i++, left += WORDS, sum += LINES) {
        float even[HALF] = { 0 }, odd[HALF] = { 0 };
        for (int q = 0; q < WORDS; q++) {
            const float of_low = low_half(left[q]), of_high = high_half(left[q]);
            for (int j = 0; j < HALF; j++)
                even[j] = multiply_add(of_low, low[q][j], even[j]);
            for (int j = 0; j < HALF; j++)
                odd[j] = multiply_add(of_high, high[q][j], odd[j]);
        }
        for (int j = 0; j < HALF; j++)
            sum[j] = flush(flush(sum[j]) + flush(even[j] + odd[j]));
    }
}

/* The 32 x 32 product of one limb of left and one of right, in a leaf. */
static void multiply_pieces(const char *a, const char *b, int left, int right, float *sum)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            lay_tdp((const uint32_t *)(const void *)(a + (2 * left + i) * LAY_CPU_SPLIT_TILE),
                    (const uint32_t *)(const void *)(b + (2 * right + j) * LAY_CPU_SPLIT_TILE),
                    sum + i * HALF * LINES + j * HALF);
}

typedef struct pair {
    int left, right; /* limb 0 is h */
} pair;

/* The small ones first. */
static const pair products_of_3[] = { { 2, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 0, 2 }, { 0, 0 } };
static const pair products_of_2[] = { { 1, 0 }, { 0, 1 }, { 0, 0 } };
static const pair products_of_1[] = { { 0, 0 } };

static void multiply_chunk(const lay_cpu_split_tile *tile, int64_t first, int64_t leaves, float *part)
{
    const size_t leaf = lay_cpu_split_leaf(tile->limbs);
    const pair *products = tile->limbs == 3 ? products_of_3 : tile->limbs == 2 ? products_of_2 : products_of_1;
    const int count = tile->limbs * (tile->limbs + 1) / 2;
    const char *a = (const char *)tile->a + (size_t)first * leaf, *b = (const char *)tile->b + (size_t)first * leaf;
    memset(part, 0, LINES * LINES * sizeof *part);
    for (int64_t l = 0; l < leaves; l++, a += leaf, b += leaf)
        for (int i = 0; i < count; i++) {
            const pair of = products[i];
            multiply_pieces(a, b, tile->is_transposed ? of.right : of.left, tile->is_transposed ? of.left : of.right,
                            part);
        }
}

static void store(const lay_cpu_split_result *of)
{
    const lay_cpu_split_sums *sums = of->sums;
    for (int i = 0; i < LINES; i++) {
        if (!(of->rows >> i & 1))
            continue;
        float *c = of->c + of->row[i];
        for (int j = 0; j < LINES; j++)
            if (of->columns >> j & 1) {
                const float sum = sums->halves == 1 ? sums->half[0][i][j] : sums->half[0][i][j] + sums->half[1][i][j];
                c[j] = of->beta == 0 ? of->alpha * sum : fmaf(of->alpha, sum, of->beta * c[j]);
            }
    }
}

static void multiply(const lay_cpu_split_tile *tile)
{
    float part[LINES][LINES];
    if (tile->pending)
        store(tile->pending);
    tile->sums->halves = 1;
    for (int64_t first = 0; first < tile->leaves; first += LAY_CPU_SPLIT_CHUNK) {
        const int64_t left = tile->leaves - first;
        fenv_t callers;
        fegetenv(&callers);
        fesetenv(FE_DFL_ENV);
        multiply_chunk(tile, first, left < LAY_CPU_SPLIT_CHUNK ? left : LAY_CPU_SPLIT_CHUNK, part[0]);
        fesetenv(&callers);
        for (int i = 0; i < LINES; i++)
            for (int j = 0; j < LINES; j++) {
                float *const sum = &tile->sums->half[0][i][j];
                *sum = first == 0 ? part[i][j] : *sum + part[i][j];
            }
    }
}

const lay_cpu_split_row lay_split_f32_32x32_c = {
    .name = "lay_split_f32_32x32_c",
    .isa = LAY_ISA_C,
    .is_emulated = 1,
    .flops_per_cycle = 1,
    .multiply = multiply,
    .store = store,
    .pack_left = { pack_left, pack_left, pack_left },
    .pack_right = { pack_right, pack_right, pack_right },
};
