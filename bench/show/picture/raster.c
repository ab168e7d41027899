/* A scene as points: everything is a polygon, filled line by line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/show/file.h"
#include "font.h"
#include "png.h"
#include "scene.h"

enum {
    SCALE = 2, /* points of one of the scene's units */
    MOST_POINTS = 1 << 26,
    MOST_LENGTH = 32000, /* of a row: a stored block has 65,535 bytes at most */
    MOST_COLOURS = 256,
    MOST_CORNERS = 16
};

typedef struct canvas {
    int width, height;
    uint8_t *point;
    int32_t colour[MOST_COLOURS];
    int colours;
} canvas;

static uint8_t find_colour(canvas *on, int32_t colour)
{
    int i = 0;
    while (i < on->colours && on->colour[i] != colour)
        i++;
    if (i == on->colours && i < MOST_COLOURS)
        on->colour[on->colours++] = colour;
    return (uint8_t)(i < MOST_COLOURS ? i : 0);
}

/* Where the edge from p to q meets the line at y: 1 and x, or 0. */
static int meet(scene_point p, scene_point q, double y, double *x)
{
    if ((p.y <= y) == (q.y <= y))
        return 0;
    *x = p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x);
    return 1;
}

/* Points whose middles are inside a convex polygon; corner: in points. */
static void fill(canvas *on, const scene_point corner[], int corners, int32_t colour)
{
    const uint8_t number = find_colour(on, colour);
    double top = corner[0].y, bottom = corner[0].y;
    for (int i = 1; i < corners; i++) {
        top = fmin(top, corner[i].y);
        bottom = fmax(bottom, corner[i].y);
    }
    for (int y = (int)fmax(0, floor(top)); y < on->height && y < bottom; y++) {
        double left = INFINITY, right = -INFINITY, x;
        for (int i = 0; i < corners; i++)
            if (meet(corner[i], corner[(i + 1) % corners], y + 0.5, &x)) {
                left = fmin(left, x);
                right = fmax(right, x);
            }
        const int first = (int)fmax(0, ceil(left - 0.5)), end = (int)fmin(on->width, ceil(right - 0.5));
        if (right >= left && end > first)
            memset(on->point + (size_t)y * (size_t)on->width + first, number, (size_t)(end - first));
    }
}

static void draw_segment(canvas *on, scene_point p, scene_point q, double width, int32_t colour)
{
    const double dx = q.x - p.x, dy = q.y - p.y, length = hypot(dx, dy);
    if (length == 0)
        return;
    const double x = width / 2 * dx / length, y = width / 2 * dy / length; /* half a width on behind the ends, too */
    const scene_point corner[] = { { p.x - x - y, p.y - y + x },
                                   { q.x + x - y, q.y + y + x },
                                   { q.x + x + y, q.y + y - x },
                                   { p.x - x + y, p.y - y - x } };
    fill(on, corner, 4, colour);
}

static void draw_dashes(canvas *on, scene_point p, scene_point q, double width, int32_t colour)
{
    const double length = hypot(q.x - p.x, q.y - p.y), dash = 2 * SCALE, step = 6 * SCALE;
    for (double at = 0; at < length; at += step) {
        const double from = at / length, to = fmin(at + dash, length) / length;
        draw_segment(on, (scene_point){ p.x + from * (q.x - p.x), p.y + from * (q.y - p.y) },
                     (scene_point){ p.x + to * (q.x - p.x), p.y + to * (q.y - p.y) }, width, colour);
    }
}

static scene_point scaled(scene_point p)
{
    return (scene_point){ p.x * SCALE, p.y * SCALE };
}

static void draw_path(canvas *on, const scene_shape *of, int is_closed, int32_t colour)
{
    for (int i = 0; i + 1 < of->points + is_closed; i++)
        (of->is_dashed ? draw_dashes : draw_segment)(on, scaled(of->point[i]), scaled(of->point[(i + 1) % of->points]),
                                                     of->width * SCALE, colour);
}

static void draw_area(canvas *on, const scene_shape *of)
{
    scene_point corner[MOST_CORNERS];
    for (int i = 0; i < of->points; i++)
        corner[i] = scaled(of->point[i]);
    if (of->colour != NO_COLOUR)
        fill(on, corner, of->points, of->colour);
    if (of->edge != NO_COLOUR)
        draw_path(on, of, 1, of->edge);
}

static void draw_dot(canvas *on, const scene_shape *of)
{
    scene_point corner[MOST_CORNERS];
    for (int i = 0; i < MOST_CORNERS; i++) {
        const double angle = 6.283185307179586 * i / MOST_CORNERS;
        corner[i] = scaled((scene_point){ of->point->x + of->size * cos(angle), of->point->y + of->size * sin(angle) });
    }
    fill(on, corner, MOST_CORNERS, of->colour);
}

/* Points are whole ones, as large as there is room for, and wider in bold. */
static void draw_text(canvas *on, const scene_shape *of)
{
    const int length = (int)strlen(of->text);
    const double advance = length ? scene_text_width(of->size, length) * SCALE / length : 0;
    const double dot = fmax(1, floor(advance / (FONT_COLUMNS + 1))), wide = dot + of->is_bold;
    const double share[] = { [SCENE_LEFT] = 0, [SCENE_MIDDLE] = 0.5, [SCENE_RIGHT] = 1 };
    const double left = of->point->x * SCALE - share[of->anchor] * advance * length, base = rint(of->point->y * SCALE);
    for (int i = 0; i < length; i++)
        for (int row = 0; row < FONT_ROWS; row++)
            for (int column = 0; column < FONT_COLUMNS; column++)
                if (font_has_point(of->text[i], row, column)) {
                    const double x = rint(left + i * advance) + column * dot, y = base - (FONT_ROWS - row) * dot;
                    const scene_point corner[] = { { x, y }, { x + wide, y }, { x + wide, y + dot }, { x, y + dot } };
                    fill(on, corner, 4, of->colour);
                }
}

static int draw_all(const void *subject, FILE *to)
{
    const scene *of = subject;
    canvas on = { .width = (int)of->width * SCALE, .height = (int)of->height * SCALE };
    on.point = calloc((size_t)on.width * (size_t)on.height, 1);
    if (!on.point)
        return 0;
    find_colour(&on, COLOUR_PAPER);
    for (int i = 0; i < of->shapes; i++) {
        const scene_shape *shape = &of->shape[i];
        if (shape->kind == SCENE_TEXT)
            draw_text(&on, shape);
        else if (shape->kind == SCENE_LINE)
            draw_path(&on, shape, 0, shape->colour);
        else if (shape->kind == SCENE_DOT)
            draw_dot(&on, shape);
        else
            draw_area(&on, shape);
    }
    png_write(&(const png_picture){ (uint32_t)on.width, (uint32_t)on.height, on.point, on.colour, on.colours }, to);
    free(on.point);
    return 1;
}

int scene_write_png(const scene *of, const char *path)
{
    if (of->is_broken)
        return fail("out of memory");
    if (of->width * SCALE > MOST_LENGTH || of->width * SCALE * of->height * SCALE > MOST_POINTS)
        return refuse("%s: %.0f x %.0f are too many points for a PNG; an SVG has no such limit", path,
                      of->width * SCALE, of->height * SCALE);
    return file_write(path, draw_all, of);
}
