/* A batch of products as one launch, as its launcher sees it: what a kernel is given, and what it promises. C and CUDA
 * C++ both include this, besides cuda_kernel.h, which has the table of rows.
 *
 * Each product of the batch has the bits that it has alone (cuda_strict.h, cuda_narrow.h), by another schedule: a block
 * takes one tile of C after the other, of one product after the other, and the slices of k of a tile in ascending
 * order. So nothing is cut to fill the device that the batch fills:
 *
 *     acc = +0, then the chain of the slice's steps (16-bit types: the matrix units', turn by turn)
 *     total = acc of the first slice, then total + acc
 *     c(i,j) = alpha * total                        beta == 0, C is not read
 *     c(i,j) = fma(alpha, total, beta * c(i,j))     otherwise
 *
 * Where k is 0 there are no operands: c(i,j) = +0 or beta * c(i,j), as lay_cuda_scale has it. */
#ifndef LAY_KERNELS_CUDA_BATCH_H
#define LAY_KERNELS_CUDA_BATCH_H

#include "cuda_strict.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Offsets within a product, in bytes, are kept in shared memory as 32 bits: those of m, k (of either operand), n, and
 * of C's rows and columns. */
static inline int64_t lay_cuda_batch_offsets(int64_t m, int64_t n, int64_t k)
{
    return (2 * (m + n + k) * (int64_t)sizeof(int) + 15) / 16 * 16;
}
enum { LAY_CUDA_BATCH_MOST_OFFSETS = 64 << 10 }; /* bytes of them, at most: of 8192 rows, columns and steps together */

enum {
    LAY_CUDA_BATCH_LEFT_M,
    LAY_CUDA_BATCH_LEFT_K,
    LAY_CUDA_BATCH_RIGHT_K,
    LAY_CUDA_BATCH_RIGHT_N,
    LAY_CUDA_BATCH_RESULT_M,
    LAY_CUDA_BATCH_RESULT_N,
    LAY_CUDA_BATCH_AXES
};

typedef struct lay_cuda_batch_operand {
    const void *first; /* of the batch's first product, the element of which both offsets are 0 */
    lay_cuda_offsets batch;
    int is_along; /* neighbours in a copy go along k, else across */
    int bytes;    /* of a copy, 16, 8, 4 or 2, an element or more: so many lie together and aligned, from each multiple
                   * of as many elements on */
} lay_cuda_batch_operand;

/* By value, in a grid of (blocks, 1, 1): as many as the device holds at a time is best. Dynamic shared memory is the
 * row's and that of the offsets. */
typedef struct lay_cuda_batch_args {
    lay_cuda_batch_operand left, right;
    int m, n, k;
    int units; /* tiles of all products */
    void *c;
    lay_cuda_offsets result_batch, within[LAY_CUDA_BATCH_AXES];
    int c_bytes; /* 16, of 16-bit types 4 as well, or an element: so many of columns lie together and aligned, from each
                  * multiple of as many elements on */
    lay_cuda_scalar alpha, beta;
    int slice_k;          /* a multiple of the row's bk, or k */
    int tiles_m, tiles_n; /* ceil(m / bm), ceil(n / bn) */
} lay_cuda_batch_args;

/* ---- rows whose operands come by tensor copies, boxes of them at a time (lay_cuda_kernel.boxes)
 *
 * A map has five dimensions, and three where there are no blocks: the contiguous one of the operand (near), the other
 * one (far), blocks of near, blocks of far, and products. A box has bk indices of near by `far` of the other:
 *
 *     offset = near % inner_near + near / inner_near * a + far % inner_far * b + far / inner_far * c + product * d
 *
 * with a, b, c and d positive multiples of 16 bytes. Of LAY_CUDA_TILES inner_near is 16, blocks of far come before
 * those of near, and one box has all of a turn. Of LAY_CUDA_BLOCKS so has right, and left and C have 64 elements of a
 * block, four of those, blocks of far, blocks of near, products. Of LAY_CUDA_CORES the dimensions are a block's 64
 * elements, blocks of near, blocks of far, products, and one that has nothing. Of a row of pairs a box has half of a
 * turn of right at most, where it can be cut so. Of C, whose columns are near and rows far, boxes have the sizes below.
 */
typedef struct lay_cuda_batch_box {
    unsigned char tensor[128] __attribute__((aligned(64)));
    int inner_near, inner_far;          /* INT32_MAX where there are no blocks; else multiples of bk, and of far */
    unsigned near_inverse, far_inverse; /* UINT32_MAX / inner_near and inner_far, for quotients without a division */
    int far;                            /* along k it divides the tile's lines, across bk */
    int has_all_lines;                  /* across: inner_near is bk, and a box has the lines of all of the tile */
    int is_shared;                      /* all products have the same: the map's last extent is 1 */
} lay_cuda_batch_box;

enum { LAY_CUDA_BATCH_LEAVING_ROWS = 16, LAY_CUDA_BATCH_LEAVING_COLUMNS = 64 };

/* By value, in a grid as above, k >= 1; `of` without operands. */
typedef struct lay_cuda_batch_boxed_args {
    lay_cuda_batch_box left, right, result; /* result: of rows of 16-bit types, which may leave by it */
    int leaves_in_boxes;                    /* C may leave so, and is not read */
    lay_cuda_batch_args of;
} lay_cuda_batch_boxed_args;

/* Bytes of shared memory for offsets in C, which are all that such rows keep there. */
static inline int64_t lay_cuda_batch_boxed_offsets(int64_t m, int64_t n)
{
    return ((m + n) * (int64_t)sizeof(int) + 15) / 16 * 16;
}

#ifdef __cplusplus
}
#endif

#endif
