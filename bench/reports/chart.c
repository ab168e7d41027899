/* SVG by hand: axes, lines, and each line's name where it ends. */
#include "chart.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/complain.h"

/* The field that lines are drawn in, and around it room for figures and names. */
enum { LEFT = 64, TOP = 44, FIELD = 560, HIGH = 360, NAMES = 190, BELOW = 56, NAME_HEIGHT = 16 };

/* Told apart by hue and lightness; the eye knows no more than these. */
static const char *const colours[] = { "#0b6e4f", "#c1440e", "#1f4e9e", "#8a5a00", "#7a1f6e", "#444444", "#0a7d8c" };
enum { COLOURS = sizeof colours / sizeof colours[0] };

static double highest(const chart *of)
{
    double most = 0;
    for (int i = 0; i < of->lines; i++)
        for (int p = 0; p < of->points; p++)
            most = fmax(most, of->line[i].y[p]);
    return most > 0 ? most : 1;
}

/* A step of 1, 2 or 5 times a power of ten that makes some five to ten of most. */
static double step_of(double most)
{
    const double unit = pow(10, floor(log10(most / 5)));
    return most / unit > 20 ? 5 * unit : most / unit > 10 ? 2 * unit : unit;
}

static double place_x(const chart *of, int point)
{
    const double first = log2(of->x[0]), last = log2(of->x[of->points - 1]);
    return LEFT + (last > first ? FIELD * (log2(of->x[point]) - first) / (last - first) : FIELD / 2.0);
}

static double place_y(double y, double top)
{
    return TOP + HIGH * (1 - y / top);
}

static void draw_axes(const chart *of, double step, double top, FILE *to)
{
    for (double y = 0; y <= top * 1.001; y += step) {
        fprintf(to, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n", LEFT, place_y(y, top),
                LEFT + FIELD, place_y(y, top));
        fprintf(to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 8, place_y(y, top) + 4, y);
    }
    for (int p = 0; p < of->points; p++)
        fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", place_x(of, p), TOP + HIGH + 20,
                of->x[p]);
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + FIELD / 2, TOP + HIGH + 42,
            of->across);
    fprintf(to, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT - 48, TOP - 10, of->up);
}

/* Names stand by their lines' ends, moved apart where those are near each other. */
static void place_names(const chart *of, double top, double at[])
{
    int order[CHART_LINES];
    for (int i = 0; i < of->lines; i++) {
        int place = i;
        at[i] = place_y(of->line[i].y[of->points - 1], top);
        for (; place > 0 && at[order[place - 1]] > at[i]; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
    for (int i = 1; i < of->lines; i++)
        at[order[i]] = fmax(at[order[i]], at[order[i - 1]] + NAME_HEIGHT);
    for (int i = of->lines - 1; i >= 0; i--) {
        const double limit = i + 1 < of->lines ? at[order[i + 1]] - NAME_HEIGHT : TOP + HIGH;
        at[order[i]] = fmin(at[order[i]], limit);
    }
}

static void draw_lines(const chart *of, double top, FILE *to)
{
    double name[CHART_LINES];
    place_names(of, top, name);
    for (int i = 0; i < of->lines; i++) {
        const chart_line *line = &of->line[i];
        const char *colour = colours[i % COLOURS];
        fprintf(to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", colour,
                line->is_bound ? " stroke-dasharray=\"6 4\"" : "");
        for (int p = 0; p < of->points; p++)
            fprintf(to, "%s%.1f,%.1f", p ? " " : "", place_x(of, p), place_y(line->y[p], top));
        fprintf(to, "\"/>\n");
        for (int p = 0; p < of->points && !line->is_bound; p++)
            fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", place_x(of, p),
                    place_y(line->y[p], top), colour);
        fprintf(to, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text>\n", LEFT + FIELD + 10, name[i] + 4, colour,
                line->name);
    }
}

int chart_write(const chart *of, const char *path)
{
    FILE *to = fopen(path, "w");
    if (!to)
        return fail("%s: %s", path, strerror(errno));
    const int wide = LEFT + FIELD + NAMES, high = TOP + HIGH + BELOW;
    const double most = highest(of), step = step_of(most), top = step * ceil(most / step);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222222\">\n",
            wide, high, wide, high);
    fprintf(to, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", wide, high); /* readable on dark pages, too */
    fprintf(to, "<text x=\"%d\" y=\"20\" font-weight=\"bold\">%s</text>\n", LEFT - 48, of->title);
    draw_axes(of, step, top, to);
    draw_lines(of, top, to);
    fprintf(to, "</svg>\n");
    return fclose(to) == 0 ? EXIT_FINE : fail("%s: %s", path, strerror(errno));
}
