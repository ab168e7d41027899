/* A large sheet as blocks. */
#include "grid.h"

static grid_side choose_side(const axis *of, int most)
{
    grid_side made = { 0 };
    while (made.level + 1 < of->levels && axis_blocks(of, made.level) > most)
        made.level++;
    made.all = axis_blocks(of, made.level);
    made.shown = (int)(made.all < most ? made.all : most);
    for (int i = 0; i <= made.shown; i++)
        made.begin[i] = axis_begin(of, made.level, i);
    return made;
}

static int is_even(const axis *of, int level)
{
    for (int i = 0; i < level; i++)
        if (of->is_broken[i])
            return 0;
    return 1;
}

void grid_choose(const sheet *of, int most_rows, int most_columns, grid *out)
{
    out->row = choose_side(&of->row, most_rows < GRID_MOST ? most_rows : GRID_MOST);
    out->column = choose_side(&of->column, most_columns < GRID_MOST ? most_columns : GRID_MOST);
    out->is_even =
        of->by < SHEET_BY_OWNER && is_even(&of->row, out->row.level) && is_even(&of->column, out->column.level);
}

grid_block grid_block_at(const sheet *of, const grid *in, int row, int column)
{
    grid_block made = { .row = in->row.begin[row], .column = in->column.begin[column] };
    made.rows = in->row.begin[row + 1] - made.row;
    made.columns = in->column.begin[column + 1] - made.column;
    made.first = made.low = made.high = sheet_offset(of, made.row, made.column);
    for (int corner = 1; corner < 4; corner++) {
        const int64_t offset = sheet_offset(of, made.row + (corner & 1 ? made.rows - 1 : 0),
                                            made.column + (corner & 2 ? made.columns - 1 : 0));
        made.low = offset < made.low ? offset : made.low;
        made.high = offset > made.high ? offset : made.high;
    }
    return made;
}

int grid_has_colours(const sheet *of)
{
    return of->by == SHEET_BY_BLOCK || of->by == SHEET_BY_OWNER || of->by == SHEET_BY_PLACE ||
           of->by == SHEET_BY_THREAD;
}

int64_t grid_colour_at(const sheet *of, const grid *in, int row, int column)
{
    if (of->by == SHEET_BY_PLACE) {
        const int64_t i = in->row.begin[row], j = in->column.begin[column], place = sheet_place_of(of, i, j);
        const int64_t last_i = in->row.begin[row + 1] - 1, last_j = in->column.begin[column + 1] - 1;
        return place == sheet_place_of(of, last_i, j) && place == sheet_place_of(of, i, last_j) ? place : -1;
    }
    return row * in->column.shown + column;
}

static int64_t inner_extent(const axis *of, int level)
{
    return level > 0 ? of->period[level - 1] : level < of->levels && !of->cut ? of->period[level] : of->extent;
}

int grid_inner(const sheet *of, const grid *in, int64_t *rows, int64_t *columns)
{
    *rows = inner_extent(&of->row, in->row.level);
    *columns = inner_extent(&of->column, in->column.level);
    return in->row.level > 0 || in->column.level > 0;
}
