/* Matrices dealt out in blocks, as numbers: what places have and what moves, without a table of elements or of pairs of
 * places. For plans of more places than there are, and to hold those that are against. */
#ifndef LAY_TEAM_DEAL_H
#define LAY_TEAM_DEAL_H

#include <stddef.h>

#include "team/cost/cut.h"

/* One dimension: blocks of so many indices, dealt out to `count` coordinates in turn. A place's coordinate is
 * place / stride % count. BLOCK is block = ceil(extent / count); CYCLIC is block = 1. */
typedef struct lay_deal {
    int64_t extent, block, count, stride;
} lay_deal;

typedef struct lay_block_cyclic {
    lay_deal dim[2];
} lay_block_cyclic;

/* Rows and columns in blocks of so many, on a grid of places in row-major order. */
lay_block_cyclic lay_block_cyclic_on_grid(int64_t rows, int64_t columns, int64_t row_block, int64_t column_block,
                                          int64_t grid_rows, int64_t grid_columns);

/* Its text as a layout on places P=(grid_rows)(grid_columns). As snprintf. */
int lay_block_cyclic_text(const lay_block_cyclic *of, char *text, size_t size);

/* How many indices of the first `end` a coordinate has. */
int64_t lay_deal_count(const lay_deal *of, int64_t coordinate, int64_t end);

/* Of A, B and C. */
lay_share lay_block_cyclic_share(const lay_block_cyclic of[3], int64_t place);

/* What all places ask of a product whose C stays; its sizes are of's. of must live as long as the shape. */
lay_team_shape lay_block_cyclic_shape(lay_type type, const lay_block_cyclic of[3], int64_t places);

/* Messages to all places together when it is cut so, of A and of B: -1 without memory. Of several chunks only where B's
 * columns are dealt out as C's. */
double lay_block_cyclic_messages(const lay_block_cyclic of[3], const lay_team_cut *cut, int64_t places);

#endif
