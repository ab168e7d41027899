/* A descriptor's offsets as boxes: sums of leaves over whole extents, which the search in reach.h
 * understands, where the descriptor itself may be cut across its radices. */
#ifndef LAY_LAYOUT_BOXES_H
#define LAY_LAYOUT_BOXES_H

#include "layout/arena.h"
#include "layout/map.h"

/* base + sum of stride * digit over every combination of digits */
typedef struct lay_box {
    int64_t base, lowest, highest;
    int n;
    lay_leaf *leaf;
} lay_box;

enum { LAY_MAX_BOXES = 256 };

/* One box around everything: all leaves at their full extents. Returns 1 when it is exact, 0 when
 * it holds index combinations that desc has not, -1 when the arena has failed. desc is not empty. */
int lay_box_around(lay_arena *arena, const lay_desc *desc, lay_box *box);

/* Disjoint sets of indices whose boxes together are desc, exactly. Returns how many, or -1: too
 * many, or the arena has failed. box holds LAY_MAX_BOXES. desc is not empty. */
int lay_boxes_of(lay_arena *arena, const lay_desc *desc, lay_box box[]);

#endif
