/* CUDA kernels that copy from one layout to another, as their launcher sees them. C and CUDA C++ both include this.
 *
 * The indices are those of a list of axes, the first the fastest; index i of an axis lies at offsets(i) elements on
 * either side, and an element at the sum over the axes. Every index of to has an element of its own, clear of from. The
 * lists:
 *
 *   lines: each is contiguous on both sides             tiles: columns lie next to each other in to, rows in from
 *
 *     from  ====  ====  ====  ====                        from  |:::|          to  ------
 *            |       \/       |       columns, rows             |:::|   ->         ::::::
 *     to    ====  ====  ====  ====    and outers:               |:::|              ------
 *                                     one list of lines
 *                                                         A tile of rows x columns passes through shared memory, so
 *     A word of 2 to 16 bytes a thread at a time.        that lanes go along rows to read and columns to write.
 *
 *   flat: one line of 16-byte words.
 *
 * Bits move, no numbers; or, by the kernels named changed, numbers do: y = round(alpha x + beta y), x an element of
 * from and y of to, each product and each sum rounded by itself (docs/numerics.md, lay_axpby). Their word is one
 * element, and in a tile lies what from becomes in the type that it is computed in. */
#ifndef LAY_KERNELS_CUDA_COPY_H
#define LAY_KERNELS_CUDA_COPY_H

#include <stdint.h>

#include "cuda_strict.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LAY_CUDA_COPY_AXES = 63, /* all extents are at least 2, and their product has 63 bits */
    LAY_CUDA_COPY_THREADS = 256,
    LAY_CUDA_COPY_BYTES = 16384, /* of a block, at most */
    LAY_CUDA_COPY_LINES = 512,   /* of a block, at most */
    LAY_CUDA_COPY_SIDE = 1024,   /* words along one side of a tile, at most */
    LAY_CUDA_COPY_FLAT = 1024,   /* threads of a block of a flat copy, and words that each has */
    LAY_CUDA_COPY_FLAT_WORDS = 2
};

typedef struct lay_cuda_copy_offsets {
    const int64_t *table; /* in device memory; NULL: i * stride */
    int64_t stride;
} lay_cuda_copy_offsets;

typedef struct lay_cuda_copy_axis {
    int64_t extent;
    lay_cuda_copy_offsets from, to;
} lay_cuda_copy_axis;

/* What becomes of elements on their way. Numbers lie at multiples of their size, but those that are apart, which are
 * complex, at multiples of their parts'. */
typedef struct lay_cuda_change {
    lay_type from, to;
    int64_t from_size; /* bytes of an element of from; args.size is to's */
    int from_is_apart, to_is_apart;
    int is_conjugated;        /* from, which is complex */
    int reads_from, reads_to; /* alpha is not 0; beta is not 0 */
    int is_one;               /* alpha is 1, beta is 0: converted alone */
    double alpha[2], beta[2]; /* real and imaginary part; of f32 they are FP32's numbers */
} lay_cuda_change;

typedef struct lay_cuda_copy_args {
    const void *from; /* aligned to a word, with all that the offsets and size lead to; as to */
    void *to;
    int64_t size;                                /* bytes of an element: what offsets count */
    int64_t first_block;                         /* a grid holds 2^31 - 1 */
    lay_cuda_copy_axis axis[LAY_CUDA_COPY_AXES]; /* columns, then rows, then outers */
    int columns, rows, outers;                   /* axes of each list */

    /* Lines: columns, rows and outers are one list. */
    int64_t lines, line; /* how many; words of one, at least 2; flat has no lines, but line */
    int64_t pieces;      /* blocks that share one line, LAY_CUDA_COPY_BYTES each */
    int lines_per_block; /* where pieces is 1; else 1 */

    /* Tiles: a word is an element of the copy. Blocks by columns of tiles, rows of tiles, outers. */
    int64_t column_count, row_count;   /* indices of each list */
    int64_t tiles_across, tiles_along; /* along columns; along rows */
    int log_columns, log_rows;         /* of a tile */

    lay_cuda_change change; /* of kernels named changed */
} lay_cuda_copy_args;

/* Blocks of LAY_CUDA_COPY_FLAT threads; from, to, line and first_block are filled. */
extern const void *const lay_cuda_copy_flat;

/* By the logarithm of the word's bytes, from 2 on: 2, 4, 8, 16. One argument: lay_cuda_copy_args by value. Tiles ask
 * for lay_cuda_copy_shared bytes of dynamic shared memory. tiles_by_vectors, by the logarithm of v from 2 on, too, want
 * from each multiple of v on v rows to be one aligned vector of from, and v columns one of to; NULL where v words are
 * more than 16 bytes. */
extern const void *const lay_cuda_copy_lines[], *const lay_cuda_copy_tiles[],
                                                    *const lay_cuda_copy_tiles_by_vectors[4][3];

/* By the type that is computed in: f32, f64, c32, c64, whose bytes are a word's for lay_cuda_copy_shared, and
 * LAY_CUDA_COPY_BYTES of which are a block's, at most. Lines by vectors want lines to be, to begin and to be apart in
 * multiples of as many elements as 16 bytes have of that type, on both sides, and addresses that are aligned to as
 * many; NULL for c64. */
extern const void *const lay_cuda_changed_lines[4], *const lay_cuda_changed_lines_by_vectors[4],
                                                        *const lay_cuda_changed_tiles[4];

static inline int lay_cuda_changed_number(lay_type sum)
{
    return sum == LAY_F32 ? 0 : sum == LAY_F64 ? 1 : sum == LAY_C32 ? 2 : 3;
}

/* The tile with room for its padding, and where its rows and columns lie on both sides. */
static inline int lay_cuda_copy_shared(int log_columns, int log_rows, int word)
{
    return 16 * ((1 << log_columns) + (1 << log_rows)) + (word << log_columns) * ((1 << log_rows) | 1);
}

#ifdef __cplusplus
}
#endif

#endif
