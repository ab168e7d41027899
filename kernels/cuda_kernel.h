/* CUDA kernels as the launcher sees them: what one is given, what it promises, and the table of rows.
 * C and CUDA C++ both include this, and nothing else passes between them.
 *
 * The contract of a product kernel:
 *
 *      k steps            n
 *     +--------+     +--------+         acc(i,j) = resume ? resume(i,j) : +0
 *   m |  left  |   k | right  |         acc(i,j) = fma(left(i,p), right(p,j), acc(i,j))   p ascending
 *     +--------+     +--------+
 *                    +--------+         partial != NULL:  partial(z,i,j) = acc(i,j), and C is not touched,
 *                  m | result |                           but see counters
 *                    +--------+         beta == 0:        c(i,j) = alpha * acc(i,j), C is not read
 *                                       otherwise:        c(i,j) = fma(alpha, acc(i,j), beta * c(i,j))
 *
 * An element lies at base + one dimension's offset + the other's:
 *
 *     left(i,p)  = left[left_m(i) + left_k(p)]        offsets(i) = table ? table[i] : i * stride
 *
 * Kernels take any m, n, k >= 1 and handle edges themselves: no element outside of the operands is read or
 * written, and lanes past an edge enter no arithmetic that reaches C. The bits of C depend on the row, m, n,
 * k, slices and slice_k, never on the offsets, the classes or the schedule: every class variant of a row does
 * the same arithmetic in the same order, and differs in how operands reach shared memory or registers.
 *
 * Slices: block z sums the steps z * slice_k <= p < min(k, (z + 1) * slice_k). With slices > 1 partial is
 * [slices][m][n], dense. Where counters is NULL the launcher adds the slices with lay_cuda_add_slices; else
 * counters is one zero for each tile of C, the block that comes last to its tile adds the slices in
 * ascending order, writes C as above and leaves a zero: the order of the sum never depends on who is last.
 * A row with groups of threads sums 2 <= slices <= groups side by side in one block if partial is NULL: its grid
 * is then (tiles, 1, 1), and the block adds them in ascending order. */
#ifndef LAY_KERNELS_CUDA_KERNEL_H
#define LAY_KERNELS_CUDA_KERNEL_H

#include <stdint.h>

#include "layoutgemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Element offsets of one dimension of one operand; a table lies in device memory.
 *
 * Segments, for a dimension in blocks: where run > 0 the table has this form too, so that a kernel whose steps
 * do not straddle segments can hoist the block's index out of its loop and read no table:
 *
 *     table[i] = table[0] + i * stride + i / run * jump */
typedef struct lay_cuda_offsets {
    const int64_t *table; /* NULL: i * stride */
    int64_t stride;       /* also within a segment */
    int64_t jump;         /* from where a segment would go on to where the next begins */
    int run;              /* indices of a segment; 0: nothing is known of the table, or there is none */
} lay_cuda_offsets;

/* How an operand's elements may be fetched. A vector is 16 bytes: v = 4 of f32, 2 of f64. */
typedef enum lay_cuda_class {
    LAY_CUDA_ACROSS_VECTOR, /* v indices across (rows of left, columns of right), from each multiple of v on
                             * and as far as there are that many, are one aligned vector */
    LAY_CUDA_ALONG_VECTOR,  /* the same along k, from each multiple of v on */
    LAY_CUDA_ACROSS,        /* any offsets; lanes that go across touch fewer lines */
    LAY_CUDA_ALONG,         /* any offsets; lanes that go along k touch fewer lines */
    LAY_CUDA_CLASSES
} lay_cuda_class;

typedef union lay_cuda_scalar {
    float f32;
    double f64;
} lay_cuda_scalar;

typedef struct lay_cuda_args {
    int m, n, k;              /* 1 .. LAY_CUDA_MAX_EXTENT */
    const void *left, *right; /* the element of which both offsets are 0 */
    void *c;
    lay_cuda_offsets left_m, left_k, right_k, right_n, result_m, result_n;
    lay_cuda_scalar alpha, beta;
    int is_c_vector;                        /* v columns of C, from each multiple of v on, are one aligned vector */
    int slices, slice_k;                    /* slice_k: a multiple of the row's bk, or k where slices == 1 */
    void *partial;                          /* NULL, or [slices][m][n], 16-byte aligned */
    const void *resume;                     /* NULL, or [m][n]; only with slices == 1 */
    unsigned *counters;                     /* NULL, or [tiles of C] */
    int tiles_m, tiles_n;                   /* ceil(m / bm), ceil(n / bn) */
    unsigned column_inverse, rest_inverse;  /* of tiles_n, and of what a last band of tiles has of rows: see band */
    lay_cuda_class left_class, right_class; /* by which the function was chosen, for those that serve several */
} lay_cuda_args;

