/* Shapes: trees of extents. */
#include "layout/shape.h"

#include <assert.h>

#include "base/arith.h"
#include "layout/map.h"

const lay_shape *lay_shape_leaf(lay_arena *arena, int64_t extent)
{
    lay_shape *const shape = lay_arena_take(arena, sizeof *shape);
    if (!shape)
        return NULL;
    shape->extent = extent;
    shape->size = shape->leaves = shape->depth = 1;
    return shape;
}

static lay_shape *make_node(lay_arena *arena, int n, const lay_shape *const parts[])
{
    lay_shape *const shape = lay_arena_take(arena, sizeof *shape + (size_t)n * sizeof shape->part[0]);
    if (!shape)
        return NULL;
    shape->parts = n;
    shape->size = 1;
    for (int c = 0; c < n; c++) {
        if (!parts[c])
            return NULL;
        shape->part[c] = parts[c];
        shape->size += parts[c]->size;
        shape->leaves += parts[c]->leaves;
        shape->depth = shape->depth > parts[c]->depth ? shape->depth : parts[c]->depth;
        if (shape->size > LAY_MAX_NODES)
            return lay_arena_fail(arena, LAY_ERR_UNSUPPORTED, "a layout of more than %d dimensions", LAY_MAX_NODES);
    }
    if (++shape->depth > LAY_MAX_DEPTH)
        return lay_arena_fail(arena, LAY_ERR_UNSUPPORTED, "dimensions nested deeper than %d", LAY_MAX_DEPTH);
    return shape;
}

const lay_shape *lay_shape_list(lay_arena *arena, int n, const lay_shape *const parts[])
{
    lay_shape *const shape = make_node(arena, n, parts);
    if (!shape)
        return NULL;
    shape->extent = 1;
    int empty = 0;
    for (int c = 0; c < n; c++)
        empty = empty || parts[c]->extent == 0;
    for (int c = 0; c < n && !empty; c++)
        if (!fits_mul(shape->extent, parts[c]->extent, &shape->extent))
            return lay_arena_fail(arena, LAY_ERR_OVERFLOW, "the number of indices does not fit 63 bits");
    shape->extent = empty ? 0 : shape->extent;
    return shape;
}

int64_t lay_shape_place(const lay_shape *shape, int c)
{
    int64_t place = 1;
    while (++c < shape->parts)
        place *= shape->part[c]->extent;
    return place;
}

const lay_shape *lay_shape_short(lay_arena *arena, int n, const lay_shape *const parts[], int64_t count)
{
    const lay_shape *const whole = lay_shape_list(arena, n, parts);
    if (!whole || count == whole->extent)
        return whole;
    if (count > whole->extent)
        return lay_arena_fail(arena, LAY_ERR_EXTENT, "%lld indices in a shape that has %lld", (long long)count,
                              (long long)whole->extent);
    int first = 0;
    while (first < n - 1 && parts[first]->extent == 1)
        first++;
    const int64_t w = lay_shape_place(whole, first);
    if (count < w || ceil_div(count, w) < parts[first]->extent)
        return lay_arena_fail(arena, LAY_ERR_EXTENT,
                              "%lld indices are too few for a shape of %lld: its first part would have idle indices",
                              (long long)count, (long long)whole->extent);
    lay_shape *const shape = make_node(arena, n, parts);
    if (shape)
        shape->extent = count;
    return shape;
}

const lay_shape *lay_shape_slice(lay_arena *arena, const lay_shape *shape, int64_t start, int64_t count)
{
    if (!shape || count == shape->extent)
        return shape;
    if (shape->parts == 0 || count == 0)
        return lay_shape_leaf(arena, count);
    const int64_t w = lay_shape_place(shape, 0);
    if (start % w != 0 || count < w || (count % w != 0 && start + count != shape->extent))
        return lay_shape_leaf(arena, count);
    lay_shape *const slice = make_node(arena, shape->parts, shape->part);
    if (!slice)
        return NULL;
    slice->part[0] = lay_shape_slice(arena, shape->part[0], start / w, ceil_div(count, w));
    if (!slice->part[0])
        return NULL;
    lay_shape *const sized = make_node(arena, shape->parts, slice->part); /* the first part has shrunk */
    if (sized)
        sized->extent = count;
    return sized;
}

int lay_shape_same(const lay_shape *a, const lay_shape *b)
{
    if (a == b)
        return 1;
    if (a->extent != b->extent || a->parts != b->parts)
        return 0;
    for (int c = 0; c < a->parts; c++)
        if (!lay_shape_same(a->part[c], b->part[c]))
            return 0;
    return 1;
}

void lay_shape_store(const lay_shape *shape, lay_shape_node out[])
{
    *out = (lay_shape_node){ .extent = shape->extent, .parts = shape->parts, .size = shape->size };
    lay_shape_node *next = out + 1;
    for (int c = 0; c < shape->parts; c++) {
        lay_shape_store(shape->part[c], next);
        next += shape->part[c]->size;
    }
}

const lay_shape *lay_shape_load(lay_arena *arena, const lay_shape_node *node)
{
    if (node->parts == 0)
        return lay_shape_leaf(arena, node->extent);
    const lay_shape *part[LAY_MAX_NODES];
    assert(node->parts < LAY_MAX_NODES);
    const lay_shape_node *next = node + 1;
    for (int c = 0; c < node->parts; c++, next += next->size)
        part[c] = lay_shape_load(arena, next);
    lay_shape *const shape = make_node(arena, node->parts, part);
    if (shape)
        shape->extent = node->extent;
    return shape;
}
