/* A large matrix as blocks with their extents, each with the order of its elements in a few lines. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/show/colour.h"
#include "bench/show/grid.h"
#include "picture.h"

enum {
    ALL_WIDE = 620, /* of all blocks, where they have room in it */
    MOST_WIDE = 260,
    WORDS = 36, /* of a block, above */
    LINES = 46, /* and below: some lines */
    HEAD = 18,
    SIZE = 11,
    ROUNDS = 4, /* lines that stand for all */
    MORE = 13   /* letters of "and 1234 more" */
};

static const scene_style extent_style = { "block", SIZE, COLOUR_TEXT, 1, SCENE_LEFT };
static const scene_style from_style = { "from", SIZE, COLOUR_FAINT, 0, SCENE_LEFT };
static const scene_style index_style = { "index", SIZE, COLOUR_FAINT, 0, SCENE_LEFT };
static const scene_style row_style = { "index", SIZE, COLOUR_FAINT, 0, SCENE_RIGHT };

typedef struct frame {
    const sheet *of;
    grid grid;
    double x, y, wide;
} frame;

/* A block and where its line begins and ends. */
typedef struct drawn {
    grid_block block;
    scene_point first, last;
} drawn;

static void write_extents(const frame *in, const grid_block *of, char *to, size_t size)
{
    int64_t rows, columns;
    const int length = snprintf(to, size, "%" PRId64 " x %" PRId64, of->rows, of->columns);
    if (grid_inner(in->of, &in->grid, &rows, &columns))
        snprintf(to + length, size - (size_t)length, " of %" PRId64 "x%" PRId64, rows, columns);
}

static void write_from(const frame *in, const grid_block *of, char *to, size_t size)
{
    if (in->of->by == SHEET_BY_THREAD)
        snprintf(to, size, "threads %d .. %d", holder_of_sum(of->row, of->column),
                 holder_of_sum(of->row, of->column + of->columns - 1));
    else if (in->of->by == SHEET_BY_OWNER)
        snprintf(to, size, "owner %" PRId64, sheet_group(in->of, of->row, of->column));
    else if (in->of->by == SHEET_BY_PLACE)
        snprintf(to, size, "at %" PRId64 " from %" PRId64, sheet_place_of(in->of, of->row, of->column), of->first);
    else
        snprintf(to, size, "from %" PRId64, of->first);
}

/* Of a block: its words, and more where all blocks have room. */
static double find_width(const frame *in, double room)
{
    int letters = 0;
    for (int i = 0; i < in->grid.row.shown; i++)
        for (int j = 0; j < in->grid.column.shown; j++) {
            const grid_block block = grid_block_at(in->of, &in->grid, i, j);
            char extents[120], from[80];
            write_extents(in, &block, extents, sizeof extents);
            write_from(in, &block, from, sizeof from);
            const int own = (int)fmax((double)snprintf(NULL, 0, "%s", extents), (double)snprintf(NULL, 0, "%s", from));
            letters = own > letters ? own : letters;
        }
    const double words = scene_text_width(SIZE, letters) + 16;
    return fmax(words, fmin(MOST_WIDE, room / (double)in->grid.column.shown));
}

static double magnitude(int64_t step)
{
    return step == 0 ? INFINITY : fabs((double)step);
}

/* From a block's first element to the next one down or along. */
static int64_t step_from(const frame *in, const grid_block *of, int down, int along)
{
    return (int64_t)((uint64_t)sheet_offset(in->of, of->row + down, of->column + along) - (uint64_t)of->first);
}

/* Of a block in which each side has one step: its lines go along the side with the shorter one. */
static void draw_order(scene *to, const frame *in, double x, double y, drawn *made)
{
    const grid_block *of = &made->block;
    const int64_t down = of->rows > 1 ? step_from(in, of, 1, 0) : 0;
    const int64_t along = of->columns > 1 ? step_from(in, of, 0, 1) : 0;
    const int by_rows = magnitude(along) <= magnitude(down);
    const int64_t inner = by_rows ? along : down, outer = by_rows ? down : along;
    const int64_t lines = by_rows ? of->rows : of->columns, length = by_rows ? of->columns : of->rows;
    int64_t turn;
    const int rounds = lines < ROUNDS ? (int)lines : ROUNDS;
    const int is_dense = inner != 0 && !__builtin_mul_overflow(inner, length, &turn) && outer == turn;
    const double wide = in->wide - 24, high = LINES - 14;
    scene_point path[2 * ROUNDS];
    for (int i = 0; i < rounds; i++) {
        const double step = rounds > 1 ? (double)(outer < 0 ? rounds - 1 - i : i) / (rounds - 1) : 0.5;
        for (int end = 0; end < 2; end++) {
            const double run = length > 1 ? (inner < 0 ? !end : end) : 0.5;
            path[2 * i + end] =
                (scene_point){ x + 12 + wide * (by_rows ? run : step), y + WORDS + 4 + high * (by_rows ? step : run) };
        }
    }
    for (int i = 0; i < rounds; i++) {
        scene_line(to, "visit", path + 2 * i, 2, COLOUR_VISIT, 1.4, 0);
        if (i + 1 < rounds)
            scene_line(to, is_dense ? "visit" : "jump", path + 2 * i + 1, 2, COLOUR_VISIT, is_dense ? 1.4 : 1,
                       !is_dense);
    }
    made->first = path[0];
    made->last = path[2 * rounds - 1];
}

