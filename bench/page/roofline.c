/* A roofline of one kind of groups: each problem by its operations a byte and its speed, below what memory and units
 * allow. Numbers are those of the table; each is put where it hides nothing. */
#include <math.h>
#include <stdlib.h>

#include "html.h"
#include "sections.h"

enum { WIDE = 360, HIGH = 290, LEFT = 52, RIGHT = 12, TOP = 22, BELOW = 38, LETTER = 9, STEPS = 90, LINES = 3 };

typedef struct box {
    double x0, y0, x1, y1;
} box;

typedef struct spot {
    double x, y; /* flop/byte, GFLOP/s */
    int number;
} spot;

/* What is drawn: by logarithms, between these. */
typedef struct roofline {
    spot *spot; /* [count] */
    int count;
    double peak, unit, slope; /* GFLOP/s, the same of matrix units, GB/s; NaN where they are not known */
    double x0, x1, y0, y1;
    box *taken; /* [taken_count] */
    int taken_count, unnamed;
} roofline;

static double place_x(const roofline *of, double x)
{
    return LEFT + (WIDE - LEFT - RIGHT) * log(x / of->x0) / log(of->x1 / of->x0);
}

static double place_y(const roofline *of, double y)
{
    return TOP + (HIGH - TOP - BELOW) * (1 - log(y / of->y0) / log(of->y1 / of->y0));
}

/* Figures of a file may be anything: what no machine has is not known. */
static double or_none(double x)
{
    return x > 1e-30 && x < 1e30 ? x : NAN;
}

static void gather(const groups *in, int kind, roofline *out)
{
    out->peak = out->unit = out->slope = NAN;
    for (int i = 0; i < in->count; i++) {
        const saved_row *row = in->group[i].row;
        const double x = or_none(row_intensity(row));
        if (in->group[i].kind != kind || isnan(x) || isnan(or_none(row->gflops)))
            continue;
        out->spot[out->count++] = (spot){ x, row->gflops, i + 1 };
        out->peak = fmax(out->peak, or_none(row_roof(row)));
        out->unit = fmax(out->unit, or_none(row->unit));
        out->slope = fmax(out->slope, or_none(row->roof_gbytes));
    }
}

/* Half a power of two to spare on each side, all of the roof in height. */
static void set_limits(roofline *of)
{
    of->x0 = of->y0 = INFINITY;
    of->x1 = of->y1 = 0;
    for (int i = 0; i < of->count; i++) {
        of->x0 = fmin(of->x0, of->spot[i].x);
        of->x1 = fmax(of->x1, of->spot[i].x);
        of->y0 = fmin(of->y0, of->spot[i].y);
        of->y1 = fmax(of->y1, of->spot[i].y);
    }
    const double ridge = of->peak / of->slope;
    if (!isnan(ridge)) {
        of->x0 = fmin(of->x0, ridge / 4);
        of->x1 = fmax(of->x1, ridge * 2);
    }
    of->x0 /= 1.5;
    of->x1 *= 1.5;
    if (!isnan(of->slope))
        of->y0 = fmin(of->y0, fmin(of->slope * of->x0, of->peak / 4));
    of->y1 = 1.5 * fmax(of->y1, fmax(isnan(of->peak) ? 0 : of->peak, isnan(of->unit) ? 0 : of->unit));
    of->y0 /= 1.4;
}

/* 1, 2 and 5 times powers of ten, or fewer of them, the more the range holds. */
static double next_tick(double tick, double range)
{
    const double unit = pow(10, floor(log10(tick) + 1e-9)), first = tick / unit;
    if (range > 2e4)
        return tick * 100;
    if (range > 200)
        return tick * 10;
    return unit * (first < 1.5 ? 2 : first < 2.5 ? 5 : 10);
}

static void draw_axes(FILE *to, const roofline *of)
{
    for (double x = pow(10, floor(log10(of->x0))); x <= of->x1; x = next_tick(x, of->x1 / of->x0)) {
        if (x < of->x0 || place_x(of, x) > WIDE - RIGHT - 6)
            continue;
        fprintf(to, "<path d=\"M%.1f %dV%d\" stroke=\"#e3e3e3\"/>", place_x(of, x), TOP, HIGH - BELOW);
        fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", place_x(of, x), HIGH - BELOW + 16,
                x);
    }
    for (double y = pow(10, floor(log10(of->y0))); y <= of->y1; y = next_tick(y, of->y1 / of->y0)) {
        if (y < of->y0)
            continue;
        fprintf(to, "<path d=\"M%d %.1fH%d\" stroke=\"#e3e3e3\"/>", LEFT, place_y(of, y), WIDE - RIGHT);
        fprintf(to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.10g</text>\n", LEFT - 6, place_y(of, y) + 4, y);
    }
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">flop/byte of A, B and C, once each</text>\n",
            (LEFT + WIDE - RIGHT) / 2, HIGH - 6);
    fputs("<text x=\"4\" y=\"12\">GFLOP/s</text>\n", to);
}

/* Numbers keep off the roof. */
static void take_line(roofline *of, double x0, double y0, double x1, double y1)
{
    for (int i = 0; i <= STEPS; i++) {
        const double x = x0 + (x1 - x0) * i / STEPS, y = y0 + (y1 - y0) * i / STEPS;
        of->taken[of->taken_count++] = (box){ x - 2, y - 1, x + 2, y + 1 };
    }
}

static void draw_flat(FILE *to, roofline *of, double height, const char *more)
{
    if (isnan(height))
        return;
    const double ridge = isnan(of->slope) ? of->x0 : fmax(of->x0, height / of->slope);
    if (ridge >= of->x1)
        return;
    fprintf(to, "<path fill=\"none\" d=\"M%.1f %.1fH%d\" stroke=\"#222\" stroke-width=\"1.6\"%s/>\n",
            place_x(of, ridge), place_y(of, height), WIDE - RIGHT, more);
    take_line(of, place_x(of, ridge), place_y(of, height), WIDE - RIGHT, place_y(of, height));
}

