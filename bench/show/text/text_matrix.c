/* A matrix on a terminal, element by element: a single line joins neighbours in memory, a double one parts blocks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/show/colour.h"
#include "text.h"

/* How it is laid out. */
typedef struct frame {
    const sheet *of;
    int rows, columns;
    int head; /* columns of a row's index, and of an element */
    int wide;
} frame;

static int64_t number_of(const sheet *of, int i, int j)
{
    return sheet_has_groups(of) ? sheet_group(of, i, j) : sheet_offset(of, i, j);
}

static int digits(int64_t number)
{
    return snprintf(NULL, 0, "%" PRId64, number);
}

static int index_digits(const sheet *of, int rows)
{
    int most = 0;
    for (int i = 0; i < rows; i++) {
        char text[48];
        sheet_write_row(of, i, text, sizeof text);
        most = (int)strlen(text) > most ? (int)strlen(text) : most;
    }
    return most;
}

static frame frame_of(const sheet *of, int rows, int columns)
{
    frame made = { .of = of, .rows = rows, .columns = columns, .wide = digits(of->at[1] + columns - 1) };
    made.head = index_digits(of, rows) + 2;
    made.head = made.head < 4 ? 4 : made.head;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const int own = digits(number_of(of, i, j));
            made.wide = own > made.wide ? own : made.wide;
        }
    return made;
}

int text_matrix_fits(const screen *on, const sheet *of, int rows, int columns)
{
    for (; on->width > 0 && columns > 1; columns--) {
        const frame in = frame_of(of, rows, columns);
        if (in.head + columns * (in.wide + 1) + 2 <= on->width)
            break;
    }
    return columns;
}

/* Whether the second element is the next in memory, in either direction. */
static int are_joined(const sheet *of, int i, int j, int to_i, int to_j)
{
    const uint64_t apart = (uint64_t)sheet_offset(of, to_i, to_j) - (uint64_t)sheet_offset(of, i, j);
    return apart == 1 || apart == UINT64_MAX;
}

static int is_joined_down(const frame *in, int i, int j)
{
    return are_joined(in->of, i - 1, j, i, j);
}

static void put_head(screen *on, const frame *in)
{
    screen_put(on, "%*s", in->head - 1, "i\\j");
    for (int j = 0; j < in->columns; j++) {
        screen_put(on, " ");
        screen_put(on, "%*" PRId64, in->wide, in->of->at[1] + j);
    }
    if (in->columns < sheet_columns(in->of))
        screen_glyph_put(on, GLYPH_MORE, 1);
    screen_end_line(on);
}

static void put_index(screen *on, const frame *in, int i)
{
    char text[48];
    sheet_write_row(in->of, i, text, sizeof text);
    screen_put(on, "%*s", in->head - 1, text);
}

/* What stands between an element and the one to its left. */
static void put_between(screen *on, const frame *in, int i, int j)
{
    const int is_joined = are_joined(in->of, i, j - 1, i, j), is_border = sheet_column_borders(in->of, j) > 0;
    if (is_border)
        screen_glyph_put(on, is_joined ? GLYPH_BORDER_DOWN_ALONG : GLYPH_BORDER_DOWN, 1);
    else if (is_joined)
        screen_glyph_put(on, GLYPH_ALONG, 1);
    else
        screen_put(on, " ");
}

static void put_row(screen *on, const frame *in, int i)
{
    put_index(on, in, i);
    for (int j = 0; j < in->columns; j++) {
        if (j)
            put_between(on, in, i, j);
        else
            screen_put(on, " ");
        screen_set_colour(on, colour_of(sheet_group(in->of, i, j), sheet_colours(in->of)));
        screen_put(on, "%*" PRId64, in->wide, number_of(in->of, i, j));
        screen_set_colour(on, -1);
    }
    screen_end_line(on);
}

/* Above row i: a border, or joints below the last digits of those that are joined. */
static void put_line(screen *on, const frame *in, int i)
{
    const int is_border = sheet_row_borders(in->of, i) > 0;
    screen_put(on, "%*s", in->head, "");
    for (int j = 0; j < in->columns; j++) {
        const int is_joined = is_joined_down(in, i, j), parts = j && sheet_column_borders(in->of, j);
        if (is_border) {
            screen_glyph_put(on, parts ? GLYPH_BORDER_CROSS : GLYPH_BORDER_ALONG, j > 0);
            screen_glyph_put(on, GLYPH_BORDER_ALONG, in->wide - 1);
            screen_glyph_put(on, is_joined ? GLYPH_BORDER_ALONG_DOWN : GLYPH_BORDER_ALONG, 1);
            continue;
        }
        if (parts)
            screen_glyph_put(on, GLYPH_BORDER_DOWN, 1);
        else
            screen_put(on, "%*s", j > 0, "");
        screen_put(on, "%*s", in->wide - 1, "");
        screen_glyph_put(on, GLYPH_DOWN, is_joined);
        screen_put(on, "%*s", !is_joined, "");
    }
    screen_end_line(on);
}

void text_matrix(screen *on, const sheet *of, int rows, int columns)
{
    const frame in = frame_of(of, rows, columns);
    put_head(on, &in);
    for (int i = 0; i < rows; i++) {
        int has_line = i && sheet_row_borders(of, i) > 0;
        for (int j = 0; j < columns && i && !has_line; j++)
            has_line = is_joined_down(&in, i, j);
        if (has_line)
            put_line(on, &in, i);
        put_row(on, &in, i);
    }
    if (rows < sheet_rows(of)) {
        screen_put(on, "%*s", in.head - 2, "");
        screen_glyph_put(on, GLYPH_MORE, 1);
        screen_end_line(on);
    }
}
