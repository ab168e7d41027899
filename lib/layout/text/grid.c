/* Places in the notation: dimensions in round brackets. */
#include "base/arith.h"
#include "layout/text/reader.h"

/* One dimension of the grid, numbered d. */
static int read_place_dim(parser *p, int d)
{
    peek(p);
    const int at = position(p);
    int64_t extent;
    if (!take(p, '('))
        return lay_read_expect(p, "'('"), 0;
    if (!lay_read_count(p, "a number of places", &extent))
        return 0;
    p->marked[d] = take(p, '!');
    if (!take(p, ')'))
        return lay_read_expect(p, p->marked[d] ? "')'" : "')' or '!'"), 0;
    if (extent < 1)
        return lay_read_fail(p, at, LAY_ERR_EXTENT, "no places, where at least 1 is meant"), 0;
    if (!fits_mul(p->grid->places, extent, &p->grid->places) || p->grid->places > LAY_MOST_PLACES)
        return lay_read_fail(p, at, LAY_ERR_OVERFLOW, "more than 2097152 places"), 0;
    p->grid->dim[d].extent = extent;
    return 1;
}

/* The places: their dimensions are functions whose offsets are all 0. */
type *lay_read_grid(parser *p)
{
    const int at = position(p);
    if (p->grid)
        return lay_read_fail(p, at, LAY_ERR_SYNTAX, "places are defined once, and they were");
    p->grid = lay_arena_take(p->arena, sizeof *p->grid);
    type *const t = lay_arena_take(p->arena, sizeof *t);
    lay_dim *const dims = lay_arena_take(p->arena, LAY_PLACE_DIMS * sizeof *dims);
    if (!p->grid || !t || !dims)
        return lay_read_fail_here(p, at);
    p->grid->places = 1;
    int rank = 0;
    for (; peek(p) == '('; rank++) {
        if (rank == LAY_PLACE_DIMS)
            return lay_read_fail(p, position(p), LAY_ERR_SYNTAX, "places have at most 8 dimensions");
        if (!read_place_dim(p, rank))
            return NULL;
    }
    int64_t step = 1;
    for (int d = rank - 1; d >= 0; d--) {
        const int64_t extent = p->grid->dim[d].extent;
        dims[d] =
            (lay_dim){ lay_shape_leaf(p->arena, extent), lay_func_leaf(p->arena, extent, 0, step * LAY_PLACE_STEP) };
        step *= extent;
        if (!dims[d].shape || !dims[d].func)
            return lay_read_fail_here(p, at);
    }
    p->grid->count = rank;
    *t = (type){ .at = at, .rank = rank, .dims = dims, .mentions = (1U << rank) - 1, .is_grid = 1 };
    return t;
}

/* The grid as it is kept, for a result that mentions these dimensions of it: of one place there is none. */
int lay_read_settle_grid(parser *p, unsigned mentions)
{
    int kept = 0;
    for (int d = 0; d < p->grid->count; d++)
        if (p->grid->dim[d].extent > 1)
            p->grid->dim[kept++] = (lay_place_dim){ p->grid->dim[d].extent, !p->marked[d] && !(mentions >> d & 1) };
    p->grid->count = kept;
    if (kept > 0 && p->far_at)
        return lay_read_fail(p, p->far_at, LAY_ERR_OVERFLOW, "the offsets at a place do not fit 38 bits"), 0;
    p->arena->grid = p->grid;
    return 1;
}