static int compare_blocks(const void *x, const void *y)
{
    const drawn *a = x, *b = y;
    return (a->block.low > b->block.low) - (a->block.low < b->block.low);
}

/* From each block to the next one in memory; blocks between which memory goes to and fro have no such order. */
static void draw_joins(scene *to, const frame *in, drawn all[], int count)
{
    qsort(all, (size_t)count, sizeof *all, compare_blocks);
    const int are_all = in->grid.row.shown == in->grid.row.all && in->grid.column.shown == in->grid.column.all;
    for (int i = 1; i < count; i++)
        if (all[i].block.low <= all[i - 1].block.high)
            return;
    for (int i = 1; i < count; i++) {
        const int is_next = all[i].block.low == all[i - 1].block.high + 1;
        const scene_point path[] = { all[i - 1].last, all[i].first };
        if (is_next || are_all)
            scene_line(to, is_next ? "visit" : "jump", path, 2, COLOUR_VISIT, is_next ? 1.4 : 1, !is_next);
    }
    scene_dot(to, all[0].first, 4, COLOUR_VISIT);
    if (are_all)
        scene_arrow(to, (scene_point){ 2 * all[count - 1].first.x - all[count - 1].last.x, all[count - 1].last.y },
                    all[count - 1].last, COLOUR_VISIT);
}

/* Blocks have colours where groups are no smaller. */
static int32_t ground_of(const frame *in, int row, int column)
{
    const int64_t colour = grid_has_colours(in->of) ? grid_colour_at(in->of, &in->grid, row, column) : -1;
    return colour >= 0 ? colour_of(colour, sheet_colours(in->of)) : COLOUR_PAPER;
}

static void draw_block(scene *to, const frame *in, int row, int column, drawn *made)
{
    const double x = in->x + column * in->wide, y = in->y + row * (WORDS + LINES);
    made->block = grid_block_at(in->of, &in->grid, row, column);
    scene_box(to, "block", x, y, in->wide, WORDS + LINES, ground_of(in, row, column), COLOUR_BORDER);
    if (in->grid.is_even)
        draw_order(to, in, x, y, made);
}

static void draw_words(scene *to, const frame *in, int row, int column)
{
    const double x = in->x + column * in->wide, y = in->y + row * (WORDS + LINES);
    const grid_block block = grid_block_at(in->of, &in->grid, row, column);
    char extents[120], from[80];
    write_extents(in, &block, extents, sizeof extents);
    write_from(in, &block, from, sizeof from);
    scene_label(to, &extent_style, ground_of(in, row, column), x + 8, y + 15, "%s", extents);
    scene_label(to, &from_style, ground_of(in, row, column), x + 8, y + 30, "%s", from);
}

static void draw_indices(scene *to, const frame *in)
{
    const grid_side *row = &in->grid.row, *column = &in->grid.column;
    const double right = in->x + column->shown * in->wide, bottom = in->y + row->shown * (WORDS + LINES);
    for (int j = 0; j < column->shown; j++)
        scene_text(to, &index_style, in->x + j * in->wide + 2, in->y - 6, "%" PRId64, column->begin[j]);
    for (int i = 0; i < row->shown; i++)
        scene_text(to, &row_style, in->x - 6, in->y + i * (WORDS + LINES) + 12, "%" PRId64, row->begin[i]);
    scene_text(to, &row_style, in->x - 6, in->y - 6, "i\\j");
    if (column->shown < column->all)
        scene_text(to, &index_style, right + 8, in->y + 15, "and %" PRId64 " more", column->all - column->shown);
    if (row->shown < row->all)
        scene_text(to, &index_style, in->x + 2, bottom + 15, "and %" PRId64 " more", row->all - row->shown);
}

/* With room, the first number of columns that is no wider with their words and those of the columns that are left. */
static void choose(frame *in, double room)
{
    for (int most = GRID_MOST; most > 0; most--) {
        grid_choose(in->of, room > 0 && most < GRID_MOST ? most : GRID_MOST, most, &in->grid);
        const grid_side *column = &in->grid.column;
        const double more = column->shown < column->all ? scene_text_width(SIZE, MORE) : 0;
        in->wide = find_width(in, room > 0 ? room - in->x - more : ALL_WIDE);
        if (room <= 0 || in->x + in->wide * column->shown + more <= room)
            break;
    }
}

double picture_blocks(scene *to, const sheet *of, double x, double y, double room)
{
    frame in = { .of = of, .y = y + HEAD };
    in.x = x + scene_text_width(SIZE, snprintf(NULL, 0, "%" PRId64, of->row.extent) + 3);
    choose(&in, room);
    drawn all[GRID_MOST * GRID_MOST];
    int count = 0;
    for (int i = 0; i < in.grid.row.shown; i++)
        for (int j = 0; j < in.grid.column.shown; j++)
            draw_block(to, &in, i, j, &all[count++]);
    if (in.grid.is_even)
        draw_joins(to, &in, all, count);
    for (int i = 0; i < in.grid.row.shown; i++)
        for (int j = 0; j < in.grid.column.shown; j++)
            draw_words(to, &in, i, j);
    draw_indices(to, &in);
    return in.y + in.grid.row.shown * (WORDS + LINES) + (in.grid.row.shown < in.grid.row.all ? HEAD : 0);
}
