/* Which place holds what: the digits of indices that choose it, and the part that lies at one. */
#include "layout/places.h"

#include "base/arith.h"
#include "base/status.h"
#include "layout/build.h"
#include "layout/spread.h"
#include "layoutgemm_team.h"

const lay_grid *lay_desc_grid(const lay_desc *desc)
{
    return &desc->grid;
}

lay_status lay_desc_refuse_places(const lay_desc *desc, const char *name)
{
    if (desc->grid.count == 0)
        return LAY_OK;
    return lay_fail(LAY_ERR_UNSUPPORTED,
                    "%s is spread over %lld places: that takes a team (layoutgemm_team.h), or the part at one place "
                    "(lay_desc_local)",
                    name, (long long)desc->grid.places);
}

/* The dimensions whose places have copies, neighbours folded. */
static int list_copies(const lay_grid *grid, lay_leaf copies[LAY_PLACE_DIMS])
{
    int count = 0;
    int64_t step = grid->places;
    for (int d = 0; d < grid->count; d++) {
        step /= grid->dim[d].extent;
        if (!grid->dim[d].is_replicated)
            continue;
        if (count > 0 && copies[count - 1].stride == step * grid->dim[d].extent)
            copies[count - 1] = (lay_leaf){ copies[count - 1].extent * grid->dim[d].extent, step };
        else
            copies[count++] = (lay_leaf){ grid->dim[d].extent, step };
    }
    return count;
}

int lay_grid_equal(const lay_grid *a, const lay_grid *b)
{
    lay_leaf of_a[LAY_PLACE_DIMS], of_b[LAY_PLACE_DIMS];
    const int count = list_copies(a, of_a);
    if (a->places != b->places || list_copies(b, of_b) != count)
        return 0;
    for (int i = 0; i < count; i++)
        if (of_a[i].extent != of_b[i].extent || of_a[i].stride != of_b[i].stride)
            return 0;
    return 1;
}

void lay_desc_place_axis(const lay_desc *desc, int i, int64_t value[], int64_t offset[])
{
    const int64_t extent = desc->map[i]->extent;
    lay_map_offsets(desc->map[i], 0, extent, offset);
    for (int64_t x = 0; x < extent; x++) {
        const int64_t wide = offset[x];
        value[x] = desc->grid.count > 0 ? lay_place_in(wide) : 0;
        offset[x] = wide - value[x] * LAY_PLACE_STEP;
    }
}

/* The root dimensions in an arena, and the digits in them that choose places. */
static lay_status open_spread(const lay_desc *desc, lay_arena *arena, lay_dim dims[LAY_MAX_NODES], lay_spread *spread)
{
    lay_arena_start(arena, LAY_VIEW_BYTES);
    arena->grid = &desc->grid;
    for (int i = 0; i < desc->rank; i++)
        dims[i] = lay_dim_load(arena, desc, i);
    if (arena->status == LAY_OK)
        lay_spread_find(&desc->grid, desc->rank, dims, spread);
    return arena->status;
}

lay_status lay_desc_place_table(const lay_desc *desc, int64_t value[], int64_t copy[])
{
    lay_arena arena;
    lay_dim dims[LAY_MAX_NODES];
    lay_spread spread;
    const lay_status status = open_spread(desc, &arena, dims, &spread);
    for (int64_t place = 0; place < desc->grid.places && status == LAY_OK; place++) {
        copy[place] = desc->total > 0 ? lay_spread_at(&spread, place) : -1;
        for (int i = 0; i < desc->rank; i++)
            value[place * desc->rank + i] = copy[place] < 0 ? 0 : lay_spread_value(&spread, i);
    }
    lay_arena_free(&arena);
    return status;
}

/* ---- the public questions --------------------------------------------------------------------- */

int64_t lay_desc_places(const lay_desc *desc)
{
    return desc ? desc->grid.places : (lay_fail(LAY_ERR_ARGUMENT, "desc is NULL"), -1);
}

int64_t lay_desc_copies(const lay_desc *desc)
{
    if (!desc)
        return lay_fail(LAY_ERR_ARGUMENT, "desc is NULL"), -1;
    int64_t copies = 1;
    for (int d = 0; d < desc->grid.count; d++)
        copies *= desc->grid.dim[d].is_replicated ? desc->grid.dim[d].extent : 1;
    return copies;
}

int64_t lay_desc_place_of(const lay_desc *desc, int n, const int64_t index[])
{
    const int64_t wide = lay_desc_wide(desc, n, index);
    return wide == LAY_NO_OFFSET ? -1 : desc->grid.count > 0 ? lay_place_in(wide) : 0;
}

lay_status lay_desc_local(const lay_desc *desc, int64_t place, lay_desc **out)
{
    lay_arena arena;
    lay_dim dims[LAY_MAX_NODES];
    lay_spread spread;
    if (!desc || !out)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", desc ? "out" : "desc");
    if (place < 0 || place >= desc->grid.places)
        return lay_fail(LAY_ERR_EXTENT, "there is no place %lld among %lld", (long long)place,
                        (long long)desc->grid.places);
    if (desc->grid.count == 0)
        return lay_desc_clone(desc, out);
    if (open_spread(desc, &arena, dims, &spread) == LAY_OK) {
        const int is_held = desc->total > 0 && lay_spread_at(&spread, place) >= 0;
        for (int i = 0; i < desc->rank; i++) {
            dims[i].func = is_held ? lay_spread_local(&arena, &spread, dims[i].func) : lay_func_leaf(&arena, 0, 0, 0);
            dims[i].shape = dims[i].func ? lay_shape_leaf(&arena, dims[i].func->extent) : NULL;
        }
    }
    arena.grid = NULL;
    return lay_desc_finish(&arena, desc->rank, dims, out);
}
