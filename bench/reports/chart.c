/* SVG by hand: axes, lines, and each line's name where it ends. */
#include "chart.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/texts.h"

/* The field that lines are drawn in, and around it room for figures and names. */
enum { LEFT = 64, TOP = 44, FIELD = 560, HIGH = 360, NAMES = 240, BELOW = 56, NAME_HEIGHT = 16, LABEL_ROOM = 40 };

/* Told apart by hue and lightness; the eye knows no more than these. */
static const char *const colours[] = { "#0b6e4f", "#c1440e", "#1f4e9e", "#8a5a00", "#7a1f6e", "#444444", "#0a7d8c" };
enum { COLOURS = sizeof colours / sizeof colours[0] };

double chart_highest(const chart *of)
{
    double most = 0;
    for (int i = 0; i < of->lines; i++)
        for (int p = 0; p < of->points; p++)
            most = fmax(most, of->line[i].y[p]);
    return most > 0 ? most : 1;
}

double chart_step(double most)
{
    const double unit = pow(10, floor(log10(most / 5)));
    return most / unit > 20 ? 5 * unit : most / unit > 10 ? 2 * unit : unit;
}

/* A size of 0 stands where 1 does. */
double chart_place(const chart *of, int point)
{
    const double first = log2(fmax(1, of->x[0])), last = log2(fmax(1, of->x[of->points - 1]));
    return last > first ? (log2(fmax(1, of->x[point])) - first) / (last - first) : 0.5;
}

static double place_x(const chart *of, int point)
{
    return LEFT + FIELD * chart_place(of, point);
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
    double last = -LABEL_ROOM;
    for (int p = 0; p < of->points; p++) {
        if (place_x(of, p) - last < LABEL_ROOM)
            continue;
        last = place_x(of, p);
        fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", last, TOP + HIGH + 20, of->x[p]);
    }
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + FIELD / 2, TOP + HIGH + 42,
            of->across);
    fprintf(to, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT - 48, TOP - 10, of->up);
}

/* The y that a line ends with. */
static double last_of(const chart *of, int line)
{
    int point = of->points - 1;
    while (point > 0 && isnan(of->line[line].y[point]))
        point--;
    return isnan(of->line[line].y[point]) ? 0 : of->line[line].y[point];
}

/* Names stand by their lines' ends, moved apart where those are near each other. */
static void place_names(const chart *of, double top, double at[])
{
    int order[CHART_LINES];
    for (int i = 0; i < of->lines; i++) {
        int place = i;
        at[i] = place_y(last_of(of, i), top);
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
            if (!isnan(line->y[p]))
                fprintf(to, "%s%.1f,%.1f", p ? " " : "", place_x(of, p), place_y(line->y[p], top));
        fprintf(to, "\"/>\n");
        for (int p = 0; p < of->points && !line->is_bound; p++)
            if (!isnan(line->y[p]))
                fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", place_x(of, p),
                        place_y(line->y[p], top), colour);
        fprintf(to, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">", LEFT + FIELD + 10, name[i] + 4, colour);
        text_write_xml(line->name, to);
        fputs("</text>\n", to);
    }
}

int chart_write(const chart *of, const char *path)
{
    FILE *to = fopen(path, "w");
    if (!to)
        return fail("%s: %s", path, strerror(errno));
    const int wide = LEFT + FIELD + NAMES, high = TOP + HIGH + BELOW;
    const double most = chart_highest(of), step = chart_step(most), top = step * ceil(most / step);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222222\">\n",
            wide, high, wide, high);
    fprintf(to, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", wide, high); /* readable on dark pages, too */
    fprintf(to, "<text x=\"%d\" y=\"20\" font-weight=\"bold\">", LEFT - 48);
    text_write_xml(of->title, to);
    fputs("</text>\n", to);
    draw_axes(of, step, top, to);
    draw_lines(of, top, to);
    fprintf(to, "</svg>\n");
    return fclose(to) == 0 ? EXIT_FINE : fail("%s: %s", path, strerror(errno));
}
