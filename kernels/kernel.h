/* The row of a CPU kernel, and the contracts of its functions. The planner and the kernels share
 * this header and nothing else: kernels know tiles and pointers, never descriptors or plans.
 *
 * Tile: C(0..m, 0..n) = alpha * A B + beta * C, from packed panels, k steps long.
 *
 *             b [k][nr]                     One C element, in this order and no other, whatever the
 *             +--------+                    kernel (the library's promise of equal bits rests on it):
 *             |........|                      acc = +0
 *             +--------+                      for p = 0 .. k-1:  acc = fma(a[p][i], b[p][j], acc)
 *   a [k][mr]  |  |  |                        c = alpha * acc                    where *beta == 0
 *   (column    v  v  v                        c = fma(alpha, acc, beta * c)      otherwise
 *    p of A  +--------+                     At the LAY_ISA_C level each fma is a product rounded,
 *    is      |  c     | c[row[i] + j]       then a sum rounded (no contraction). A row of C may have its
 *    a[p])   +---+----+                     columns from h = nr / 2 on elsewhere: c[row[i] + half + (j - h)].
 *
 * Panels have room for all mr (nr) entries of each step, but entries i >= m (j >= n) may hold
 * anything, NaN included, and must not reach C. C elements outside m x n are neither read nor
 * written. With *beta == 0 C is not read. a and b are 64-byte aligned; c is aligned as its elements.
 * C's rows do not overlap: all may be read before any is written. A NaN's payload is not specified.
 * Where is_paired m is even, and rows 2 i and 2 i + 1 alternate, as parts of complex numbers do: row 2 i + t has its
 * column j at c[row[2 i] + 2 j + t], those from h = nr / 2 on at c[row[2 i + 1] + 2 (j - h) + t]; half is h.
 * next_a and next_b are hints that may be prefetched, never read: next_a the panel of A that comes
 * next, next_b the first of k * LAY_AHEAD / 64 lines of B's next panel, or of what it will be packed of, next_b_step
 * bytes apart. Where a panel of B serves many tiles, successive ones should name successive segments of the next
 * (cyclically), so that it has come nearer when its turn is there: 2 to 5 % where B lies in the last-level cache.
 *
 * Numbers: the same product of complex numbers, whose parts are steps: k is even, a and b have the real parts of a
 * complex step p in their step 2 p, the imaginary ones in 2 p + 1. C is of complex numbers, and so are row and half;
 * alpha and beta are real, and multiply parts. With x = a's number, y = b's, step by step from +0 on:
 *
 *     re = fma(re x, re y, re)   re = fma(im x, -im y, re)
 *     im = fma(re x, im y, im)   im = fma(im x, re y, im)    where is_left_first the second of these before the first
 *
 * Strided: the same product from the operands' own storage, step p's element of row i at
 * a[i * a_row + p * a_step], its columns at b[p * b_step + 0 .. n-1], C's row i at c[i * c_row]. Steps
 * come in segments, each with its own place to start from in a and in b: one where strides serve
 * throughout, several where storage is nested. The chain of an element goes through all of them. No
 * element of A, B or C is touched but those named; nothing is aligned but as elements. C's rows do not overlap.
 *
 * Whole: all of a product that has one stride each way, of any m, n, k >= 1, as strided in one segment: A's element of
 * row i and step p at a[i * a_row + p * a_step], the columns of B's step at b[p * b_step + 0 .. n-1], C's row i at
 * c[i * c_row]. alpha and beta may lie in C: they are read before it is written. A row has several such functions;
 * choose_whole knows which one is for which sizes, so that a product that is done often chooses once. It may be called
 * for these sizes and strides alone.
 *
 * Sweep: few rows of A, as many columns as there are: B's rows are read as they lie, k steps of the whole width at a
 * time, while the chains wait in sums, m n elements in the row's own order, n rounded up to its lanes unless a call is
 * both first and last. They begin with +0 where is_first, else with what the call before left, of the same m and n;
 * where is_last C takes them by the contract's last line and sums holds anything, else they are left there. Step p's
 * element of A's row i lies at a[p * a_step + i]. Otherwise as strided, in one segment.
 *
 * Dots: few rows (1..LAY_DOT_ROWS) with columns of B that are contiguous along k, column j's step p at b[j * b_column +
 * p]: blocks of B are transposed in registers and used at once. Otherwise as strided, in one segment.
 *
 * Partial sums: of products with a vector, the matrix's lines and the vector x, in blocks of k that are each summed up
 * in an order of their own. With S = LAY_PARTIAL_BYTES / (bytes of an element), partial sum s[l] has the block's steps
 * l, l + S, l + 2 S, ..:
 *
 *     s[l] = +0;  s[l] = fma(x[p], line[p], s[l]) for each of its steps, in ascending order; +0 if it has none
 *     s[l] = s[l] + s[l + h]  for l < h,  for h = S/2, .. 2, 1;  s[0] is the block's sum
 *
 * Along: lines contiguous along k. Block i of line j goes to sums[i * sums_row + j].
 * Across: n lines side by side, step p at b[p * b_step + 0 .. n-1]; one block, whose sums go to sums[0 .. n-1]. room
 * holds anything: LAY_PARTIAL_BYTES for each line and LAY_PARTIAL_LINES more. Both: step p of a segment from b[from_b],
 * its x at x[from_a + p]. A segment but the last has a multiple of S steps. No element is touched but those named;
 * nothing is aligned but as elements.
 *
 * Pack: one panel, element (p, i) from src[across[i] + along[p]] to dst[p * width + i], for
 * 0 <= p < k and 0 <= i < w <= width. dst entries i >= w may be written with anything. width is the
 * row's mr (pack_a) or nr (pack_b). Reads no element but those named. By class:
 *   LAY_PACK_ACROSS  across[i] == across[0] + i : unit stride across the panel
 *   LAY_PACK_ALONG   along[p] == along[0] + p   : unit stride along k, of which along[0] alone is read
 *   LAY_PACK_ANY     nothing is known
 * next is a hint that may be prefetched: the across of the panel that is packed next, of the same steps.
 *
 * Interleaved: panels of B whose elements lie side by side, panel q's element (p, i) from src[across[i] + along[p] + q]
 * to dst[q * further + p * width + i]. They are transposed in registers: what lies along q comes to lie along i. Where
 * is_paired, steps come in pairs that lie side by side (k is even), and panels two elements apart: at 2 q, not at q.
 * Otherwise as Pack. */
