/* Views: new descriptors over storage that stays where it is. */
#include "base/arith.h"
#include "base/status.h"
#include "layout/build.h"

/* Checks what every view is given, starts the arena and loads all root dimensions. */
static lay_status load_all(const lay_desc *desc, lay_desc **out, lay_arena *arena, lay_dim dims[LAY_MAX_NODES])
{
    if (!desc || !out)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", desc ? "out" : "desc");
    lay_arena_start(arena, LAY_VIEW_BYTES);
    arena->grid = &desc->grid;
    for (int i = 0; i < desc->rank; i++)
        dims[i] = lay_dim_load(arena, desc, i);
    return LAY_OK;
}

/* The caller's mistake after load_all; the sentence may still read what lies in the arena. */
#define REFUSE(arena, ...) (lay_arena_fail(arena, __VA_ARGS__), lay_desc_finish(arena, 0, NULL, NULL))

lay_status lay_desc_dim(const lay_desc *desc, const char *path, lay_desc **out)
{
    lay_arena arena;
    lay_dim dims[LAY_MAX_NODES];
    int number[LAY_MAX_DEPTH];
    const int n = lay_path_read(path, number);
    if (n < 0)
        return LAY_ERR_REFERENCE;
    const lay_status status = load_all(desc, out, &arena, dims);
    if (status != LAY_OK)
        return status;
    if (n > 0 && number[0] >= desc->rank)
        return REFUSE(&arena, LAY_ERR_REFERENCE, "the path \"%.40s\" leads to no dimension", path);
    lay_dim dim = n == 0 ? lay_dim_whole(&arena, desc->rank, dims) : dims[number[0]];
    for (int i = 1; i < n; i++) {
        if (dim.shape && number[i] >= dim.shape->parts)
            return REFUSE(&arena, LAY_ERR_REFERENCE, "the path \"%.40s\" leads to no dimension", path);
        dim = lay_dim_part(&arena, dim, number[i]);
    }
    return lay_desc_finish(&arena, 1, &dim, out);
}

/* The places of all parts: those that are over more than one are over the same grid. A dimension of places holds copies
 * where all parts have them. */
static lay_status join_grids(int n, const lay_desc *const parts[], lay_grid *grid)
{
    *grid = (lay_grid){ .places = 1 };
    for (int p = 0; p < n; p++) {
        const lay_grid *const own = &parts[p]->grid;
        if (own->count == 0)
            continue;
        if (grid->count == 0)
            *grid = *own;
        int is_same = own->places == grid->places && own->count == grid->count;
        for (int d = 0; d < grid->count && is_same; d++) {
            is_same = own->dim[d].extent == grid->dim[d].extent;
            grid->dim[d].is_replicated &= own->dim[d].is_replicated;
        }
        if (!is_same)
            return lay_fail(LAY_ERR_SHAPE, "parts[%d] lies on another grid of places than the parts before it", p);
    }
    for (int p = 0; p < n && grid->count > 0; p++)
        if (parts[p]->grid.count == 0 && (parts[p]->lowest <= -LAY_PLACE_REACH || parts[p]->highest >= LAY_PLACE_REACH))
            return lay_fail(LAY_ERR_OVERFLOW, "the offsets at a place do not fit %d bits", LAY_PLACE_BITS - 2);
    return LAY_OK;
}

lay_status lay_desc_join(int n, const lay_desc *const parts[], lay_desc **out)
{
    if (!parts || !out)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", parts ? "out" : "parts");
    if (n < 1 || n > LAY_MAX_NODES)
        return lay_fail(LAY_ERR_RANK, "%d parts, where 1 to %d are meant", n, LAY_MAX_NODES);
    for (int p = 0; p < n; p++)
        if (!parts[p])
            return lay_fail(LAY_ERR_ARGUMENT, "parts[%d] is NULL", p);
    lay_grid grid;
    const lay_status status = join_grids(n, parts, &grid);
    if (status != LAY_OK)
        return status;
    lay_arena arena;
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.grid = &grid;
    lay_dim joined[LAY_MAX_NODES], dims[LAY_MAX_NODES];
    for (int p = 0; p < n; p++) {
        for (int i = 0; i < parts[p]->rank; i++)
            dims[i] = lay_dim_load(&arena, parts[p], i);
        joined[p] = lay_dim_whole(&arena, parts[p]->rank, dims);
    }
    return lay_desc_finish(&arena, n, joined, out);
}

lay_status lay_desc_permute(const lay_desc *desc, const int perm[], lay_desc **out)
{
    lay_arena arena;
    lay_dim dims[LAY_MAX_NODES], permuted[LAY_MAX_NODES];
    const lay_status status = load_all(desc, out, &arena, dims);
    if (status != LAY_OK)
        return status;
    char taken[LAY_MAX_NODES] = { 0 };
    for (int i = 0; i < desc->rank; i++) {
        const int from = perm ? perm[i] : desc->rank - 1 - i;
        if (from < 0 || from >= desc->rank || taken[from]++)
            return REFUSE(&arena, LAY_ERR_ARGUMENT, "perm[%d] = %d makes perm no permutation of 0 to %d", i, from,
                          desc->rank - 1);
        permuted[i] = dims[from];
    }
    return lay_desc_finish(&arena, desc->rank, permuted, out);
}

lay_status lay_desc_clone(const lay_desc *desc, lay_desc **out)
{
    lay_arena arena;
    lay_dim dims[LAY_MAX_NODES];
    const lay_status status = load_all(desc, out, &arena, dims);
    return status == LAY_OK ? lay_desc_finish(&arena, desc->rank, dims, out) : status;
}

