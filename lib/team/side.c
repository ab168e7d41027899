/* Tables of where the elements of a layout over places lie. */
#include "team/side.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/status.h"
#include "layout/places.h"
#include "layoutgemm_team.h"

lay_status lay_side_open(int rank, int64_t places, const int64_t extent[], lay_side *side)
{
    *side = (lay_side){ .rank = rank, .places = places, .copies = 1, .inner = -1 };
    side->extent = malloc((size_t)rank * sizeof *side->extent);
    side->owner = calloc((size_t)rank, sizeof *side->owner);
    side->offset = calloc((size_t)rank, sizeof *side->offset);
    side->value = calloc((size_t)places * (size_t)rank, sizeof *side->value);
    side->copy = calloc((size_t)places, sizeof *side->copy);
    int has_room = side->extent && side->owner && side->offset && side->value && side->copy;
    for (int d = 0; d < rank && has_room; d++) {
        side->extent[d] = extent[d];
        side->owner[d] = calloc((size_t)extent[d] + 1, sizeof *side->owner[d]);
        side->offset[d] = calloc((size_t)extent[d] + 1, sizeof *side->offset[d]);
        has_room = side->owner[d] && side->offset[d];
    }
    if (has_room)
        return LAY_OK;
    lay_side_free(side);
    return lay_fail(LAY_ERR_MEMORY, "no memory for the tables of a layout");
}

lay_status lay_side_of_desc(const lay_desc *desc, lay_side *side)
{
    const int rank = lay_desc_rank(desc);
    int64_t extent[LAY_MAX_NODES] = { 0 };
    for (int d = 0; d < rank; d++)
        extent[d] = lay_desc_map(desc, d)->extent;
    lay_status status = lay_side_open(rank, lay_desc_places(desc), extent, side);
    if (status != LAY_OK)
        return status;
    side->copies = lay_desc_copies(desc);
    for (int d = 0; d < rank; d++)
        lay_desc_place_axis(desc, d, side->owner[d], side->offset[d]);
    status = lay_desc_place_table(desc, side->value, side->copy);
    if (status != LAY_OK)
        lay_side_free(side);
    return status;
}

int64_t lay_side_count(const lay_side *side, int64_t place, int d)
{
    int64_t count = 0;
    const int64_t value = side->value[place * side->rank + d];
    for (int64_t x = 0; x < side->extent[d] && side->copy[place] >= 0; x++)
        count += side->owner[d][x] == value;
    return count;
}

/* Room for a number of each owner of dimension d, from the least one on. */
static int64_t *open_owners(const lay_side *of, int d, int64_t *least)
{
    int64_t most = INT64_MIN;
    *least = INT64_MAX;
    for (int64_t x = 0; x < of->extent[d]; x++) {
        *least = min_of(*least, of->owner[d][x]);
        most = max_of(most, of->owner[d][x]);
    }
    return calloc(of->extent[d] > 0 ? (size_t)(most - *least) + 1 : 1, sizeof(int64_t));
}

/* The number of each index among those with its owner, in ascending order. */
static int number_indices(const lay_side *of, int d, int64_t number[])
{
    int64_t least, *const seen = open_owners(of, d, &least);
    for (int64_t x = 0; x < of->extent[d] && seen; x++)
        number[x] = seen[of->owner[d][x] - least]++;
    free(seen);
    return seen != NULL;
}

double lay_side_active(const lay_side *side, int d, int64_t length)
{
    int64_t least, active = 0, *const seen = open_owners(side, d, &least);
    const int64_t extent = side->extent[d], rows = ceil_div(extent, length);
    for (int64_t x = 0; x < extent && seen; x++) {
        int64_t *const last = &seen[side->owner[d][x] - least];
        active += *last != x / length + 1;
        *last = x / length + 1;
    }
    free(seen);
    return active > 0 ? (double)active / (double)rows : 1;
}

lay_status lay_side_of_panel(const lay_side *of, const lay_slab *slab, lay_side *side)
{
    const int d = slab->dimension, other = 1 - d;
    int64_t extent[2];
    extent[d] = of->extent[d];
    extent[other] = slab->whole;
    const lay_status status = lay_side_open(2, of->places, extent, side);
    if (status != LAY_OK)
        return status;
    if (!number_indices(of, d, side->offset[d])) {
        lay_side_free(side);
        return lay_fail(LAY_ERR_MEMORY, "no memory for the tables of a layout");
    }
    memcpy(side->copy, of->copy, (size_t)of->places * sizeof *side->copy);
    for (int64_t place = 0; place < of->places; place++)
        side->value[place * 2 + d] = of->value[place * of->rank + d];
    for (int64_t x = 0; x < extent[d]; x++) {
        const int64_t number = side->offset[d][x] - slab->first;
        side->owner[d][x] = number >= 0 && number < slab->most ? of->owner[d][x] : LAY_NOBODY;
        side->offset[d][x] = number * lay_slab_step(slab, d);
    }
    for (int64_t x = 0; x < slab->whole; x++) {
        const int64_t number = x - slab->from;
        side->owner[other][x] = number >= 0 && number < slab->depth ? 0 : LAY_NOBODY;
        side->offset[other][x] = number * lay_slab_step(slab, other);
    }
    return LAY_OK;
}

static int64_t count_steps(const lay_side *side, int64_t place, int d)
{
    const int64_t value = side->value[place * side->rank + d];
    int64_t steps = 0;
    for (int64_t x = 1; x < side->extent[d]; x++)
        steps += side->owner[d][x] == value && side->owner[d][x - 1] == value &&
                 side->offset[d][x] == side->offset[d][x - 1] + 1;
    return steps;
}

int lay_side_inner(const lay_side *side, int64_t place)
{
    int inner = side->rank - 1;
    int64_t most = 0;
    if (side->inner >= 0)
        return side->inner;
    for (int d = side->rank - 1; d >= 0; d--) {
        const int64_t steps = count_steps(side, place, d);
        if (steps > most) {
            most = steps;
            inner = d;
        }
    }
    return inner;
}

void lay_side_free(lay_side *side)
{
    for (int d = 0; d < side->rank; d++) {
        if (side->owner)
            free(side->owner[d]);
        if (side->offset)
            free(side->offset[d]);
    }
    for (int64_t i = 0; side->own && i < side->each * side->rank; i++)
        free(side->own[i]);
    free(side->own);
    free(side->extent);
    free(side->owner);
    free(side->offset);
    free(side->value);
    free(side->copy);
    *side = (lay_side){ .rank = 0 };
}
