/* A scene: areas, lines and texts. */
#include "scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 16, ROUNDED = 16 }; /* a browser's letters of 8.67 points may be 9 wide: at most a 16th more */

void scene_free(scene *of)
{
    for (int i = 0; i < of->shapes; i++) {
        free(of->shape[i].point);
        free(of->shape[i].text);
    }
    free(of->shape);
    *of = (scene){ 0 };
}

double scene_text_width(double size, int letters)
{
    return (602 * (int64_t)size * letters + 999) / 1000;
}

static void reach(scene *to, double x, double y)
{
    to->width = fmax(to->width, ceil(x + MARGIN));
    to->height = fmax(to->height, ceil(y + MARGIN));
}

/* Takes made and its text, and copies the points. */
static void add(scene *to, scene_shape made, const scene_point point[], int points)
{
    if (to->shapes == to->room) {
        const int room = to->room ? to->room * 2 : 256;
        scene_shape *more = realloc(to->shape, (size_t)room * sizeof *more);
        if (more) {
            to->shape = more;
            to->room = room;
        }
    }
    made.points = points;
    made.point = malloc((size_t)points * sizeof *point);
    if (!made.point || to->shapes == to->room) {
        free(made.point);
        free(made.text);
        to->is_broken = 1;
        return;
    }
    memcpy(made.point, point, (size_t)points * sizeof *point);
    to->shape[to->shapes++] = made;
    for (int i = 0; i < points && made.kind != SCENE_TEXT; i++)
        reach(to, point[i].x, point[i].y);
}

static void add_area(scene *to, const char *role, const scene_point point[], int points, int32_t colour, int32_t edge)
{
    add(to, (scene_shape){ .kind = SCENE_AREA, .role = role, .colour = colour, .edge = edge, .width = 1 }, point,
        points);
}

void scene_box(scene *to, const char *role, double x, double y, double w, double h, int32_t colour, int32_t edge)
{
    const scene_point corner[] = { { x, y }, { x + w, y }, { x + w, y + h }, { x, y + h } };
    add_area(to, role, corner, 4, colour, edge);
}

void scene_line(scene *to, const char *role, const scene_point point[], int points, int32_t colour, double width,
                int is_dashed)
{
    add(to, (scene_shape){ .kind = SCENE_LINE, .role = role, .colour = colour, .width = width, .is_dashed = is_dashed },
        point, points);
}

void scene_segment(scene *to, double x0, double y0, double x1, double y1, int32_t colour, double width)
{
    scene_line(to, NULL, (const scene_point[]){ { x0, y0 }, { x1, y1 } }, 2, colour, width, 0);
}

void scene_arrow(scene *to, scene_point from, scene_point tip, int32_t colour)
{
    const double dx = tip.x - from.x, dy = tip.y - from.y, length = hypot(dx, dy);
    const double x = length > 0 ? 8 * dx / length : 0, y = length > 0 ? 8 * dy / length : 0;
    const scene_point corner[] = { tip,
                                   { tip.x - x - y / 2, tip.y - y + x / 2 },
                                   { tip.x - x + y / 2, tip.y - y - x / 2 } };
    add_area(to, NULL, corner, 3, colour, NO_COLOUR);
}

void scene_dot(scene *to, scene_point at, double radius, int32_t colour)
{
    add(to, (scene_shape){ .kind = SCENE_DOT, .colour = colour, .size = radius }, &at, 1);
}

static void add_text(scene *to, const scene_style *style, double x, double y, char *text)
{
    const double share[] = { [SCENE_LEFT] = 1, [SCENE_MIDDLE] = 0.5, [SCENE_RIGHT] = 0 };
    const double width = scene_text_width(style->size, (int)strlen(text));
    reach(to, x + (width + ceil(width / ROUNDED)) * share[style->anchor], y + style->size / 4);
    add(to,
        (scene_shape){ .kind = SCENE_TEXT,
                       .role = style->role,
                       .colour = style->colour,
                       .text = text,
                       .size = style->size,
                       .is_bold = style->is_bold,
                       .anchor = style->anchor },
        &(const scene_point){ x, y }, 1);
}

static char *write_text(scene *to, const char *format, va_list values)
{
    char *text;
    if (vasprintf(&text, format, values) >= 0)
        return text;
    to->is_broken = 1;
    return NULL;
}

void scene_text(scene *to, const scene_style *style, double x, double y, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = write_text(to, format, values);
    va_end(values);
    if (text)
        add_text(to, style, x, y, text);
}

void scene_label(scene *to, const scene_style *style, int32_t ground, double x, double y, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = write_text(to, format, values);
    va_end(values);
    if (!text)
        return;
    const double width = scene_text_width(style->size, (int)strlen(text));
    scene_box(to, NULL, x - 1, y - 0.8 * style->size, width + 2, style->size, ground, NO_COLOUR);
    add_text(to, style, x, y, text);
}
