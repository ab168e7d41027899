/* The threads of kernels/cuda/narrow/produce.cuh that bring all boxes of left and of right, on the host. */
#ifndef LAY_TESTS_CUDA_NARROW_PRODUCERS_H
#define LAY_TESTS_CUDA_NARROW_PRODUCERS_H

#include "cuda_narrow.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PRODUCER_TILES = 11, PRODUCER_WAYS = 4 /* left, right across: 0 0, 0 1, 1 0, 1 1 */ };

/* The kernels' tiles: bytes of an element, lines of left and of right. */
extern const int producer_tiles[PRODUCER_TILES][3];

/* A box as it is asked for: where in its turn, and which. */
typedef struct producer_box {
    int turn;   /* of all that the block brings */
    int place;  /* bytes */
    int blocks; /* of the cluster, whose bits these are; 0: for its own alone */
    const void *tensor;
    int rank, at[5];
} producer_box;

/* A turn that is begun: of which tile, its first step where all turns are whole, and the how manieth of the tile. */
typedef struct producer_turn {
    int i, j, step, number, bytes;
} producer_turn;

/* Which row or column of C a line of such a tile is; negative: none. */
int producer_line(int tile, int is_right, const lay_narrow_args *args, int first, int line);

/* All turns of a grid of one block, or of one of a cluster, by its rank. 0: TF32's columns are never contiguous, or
 * other bytes were awaited than turns have. Without take_box: the first turn of each work, and nothing is brought. */
int producer_run(int tile, int way, int rank, const lay_narrow_args *args, void take_turn(const producer_turn *),
                 void take_box(const producer_box *));

#ifdef __cplusplus
}
#endif

#endif
