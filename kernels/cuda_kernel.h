/* The table of CUDA kernels: one row for each, whatever it multiplies and how. C and CUDA C++ both include this.
 *
 * What a row is given and what it promises is its contract, in a header of its own:
 *
 *     contract            header          argument               operands
 *     LAY_CUDA_STRICT     cuda_strict.h   lay_cuda_args          as they are, f32 and f64
 *     LAY_CUDA_SPLIT      cuda_split.h    lay_cuda_split_args    f32 in limbs of 16 bits
 *     LAY_CUDA_NARROW     cuda_narrow.h   lay_narrow_args        16-bit types; f32 rounded to as few bits
 *     LAY_CUDA_MMA        cuda_mma.h      lay_mma_args           the same, for 8.0 and newer
 *     LAY_CUDA_SPLIT_MMA  cuda_split.h    lay_cuda_split_args    f32 in limbs, for 8.0 and newer
 *     LAY_CUDA_BATCH      cuda_batch.h    lay_cuda_batch_args    many products; f32, f64 and 16-bit types
 *     LAY_CUDA_COMPLEX    cuda_complex.h  lay_cuda_args          c32 and c64 as they are
 *
 * This header has what the contracts share: rows, offsets, classes. */
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
    unsigned inverse;     /* of run, as lay_cuda_args_tile has them */
    int64_t base;         /* of a table with a run, its first offset */
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

/* Room for a tile's overhang in 32 bits. */
#define LAY_CUDA_MAX_EXTENT (INT32_MAX - 4096)

typedef enum lay_cuda_contract {
    LAY_CUDA_STRICT,
    LAY_CUDA_SPLIT,
    LAY_CUDA_NARROW,
    LAY_CUDA_MMA,
    LAY_CUDA_SPLIT_MMA,
    LAY_CUDA_BATCH,
    LAY_CUDA_COMPLEX
} lay_cuda_contract;

/* The order of a strict row's sum within a slice: rows of one order give the same bits for the same slices. All rows of
 * another contract do, for the same slices. */
typedef enum lay_cuda_order {
    LAY_CUDA_CHAIN, /* one chain of fused multiply-adds (cuda_strict.h), which f64 matrix units compute too */
    LAY_CUDA_LANES  /* partial chains by fixed lanes, then a tree: skinny rows; drawn in their files */
} lay_cuda_order;

/* Boxes of tensor copies: none; lines of a turn's steps, or of as many neighbours; tiles, in blocks of 16; the same of
 * contiguous blocks of 16 x 16; or contiguous blocks of 8 x 8. */
typedef enum lay_cuda_boxes {
    LAY_CUDA_NO_BOXES,
    LAY_CUDA_LINES,
    LAY_CUDA_TILES,
    LAY_CUDA_BLOCKS,
    LAY_CUDA_CORES
} lay_cuda_boxes;

/* A launch that a product may have before that of its row, or after it. Its argument is the contract's matter. */
typedef struct lay_cuda_pass {
    const char *name; /* for what lay_last_error says */
    const void *function;
    int threads;
    int shared; /* dynamic shared memory, bytes */
} lay_cuda_pass;

