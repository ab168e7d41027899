/* The function of one dimension: index to element offset.
 *
 * A map is a tree of nodes, stored in preorder in one array, so that copying it is memcpy and its
 * bytes can be hashed and compared.
 *
 *   leaf:   f(i) = base + stride * i
 *   inner:  f(i) = base + sum over the parts c of  part_c(digit_c(start + step * i)),
 *           the digits in the radices of the parts' extents, rightmost fastest
 *
 * A plain nested dimension has start 0, step 1 and the product of its parts' extents; a slice, a
 * limited reference or an edge tile has fewer indices; a part of a restructured dimension may have
 * a step. Maps are kept normal (func.h): parts have base 0 and extents of at least 2, leaves are
 * folded, and what can be said with start 0, step 1 and full extent is said so. A map that is not
 * plain (lay_map_flatten says 0) has radices that its range cuts across. */
#ifndef LAY_LAYOUT_MAP_H
#define LAY_LAYOUT_MAP_H

#include <stdint.h>

#include "layoutgemm.h"

typedef struct lay_node {
    int64_t extent; /* indices 0 .. extent - 1 */
    int64_t base;   /* offset added to every index's */
    int64_t stride; /* leaf only, else 0 */
    int64_t start;  /* inner only, else 0 */
    int64_t step;   /* inner only, else 1 */
    int32_t parts;  /* children; 0 makes a leaf */
    int32_t size;   /* nodes in this subtree, this one included */
} lay_node;

/* One radix of a plain map, or one folded mode. */
typedef struct lay_leaf {
    int64_t extent, stride;
} lay_leaf;

enum { LAY_MAX_NODES = 128 }; /* nodes of one descriptor's maps, and of its shapes; more are refused */

/* f(index). The index must be in range; nothing overflows then, as creation has checked. */
int64_t lay_map_offset(const lay_node *map, int64_t index);

/* The lowest and highest value of f over first <= i <= last, in range. Exact, but for a step over
 * more indices than *budget allows: then bounds, which may be wider. *budget counts down. */
void lay_map_span(const lay_node *map, int64_t first, int64_t last, int *budget, int64_t *lowest, int64_t *highest);
enum { LAY_SPAN_BUDGET = 1 << 15 };

/* out[0..count) = f(first), f(first + 1), ...: faster than one by one, O(count) and no memory. */
void lay_map_offsets(const lay_node *map, int64_t first, int64_t count, int64_t out[]);

/* 1 and the map as a plain mixed-radix function, outermost leaf first, adjacent leaves folded where
 * one stride serves both, extents of 1 dropped (so an extent of 1 or 0 gives count 0; the total is
 * map->extent): f(i) = *base + sum digit * stride. 0 when it is not plain. leaves must hold
 * LAY_MAX_NODES. */
int lay_map_flatten(const lay_node *map, lay_leaf leaves[], int *count, int64_t *base);

#endif
