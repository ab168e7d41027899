/* Whether two descriptors are the same function. */
#include "base/arith.h"
#include "layout/build.h"

enum { CHUNK = 128, MAX_COMPARED = 1 << 22 }; /* indices of one dimension: some milliseconds */

static int is_flat(const lay_node *map)
{
    lay_leaf leaves[LAY_MAX_NODES];
    int count;
    int64_t base;
    return lay_map_flatten(map, leaves, &count, &base);
}

static int same_tree_but_base(const lay_node *f, const lay_node *g)
{
    for (int i = 0; i < f->size; i++)
        if (f[i].extent != g[i].extent || f[i].stride != g[i].stride || f[i].start != g[i].start ||
            f[i].step != g[i].step || f[i].parts != g[i].parts || (i > 0 && f[i].base != g[i].base))
            return 0;
    return 1;
}

/* Whether f(i) - f(0) = g(i) - g(0) for all i. Trees of the same normal form tell, as do flat ones
 * that differ; else the values do, from both ends inwards where differences show early. */
static int steps_alike(const lay_node *f, const lay_node *g)
{
    if (f->size == g->size && same_tree_but_base(f, g))
        return 1;
    if (is_flat(f) && is_flat(g))
        return 0;
    const int64_t extent = f->extent, by = lay_map_offset(g, 0) - lay_map_offset(f, 0);
    if (lay_map_offset(g, extent - 1) - lay_map_offset(f, extent - 1) != by || extent > MAX_COMPARED)
        return 0;
    for (int64_t first = 0; first < extent; first += CHUNK) {
        int64_t of_f[CHUNK], of_g[CHUNK];
        const int64_t count = min_of(CHUNK, extent - first);
        lay_map_offsets(f, first, count, of_f);
        lay_map_offsets(g, first, count, of_g);
        for (int64_t i = 0; i < count; i++)
            if (of_g[i] - of_f[i] != by)
                return 0;
    }
    return 1;
}

int lay_desc_equal(const lay_desc *a, const lay_desc *b)
{
    if (!a || !b || a->rank != b->rank)
        return a == b;
    for (int i = 0; i < a->rank; i++)
        if (a->map[i]->extent != b->map[i]->extent)
            return 0;
    if (a == b || a->total == 0)
        return a->grid.places == b->grid.places;
    const int64_t zero[LAY_MAX_NODES] = { 0 };
    if (!lay_grid_equal(&a->grid, &b->grid) || lay_desc_wide(a, a->rank, zero) != lay_desc_wide(b, b->rank, zero))
        return 0;
    for (int i = 0; i < a->rank; i++)
        if (!steps_alike(a->map[i], b->map[i]))
            return 0;
    return 1;
}
