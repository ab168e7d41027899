/* Products of 16-bit numbers, and of FP32 ones rounded to so many bits, on the matrix units of sm_90a, as their
 * launcher sees them: what the kernel is given and what it promises. C and CUDA C++ both include this, besides
 * cuda_kernel.h, which has the table of rows.
 *
 * Operands are read by tensor copies, boxes of 128 bytes by some lines or steps, from wherever they are. A dimension is
 * one stride, or two (blocks of inner indices):
 *
 *     offset(line, step) = line % inner_lines * a + line / inner_lines * b + step % inner_steps * c + step /
 * inner_steps * d
 *
 * with a or c 1 (the contiguous one: is_across where it is a), all others multiples of 16 bytes. Last blocks may be
 * short: then the last turn is copied to such a place first, so that no step behind k is read and nothing behind the
 * last element. Anything else is copied whole.
 *
 * The order of a sum: the matrix units', 16 steps (of TF32 8) at a time in ascending order, in their own arithmetic:
 * the products of a group and the sum so far aligned to the largest, truncated, and added. Steps behind k are zeros.
 * Slices are added in FP32, ascending. Then
 *
 *     c(i,j) = alpha * sum                       beta == 0, C is not read
 *     c(i,j) = fma(alpha, sum, beta * c(i,j))    otherwise, in FP32, rounded to C's type
 *
 * The bits of C depend on m, n, k, slices and slice_k: never on the layouts, the tile or the schedule. */
#ifndef LAY_KERNELS_CUDA_NARROW_H
#define LAY_KERNELS_CUDA_NARROW_H

#include <stddef.h>

#include "cuda_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LAY_NARROW_LINE = 128,    /* bytes: of a line's steps in a turn, or of a step's lines in a box */
    LAY_NARROW_BOXES = 32,    /* of a turn of a block's tile, at most */
    LAY_NARROW_DIGITS = 4,    /* of a walk */
    LAY_NARROW_GROUP = 64,    /* contiguous lines of a walk that are side by side; */
    LAY_NARROW_SECTOR = 16,   /* of crossed rows; the least of lines that are not contiguous */
    LAY_NARROW_BAND = 2048,   /* rows of C: tiles go down the columns of a band, then come the next ones */
    LAY_NARROW_TOGETHER = 8,  /* slices of a cluster, at most */
    LAY_NARROW_CROSSED = 8,   /* of C's neighbours, that go down a tile of crossed rows */
    LAY_NARROW_RING = 209920, /* bytes of turns, of rows whose warpgroups have tiles of their own: and of what stays */
    LAY_NARROW_FEW = 4        /* tiles of an operand's lines, one of which stays with each block, at most */
};

/* Lines of an operand, and rows or columns of C with them, in groups, so that boxes straddle no block: one mode of them
 * comes in groups of `together` lines, a power of two, the last of which may be filled up with lines that are not
 * there. Rows of the table that are walked take
 *
 *     line = (((digit[3] * extent[2] + digit[2]) * extent[1] + digit[1]) * extent[0] + digit[0]) * together + own
 *
 * Line number digit[0] * together + own of its mode is one of so many (lines). m and n count what is filled up, too:
 * such lines of an operand are zeros, and those of C are nowhere. Rows of left may be crossed with C's: then digit[1]
 * is of what C has contiguous, LAY_NARROW_CROSSED at a time, which go down a tile:
 *
 *     line = (... * extent[0] + digit[0]) * 128 + crossed * 16 + own */
typedef struct lay_narrow_walk {
    int count;        /* of digits; 0: lines are not walked, but as they are elsewhere */
    int log_together; /* 2^log_together lines: LAY_NARROW_GROUP contiguous ones, or LAY_NARROW_SECTOR if crossed */
    int is_crossed;   /* by digit[2] */
    int extent[LAY_NARROW_DIGITS];       /* 1 from count on */
    unsigned inverse[LAY_NARROW_DIGITS]; /* UINT32_MAX / extent, for quotients without a division */
    int lines;
    int64_t own, stride[LAY_NARROW_DIGITS]; /* C's: of lines of a group, of digits */
} lay_narrow_walk;

