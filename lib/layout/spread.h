/* The digits of a layout that choose its places, while it is in an arena. */
#ifndef LAY_LAYOUT_SPREAD_H
#define LAY_LAYOUT_SPREAD_H

#include "layout/build.h"
#include "layout/places.h"

/* A digit of root dimension `root` (-1: of the copies) that adds step * digit to the place; where is_reversed the
 * function's own digit is extent - 1 - digit. */
typedef struct lay_place_digit {
    const lay_func *leaf; /* NULL: of the copies */
    int root, is_reversed;
    int64_t extent, step, digit;
} lay_place_digit;

/* The digits, greatest step first; each step is more than all that the digits behind it add up to, so that a place has
 * one set of digits or none. */
typedef struct lay_spread {
    int count;
    int64_t first; /* the place of all digits 0 */
    lay_place_digit digit[LAY_MAX_NODES + LAY_PLACE_DIMS];
    int64_t base[LAY_MAX_NODES]; /* what a root dimension adds whose digits are 0 */
} lay_spread;

/* Finds the digits. NULL, or why the places cannot be told apart: the reason, as a phrase. */
const char *lay_spread_find(const lay_grid *grid, int rank, const lay_dim dims[], lay_spread *spread);

/* Sets the digits to those of a place. Which of the copies it is; -1 where no element lies there. */
int64_t lay_spread_at(lay_spread *spread, int64_t place);

/* What root dimension `root` adds to the number of the place, for the digits that are set. */
int64_t lay_spread_value(const lay_spread *spread, int root);

/* The part of a root dimension's function that the digits keep, as offsets at the place: its indices in ascending
 * order. NULL when the arena has failed: LAY_ERR_UNSUPPORTED where a step cuts across the digits. */
const lay_func *lay_spread_local(lay_arena *arena, const lay_spread *spread, const lay_func *f);

#endif
