/* Layouts over places and tables of the caller's, asked alike. */
#include "team/dealt.h"

#include <stdlib.h>

#include "base/status.h"
#include "base/versioned.h"
#include "layout/places.h"
#include "team/check.h"

/* ---- tables ----------------------------------------------------------------------------------- */

static int64_t count_owned(const lay_distribution *of, int d, int64_t coordinate)
{
    int64_t count = 0;
    for (int64_t x = 0; x < of->extent[d]; x++)
        count += of->owner[d][x] == coordinate;
    return count;
}

static lay_status check_tables_of(const lay_distribution *of, const char *name)
{
    if (of->rank < 1 || of->rank > LAY_DISTRIBUTION_RANK)
        return lay_fail(LAY_ERR_ARGUMENT, "the distribution of %s has rank %d, not 1 to %d", name, of->rank,
                        LAY_DISTRIBUTION_RANK);
    if (of->inner < 0 || of->inner >= of->rank)
        return lay_fail(LAY_ERR_ARGUMENT, "the distribution of %s has %d as its innermost of %d dimensions", name,
                        of->inner, of->rank);
    if (!of->extent || !of->owner || !of->coordinate || !of->part)
        return lay_fail(LAY_ERR_ARGUMENT, "the distribution of %s lacks %s", name,
                        !of->extent       ? "extents"
                        : !of->owner      ? "owners"
                        : !of->coordinate ? "coordinates"
                                          : "parts");
    for (int d = 0; d < of->rank; d++) {
        if (of->extent[d] < 0 || (of->extent[d] > 0 && !of->owner[d]))
            return lay_fail(LAY_ERR_ARGUMENT, "dimension %d of %s has %lld indices%s", d, name,
                            (long long)of->extent[d], of->extent[d] > 0 ? " and no owners" : "");
        for (int64_t x = 0; x < of->extent[d]; x++)
            if (of->owner[d][x] < 0)
                return lay_fail(LAY_ERR_ARGUMENT, "index %lld of dimension %d of %s belongs to coordinate %lld",
                                (long long)x, d, name, (long long)of->owner[d][x]);
    }
    return LAY_OK;
}

/* A part has as many indices of each dimension as the place owns. */
static lay_status check_part(const lay_team *team, const lay_dealt *dealt, int i)
{
    const lay_distribution *const of = dealt->by_tables;
    const lay_desc *const part = of->part[i];
    const int64_t place = team->first + i, *const coordinate = of->coordinate + place * of->rank;
    if (!part)
        return lay_fail(LAY_ERR_ARGUMENT, "the part of %s at place %lld is NULL", dealt->name, (long long)place);
    if (lay_desc_places(part) != 1 || lay_desc_rank(part) != of->rank)
        return lay_fail(LAY_ERR_SHAPE, "the part of %s at place %lld is no layout of %d dimensions at one place",
                        dealt->name, (long long)place, of->rank);
    for (int d = 0; d < of->rank; d++) {
        const int64_t own = count_owned(of, d, coordinate[d]), has = lay_desc_map(part, d)->extent;
        if (own != has)
            return lay_fail(LAY_ERR_SHAPE, "place %lld owns %lld indices of dimension %d of %s, its part has %lld",
                            (long long)place, (long long)own, d, dealt->name, (long long)has);
    }
    return LAY_OK;
}

/* The first place with a coordinate in dimension d, which stands for it in a side; as many as places: none has it. */
static int64_t find_first(const lay_team *team, const lay_distribution *of, int d, int64_t coordinate)
{
    int64_t p = 0;
    while (p < team->places && of->coordinate[p * of->rank + d] != coordinate)
        p++;
    return p;
}

/* Distinct owners of dimension d, places having them all. */
static int64_t count_owners(const lay_team *team, const lay_distribution *of, int d)
{
    int64_t count = 0;
    for (int64_t p = 0; p < team->places; p++) {
        const int64_t mine = of->coordinate[p * of->rank + d];
        count += find_first(team, of, d, mine) == p && count_owned(of, d, mine) > 0;
    }
    return count;
}