/* Room for a tile's overhang in 32 bits. */
#define LAY_CUDA_MAX_EXTENT (INT32_MAX - 4096)

/* The order of a row's sum within a slice: rows of one order give the same bits for the same slices. */
typedef enum lay_cuda_order {
    LAY_CUDA_CHAIN, /* the contract above: one chain of fused multiply-adds, which f64 matrix units compute too */
    LAY_CUDA_LANES  /* partial chains by fixed lanes, then a tree: skinny rows; drawn in their files */
} lay_cuda_order;

typedef struct lay_cuda_kernel {
    const char *family; /* naive, tiled, parray, simt, dmma, skinny: what options.kernel may name */
    const char *name;   /* gemm_<type>_<bm>x<bn>x<bk>_<family>: what it may name as well */
    lay_type type;
    lay_cuda_order order;
    int can_resume, can_slice;
    int bm, bn, bk; /* a block computes bm x bn of C, bk steps a turn */
    int band;       /* blocks go down bands of so many tiles, column by column, then to the next band, so that those
                     * at work at a time share what they read */
    int threads;
    int groups;        /* 0, or so many slices that a block can take by itself: then grid z is 1 and partial NULL
                        * where slices <= groups, and the block adds the slices in ascending order */
    int shared;        /* dynamic shared memory, bytes */
    int blocks_per_sm; /* that fit one multiprocessor, as built for sm_90 */
    int least_sm;      /* 80 or 90 */
    int can_overlap;   /* with another launch of the same product, from 9.0 on: element.cuh */
    int max_m, max_n;  /* the row is made for at most so many; 0: any */
    double rate;       /* flops a clock and multiprocessor in the long run of k, measured (bench/LOG.md) */
    double start;      /* clocks of a block besides its steps: first loads, C */
    double crowding;   /* where fewer blocks than fit share a multiprocessor they take (few / fit)^crowding of the time:
                        * 1, if one has the rate alone */
    double lone;       /* rows with groups, if known: so many warps a scheduler wants for the rate; 0: not known */
    /* What an operand of this class costs more than one in vectors across: this part of the time of steps, divided by
     * the tile's other side. */
    double fetch[LAY_CUDA_CLASSES];
    /* By the classes of left and right. Never NULL: a class that is not specialised names one that serves.
     * Launched with a grid of (tiles_m * tiles_n, 1, slices) and one argument: lay_cuda_args by value. */
    const void *function[LAY_CUDA_CLASSES][LAY_CUDA_CLASSES];
} lay_cuda_kernel;

/* Fills tiles_m and tiles_n, and inverses so that a block finds its tile without a division: with inverse = (2^32 - 1)
 * / d the upper half of x * inverse is x / d or one less, for x < 2^31. */
static inline void lay_cuda_args_tile(lay_cuda_args *args, const lay_cuda_kernel *row)
{
    args->tiles_m = (args->m + row->bm - 1) / row->bm;
    args->tiles_n = (args->n + row->bn - 1) / row->bn;
    args->column_inverse = UINT32_MAX / (unsigned)args->tiles_n;
    args->rest_inverse =
        row->band && args->tiles_m % row->band ? UINT32_MAX / (unsigned)(args->tiles_m % row->band) : 0;
}

/* Families, each an array of rows that ends with a name of NULL; the list ends with NULL. */
extern const lay_cuda_kernel *const lay_cuda_families[];

/* C from [slices][m][n] partial sums, added in ascending order; arguments as above, LAY_CUDA_ADD_THREADS threads a
 * block, so many blocks: each has 4 elements of C a thread, but 1 where C is small and time is latency. By type. */
enum { LAY_CUDA_ADD_THREADS = 256, LAY_CUDA_ADD_FEW = 1 << 17 };
static inline int64_t lay_cuda_add_blocks(int64_t elements)
{
    const int64_t each = elements <= LAY_CUDA_ADD_FEW ? LAY_CUDA_ADD_THREADS : 4 * LAY_CUDA_ADD_THREADS;
    return (elements + each - 1) / each;
}
extern const void *const lay_cuda_add_slices[];

/* C = beta C, +0 without reading C where beta == 0; launched as lay_cuda_add_slices. By type. */
extern const void *const lay_cuda_scale[];

#ifdef __cplusplus
}
#endif

#endif
