/* The shape of a dimension: the tree of extents that paths and leaf indices see.
 *
 * The extent of a node is the product of its parts' extents, or less: then its last indices are
 * missing (the short tile at an edge), but every index of its first part, of those of more than one index, keeps at
 * least one. */
#ifndef LAY_LAYOUT_SHAPE_H
#define LAY_LAYOUT_SHAPE_H

#include <stdint.h>

#include "layout/arena.h"

typedef struct lay_shape {
    int64_t extent;
    int parts, size, leaves, depth;
    const struct lay_shape *part[];
} lay_shape;

/* One node of the stored form, in preorder. */
typedef struct lay_shape_node {
    int64_t extent;
    int32_t parts, size;
} lay_shape_node;

enum { LAY_MAX_DEPTH = 64 };

/* All return NULL when the arena has failed. */
const lay_shape *lay_shape_leaf(lay_arena *arena, int64_t extent);

/* The parts, whole. */
const lay_shape *lay_shape_list(lay_arena *arena, int n, const lay_shape *const parts[]);

/* The same with the first count indices only; LAY_ERR_EXTENT when that leaves an index of the first
 * part of more than one with none. */
const lay_shape *lay_shape_short(lay_arena *arena, int n, const lay_shape *const parts[], int64_t count);

/* The shape of indices start .. start + count - 1: nested as before when they begin at a whole index
 * of the first part and end at one or at the end, else flat. */
const lay_shape *lay_shape_slice(lay_arena *arena, const lay_shape *shape, int64_t start, int64_t count);

/* The place value of part c: the product of the extents to its right. */
int64_t lay_shape_place(const lay_shape *shape, int c);

int lay_shape_same(const lay_shape *a, const lay_shape *b);

/* To and from the stored form. store writes shape->size nodes. */
void lay_shape_store(const lay_shape *shape, lay_shape_node out[]);
const lay_shape *lay_shape_load(lay_arena *arena, const lay_shape_node *node);

#endif
