/* A chart as a picture of points: as the SVG has it, with its lines' names below. */
#include "picture_of_chart.h"

#include <math.h>
#include <stdlib.h>

#include "bench/show/picture/scene.h"
#include "html.h"

enum { LEFT = 80, TOP = 60, WIDE = 560, HIGH = 340, BELOW = 52, KEY_LINE = 18, LABEL_ROOM = 44 };

static const scene_style title_style = { "title", 13, COLOUR_TEXT, 1, SCENE_LEFT };
static const scene_style left_style = { "name", 11, COLOUR_TEXT, 0, SCENE_LEFT };
static const scene_style size_style = { "size", 11, COLOUR_FAINT, 0, SCENE_MIDDLE };
static const scene_style figure_style = { "figure", 11, COLOUR_FAINT, 0, SCENE_RIGHT };

static double place_x(const chart *of, int point)
{
    return LEFT + WIDE * chart_place(of, point);
}

static double place_y(double y, double top)
{
    return TOP + HIGH * (1 - y / top);
}

static int32_t colour(int index)
{
    return (int32_t)strtol(html_colour(index) + 1, NULL, 16);
}

static void draw_axes(scene *to, const chart *of, double step, double top)
{
    for (double y = 0; y <= top * 1.001; y += step) {
        scene_segment(to, LEFT, place_y(y, top), LEFT + WIDE, place_y(y, top), COLOUR_GAP, 1);
        scene_text(to, &figure_style, LEFT - 8, place_y(y, top) + 4, "%g", y);
    }
    double last = -LABEL_ROOM;
    for (int p = 0; p < of->points; p++) {
        if (place_x(of, p) - last < LABEL_ROOM)
            continue;
        last = place_x(of, p);
        scene_text(to, &size_style, last, TOP + HIGH + 18, "%d", of->x[p]);
    }
    scene_text(to, &size_style, LEFT + WIDE / 2.0, TOP + HIGH + 38, "%s", of->across);
    scene_text(to, &left_style, 16, TOP - 18, "%s", of->up);
    scene_text(to, &title_style, 16, 20, "%s", of->title);
}

static void draw_line(scene *to, const chart *of, int index, double top)
{
    const double *y = of->line[index].y;
    scene_point before = { NAN, NAN };
    for (int p = 0; p < of->points; p++) {
        const scene_point here = { place_x(of, p), place_y(y[p], top) };
        if (isnan(y[p]))
            continue;
        if (!isnan(before.x))
            scene_line(to, "line", (const scene_point[]){ before, here }, 2, colour(index), 2, html_is_dashed(index));
        scene_dot(to, here, 3, colour(index));
        before = here;
    }
    const double below = TOP + HIGH + BELOW + KEY_LINE * (index + 1);
    scene_line(to, "key", (const scene_point[]){ { LEFT, below - 4 }, { LEFT + 26, below - 4 } }, 2, colour(index), 2,
               html_is_dashed(index));
    scene_text(to, &left_style, LEFT + 34, below, "%s", of->line[index].name);
}

int chart_write_png(const chart *of, const char *path)
{
    scene made = { 0 };
    const double most = chart_highest(of), step = chart_step(most), top = step * ceil(most / step);
    draw_axes(&made, of, step, top);
    for (int i = of->lines - 1; i >= 0; i--) /* lay's are the first, and stand above others */
        draw_line(&made, of, i, top);
    const int status = scene_write_png(&made, path);
    scene_free(&made);
    return status;
}