typedef struct lay_cuda_kernel {
    const char *family; /* naive, tiled, parray, simt, dmma, thin, skinny, split, narrow, batch: options.kernel may name
                         * it */
    const char *name;   /* gemm_f32_64x32x16_simt, split_f32_128x96, narrow_bf16_64x64: what it may name as well */
    lay_cuda_contract contract;
    lay_type type; /* of elements as they are multiplied; of a narrow row LAY_F32 is TF32, of a complex one
                    * that of the parts */
    int least_sm;  /* 80, or 90: for 9.0 alone */
    int bm, bn;    /* a tile: what a block computes of C at a time */
    int bk;        /* steps of a turn; slices but the last are a multiple */
    int threads;
    int shared;        /* dynamic shared memory, bytes */
    int blocks_per_sm; /* that fit one multiprocessor, as built for sm_90 */
    int can_slice;
    /* Of batches alone: how tensor copies bring operands (cuda_batch.h), if they do; 0, or how long slices of k may be,
     * so many of which (groups) a block has side by side. */
    lay_cuda_boxes boxes;
    int pair; /* two blocks of a cluster have tiles below each other, and share right */
    int most_steps;
    int is_walked;   /* of narrow rows: takes walks (cuda_narrow.h); of strict ones: persistent blocks share tiles */
    int leaves_down; /* writes C whose rows are contiguous in vectors */
    double rate;  /* flops a clock and multiprocessor in the long run of k, measured (bench/LOG.md); of split FP16X3 */
    double start; /* clocks of a tile besides its steps: first loads, C */
    /* Launched as the contract says, with its argument by value.
     * strict: by the classes of left and right. Never NULL: a class that is not specialised names one that serves.
     * split: by whether the product is transposed, and 0.      narrow: by is_across of left and right; mma: by
     * lay_mma_way of both.
     * batch: of 16-bit types by whether neighbours of left and right go across, else 0 and 0; boxed rows all by that,
     * NULL: it takes none such. */
    const void *function[LAY_CUDA_CLASSES][LAY_CUDA_CLASSES];
    const lay_cuda_pass *const *passes; /* by the contract's enumeration, ended by NULL; NULL: no such */

    /* Of strict rows alone, whose tiles are dealt by the hardware; 0 in all others, which deal tiles by themselves. */
    lay_cuda_order order;
    int can_resume;
    int band;         /* blocks go down bands of so many tiles, column by column, then to the next band, so that those
                       * at work at a time share what they read */
    int groups;       /* 0, or so many slices that a block can take by itself: then grid z is 1 and partial NULL
                       * where slices <= groups, and the block adds the slices in ascending order; of batches as well,
                       * where a block takes so many at a time; of narrow rows, warpgroups that have tiles of their own,
                       * in turns */
    int at_once;      /* of those slices so many side by side, and then the next; 0: all. Of narrow rows, slices that
                       * a cluster of blocks may have, at most; 1 where it has no room for their sums */
    int can_overlap;  /* with another launch of the same product, from 9.0 on: element.cuh */
    int max_m, max_n; /* the row is made for at most so many; 0: any */
    int max_k;        /* the same of steps */
    int follows;      /* unless it is named, has no say in how k is cut: slices and bits are other rows' */
    double crowding;  /* where fewer blocks than fit share a multiprocessor they take (few / fit)^crowding of the time:
                       * 1, if one has the rate alone */
    double lone;      /* rows with groups, if known: so many warps a scheduler wants for the rate; 0: not known */
    /* What an operand of this class costs more than one in vectors across: this part of the time of steps, divided by
     * the tile's other side. */
    double fetch[LAY_CUDA_CLASSES];
} lay_cuda_kernel;

/* Families, each an array of rows of one contract that ends with a name of NULL; the list ends with NULL. */
extern const lay_cuda_kernel *const lay_cuda_families[];

/* A contract's rows, one after another:
 *
 *     lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
 *     for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) */
typedef struct lay_cuda_walk {
    lay_cuda_contract contract;
    const lay_cuda_kernel *const *family;
    const lay_cuda_kernel *row; /* NULL at first, and in the end */
} lay_cuda_walk;

static inline lay_cuda_walk lay_cuda_rows(lay_cuda_contract contract)
{
    const lay_cuda_walk walk = { contract, lay_cuda_families, 0 };
    return walk;
}

static inline const lay_cuda_kernel *lay_cuda_next(lay_cuda_walk *walk)
{
    walk->row = walk->row ? walk->row + 1 : *walk->family;
    while (walk->row && (!walk->row->name || walk->row->contract != walk->contract))
        walk->row = *++walk->family;
    return walk->row;
}

#ifdef __cplusplus
}
#endif

#endif
