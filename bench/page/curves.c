/* Speed and speedup over the size, one kind of groups, as charts that fit a phone: names stand below, as a list. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/texts.h"
#include "html.h"
#include "sections.h"

/* Of a phone's width: letters keep their size there. */
enum { WIDE = 360, HIGH = 250, LEFT = 46, RIGHT = 12, TOP = 22, BELOW = 38, LABEL_ROOM = 34 };

/* A chart of contractions has their numbers in the table across, evenly, and dots alone. */
typedef struct curves {
    plot drawn;
    int is_numbered, is_speedup;
} curves;

static double place_x(const curves *in, int point)
{
    const chart *of = &in->drawn.drawn;
    const double first = of->x[0], last = of->x[of->points - 1];
    const double share = !in->is_numbered ? chart_place(of, point)
                         : last > first   ? (of->x[point] - first) / (last - first)
                                          : 0.5;
    return LEFT + (WIDE - LEFT - RIGHT) * share;
}

static double place_y(double y, double top)
{
    return TOP + (HIGH - TOP - BELOW) * (1 - y / top);
}

static void draw_axes(FILE *to, const curves *in, double step, double top)
{
    const chart *of = &in->drawn.drawn;
    for (double y = 0; y <= top * 1.001; y += step) {
        fprintf(to, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>", LEFT, place_y(y, top),
                WIDE - RIGHT, place_y(y, top));
        fprintf(to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 6, place_y(y, top) + 4, y);
    }
    if (in->is_speedup)
        fprintf(to, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#222\"/>\n", LEFT, place_y(1, top),
                WIDE - RIGHT, place_y(1, top));
    double last = -LABEL_ROOM;
    for (int p = 0; p < of->points; p++) {
        const double room = LABEL_ROOM + (of->x[p] > 9999 ? 8 : 0);
        const double x = fmin(place_x(in, p), WIDE - 16);
        if (x - last < room)
            continue;
        last = x;
        fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", x, HIGH - BELOW + 16, of->x[p]);
    }
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (LEFT + WIDE - RIGHT) / 2, HIGH - 6,
            of->across);
    fprintf(to, "<text x=\"4\" y=\"12\">%s</text>\n", of->up);
}

static void draw_line(FILE *to, const curves *in, int index, double top)
{
    const chart *of = &in->drawn.drawn;
    const chart_line *drawn = &of->line[index];
    const char *colour = html_colour(index);
    fprintf(to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s points=\"", colour,
            html_is_dashed(index) ? " stroke-dasharray=\"5 3\"" : "");
    for (int p = 0; p < of->points && !in->is_numbered; p++)
        if (!isnan(drawn->y[p]))
            fprintf(to, "%.1f,%.1f ", place_x(in, p), place_y(drawn->y[p], top));
    fputs("\"/>\n", to);
    for (int p = 0; p < of->points; p++)
        if (!isnan(drawn->y[p]))
            fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>", place_x(in, p),
                    place_y(drawn->y[p], top), colour);
    fputc('\n', to);
}

static void write_key(FILE *to, const chart *of)
{
    fputs("<ul class=\"key\">\n", to);
    for (int i = 0; i < of->lines; i++) {
        fprintf(to, "<li><svg viewBox=\"0 0 26 10\"><path d=\"M1 5h24\" stroke=\"%s\" stroke-width=\"2.5\"%s/></svg>",
                html_colour(i), html_is_dashed(i) ? " stroke-dasharray=\"5 3\"" : "");
        text_write_xml(of->line[i].name, to);
        fputs("</li>\n", to);
    }
    fputs("</ul>\n", to);
}

static void write_chart(FILE *to, const curves *of)
{
    const chart *drawn = &of->drawn.drawn;
    const double most = fmax(chart_highest(drawn), of->is_speedup), step = chart_step(most),
                 top = step * ceil(most / step);
    fputs("<figure>\n", to);
    html_element(to, "h3", drawn->title);
    fprintf(to, "<svg viewBox=\"0 0 %d %d\" font-family=\"system-ui,sans-serif\" font-size=\"11\" fill=\"#333\">\n",
            WIDE, HIGH);
    draw_axes(to, of, step, top);
    for (int i = drawn->lines - 1; i >= 0; i--) /* lay's are the first, and stand above others */
        draw_line(to, of, i, top);
    fputs("</svg>\n", to);
    write_key(to, drawn);
    if (of->drawn.left_out)
        fprintf(to, "<figcaption>%d figures are not drawn: a chart has %d lines of %d sizes at most.</figcaption>\n",
                of->drawn.left_out, CHART_LINES, CHART_POINTS);
    fputs("</figure>\n", to);
}

/* What is drawn of a kind, where is_brief as little as tells layouts apart: lay's own speed, or its speedup over the
 * best of other libraries. */
typedef struct choice {
    int kind, is_speedup, is_brief;
} choice;

/* Of a row of the number-th group, or no sample. */
static int sample(const group *of, int row, int number, const choice *by, plot_sample *out)
{
    const double y = !by->is_speedup ? of->row[row].gflops : by->is_brief ? group_least(of) : group_speedup(of, row);
    if ((by->is_brief && row) || !(y >= 0 && y < 1e30)) /* a file may have any figure */
        return 0;
    *out = row_sample(&of->row[row], y);
    if (out->is_contraction) {
        out->problem = "";
        out->m = out->n = out->k = number;
    }
    if (by->is_brief && by->is_speedup)
        out->who = "the best other";
    return 1;
}

/* How many; out may be NULL. */
static int gather(const groups *of, const choice *by, plot_sample *out)
{
    int count = 0;
    plot_sample one;
    for (int i = 0; i < of->count; i++)
        for (int row = by->is_speedup && !by->is_brief; row < of->group[i].count && of->group[i].kind == by->kind;
             row++)
            if (sample(&of->group[i], row, i + 1, by, &one)) {
                if (out)
                    out[count] = one;
                count++;
            }
    return count;
}

static int draw(const groups *of, const choice *by, curves *out)
{
    const int count = gather(of, by, NULL);
    plot_sample *samples = malloc(((size_t)count + 1) * sizeof *samples);
    if (!samples)
        return 0;
    gather(of, by, samples);
    *out = (curves){ .is_speedup = by->is_speedup };
    if (count) {
        out->drawn = plot_start(samples, count);
        out->is_numbered = samples->is_contraction;
    }
    for (int i = 0; i < count; i++)
        plot_add(&out->drawn, &samples[i]);
    chart *drawn = &out->drawn.drawn;
    strcpy(drawn->title, !by->is_speedup ? "Speed"
                         : by->is_brief  ? "Speedup of lay over the best other"
                                         : "Speedup of lay over others");
    if (by->is_speedup)
        strcpy(drawn->up, "times as fast");
    if (out->is_numbered)
        strcpy(drawn->across, "number in the table");
    free(samples);
    return 1;
}

/* In brief where there are too many lines for one chart. */
static int write_curves(FILE *to, const groups *of, int kind, int is_speedup)
{
    curves *made = malloc(sizeof *made);
    choice by = { kind, is_speedup, 0 };
    int is_fine = made && draw(of, &by, made);
    if (is_fine && made->drawn.left_out) {
        by.is_brief = 1;
        is_fine = draw(of, &by, made);
    }
    if (is_fine && made->drawn.drawn.points)
        write_chart(to, made);
    free(made);
    return is_fine;
}

int section_curves(FILE *to, const groups *of, int kind)
{
    return write_curves(to, of, kind, 0) && write_curves(to, of, kind, 1);
}
