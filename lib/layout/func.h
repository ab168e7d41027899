/* The function of a dimension while it is being built: a tree of pointers in an arena.
 *
 * It means what map.h's nodes mean and is always in its normal form:
 *   - extents of 1 are dropped, adjacent leaves that one stride serves are one leaf;
 *   - a part of an inner node has base 0; a plain inner node has no plain inner part;
 *   - a node that is not plain covers its radices as tightly as they allow, and steps evenly nowhere
 *     throughout: what has one constant stride is a leaf.
 * So two plain functions are equal exactly when their trees are. */
#ifndef LAY_LAYOUT_FUNC_H
#define LAY_LAYOUT_FUNC_H

#include <stdint.h>

#include "layout/arena.h"
#include "layout/map.h"

typedef struct lay_func {
    int64_t extent, base, stride, start, step; /* as in lay_node */
    int64_t full;                              /* product of the parts' extents; of a leaf, its extent */
    int64_t reach; /* |base| + sum of |stride| (extent - 1) over the leaves: bounds every partial sum */
    int parts, size, depth;
    const struct lay_func *part[];
} lay_func;

enum { LAY_MAX_PARTS = 64 }; /* more than the factors of at least 2 in 63 bits */

/* All return NULL when the arena has failed: LAY_ERR_OVERFLOW, LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED. */

/* base + stride * i */
const lay_func *lay_func_leaf(lay_arena *arena, int64_t extent, int64_t base, int64_t stride);

/* The sum of the parts over the digits of the index, rightmost fastest. */
const lay_func *lay_func_list(lay_arena *arena, int n, const lay_func *const parts[]);

/* i -> f(first + step * i) for 0 <= i < count, all of them in f's range; step >= 1. */
const lay_func *lay_func_range(lay_arena *arena, const lay_func *f, int64_t first, int64_t step, int64_t count);

/* f + by */
const lay_func *lay_func_shift(lay_arena *arena, const lay_func *f, int64_t by);

/* f times by, by >= 1 */
const lay_func *lay_func_scale(lay_arena *arena, const lay_func *f, int64_t by);

int64_t lay_func_at(const lay_func *f, int64_t index);

/* The digits cover exactly the radices: start 0, step 1, full extent. True of a leaf. */
int lay_func_is_plain(const lay_func *f);

/* The same tree, node by node, but for the base of the root. */
int lay_func_same_but_base(const lay_func *f, const lay_func *g);

/* To and from the stored form. store writes f->size nodes. */
void lay_func_store(const lay_func *f, lay_node out[]);
const lay_func *lay_func_load(lay_arena *arena, const lay_node *map);

/* The product of n extents, 0 when one of them is; 0 returned when it does not fit. */
int lay_fits_product(int n, const int64_t extents[], int64_t *product);

#endif