lay_status lay_desc_split(const lay_desc *desc, int dim, int n, const int64_t extents[], lay_desc **out)
{
    lay_arena arena;
    lay_dim dims[LAY_MAX_NODES];
    const lay_status status = load_all(desc, out, &arena, dims);
    if (status != LAY_OK)
        return status;
    if (!extents)
        return REFUSE(&arena, LAY_ERR_ARGUMENT, "extents is NULL");
    if (dim < 0 || dim >= desc->rank)
        return REFUSE(&arena, LAY_ERR_RANK, "there is no root dimension %d among %d", dim, desc->rank);
    if (n < 1 || n > LAY_MAX_NODES)
        return REFUSE(&arena, LAY_ERR_RANK, "%d parts, where 1 to %d are meant", n, LAY_MAX_NODES);
    const lay_shape *part[LAY_MAX_NODES];
    for (int c = 0; c < n; c++) {
        if (extents[c] < 0)
            return REFUSE(&arena, LAY_ERR_EXTENT, "part %d has the negative extent %lld", c, (long long)extents[c]);
        part[c] = lay_shape_leaf(&arena, extents[c]);
    }
    const lay_shape *const shape = lay_shape_list(&arena, n, part);
    if (shape && shape->extent != dims[dim].shape->extent)
        return REFUSE(&arena, LAY_ERR_EXTENT, "parts of %lld indices for a dimension of %lld", (long long)shape->extent,
                      (long long)desc->map[dim]->extent);
    dims[dim].shape = shape;
    return lay_desc_finish(&arena, desc->rank, dims, out);
}

lay_status lay_desc_slice(const lay_desc *desc, int dim, int64_t start, int64_t count, lay_desc **out)
{
    lay_arena arena;
    lay_dim dims[LAY_MAX_NODES];
    const lay_status status = load_all(desc, out, &arena, dims);
    if (status != LAY_OK)
        return status;
    if (dim < 0 || dim >= desc->rank)
        return REFUSE(&arena, LAY_ERR_RANK, "there is no root dimension %d among %d", dim, desc->rank);
    const int64_t extent = desc->map[dim]->extent;
    if (start < 0 || count < 0 || start > extent || count > extent - start)
        return REFUSE(&arena, LAY_ERR_EXTENT, "%lld indices from %lld on, of a dimension of %lld", (long long)count,
                      (long long)start, (long long)extent);
    dims[dim] = lay_dim_slice(&arena, dims[dim], start, count);
    return lay_desc_finish(&arena, desc->rank, dims, out);
}

/* A tile longer than the dimension is the dimension. */
static const lay_shape *tile_shape(lay_arena *arena, int64_t extent, int64_t tile)
{
    const int64_t inner = extent > 0 ? min_of(tile, extent) : tile;
    const lay_shape *const parts[2] = { lay_shape_leaf(arena, ceil_div(extent, inner)), lay_shape_leaf(arena, inner) };
    return lay_shape_short(arena, 2, parts, extent);
}

lay_status lay_desc_tile(const lay_desc *desc, const int64_t tile[], lay_desc **out)
{
    lay_arena arena;
    lay_dim dims[LAY_MAX_NODES];
    const lay_status status = load_all(desc, out, &arena, dims);
    if (status != LAY_OK)
        return status;
    if (!tile)
        return REFUSE(&arena, LAY_ERR_ARGUMENT, "tile is NULL");
    for (int i = 0; i < desc->rank; i++) {
        if (tile[i] < 1)
            return REFUSE(&arena, LAY_ERR_ARGUMENT, "tile[%d] is %lld, where at least 1 is meant", i,
                          (long long)tile[i]);
        dims[i].shape = tile_shape(&arena, desc->map[i]->extent, tile[i]);
    }
    return lay_desc_finish(&arena, desc->rank, dims, out);
}

lay_status lay_desc_tile_at(const lay_desc *tiled, const int64_t coords[], lay_desc **out, int64_t *offset)
{
    lay_arena arena;
    lay_dim dims[LAY_MAX_NODES];
    lay_status status = load_all(tiled, out, &arena, dims);
    if (status != LAY_OK)
        return status;
    if (!coords || !offset)
        return REFUSE(&arena, LAY_ERR_ARGUMENT, "%s is NULL", coords ? "offset" : "coords");
    if ((status = lay_desc_refuse_places(tiled, "the tiled layout")))
        return lay_arena_free(&arena), status;
    int64_t where = 0;
    for (int i = 0; i < tiled->rank; i++) {
        const lay_shape_node *const shape = tiled->shape[i];
        if (shape->parts != 2)
            return REFUSE(&arena, LAY_ERR_SHAPE,
                          "dimension %d has %d parts, where tile index and index within are meant", i, shape->parts);
        const int64_t outer = shape[1].extent, inner = (shape + 1)[shape[1].size].extent;
        if (coords[i] < 0 || coords[i] >= outer || shape->extent == 0)
            return REFUSE(&arena, LAY_ERR_EXTENT, "coords[%d] is %lld, where %lld tiles lie", i, (long long)coords[i],
                          (long long)(shape->extent == 0 ? 0 : outer));
        const int64_t start = coords[i] * inner, begin = lay_map_offset(tiled->map[i], start);
        const int64_t count = min_of(inner, shape->extent - start);
        where += begin;
        const lay_func *const func = lay_func_range(&arena, dims[i].func, start, 1, count);
        dims[i].shape = dims[i].shape ? lay_shape_slice(&arena, dims[i].shape->part[1], 0, count) : NULL;
        dims[i].func = lay_func_shift(&arena, func, -begin);
    }
    status = lay_desc_finish(&arena, tiled->rank, dims, out);
    if (status == LAY_OK)
        *offset = where;
    return status;
}