/* Who brings a turn: a warp, a box each lane; or a thread left and another one right, a box or some that lie in steps
 * of one stride, or one box of all, or one after the other, each within a block of lines. The warp alone serves walked
 * rows. */
typedef enum lay_narrow_bringing {
    LAY_NARROW_BY_LANES,
    LAY_NARROW_BY_STRIDES,
    LAY_NARROW_BY_WHOLES,
    LAY_NARROW_BY_PIECES
} lay_narrow_bringing;

/* How the matrix units see a turn of an operand in shared memory: what all their descriptors say besides the address,
 * and how far things are, in units of 16 bytes. `width` bytes of the contiguous dimension lie side by side and are
 * swizzled by as many: 128, 64 or 32. With k contiguous these are steps:
 *
 *     [128 / width][lines of a tile][width bytes]
 *
 * and with lines contiguous lines, of 16-bit types:
 *
 *     [lines of a tile / (width / 2)][64 steps][width bytes] */
typedef struct lay_narrow_seen {
    int width;
    unsigned high, low;       /* halves of a descriptor, without the address */
    unsigned next, next_both; /* from an even 32 bytes of steps to the odd ones, and to the next two */
    unsigned line;            /* from a line to the next; with lines contiguous of 64 of them on average */
} lay_narrow_seen;

/* From one block's part of a cluster's turn to the next: in shared memory, in lines and steps, in blocks of them. */
typedef struct lay_narrow_part {
    int place; /* bytes */
    int line, step, outer_line, outer_step;
} lay_narrow_part;

/* Lines in blocks that are no multiples of a tile's: a tile has strips of some blocks that are side by side, the same
 * `own` lines of each. Of so many blocks the tiles are numbered down a block, then come the next blocks:
 *
 *     tile t, line x: line t % in_block * own + x % own of block t / in_block * blocks + x / own
 *
 * of which those behind inner or outer are not there. For grids whose every block has one tile, and C that goes by way
 * of the ring (staged.cuh). */
typedef struct lay_narrow_strips {
    int blocks;           /* of a tile; 0: its lines are one after the other */
    int own;              /* a multiple of 8 */
    int inner, outer;     /* lines of a block, blocks */
    int in_block;         /* ceil(inner / own) */
    unsigned inverse;     /* UINT32_MAX / in_block */
    unsigned own_inverse; /* 65536 / own + 1 */
} lay_narrow_strips;

/* Which operand all tiles of a block share, and find in shared memory from the first one on: few lines, of one tile or
 * some, of which each block has the same one all along, by few steps. Rows whose warpgroups have tiles of their own
 * know that. The other operand's turns have the rest of the ring. */
typedef enum lay_narrow_stays { LAY_NARROW_NONE_STAYS, LAY_NARROW_LEFT_STAYS, LAY_NARROW_RIGHT_STAYS } lay_narrow_stays;

/* The last turn of a block, where turns end with blocks and this one has fewer steps: from the tail's map, whose boxes
 * have no more, but of lines side by side one group. */
typedef struct lay_narrow_short {
    unsigned bytes; /* of the whole turn; 0: such a turn comes as others do, its rest zeros */
    int boxes;      /* a block brings */
    int place;      /* bytes from one to the next */
    int groups;     /* of a block of lines */
} lay_narrow_short;

/* As a CUtensorMap: 4 dimensions. With k contiguous: steps, lines, blocks of lines, blocks of steps; with lines
 * contiguous: lines, steps, blocks of lines, blocks of steps. Of walked rows 5: blocks of lines are the other digits,
 * in their order, and blocks of steps are the last, where there are such. Where a turn is
 * brought by wholes, 4 of them with k contiguous are the same; with lines contiguous there are lines, steps, blocks of
 * steps, blocks of lines, or, of tiles of more than LINE bytes of them, 5: LINE bytes of lines, steps, blocks of steps,
 * such groups of lines, blocks of lines. */
