/* A large sheet as blocks. */
#ifndef SHOW_GRID_H
#define SHOW_GRID_H

#include "sheet.h"

enum { GRID_MOST = 8 }; /* blocks that are drawn of a side */

typedef struct grid_side {
    int level; /* of the axis */
    int shown; /* the first ones, at most GRID_MOST */
    int64_t all;
    int64_t begin[GRID_MOST + 1]; /* their first indices, and the one behind the last */
} grid_side;

typedef struct grid {
    grid_side row, column;
    int is_even; /* in a block, each side has one step */
} grid;

/* The smallest blocks of which most_rows by most_columns are all, or else the first ones of the largest. */
void grid_choose(const sheet *of, int most_rows, int most_columns, grid *out);

typedef struct grid_block {
    int64_t row, column, rows, columns;
    int64_t first;     /* the offset of its first element */
    int64_t low, high; /* its addresses, where the grid is even */
} grid_block;

grid_block grid_block_at(const sheet *of, const grid *in, int row, int column);

/* Its blocks' blocks: 1 and their extents, or 0 where there are none. */
int grid_inner(const sheet *of, const grid *in, int64_t *rows, int64_t *columns);

/* Whether groups are no smaller than blocks, so that blocks have colours; and the number of a block's colour; -1: of
 * several places, it has none. */
int grid_has_colours(const sheet *of);
int64_t grid_colour_at(const sheet *of, const grid *in, int row, int column);

#endif
