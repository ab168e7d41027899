/* A matrix element by element, and the line that visits them in the order of memory. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/show/colour.h"
#include "picture.h"

enum { HIGH = 34, LEAST_WIDE = 38, HEAD = 18, SIZE = 11, SMALL = 9 }; /* of an element; of indices; of letters */

static const scene_style index_style = { "index", SIZE, COLOUR_FAINT, 0, SCENE_MIDDLE };
static const scene_style row_style = { "index", SIZE, COLOUR_FAINT, 0, SCENE_RIGHT };
static const scene_style offset_style = { "offset", SIZE, COLOUR_TEXT, 0, SCENE_LEFT };
static const scene_style group_style = { "group", SMALL, COLOUR_FAINT, 0, SCENE_LEFT };
static const scene_style more_style = { "more", SIZE, COLOUR_FAINT, 0, SCENE_LEFT };

/* Where it is drawn. */
typedef struct frame {
    const sheet *of;
    int rows, columns;
    double x, y; /* of element (0, 0) */
    double wide;
} frame;

static int digits(int64_t number)
{
    return snprintf(NULL, 0, "%" PRId64, number);
}

static int most_digits(const frame *in)
{
    int most = 1;
    for (int i = 0; i < in->rows; i++)
        for (int j = 0; j < in->columns; j++) {
            const int own = digits(sheet_offset(in->of, i, j));
            most = own > most ? own : most;
        }
    return most;
}

/* The line goes through the right part of an element; numbers stand to the left of it. */
static scene_point spot(const frame *in, int row, int column)
{
    return (scene_point){ in->x + column * in->wide + in->wide - 9, in->y + row * HIGH + HIGH / 2.0 };
}

static void draw_elements(scene *to, const frame *in)
{
    for (int i = 0; i < in->rows; i++)
        for (int j = 0; j < in->columns; j++)
            scene_box(to, "element", in->x + j * in->wide, in->y + i * HIGH, in->wide, HIGH,
                      colour_of(sheet_group(in->of, i, j), sheet_colours(in->of)), COLOUR_EDGE);
}

static void draw_numbers(scene *to, const frame *in)
{
    for (int i = 0; i < in->rows; i++)
        for (int j = 0; j < in->columns; j++) {
            const double x = in->x + j * in->wide + 4, y = in->y + i * HIGH;
            const int64_t group = sheet_group(in->of, i, j);
            const int32_t ground = colour_of(group, sheet_colours(in->of));
            scene_label(to, &offset_style, ground, x, y + 13, "%" PRId64, sheet_offset(in->of, i, j));
            if (sheet_has_groups(in->of))
                scene_label(to, &group_style, ground, x, y + HIGH - 5, "%" PRId64, group);
        }
}

static double border_width(int levels)
{
    return levels ? 1.5 + 0.75 * (levels > 3 ? 3 : levels) : 0;
}

static void draw_borders(scene *to, const frame *in)
{
    const double right = in->x + in->columns * in->wide, bottom = in->y + in->rows * HIGH;
    for (int i = 1; i < in->rows; i++)
        if (sheet_row_borders(in->of, i))
            scene_segment(to, in->x, in->y + i * HIGH, right, in->y + i * HIGH, COLOUR_BORDER,
                          border_width(sheet_row_borders(in->of, i)));
    for (int j = 1; j < in->columns; j++)
        if (sheet_column_borders(in->of, j))
            scene_segment(to, in->x + j * in->wide, in->y, in->x + j * in->wide, bottom, COLOUR_BORDER,
                          border_width(sheet_column_borders(in->of, j)));
    scene_box(to, NULL, in->x, in->y, in->columns * in->wide, in->rows * HIGH, NO_COLOUR, COLOUR_BORDER);
}

static void draw_indices(scene *to, const frame *in)
{
    for (int j = 0; j < in->columns; j++)
        scene_text(to, &index_style, in->x + (j + 0.5) * in->wide, in->y - 6, "%" PRId64, in->of->at[1] + j);
    for (int i = 0; i < in->rows; i++) {
        char row[48];
        sheet_write_row(in->of, i, row, sizeof row);
        scene_text(to, &row_style, in->x - 6, in->y + (i + 0.5) * HIGH + 4, "%s", row);
    }
    scene_text(to, &row_style, in->x - 6, in->y - 6, "i\\j");
    if (in->columns < sheet_columns(in->of))
        scene_text(to, &more_style, in->x + in->columns * in->wide + 6, in->y - 6, ".. %" PRId64,
                   in->of->column.extent - 1);
    if (in->rows < sheet_rows(in->of))
        scene_text(to, &row_style, in->x - 6, in->y + in->rows * HIGH + 14, ".. %" PRId64, in->of->row.extent - 1);
}

/* Solid from an address to the next one, dashed where addresses between them are not drawn or no element's. Of threads
 * that would be many dashes that say nothing of threads. */
static void draw_visit(scene *to, const frame *in, const sheet_place place[], int count)
{
    scene_point *path = malloc(((size_t)count + 1) * sizeof *path);
    if (!path) {
        to->is_broken = 1;
        return;
    }
    for (int i = 0; i < count; i++)
        path[i] = spot(in, place[i].row, place[i].column);
    for (int first = 0, i = 1; i <= count; i++)
        if (i == count || place[i].offset != place[i - 1].offset + 1) {
            if (i - first > 1)
                scene_line(to, "visit", path + first, i - first, COLOUR_VISIT, 1.4, 0);
            if (i < count && in->of->by < SHEET_BY_THREAD)
                scene_line(to, "jump", path + i - 1, 2, COLOUR_VISIT, 1, 1);
            first = i;
        }
    for (int i = 0; i < count; i++)
        scene_dot(to, path[i], i ? 1.8 : 4, COLOUR_VISIT);
    if (count > 1 && in->rows == in->of->row.extent && in->columns == in->of->column.extent)
        scene_arrow(to, path[count - 2], path[count - 1], COLOUR_VISIT);
    free(path);
}

double picture_matrix(scene *to, const sheet *of, int rows, int columns, double x, double y)
{
    frame in = { .of = of, .rows = rows, .columns = columns, .y = y + HEAD };
    in.x = x + scene_text_width(SIZE, sheet_row_letters(of) + (rows < sheet_rows(of) ? 3 : 0) + 1) + 14;
    in.wide = fmax(LEAST_WIDE, scene_text_width(SIZE, most_digits(&in)) + 20);
    int count;
    sheet_place *place = sheet_visit(of, rows, columns, &count);
    if (!place) {
        to->is_broken = 1;
        return y;
    }
    draw_indices(to, &in);
    draw_elements(to, &in);
    draw_borders(to, &in);
    draw_visit(to, &in, place, count);
    draw_numbers(to, &in);
    free(place);
    return in.y + rows * HIGH + (rows < sheet_rows(of) ? HEAD : 0);
}