#ifndef LAY_KERNELS_KERNEL_H
#define LAY_KERNELS_KERNEL_H

#include <stdint.h>

#include "cpu_whole.h"
#include "levels.h"

typedef struct lay_tile {
    int64_t k;     /* steps, >= 1 */
    const void *a; /* [k][mr] */
    const void *b; /* [k][nr] */
    void *c;
    const int64_t *row; /* [m] */
    int64_t half;       /* elements from a row's beginning to its column nr / 2: nr / 2 where rows are contiguous */
    int is_paired;      /* rows alternate, two by two */
    int is_left_first;  /* of numbers alone: left's imaginary part comes first */
    int m, n;           /* 1..mr, 1..nr */
    const void *alpha, *beta;
    const void *next_a, *next_b;
    int64_t next_b_step;
} lay_tile;
typedef void lay_tile_fn(const lay_tile *tile);

/* count steps that begin at a[from_a] and b[from_b]. */
typedef struct lay_segment {
    int64_t count, from_a, from_b; /* count >= 1 */
} lay_segment;

typedef struct lay_strided {
    const lay_segment *segment;
    int segments; /* >= 1 */
    int m, n;     /* 1..mr, 1..nr */
    const void *a, *b;
    int64_t a_row, a_step, b_step;
    void *c;
    int64_t c_row;
    const void *alpha, *beta;
    const void *next_a; /* a hint: where A's rows begin that come next, at the same strides; or NULL */
} lay_strided;
typedef void lay_strided_fn(const lay_strided *strided);

typedef struct lay_whole {
    int64_t m, n, k; /* >= 1 */
    int64_t a_row, a_step, b_step, c_row;
    int is_by_rows;  /* hints: each panel of rows with all columns, not each panel of columns with all rows; */
    int is_left_far; /* A's next rows are worth being asked for ahead */
} lay_whole;
typedef void lay_whole_fn(const lay_whole *whole, const void *alpha, const void *a, const void *b, const void *beta,
                          void *c);
typedef lay_whole_fn *lay_choose_whole_fn(const lay_whole *whole);