static int same_coordinates(const lay_distribution *of, int64_t p, int64_t q)
{
    for (int d = 0; d < of->rank; d++)
        if (of->coordinate[p * of->rank + d] != of->coordinate[q * of->rank + d])
            return 0;
    return 1;
}

static int holds_elements(const lay_distribution *of, int64_t place)
{
    for (int d = 0; d < of->rank; d++) {
        const int64_t mine = of->coordinate[place * of->rank + d];
        int64_t x = 0;
        while (x < of->extent[d] && of->owner[d][x] != mine)
            x++;
        if (x == of->extent[d])
            return 0;
    }
    return 1;
}

/* Which of the copies each place has, and how many there are of each element: as many of one as of all others.
 * copy[places]. */
static lay_status find_copies(const lay_team *team, const lay_dealt *dealt, int64_t copy[], int64_t *copies)
{
    const lay_distribution *const of = dealt->by_tables;
    int64_t holders = 0, first_ones = 0, wanted = 1;
    for (int64_t p = 0; p < team->places; p++) {
        copy[p] = holds_elements(of, p) ? 0 : -1;
        for (int64_t q = 0; q < p && copy[p] >= 0; q++)
            copy[p] += copy[q] >= 0 && same_coordinates(of, p, q);
        holders += copy[p] >= 0;
        first_ones += copy[p] == 0;
    }
    for (int d = 0; d < of->rank; d++)
        wanted *= count_owners(team, of, d);
    if (first_ones != wanted)
        return lay_fail(LAY_ERR_SHAPE, "elements of %s belong to coordinates that no place has", dealt->name);
    *copies = first_ones > 0 ? holders / first_ones : 1;
    for (int64_t p = 0; p < team->places; p++)
        if (copy[p] >= *copies)
            return lay_fail(LAY_ERR_UNSUPPORTED, "some elements of %s have more copies than others", dealt->name);
    return LAY_OK;
}

static lay_status check_owners(const lay_team *team, const lay_dealt *dealt)
{
    const lay_distribution *const of = dealt->by_tables;
    for (int d = 0; d < of->rank; d++)
        for (int64_t x = 0; x < of->extent[d]; x++)
            if ((x == 0 || of->owner[d][x] != of->owner[d][x - 1]) &&
                find_first(team, of, d, of->owner[d][x]) == team->places)
                return lay_fail(LAY_ERR_SHAPE,
                                "index %lld of dimension %d of %s belongs to coordinate %lld, which no "
                                "place has",
                                (long long)x, d, dealt->name, (long long)of->owner[d][x]);
    return LAY_OK;
}

static lay_status check_tables(const lay_team *team, const lay_dealt *dealt)
{
    static const lay_versioned structure = { "distribution", "LAY_DISTRIBUTION_INIT", sizeof(lay_distribution),
                                             sizeof(lay_distribution) };
    lay_distribution complete;
    lay_status status = lay_versioned_read(&structure, dealt->by_tables, &complete);
    if (status == LAY_OK)
        status = check_tables_of(dealt->by_tables, dealt->name);
    if (status == LAY_OK)
        status = check_owners(team, dealt);
    for (int i = 0; i < team->each && status == LAY_OK; i++)
        status = check_part(team, dealt, i);
    return status;
}

/* Of an own place i, dimension d: where each index of it lies. NULL without memory. */
static int64_t *list_offsets(const lay_team *team, const lay_distribution *of, int i, int d)
{
    const int64_t extent = of->extent[d], mine = of->coordinate[(team->first + i) * (int64_t)of->rank + d];
    const int64_t own = lay_desc_map(of->part[i], d)->extent;
    int64_t *const list = calloc((size_t)extent + 1, sizeof *list);
    int64_t *const there = calloc(2 * (size_t)own + 1, sizeof *there);
    if (list && there) {
        lay_desc_place_axis(of->part[i], d, there + own, there);
        for (int64_t x = 0, next = 0; x < extent; x++)
            if (of->owner[d][x] == mine)
                list[x] = there[next++];
    }
    free(there);
    if (!there)
        free(list);
    return there ? list : NULL;
}

