/* FP32 products by limbs of bfloat16 on the CPU, as their executor sees them: what the kernels are given and what they
 * promise. Planner and kernels share this header, kernel.h and nothing else.
 *
 * Limbs. An element x is a sum of 8-bit numbers, each the nearest to what the ones before leave (halfway: away from
 * 0):
 *
 *     h = bf16(x)    m = bf16(x - h)    l = x - h - m          three are x exactly, as long as none is denormal
 *
 * Panels. A panel is 32 lines (rows of left, columns of right), k steps long, in leaves of 32 steps; the steps behind k
 * and the lines behind w are zeros in both operands. A leaf is two tiles of 16 lines for each limb, a tile 1024 bytes:
 *
 *     [h 0..15 | h 16..31 | m 0..15 | m 16..31 | l 0..15 | l 16..31]         the first 2 * limbs of them
 *
 * and holds 32-bit words, word q of a line being step q (low half) and step q + 16 (high half) of the leaf: so that a
 * word is made of two vectors of neighbours without moving anything between lanes.
 *
 *     left  [16 lines][16 words]          right  [16 words][16 lines]
 *
 * Product of two tiles, lay_tdp: sum(i,j) += even + odd, where
 *     even = fma(left(i,q) low,  right(q,j) low,  even)   q = 0 .. 15, from +0
 *     odd  = fma(left(i,q) high, right(q,j) high, odd)
 * each fma and each addition rounded to nearest, denormal operands and results zero, whatever the control word.
 *
 * Multiply. sum[32][32] of one pair of panels, in this order and no other, whatever the kernel:
 *     for each chunk of LAY_CPU_SPLIT_CHUNK leaves (the last may be shorter):
 *         part = +0
 *         for each leaf, ascending:   part by lay_tdp of  l h,  m h,  m m,  h m,  h l,  h h     (3 limbs; of left, of
 * right) m h,  h m,  h h                       (2) h h                                   (1) sum = part (first chunk),
 * sum + part in FP32 (later ones) With is_transposed the two letters change places, so that the sums of C^T = B^T A^T
 * are those of C = A B. Each product rounds the part once; what that costs grows with a chunk, not with k. Leading
 * products in sums of their own would be rounded less often, but load every h again: 13 % slower for errors that differ
 * by a tenth (bench/LOG.md).
 *
 * The last addition is left to who stores: sums come as one or two halves of a total. And a multiplication stores an
 * earlier one's sums meanwhile, for the matrix unit and C's update wait for each other otherwise.
 *
 * Store. For i in rows and j in columns (bits): c[row[i] + j] = alpha * sum(i,j) where beta == 0 (c is not read), else
 * fma(alpha, sum(i,j), beta * c[row[i] + j]). Other elements are neither read nor written. */
#ifndef LAY_KERNELS_CPU_SPLIT_H
#define LAY_KERNELS_CPU_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

enum {
    LAY_CPU_SPLIT_LINES = 32,  /* of a panel */
    LAY_CPU_SPLIT_STEPS = 32,  /* of a leaf */
    LAY_CPU_SPLIT_LIMBS = 3,   /* at most */
    LAY_CPU_SPLIT_TILE = 1024, /* bytes */
    LAY_CPU_SPLIT_CHUNK = 8,   /* leaves */
    LAY_CPU_SPLIT_LEAST = -50, /* exponents of plain elements */
    LAY_CPU_SPLIT_MOST = 60
};

/* Bytes from leaf to leaf. */
static inline size_t lay_cpu_split_leaf(int limbs)
{
    return (size_t)(2 * limbs) * LAY_CPU_SPLIT_TILE;
}

static inline int64_t lay_cpu_split_leaves(int64_t k)
{
    return (k + LAY_CPU_SPLIT_STEPS - 1) / LAY_CPU_SPLIT_STEPS;
}

/* One panel, element (p, i) from src[across[i] + along[p]]; reads no element but those named. Returns 1 when every one
 * is plain: zero, or finite with an exponent of LAY_CPU_SPLIT_LEAST to LAY_CPU_SPLIT_MOST. Else 0, and dst holds
 * anything. Classes as in kernel.h. */
typedef struct lay_cpu_split_pack {
    int64_t k;      /* steps, >= 1 */
    int64_t coming; /* steps behind them that a later call packs, a hint: along has them, too */
    int w;          /* lines, 1..32 */
    int limbs;      /* 1..3 */
    const float *src;
    const int64_t *across; /* [w] */
    const int64_t *along;  /* [k + coming] */
    void *dst;             /* [leaves][limbs][2][1024 bytes], 64-byte aligned */
} lay_cpu_split_pack;
typedef int lay_cpu_split_pack_fn(const lay_cpu_split_pack *pack);

typedef struct lay_cpu_split_sums {
    _Alignas(64) float half[2][LAY_CPU_SPLIT_LINES][LAY_CPU_SPLIT_LINES];
    int halves; /* 1, or 2: the sums are half[0] + half[1] in FP32 */
} lay_cpu_split_sums;

typedef struct lay_cpu_split_result {
    const lay_cpu_split_sums *sums;
    float *c;
    const int64_t *row;     /* [32]; of rows that are not in rows anything */
    uint32_t rows, columns; /* bit i: row i, column i */
    float alpha, beta;
} lay_cpu_split_result;
typedef void lay_cpu_split_store_fn(const lay_cpu_split_result *result);

typedef struct lay_cpu_split_tile {
    int64_t leaves;
    int limbs;
    int is_transposed;
    const void *a, *b; /* panels of left and right */
    lay_cpu_split_sums *sums;
    const lay_cpu_split_result *pending; /* to be stored until multiply returns; NULL: nothing */
    /* Hints, prefetched and never read: the panels that come next; a segment of ahead_bytes a leaf of right's next
     * one, which serves many tiles and lies further away; C where these sums will go (or NULL). */
    const void *next_a, *next_b, *ahead;
    size_t ahead_bytes;
    const lay_cpu_split_result *coming;
} lay_cpu_split_tile;
typedef void lay_cpu_split_multiply_fn(const lay_cpu_split_tile *tile);

typedef struct lay_cpu_split_row {
    const char *name;       /* lay_split_f32_32x32_<isa> */
    lay_isa isa;            /* the level it needs */
    int is_emulated;        /* a model of what it takes a matrix unit to do fast: only where it is named */
    double flops_per_cycle; /* of lay_tdp */
    void (*start)(void);    /* what a thread does before multiply, and after the last one; NULL: nothing */
    void (*stop)(void);
    lay_cpu_split_multiply_fn *multiply;
    lay_cpu_split_store_fn *store;
    lay_cpu_split_pack_fn *pack_left[LAY_PACK_CLASSES], *pack_right[LAY_PACK_CLASSES];
} lay_cpu_split_row;

/* Every row of this build, the fastest first. */
extern const lay_cpu_split_row *const lay_cpu_split_rows[];
extern const int lay_cpu_split_row_count;

#endif
