/* How a product whose operands pass through a device is cut, and in which order its pieces come. Plain
 * arithmetic: nothing here knows of CUDA.
 *
 *              +----+----+----+
 *   chunk q    | B  | B  | B  |             C is cut in tiles, k in chunks; pieces of A are tile_m x tile_k, of
 *              +----+----+----+             B tile_k x tile_n. Blocks of tiles are done one after the other,
 *     +----+   +----+----+----+             each chunk by chunk, and the tiles of a chunk in growing squares, so
 *     | A  |   | 0  | 1  | 4  |             that each piece that arrives makes as much work as it can.
 *     +----+   +----+----+----+
 *     | A  |   | 2  | 3  | 5  |
 *     +----+   +----+----+----+
 *
 * With one chunk a tile is done at once. With several, the sums of a block's tiles stay on the device and each
 * chunk goes on where the one before it ended, in the order of the whole sum: cuts change no bits. */
#ifndef LAY_CUDA_STREAM_CUT_H
#define LAY_CUDA_STREAM_CUT_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/launch/rates.h"
#include "plan/modes.h"

/* Elements that rows of a piece are rounded up to, whole lines of memory: slots are cut and filled by it. */
enum { LAY_STREAM_LINE = 32 };

/* What is to be cut. */
typedef struct lay_stream_ask {
    int64_t m, n, k, size;        /* size: bytes of an element */
    int is_on_host[LAY_OPERANDS]; /* passes through; what is on the device already takes no room there */
    int is_copied[LAY_OPERANDS];  /* by the device, not by threads, where pieces are wide enough */
    int reads_c;                  /* beta is not 0 */
    int64_t slices, slice_k;      /* of the whole sum: chunks end where slices do */
    int can_resume;               /* 0: a slice may not be cut */
    int64_t row_m, row_n;         /* of C to a block of threads */
    int blocks_at_once;           /* of threads, on the device */
    size_t memory;                /* bytes of the device's that may be taken */
    double link, rate;            /* bytes a second, one way; flops a second */
    int device;                   /* by number: of equal ones in a list each has its share of the memory */
    const lay_cuda_rates *rates;  /* of the device */
    int others;                   /* devices whose pieces the same threads copy meanwhile */
} lay_stream_ask;

typedef struct lay_stream_cut {
    int64_t m, n, k, slice_k;
    int64_t first_m, first_n; /* of C: where the part of it begins that is cut */
    int64_t tile_m, tile_n, tile_k;
    int64_t down, across; /* tiles of C */
    int64_t chunks, chunks_a_slice;
    int64_t block_m, block_n;    /* tiles of a block */
    int is_by_columns;           /* blocks follow each other down first, else across; back and forth */
    int is_tight;                /* no place to spare: pieces wait for those before them. Where nothing else fits */
    int left_slots, right_slots; /* pieces of A and B that the device has room for, 0 where they lie there */
    int sum_slots, c_slots;      /* the same for tiles as sums, and as they were in C or will be */
    size_t left_slot, right_slot, sum_slot, c_slot, bytes; /* of one each, and of all */
    double seconds;
} lay_stream_cut;

/* Fills cut for the least predicted time. 0 where the memory does not hold the smallest pieces. */
int lay_stream_cut_choose(const lay_stream_ask *ask, lay_stream_cut *cut);

/* Rows and columns of C, or steps. */
typedef struct lay_range {
    int64_t first, count;
} lay_range;
lay_range lay_stream_rows(const lay_stream_cut *cut, int64_t i);
lay_range lay_stream_columns(const lay_stream_cut *cut, int64_t j);
lay_range lay_stream_chunk(const lay_stream_cut *cut, int64_t q);

/* One tile's one chunk, and the order of all of them. */
typedef struct lay_stream_step {
    int64_t i, j, q; /* tile and chunk */
    int64_t number;  /* of the tile, in the order in which tiles begin: the same in all of its chunks */
    int64_t block_i, block_j, in_block, begun; /* its own */
} lay_stream_step;
lay_stream_step lay_stream_first_step(const lay_stream_cut *cut);

/* 0 behind the last. */
int lay_stream_next_step(const lay_stream_cut *cut, lay_stream_step *step);

#endif
