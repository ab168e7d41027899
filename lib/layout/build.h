/* From shapes and functions in an arena to a descriptor and back: what every constructor and view
 * begins and ends with. */
#ifndef LAY_LAYOUT_BUILD_H
#define LAY_LAYOUT_BUILD_H

#include "layout/desc.h"
#include "layout/func.h"
#include "layout/places.h"
#include "layout/shape.h"

/* One dimension on its way: its shape and its function, of one extent. */
typedef struct lay_dim {
    const lay_shape *shape;
    const lay_func *func;
} lay_dim;

struct lay_desc {
    int rank, leaves;
    int64_t total;           /* elements */
    int64_t lowest, highest; /* 0, -1 when empty; at any place */
    int injective;           /* 1, 0, or -1: a longer search has to tell */
    lay_grid grid;
    uint64_t hash;
    size_t key_size;
    const int64_t *key; /* rank, sum of bases, then each map without its base */
    const lay_shape_node **shape;
    const lay_node **map; /* [rank] each, into the memory behind this struct */
};

/* Makes the descriptor unless the arena has failed, and frees the arena either way. */
lay_status lay_desc_finish(lay_arena *arena, int rank, const lay_dim dims[], lay_desc **out);

/* Root dimension i. Its members are NULL when the arena has failed. */
lay_dim lay_dim_load(lay_arena *arena, const lay_desc *desc, int i);

/* All n dimensions as one, the last fastest; a single one stays itself. */
lay_dim lay_dim_whole(lay_arena *arena, int n, const lay_dim dims[]);

/* The part c of dim. The base of dim stays with its first part. */
lay_dim lay_dim_part(lay_arena *arena, lay_dim dim, int c);

/* As lay_desc_offset, the wide offset of a layout over places. */
int64_t lay_desc_wide(const lay_desc *desc, int n, const int64_t index[]);

/* The count indices from start on. */
lay_dim lay_dim_slice(lay_arena *arena, lay_dim dim, int64_t start, int64_t count);

/* The natural stride to the left of a dimension with this extent and natural stride: their product,
 * -1 when it does not fit (or stride is -1 already), 0 for an extent of 0 in any case. */
int64_t lay_natural_before(int64_t stride, int64_t extent);

/* i -> x(i) + y(i), of two dimensions of one extent: the diagonal that they have together. LAY_ERR_UNSUPPORTED where
 * their radices do not divide each other; the sentence begins with name. */
lay_dim lay_dim_diagonal(lay_arena *arena, lay_dim x, lay_dim y, const char *name);

/* A path's numbers. Returns how many, 0 for "" and NULL, -1 with a sentence when it is none. */
int lay_path_read(const char *path, int numbers[LAY_MAX_DEPTH]);

#endif
