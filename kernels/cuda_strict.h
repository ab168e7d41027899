/* CUDA kernels of operands as they are, as their launcher sees them: what one is given, and what it promises. C and
 * CUDA C++ both include this, besides cuda_kernel.h, and nothing else passes between them.
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
 * is then (tiles, 1, 1), and the block adds them in ascending order. Of persistent rows: dmma/handed.cuh. */
#ifndef LAY_KERNELS_CUDA_STRICT_H
#define LAY_KERNELS_CUDA_STRICT_H

#include "cuda_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef union lay_cuda_scalar {
    float f32;
    double f64;
} lay_cuda_scalar;

/* By value, in a grid of (tiles_m * tiles_n, 1, slices). */
typedef struct lay_cuda_args {
    int m, n, k;              /* 1 .. LAY_CUDA_MAX_EXTENT */
    unsigned short negated;   /* of complex rows alone: cuda_complex.h; in a gap, as longer arguments cost */
    unsigned short down;      /* how lanes write C, lay_cuda_down */
    const void *left, *right; /* the element of which both offsets are 0 */
    void *c;
    lay_cuda_offsets left_m, left_k, right_k, right_n, result_m, result_n;
    lay_cuda_scalar alpha, beta;
    int is_c_vector;                        /* v columns of C, from each multiple of v on, are one aligned vector */
    int slices, slice_k;                    /* slice_k: a multiple of the row's bk, or k where slices == 1 */
    unsigned lies;                          /* how operands lie to the row's tiles: lay_cuda_lies; in a gap, too */
    void *partial;                          /* NULL, or [slices][m][n], 16-byte aligned */
    const void *resume;                     /* NULL, or [m][n]; only with slices == 1 */
    unsigned *counters;                     /* NULL, or [tiles of C] */
    int tiles_m, tiles_n;                   /* ceil(m / bm), ceil(n / bn) */
    unsigned column_inverse, rest_inverse;  /* of tiles_n, and of what a last band of tiles has of rows: see band */
    lay_cuda_class left_class, right_class; /* by which the function was chosen, for those that serve several */
} lay_cuda_args;

/* How lanes side by side write C where its columns are not contiguous, but some of its rows lie side by side: rows r
 * << log_apart, r = 0 .. (1 << log_lanes) - 1, are such, and so are those that begin 1, 2 .. (1 << log_apart) - 1
 * behind. A row of the table may take less of either than it is asked for. 0: along C's rows, or as its strides say. */
enum {
    LAY_CUDA_DOWN = 256,
    LAY_CUDA_DOWN_PAIRS = 512 /* two columns from each even one on lie side by side, aligned */
};
static inline unsigned lay_cuda_down(int log_apart, int log_lanes)
{
    return LAY_CUDA_DOWN | (unsigned)log_apart << 4 | (unsigned)log_lanes;
}

/* What a block would have to find out, one wait for arguments after the other, before it can read anything. Lines: one
 * stride is 1, that of the way that the class goes, the other small; where there is a table it has segments, and those
 * along k have whole turns of bk steps. */
enum lay_cuda_lies {
    LAY_CUDA_IN_LINES = 1,         /* both operands lie so */
    LAY_CUDA_IN_SEGMENTS = 2,      /* and one has a table */
    LAY_CUDA_STRADDLES = 4,        /* across, tiles of one may have parts of several segments */
    LAY_CUDA_C_IN_SEGMENTS = 8,    /* C has a table */
    LAY_CUDA_C_IS_STRAIGHT = 16,   /* each tile lies in one segment of C's rows and one of its columns */
    LAY_CUDA_MOST_STRIDE = 1 << 22 /* from line to line: a thread's lines are less than 2^31 elements apart */
};
static inline int lay_cuda_is_in_segments(const lay_cuda_offsets *of, int turn)
{
    const int64_t most = 1 << 30;
    return !of->table || (of->run > 0 && of->run % turn == 0 && of->jump > -most && of->jump < most);
}
static inline int lay_cuda_is_in_lines(const lay_cuda_offsets *across, const lay_cuda_offsets *along, lay_cuda_class as,
                                       int bk)
{
    const int is_along = as == LAY_CUDA_ALONG_VECTOR || as == LAY_CUDA_ALONG;
    const int64_t line = is_along ? along->stride : across->stride, other = is_along ? across->stride : along->stride;
    return line == 1 && other >= -LAY_CUDA_MOST_STRIDE && other < LAY_CUDA_MOST_STRIDE &&
           lay_cuda_is_in_segments(across, 1) && lay_cuda_is_in_segments(along, bk);
}
static inline unsigned lay_cuda_lies_of(const lay_cuda_args *args, const lay_cuda_kernel *row)
{
    unsigned lies = 0;
    if (lay_cuda_is_in_lines(&args->left_m, &args->left_k, args->left_class, row->bk) &&
        lay_cuda_is_in_lines(&args->right_n, &args->right_k, args->right_class, row->bk))
        lies |= LAY_CUDA_IN_LINES;
    if (args->left_m.table || args->left_k.table || args->right_k.table || args->right_n.table)
        lies |= LAY_CUDA_IN_SEGMENTS;
    if (!lay_cuda_is_in_segments(&args->left_m, row->bm) || !lay_cuda_is_in_segments(&args->right_n, row->bn))
        lies |= LAY_CUDA_STRADDLES;
    if (args->result_m.table || args->result_n.table)
        lies |= LAY_CUDA_C_IN_SEGMENTS;
    if (lay_cuda_is_in_segments(&args->result_m, row->bm) && lay_cuda_is_in_segments(&args->result_n, row->bn))
        lies |= LAY_CUDA_C_IS_STRAIGHT;
    return lies;
}

/* Fills lies, tiles_m and tiles_n, and inverses so that a block finds its tile without a division: with inverse =
 * (2^32 - 1) / d the upper half of x * inverse is x / d or one less, for x < 2^31. Behind all else. */
static inline void lay_cuda_args_tile(lay_cuda_args *args, const lay_cuda_kernel *row)
{
    args->tiles_m = (args->m + row->bm - 1) / row->bm;
    args->tiles_n = (args->n + row->bn - 1) / row->bn;
    args->lies = lay_cuda_lies_of(args, row);
    args->column_inverse = UINT32_MAX / (unsigned)args->tiles_n;
    args->rest_inverse =
        row->band && args->tiles_m % row->band ? UINT32_MAX / (unsigned)(args->tiles_m % row->band) : 0;
}

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