typedef struct lay_narrow_operand {
    unsigned char tensor[128] __attribute__((aligned(64)));
    int is_across;
    int boxes;                    /* of a turn of a tile */
    int box;                      /* lines of a box, or where is_across steps: divides inner_lines or inner_steps */
    int inner_lines, inner_steps; /* INT32_MAX where one stride serves */
    unsigned lines_inverse, steps_inverse; /* UINT32_MAX / inner_lines, / inner_steps */
    int back,
        carry;      /* from one whole box to the next, behind the last step of a block: so many steps less, blocks on */
    int log_group;  /* contiguous lines of a whole box are in groups of 2^log_group */
    unsigned bytes; /* of all whole boxes of a turn */
    lay_narrow_part part;    /* of a whole box */
    int strip, strip_blocks; /* lay_narrow_strips's own and blocks, where there are such */
    int has_tail; /* its last turn is read by a map of its own, which has one block of steps: of wholes and pieces */
    lay_narrow_short last; /* of whole boxes */
    lay_narrow_seen seen;
} lay_narrow_operand;

typedef struct lay_narrow_map {
    unsigned char tensor[128] __attribute__((aligned(64)));
} lay_narrow_map;

/* By value, in a grid of (blocks, 1, 1): one a multiprocessor is best, each takes every grid'th tile of each slice. */
typedef struct lay_narrow_args {
    lay_narrow_operand left, right;
    int m, n, k; /* 1 .. LAY_CUDA_MAX_EXTENT */
    lay_type c_type;
    void *c;
    lay_cuda_offsets result_m, result_n;
    int is_c_vector; /* 16 bytes of columns, from each multiple of so many on, are one aligned vector */
    int is_c_down;   /* of 16-bit types: so are rows, from each multiple of 8 on; or crossed ones, of walked rows alone.
                      * Walked rows write it so where slices == 1, others where C has one stride a dimension or a block
                      * has one tile */
    int c_together;  /* of 16-bit types that are in no vectors, are not read, and whose columns lie together in runs:
                      * columns of an aligned word, 2 from each even one on, or 1; else 0 */
    float alpha, beta;
    int slices, slice_k;          /* slice_k: a multiple of the steps in LAY_NARROW_LINE, or k where slices == 1 */
    int turns;                    /* of a tile, where they end at blocks of steps; 0: each has all steps but the last */
    int block_turns, last_groups; /* then: of a block, two at least, and of the last of them so many 32 bytes of steps;
                                   * else INT32_MAX */
    float *partial;           /* [tiles_m * tiles_n][slices][bm * bn] where slices > 1, in the kernel's own order; */
    unsigned *counters;       /* [tiles_m * tiles_n], zeros, which they are again at the end */
    int tiles_m, tiles_n;     /* ceil(m / bm), ceil(n / bn) */
    int cluster;              /* blocks: 1; of neighbouring tiles (log_down); or all slices of a tile, and then */
    int is_together;          /* both are NULL, and the grid has a block for each slice of each tile */
    int log_down, log_across; /* of tiles in a cluster: those above each other bring right's turns by parts for all of
                               * them, those side by side left's; numbered down columns */
    lay_narrow_bringing bringing;
    lay_narrow_stays stays; /* then blocks are a multiple of the tiles in that direction, or are all works */
    int log_band;           /* of clusters down a band: one tile where right stays */
    int tiles_down;         /* in a column: tiles_m, or clusters of them */
    int in_slice, in_band;  /* of them: in all columns, and in those of a band LAY_NARROW_BAND high */
    unsigned slice_inverse, band_inverse, rest_inverse; /* UINT32_MAX / those two, / tiles down the last band */
    lay_narrow_strips strips_m, strips_n;               /* of C's rows and columns */
    lay_narrow_walk rows, columns;                      /* of walked rows of the table: from here on of few launches */
    lay_narrow_map left_tail, right_tail;               /* where there are such */
} lay_narrow_args;

