/* Products of 16-bit numbers, and of FP32 ones rounded to so many bits, on the matrix units of compute capability 8.0
 * and newer, as their launcher sees them: what the kernel is given and what it promises. C and CUDA C++ both include
 * this, besides cuda_kernel.h, which has the table of rows.
 *
 * Operands are read by copies of vectors, 16 bytes each, from wherever these are:
 *
 *     left(i,p) = left.first[left.lines(i) + left.steps(p)]        right(p,j) = right.first[right.lines(j) + ...
 *
 * lines being rows of left and columns of right. Of the two, lines where is_across and steps elsewhere lie in vectors:
 * v = 8 of 16 bits, 4 of FP32, indices from each multiple of v on are one aligned vector. So are those behind the last
 * index up to a multiple of v: their bytes are read. Behind the last step they are zeros, or there are none. Anything
 * else is copied to such a place first (lay_narrow_pack_args of cuda_narrow.h).
 *
 * The order of a sum: the matrix units', 16 steps (of TF32 8) at a time in ascending order from +0, in their own
 * arithmetic, which may be another on another compute capability. Steps behind k are zeros. Slices are added in FP32,
 * ascending. Then
 *
 *     c(i,j) = alpha * sum                       beta == 0, C is not read
 *     c(i,j) = fma(alpha, sum, beta * c(i,j))    otherwise, in FP32, rounded to C's type
 *
 * The bits of C depend on m, n, k, slices and slice_k: never on the layouts, the tile or the schedule. */
#ifndef LAY_KERNELS_CUDA_MMA_H
#define LAY_KERNELS_CUDA_MMA_H

#include "cuda_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LAY_MMA_LINE = 64 /* bytes: of a line's steps in a turn */ };

/* How an operand is read: steps in vectors, or lines; and whether either operand's steps have a table. By those of left
 * and right, both of one kind, a row has its functions. */
typedef enum lay_mma_way {
    LAY_MMA_ALONG,
    LAY_MMA_ACROSS,
    LAY_MMA_ALONG_TABLE,
    LAY_MMA_ACROSS_TABLE,
    LAY_MMA_WAYS
} lay_mma_way;

typedef struct lay_mma_operand {
    const void *first; /* the element of which both offsets are 0: 16-byte aligned */
    lay_cuda_offsets lines, steps;
} lay_mma_operand;

/* By value, in a grid of (tiles_m * tiles_n, 1, slices). */
typedef struct lay_mma_args {
    lay_mma_operand left, right;
    int m, n, k; /* 1 .. LAY_CUDA_MAX_EXTENT */
    lay_type c_type;
    void *c;
    lay_cuda_offsets result_m, result_n;
    int is_c_vector; /* 16 bytes of columns, from each multiple of so many on, are one aligned vector; n is such a
                      * multiple */
    float alpha, beta;
    int slices, slice_k;   /* slice_k: a multiple of the steps in LAY_MMA_LINE, or k where slices == 1 */
    float *partial;        /* [slices][m][n] where slices > 1 */
    int tiles_m, tiles_n;  /* ceil(m / bm), ceil(n / bn) */
    unsigned band_inverse; /* (2^32 - 1) / tiles_n, as lay_cuda_args_tile has it: tiles go down bands of the row's */
    unsigned rest_inverse; /* the same of what a last band has of rows */
} lay_mma_args;

/* Fills tiles and inverses. The rest is there. */
static inline void lay_mma_args_tile(lay_mma_args *args, const lay_cuda_kernel *row)
{
    args->tiles_m = (args->m + row->bm - 1) / row->bm;
    args->tiles_n = (args->n + row->bn - 1) / row->bn;
    args->band_inverse = UINT32_MAX / (unsigned)args->tiles_n;
    args->rest_inverse = args->tiles_m % row->band ? UINT32_MAX / (unsigned)(args->tiles_m % row->band) : 0;
}

#ifdef __cplusplus
}
#endif

#endif