typedef struct lay_sweep {
    int64_t k; /* steps, >= 1 */
    int m;     /* 1..mr */
    int is_first, is_last;
    int64_t n; /* >= 1 */
    const void *a, *b;
    int64_t a_step, b_step;
    void *sums, *c;
    int64_t c_row;
    const void *alpha, *beta;
} lay_sweep;
typedef void lay_sweep_fn(const lay_sweep *sweep);

enum { LAY_DOT_ROWS = 4 };
typedef struct lay_dots {
    int64_t k; /* steps, >= 1 */
    int m;
    int64_t n; /* >= 1 */
    const void *a, *b;
    int64_t a_row, a_step;
    int64_t b_column;
    void *c;
    int64_t c_row;
    const void *alpha, *beta;
} lay_dots;
typedef void lay_dots_fn(const lay_dots *dots);

enum { LAY_PARTIAL_BYTES = 64, LAY_PARTIAL_LINES = 16 };
typedef struct lay_along {
    int64_t k, kc; /* steps, and those of a block, but for the last one's; k <= kc where there are several segments */
    const lay_segment *segment; /* of k steps together */
    int segments;               /* >= 1 */
    int64_t n;                  /* >= 1 */
    const int64_t *line;        /* [n]: where a line begins, from b on */
    const void *x, *b;
    void *sums;
    int64_t sums_row;
} lay_along;
typedef void lay_along_fn(const lay_along *along);

typedef struct lay_across {
    const lay_segment *segment;
    int segments; /* >= 1 */
    int64_t n;    /* >= 1 */
    const void *x, *b;
    int64_t b_step;
    void *sums, *room; /* room aligned to 64 bytes */
} lay_across;
typedef void lay_across_fn(const lay_across *across);

typedef enum lay_pack_class { LAY_PACK_ACROSS, LAY_PACK_ALONG, LAY_PACK_ANY, LAY_PACK_CLASSES } lay_pack_class;

typedef struct lay_panel {
    int64_t k; /* steps, >= 1 */
    int w;     /* entries across, 1..width */
    const void *src;
    const int64_t *across; /* [w] */
    const int64_t *along;  /* [k] */
    const int64_t *next;   /* [w], or NULL */
    void *dst;             /* [k][width] */
} lay_panel;
typedef void lay_pack_fn(const lay_panel *pack);

typedef struct lay_interleaved {
    lay_panel first;
    int count; /* panels, >= 1 */
    int is_paired;
    int64_t further; /* elements from one to the next in dst, >= k * width */
} lay_interleaved;
typedef void lay_interleaved_fn(const lay_interleaved *set);

/* The order of roundings of a row: rows of one summation give the same bits (lib/plan/summation.h). */
typedef enum lay_summation {
    LAY_SUM_ROUNDED, /* the contract above with each product rounded, then each sum */
    LAY_SUM_FUSED    /* the contract above with fused multiply-adds */
} lay_summation;

typedef struct lay_kernel {
    const char *name; /* lay_gemm_<type>_<mr>x<nr>_<isa> */
    lay_type type;
    lay_isa isa; /* the level it needs (levels.h) */
    lay_summation summation;
    int lanes; /* columns that cost as one: an edge is computed in whole vectors */
    int mr, nr;
    double flops_per_cycle;   /* of its inner loop on a core that issues two full-width FMAs a cycle */
    double strided_per_cycle; /* the same of its strided, whole and sweep functions, as measured */
    lay_tile_fn *tile;
    lay_tile_fn *numbers; /* NULL: it has none, which costs complex products an image (lib/rewrite/complex) */
    lay_strided_fn *strided;
    lay_choose_whole_fn *choose_whole;
    lay_whole_tiles whole;
    lay_sweep_fn *sweep;
    lay_dots_fn *dots;
    lay_along_fn *along;
    lay_across_fn *across;
    lay_pack_fn *pack_a[LAY_PACK_CLASSES], *pack_b[LAY_PACK_CLASSES];
    lay_interleaved_fn *interleaved;
} lay_kernel;

enum {
    LAY_MAX_MR = 64,
    LAY_MAX_NR = 64,
    LAY_MAX_TILE_BYTES = 8192, /* mr x nr elements of any row */
    LAY_AHEAD = 16
};

/* Every kernel of this build, C level first. */
extern const lay_kernel *const lay_kernels[];
extern const int lay_kernel_count;

#endif