static inline lay_narrow_seen lay_narrow_seen_of(int is_across, int width, int lines)
{
    const unsigned bytes = (unsigned)width, swizzle = width == 128 ? 1 : width == 64 ? 2 : 3;
    const unsigned group = is_across ? 64 * bytes / 16 : 1, units = (unsigned)lines * bytes / 16;
    return (lay_narrow_seen){ .width = width,
                              .high = swizzle << 30 | bytes / 2,
                              .low = group << 16,
                              .next = is_across    ? bytes
                                      : width > 32 ? 2
                                                   : units,
                              .next_both = is_across      ? 2 * bytes
                                           : width == 128 ? 4
                                           : width == 64  ? units
                                                          : 2 * units,
                              .line = is_across ? 8 : bytes / 16 };
}

/* Fills all about tiles. The rest is there: what stays, too. */
static inline void lay_narrow_args_tile(lay_narrow_args *args, const lay_cuda_kernel *row)
{
    const int each = 1 << args->log_down, beside = 1 << args->log_across;
    args->tiles_m = (args->m + row->bm - 1) / row->bm;
    args->tiles_n = (args->n + row->bn - 1) / row->bn;
    const int band = args->stays == LAY_NARROW_RIGHT_STAYS ? 1 : LAY_NARROW_BAND / row->bm / each; /* tiles high */
    args->log_band = __builtin_ctz((unsigned)band);
    args->tiles_down = (args->tiles_m + each - 1) / each;
    const int rest = args->tiles_down % band, columns = (args->tiles_n + beside - 1) / beside;
    args->in_slice = args->tiles_down * columns;
    args->in_band = args->tiles_down < band ? args->in_slice : band * columns;
    args->slice_inverse = UINT32_MAX / (unsigned)args->in_slice;
    args->band_inverse = UINT32_MAX / (unsigned)args->in_band;
    args->rest_inverse = UINT32_MAX / (unsigned)(rest ? rest : 1);
}

/* An image: a dense matrix [far][near], near contiguous, from a matrix in any layout. */
typedef struct lay_narrow_pack_args {
    const void *from; /* the element of which both offsets are 0 */
    lay_cuda_offsets near, far;
    int nears, fars;
    int is_vector; /* as LAY_CUDA_ALONG_VECTOR, for near */
    int together;  /* of 16 bits, else unused: 2 or 4 nears, from each multiple of so many on, are one aligned word */
    int run;       /* of LAY_NARROW_RUNS_16: so many nears lie together, VECTOR at least; then come the next ones */
    unsigned run_inverse; /* UINT32_MAX / run */
    int64_t run_apart;    /* elements from one run's first to the next one's */
    void *to;             /* 16-byte aligned */
    int64_t pitch;        /* elements, a multiple of 16 bytes: behind the last near, within 256, are zeros */
} lay_narrow_pack_args;

/* One or two at a time, in a grid of (any, 1, 1 or 2) blocks: block (x, 0, z) takes every grid'th part of image z. */
typedef struct lay_narrow_pack_both {
    lay_narrow_pack_args of[2];
} lay_narrow_pack_both;

/* The row's passes. */
typedef enum lay_narrow_pack_kind {
    LAY_NARROW_COPY_16,
    LAY_NARROW_F32_TO_F16, /* rounded to nearest; too large is infinite */
    LAY_NARROW_F32_TO_BF16,
    LAY_NARROW_COPY_32,
    LAY_NARROW_TURN_32, /* the same, for a matrix whose elements lie together along far: is_vector is of far, unused */
    LAY_NARROW_RUNS_16, /* elements lie together in runs, at any address of theirs */
    LAY_NARROW_PACKS
} lay_narrow_pack_kind;

enum {
    LAY_NARROW_PACK_THREADS = 256,
    LAY_NARROW_PACK_LINES = 8 /* of a warp at a time, where elements lie together in runs */
};

#ifdef __cplusplus
}
#endif

#endif