static void draw_roof(FILE *to, roofline *of)
{
    draw_flat(to, of, of->peak, "");
    draw_flat(to, of, of->unit, " stroke-dasharray=\"5 3\"");
    if (isnan(of->slope))
        return;
    const double most = fmax(isnan(of->peak) ? 0 : of->peak, isnan(of->unit) ? 0 : of->unit);
    const double end = fmin(of->x1, (most > 0 ? most : of->y1) / of->slope);
    const double from = fmax(of->x0, of->y0 / of->slope);
    if (from >= end)
        return;
    const double x0 = place_x(of, from), y0 = place_y(of, of->slope * from);
    const double x1 = place_x(of, end), y1 = place_y(of, of->slope * end);
    fprintf(to, "<path fill=\"none\" d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#222\" stroke-width=\"1.6\"/>\n", x0, y0, x1,
            y1);
    take_line(of, x0, y0, x1, y1);
}

static int is_free(const roofline *of, const box *where)
{
    if (where->x0 < LEFT || where->x1 > WIDE - 1 || where->y0 < TOP - 6 || where->y1 > HIGH - BELOW)
        return 0;
    for (int i = 0; i < of->taken_count; i++) {
        const box *other = &of->taken[i];
        if (where->x0 < other->x1 && other->x0 < where->x1 && where->y0 < other->y1 && other->y0 < where->y1)
            return 0;
    }
    return 1;
}

/* Near the spot, or farther away at the end of a line; a number for which there is no room stands in the table alone.
 */
static void draw_number(FILE *to, roofline *of, const spot *one)
{
    const double x = place_x(of, one->x), y = place_y(of, one->y);
    const double wide = 0.6 * LETTER * snprintf(NULL, 0, "%d", one->number), high = LETTER - 1;
    for (int turn = 0; turn < 6 * 16; turn++) {
        const double angle = 2 * M_PI * (turn % 16) / 16, away = 5 + 9 * (turn / 16);
        const double at_x = x + cos(angle) * (away + wide / 2), at_y = y - sin(angle) * (away + high / 2);
        const box where = { at_x - wide / 2 - 1, at_y - high / 2, at_x + wide / 2 + 1, at_y + high / 2 };
        if (!is_free(of, &where))
            continue;
        of->taken[of->taken_count++] = where;
        if (turn >= 16)
            fprintf(to, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#bbb\" stroke-width=\".7\"/>", x, y,
                    at_x - cos(angle) * wide / 2, at_y + sin(angle) * high / 2);
        fprintf(to, "<text class=\"spot\" x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"middle\">%d</text>\n",
                at_x, at_y + 3, LETTER, one->number);
        return;
    }
    of->unnamed++;
}

static void draw_spots(FILE *to, roofline *of)
{
    for (int i = 0; i < of->count; i++) {
        const double x = place_x(of, of->spot[i].x), y = place_y(of, of->spot[i].y);
        of->taken[of->taken_count++] = (box){ x - 3, y - 3, x + 3, y + 3 };
    }
    for (int i = 0; i < of->count; i++)
        draw_number(to, of, &of->spot[i]);
    for (int i = 0; i < of->count; i++)
        fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.8\" fill=\"%s\"/>\n", place_x(of, of->spot[i].x),
                place_y(of, of->spot[i].y), html_colour(0));
}

static void write_caption(FILE *to, const roofline *of)
{
    char peak[24], slope[24], unit[24];
    html_figure(of->peak, peak);
    html_figure(of->slope, slope);
    html_figure(of->unit, unit);
    fputs("<figcaption>Dots are lay's, numbers those of the table. ", to);
    if (*peak)
        fprintf(to, "Units reach %s GFLOP/s", peak);
    if (*peak && *unit)
        fprintf(to, " (matrix units, dashed: %s)", unit);
    if (*peak)
        fprintf(to, *slope ? ", memory gives %s GB/s. " : ". ", slope);
    if (!*peak && *slope)
        fprintf(to, "Memory gives %s GB/s. ", slope);
    if (!*peak)
        fputs("What units reach is not in the file. ", to);
    if (!*slope)
        fputs("What memory gives was not measured (lay bench --roof does). ", to);
    else
        fputs("Operands that a cache still holds may be above its slope. ", to);
    if (of->unnamed)
        fprintf(to, "%d numbers have no room here.", of->unnamed);
    fputs("</figcaption>\n", to);
}

static void write_figure(FILE *to, roofline *of)
{
    fputs("<figure>\n<h3>Roofline</h3>\n", to);
    fprintf(to, "<svg viewBox=\"0 0 %d %d\" font-family=\"system-ui,sans-serif\" font-size=\"11\" fill=\"#333\">\n",
            WIDE, HIGH);
    draw_axes(to, of);
    draw_roof(to, of);
    draw_spots(to, of);
    fputs("</svg>\n", to);
    write_caption(to, of);
    fputs("</figure>\n", to);
}

int section_roofline(FILE *to, const groups *of, int kind)
{
    roofline made = { .spot = malloc(((size_t)of->count + 1) * sizeof(spot)),
                      .taken = malloc((2 * (size_t)of->count + LINES * (STEPS + 1)) * sizeof(box)) };
    const int is_fine = made.spot && made.taken;
    if (is_fine)
        gather(of, kind, &made);
    if (made.count) {
        set_limits(&made);
        write_figure(to, &made);
    }
    free(made.spot);
    free(made.taken);
    return is_fine;
}