static lay_status side_of_tables(const lay_team *team, const lay_dealt *dealt, lay_side *side)
{
    const lay_distribution *const of = dealt->by_tables;
    lay_status status = lay_side_open(of->rank, team->places, of->extent, side);
    if (status != LAY_OK)
        return status;
    side->inner = of->inner;
    side->first = team->first;
    side->each = team->each;
    side->own = calloc((size_t)team->each * (size_t)of->rank, sizeof *side->own);
    int has_room = side->own != NULL;
    for (int i = 0; i < team->each && has_room; i++)
        for (int d = 0; d < of->rank && has_room; d++)
            has_room = (side->own[i * of->rank + d] = list_offsets(team, of, i, d)) != NULL;
    for (int d = 0; d < of->rank; d++)
        for (int64_t x = 0; x < of->extent[d]; x++)
            side->owner[d][x] = x > 0 && of->owner[d][x] == of->owner[d][x - 1]
                                    ? side->owner[d][x - 1]
                                    : find_first(team, of, d, of->owner[d][x]);
    for (int64_t v = 0; v < team->places * of->rank; v++)
        side->value[v] = find_first(team, of, (int)(v % of->rank), of->coordinate[v]);
    status = has_room ? find_copies(team, dealt, side->copy, &side->copies)
                      : lay_fail(LAY_ERR_MEMORY, "no memory for the tables of %s", dealt->name);
    if (status != LAY_OK)
        lay_side_free(side);
    return status;
}

static uint64_t hash_tables(uint64_t hash, const lay_team *team, const lay_distribution *of)
{
    const int64_t kind[] = { -1, of->rank, of->inner, of->is_conjugated };
    hash = lay_team_hash(hash, kind, sizeof kind);
    for (int d = 0; d < of->rank; d++) {
        hash = lay_team_hash(hash, &of->extent[d], sizeof of->extent[d]);
        hash = lay_team_hash(hash, of->owner[d], (size_t)of->extent[d] * sizeof *of->owner[d]);
    }
    return lay_team_hash(hash, of->coordinate, (size_t)(team->places * of->rank) * sizeof *of->coordinate);
}

/* ---- either ----------------------------------------------------------------------------------- */

lay_status lay_dealt_check(const lay_team *team, const lay_dealt *dealt)
{
    return dealt->by_tables ? check_tables(team, dealt) : lay_team_check_desc(team, dealt->desc, dealt->name);
}

int lay_dealt_rank(const lay_dealt *dealt)
{
    return dealt->by_tables ? dealt->by_tables->rank : lay_desc_rank(dealt->desc);
}

int64_t lay_dealt_extent(const lay_dealt *dealt, int d)
{
    return dealt->by_tables ? dealt->by_tables->extent[d] : lay_desc_map(dealt->desc, d)->extent;
}

int lay_dealt_is_conjugated(const lay_dealt *dealt)
{
    return dealt->by_tables ? dealt->by_tables->is_conjugated : dealt->is_conjugated;
}

lay_status lay_dealt_side(const lay_team *team, const lay_dealt *dealt, lay_side *side)
{
    return dealt->by_tables ? side_of_tables(team, dealt, side) : lay_side_of_desc(dealt->desc, side);
}

lay_status lay_dealt_part(const lay_team *team, const lay_dealt *dealt, int i, lay_desc **part)
{
    return dealt->by_tables ? lay_desc_clone(dealt->by_tables->part[i], part)
                            : lay_desc_local(dealt->desc, team->first + i, part);
}

uint64_t lay_dealt_hash(uint64_t hash, const lay_team *team, const lay_dealt *dealt)
{
    if (dealt->by_tables)
        return hash_tables(hash, team, dealt->by_tables);
    hash = lay_team_hash(hash, &dealt->is_conjugated, sizeof dealt->is_conjugated);
    return dealt->desc ? lay_team_hash_desc(hash, dealt->desc) : hash;
}
