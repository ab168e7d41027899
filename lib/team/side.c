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

/* A view may leave a place some indices of one dimension and none of another: it has no element then. */
static void mark_empty(lay_side *side)
{
    for (int64_t place = 0; place < side->places; place++)
        for (int d = 0; d < side->rank && side->copy[place] >= 0; d++) {
            int64_t x = 0;
            while (x < side->extent[d] && side->owner[d][x] != side->value[place * side->rank + d])
                x++;
            if (x == side->extent[d])
                side->copy[place] = -1;
        }
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
    else
        mark_empty(side);
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

int64_t lay_side_owners(const lay_side *of, int d, int64_t *least)
{
    int64_t most = INT64_MIN;
    *least = INT64_MAX;
    for (int64_t x = 0; x < of->extent[d]; x++) {
        *least = min_of(*least, of->owner[d][x]);
        most = max_of(most, of->owner[d][x]);
    }
    return of->extent[d] > 0 ? most - *least + 1 : 0;
}

/* Room for a number of each owner of dimension d, from the least one on. */
static int64_t *open_owners(const lay_side *of, int d, int64_t *least)
{
    return calloc((size_t)max_of(lay_side_owners(of, d, least), 1), sizeof(int64_t));
}

lay_status lay_side_number(const lay_side *of, int d, int64_t number[])
{
    int64_t least, *const seen = open_owners(of, d, &least);
    if (!seen)
        return lay_fail(LAY_ERR_MEMORY, "no memory for the tables of a layout");
    for (int64_t x = 0; x < of->extent[d]; x++)
        number[x] = seen[of->owner[d][x] - least]++;
    free(seen);
    return LAY_OK;
}

lay_status lay_side_open_windows(lay_side *side)
{
    side->window = malloc((size_t)side->places * (size_t)side->rank * sizeof *side->window);
    if (!side->window)
        return lay_fail(LAY_ERR_MEMORY, "no memory for the tables of a layout");
    for (int64_t i = 0; i < side->places * side->rank; i++) {
        side->window[i][0] = 0;
        side->window[i][1] = side->extent[i % side->rank];
    }
    return LAY_OK;
}

int64_t lay_side_run(const lay_side *from, const lay_side *taken, int d, int64_t place, int64_t *count)
{
    const int64_t mine = from->value[place * from->rank + d], its = taken->value[place * taken->rank + d];
    const int64_t *const window = taken->window ? taken->window[place * taken->rank + d] : NULL;
    const int64_t begin = window ? window[0] : 0, end = window ? window[1] : from->extent[d];
    int64_t number = 0, first = 0;
    *count = 0;
    if (from->copy[place] < 0 || taken->copy[place] < 0)
        return -1;
    for (int64_t x = 0; x < end; x++) {
        const int has = from->owner[d][x] == mine, takes = x >= begin && taken->owner[d][x] == its;
        if (takes && *count == 0)
            first = number;
        if (takes && (!has || number != first + *count))
            return -1;
        *count += takes;
        number += has;
    }
    return first;
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
    const int d = lay_side_along(of, slab->dimension), other = lay_side_along(of, 1 - slab->dimension);
    int64_t extent[3] = { 0 };
    memcpy(extent, of->extent, (size_t)of->rank * sizeof extent[0]);
    extent[other] = slab->whole;
    lay_status status = lay_side_open(of->rank, of->places, extent, side);
    if (status != LAY_OK)
        return status;
    status = lay_side_number(of, d, side->offset[d]);
    if (status == LAY_OK && of->rank == 3)
        status = lay_side_number(of, 0, side->offset[0]);
    if (status != LAY_OK) {
        lay_side_free(side);
        return status;
    }
    memcpy(side->copy, of->copy, (size_t)of->places * sizeof *side->copy);
    memcpy(side->value, of->value, (size_t)of->places * (size_t)of->rank * sizeof *side->value);
    for (int64_t place = 0; place < of->places; place++)
        side->value[place * of->rank + other] = 0;
    for (int64_t x = 0; of->rank == 3 && x < extent[0]; x++) {
        side->owner[0][x] = of->owner[0][x];
        side->offset[0][x] *= lay_slab_size(slab);
    }
    for (int64_t x = 0; x < extent[d]; x++) {
        const int64_t number = side->offset[d][x] - slab->first;
        side->owner[d][x] = number >= 0 && number < slab->most ? of->owner[d][x] : LAY_NOBODY;
        side->offset[d][x] = number * lay_slab_step(slab, slab->dimension);
    }
    for (int64_t x = 0; x < slab->whole; x++) {
        const int64_t number = x - slab->from;
        side->owner[other][x] = number >= 0 && number < slab->depth ? 0 : LAY_NOBODY;
        side->offset[other][x] = number * lay_slab_step(slab, 1 - slab->dimension);
    }
    return LAY_OK;
}

/* The indices of dimension x of one side that a place has, and takes part in along y of another. */
static int64_t count_both(const lay_side *one, int x, const lay_side *other, int y, int64_t place)
{
    if (one->copy[place] < 0 || other->copy[place] < 0)
        return 0;
    const int64_t mine = one->value[place * one->rank + x], its = other->value[place * other->rank + y];
    int64_t count = 0;
    for (int64_t i = 0; i < one->extent[x]; i++)
        count += one->owner[x][i] == mine && other->owner[y][i] == its;
    return count;
}

lay_share lay_side_share(const lay_side side[3], int64_t place)
{
    const lay_side *const a = &side[0], *const b = &side[1], *const c = &side[2];
    const int rows = a->rank - 2, columns = rows + 1;
    lay_share share = { .a_rows = lay_side_count(a, place, rows),
                        .a_steps = lay_side_count(a, place, columns),
                        .b_steps = lay_side_count(b, place, rows),
                        .b_columns = lay_side_count(b, place, columns),
                        .c_rows = lay_side_count(c, place, rows),
                        .c_columns = lay_side_count(c, place, columns),
                        .rows_ac = count_both(a, rows, c, rows, place),
                        .columns_bc = count_both(b, columns, c, columns, place),
                        .steps_ab = count_both(a, columns, b, rows, place) };
    if (rows == 0) {
        share.a_batch = share.b_batch = share.c_batch = share.batch_ac = share.batch_bc = share.batch_ab = 1;
        return share;
    }
    share.a_batch = lay_side_count(a, place, 0);
    share.b_batch = lay_side_count(b, place, 0);
    share.c_batch = lay_side_count(c, place, 0);
    share.batch_ac = count_both(a, 0, c, 0, place);
    share.batch_bc = count_both(b, 0, c, 0, place);
    share.batch_ab = count_both(a, 0, b, 0, place);
    return share;
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

/* Elements that lie beside each other where they are from do so in a panel, too. */
int lay_side_find_inner(const lay_side *side)
{
    int64_t place = 0;
    while (place + 1 < side->places && side->copy[place] < 0)
        place++;
    return lay_side_inner(side, place);
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
    free(side->window);
    free(side->extent);
    free(side->owner);
    free(side->offset);
    free(side->value);
    free(side->copy);
    *side = (lay_side){ .rank = 0 };
}
