/* A large matrix on a terminal, as blocks with their extents. */
#include <inttypes.h>

#include "bench/show/colour.h"
#include "bench/show/grid.h"
#include "text.h"

enum { USUAL_WIDTH = 120, WORDS = 80, LINES = 2 }; /* where the window has none; of a line; lines of a block */

typedef struct frame {
    const sheet *of;
    grid grid;
    int head, wide;
} frame;

static void write_words(const frame *in, int row, int column, int line, char to[WORDS])
{
    const grid_block block = grid_block_at(in->of, &in->grid, row, column);
    if (line == 0)
        snprintf(to, WORDS, "%" PRId64 " x %" PRId64, block.rows, block.columns);
    else if (in->of->by == SHEET_BY_THREAD)
        snprintf(to, WORDS, "threads %d .. %d", holder_of_sum(block.row, block.column),
                 holder_of_sum(block.row, block.column + block.columns - 1));
    else if (in->of->by == SHEET_BY_OWNER)
        snprintf(to, WORDS, "owner %" PRId64, sheet_group(in->of, block.row, block.column));
    else if (in->of->by == SHEET_BY_PLACE && grid_colour_at(in->of, &in->grid, row, column) >= 0)
        snprintf(to, WORDS, "at %" PRId64 " from %" PRId64, grid_colour_at(in->of, &in->grid, row, column),
                 block.first);
    else
        snprintf(to, WORDS, "from %" PRId64, block.first);
}

static int find_width(const frame *in)
{
    int wide = 0;
    for (int i = 0; i < in->grid.row.shown; i++)
        for (int j = 0; j < in->grid.column.shown; j++)
            for (int line = 0; line < LINES; line++) {
                char words[WORDS];
                write_words(in, i, j, line, words);
                const int own = snprintf(NULL, 0, "%s", words);
                wide = own > wide ? own : wide;
            }
    return wide + 2;
}

static frame frame_of(const screen *on, const sheet *of)
{
    frame made = { .of = of };
    const int width = on->width ? on->width : USUAL_WIDTH;
    for (int columns = GRID_MOST; columns > 0; columns--) {
        grid_choose(of, GRID_MOST, columns, &made.grid);
        made.head = snprintf(NULL, 0, "%" PRId64, made.grid.row.begin[made.grid.row.shown - 1]) + 2;
        made.wide = find_width(&made);
        if (made.head + made.grid.column.shown * (made.wide + 1) + 2 <= width)
            break;
    }
    return made;
}

static void put_border(screen *on, const frame *in)
{
    screen_put(on, "%*s", in->head, "");
    for (int j = 0; j < in->grid.column.shown; j++) {
        screen_glyph_put(on, GLYPH_BORDER_CROSS, 1);
        screen_glyph_put(on, GLYPH_BORDER_ALONG, in->wide);
    }
    screen_glyph_put(on, GLYPH_BORDER_CROSS, 1);
    screen_end_line(on);
}

static void put_line(screen *on, const frame *in, int row, int line)
{
    if (line == 0)
        screen_put(on, "%*" PRId64 " ", in->head - 1, in->grid.row.begin[row]);
    else
        screen_put(on, "%*s", in->head, "");
    for (int j = 0; j < in->grid.column.shown; j++) {
        char words[WORDS];
        write_words(in, row, j, line, words);
        screen_glyph_put(on, GLYPH_BORDER_DOWN, 1);
        if (grid_has_colours(in->of) && grid_colour_at(in->of, &in->grid, row, j) >= 0)
            screen_set_colour(on, colour_of(grid_colour_at(in->of, &in->grid, row, j), sheet_colours(in->of)));
        screen_put(on, " %-*s", in->wide - 1, words);
        screen_set_colour(on, -1);
    }
    screen_glyph_put(on, GLYPH_BORDER_DOWN, 1);
    if (in->grid.column.shown < in->grid.column.all && line == 0)
        screen_glyph_put(on, GLYPH_MORE, 1);
    screen_end_line(on);
}

static void put_more(screen *on, const char *what, const grid_side *side)
{
    char words[120];
    snprintf(words, sizeof words, "%s of blocks: %" PRId64 ", of which %d are drawn", what, side->all, side->shown);
    if (side->shown < side->all)
        screen_put_words(on, "", words);
}

void text_blocks(screen *on, const sheet *of)
{
    const frame in = frame_of(on, of);
    int64_t rows, columns;
    screen_put(on, "%*s", in.head, "");
    for (int j = 0; j < in.grid.column.shown; j++)
        screen_put(on, " %-*" PRId64, j + 1 < in.grid.column.shown ? in.wide : 0, in.grid.column.begin[j]);
    screen_end_line(on);
    for (int i = 0; i < in.grid.row.shown; i++) {
        put_border(on, &in);
        for (int line = 0; line < LINES; line++)
            put_line(on, &in, i, line);
    }
    put_border(on, &in);
    put_more(on, "rows", &in.grid.row);
    put_more(on, "columns", &in.grid.column);
    if (grid_inner(of, &in.grid, &rows, &columns)) {
        char words[120];
        snprintf(words, sizeof words, "each is made of blocks of %" PRId64 " x %" PRId64, rows, columns);
        screen_put_words(on, "", words);
    }
}
