/* Places: the upper bits of an offset.
 *
 * A layout over places is a pair of functions, index -> (place, offset). Both are held as one, the wide offset
 *
 *     place * LAY_PLACE_STEP + offset
 *
 * which is linear in every digit where both are: so all that is promised of functions (func.h), views and the
 * notation holds for pairs, too (docs/decisions/0033). Offsets at a place stay within LAY_PLACE_REACH, half of what
 * would be enough to take the parts apart again, since differences of two are taken. */
#ifndef LAY_LAYOUT_PLACES_H
#define LAY_LAYOUT_PLACES_H

#include <stdint.h>

#include "layout/desc.h"

enum { LAY_PLACE_BITS = 40, LAY_MOST_PLACES = 1 << 21, LAY_PLACE_DIMS = 8 };
#define LAY_PLACE_STEP  ((int64_t)1 << LAY_PLACE_BITS)
#define LAY_PLACE_REACH ((int64_t)1 << (LAY_PLACE_BITS - 2))

/* A dimension of the grid of places. Where it is replicated every place along it has a copy; no function uses it. */
typedef struct lay_place_dim {
    int64_t extent;
    int is_replicated;
} lay_place_dim;

/* All places that a layout is over, numbered in row-major order. One place: no grid, and offsets are not wide. */
typedef struct lay_grid {
    int64_t places; /* at least 1 */
    int count;      /* dimensions, of 2 or more indices each; 0: one place */
    lay_place_dim dim[LAY_PLACE_DIMS];
} lay_grid;

static inline int64_t lay_place_in(int64_t wide)
{
    return (wide + LAY_PLACE_STEP / 2) >> LAY_PLACE_BITS;
}

static inline int64_t lay_offset_in(int64_t wide)
{
    return wide - lay_place_in(wide) * LAY_PLACE_STEP;
}

const lay_grid *lay_desc_grid(const lay_desc *desc);

/* Of root dimension i, index by index: what it adds to the number of the place (the rest is 0) and to the offset
 * there. Arrays of its extent. */
void lay_desc_place_axis(const lay_desc *desc, int i, int64_t value[], int64_t offset[]);

/* What the elements at each place have in common: the place holds those indices (i, j, ..) with
 * value[place * rank + d] = what index d of root dimension d adds, as lay_desc_place_axis has it. copy[place]: which of
 * the copies it is, -1 where the place holds nothing. LAY_ERR_MEMORY, LAY_ERR_UNSUPPORTED. */
lay_status lay_desc_place_table(const lay_desc *desc, int64_t value[], int64_t copy[]);

/* 1 when two layouts are over the same places and have copies at the same of them. */
int lay_grid_equal(const lay_grid *a, const lay_grid *b);

#endif
