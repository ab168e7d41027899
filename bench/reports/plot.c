/* GFLOP/s over the size of products. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "table.h"

enum { HIGH = 16, LEFT = 10, WIDE = TABLE_WIDTH - LEFT - 2, MARK = 10 /* columns of a size below, at most */ };

static int64_t extent(const problem *of, plot_axis axis)
{
    return axis == AXIS_M ? of->m : axis == AXIS_N ? of->n : of->k;
}

static const char *layouts(const problem *of)
{
    const char *blank = strchr(of->text, ' ');
    return of->labels || !blank ? of->text : blank + 1;
}

plot plot_start(const problem problems[], int count, int type_count, int thread_count)
{
    plot made = { .has_types = type_count > 1, .has_threads = thread_count > 1 };
    int varying = 0, is_square = 1;
    for (plot_axis axis = AXIS_M; axis <= AXIS_K; axis++) {
        int differs = 0;
        for (int i = 1; i < count; i++)
            differs |= extent(&problems[i], axis) != extent(&problems[0], axis);
        made.axis = differs ? axis : made.axis;
        varying += differs;
    }
    for (int i = 0; i < count; i++) {
        is_square &= problems[i].m == problems[i].n && problems[i].n == problems[i].k;
        made.has_layouts |= !problems[i].labels && strcmp(layouts(&problems[i]), layouts(&problems[0])) != 0;
    }
    made.axis = varying == 1 ? made.axis : AXIS_CUBE;
    static const char *const names[] = { "cube root of m n k", "m", "n", "k" };
    snprintf(made.drawn.across, sizeof made.drawn.across, "%s", is_square ? "n" : names[made.axis]);
    snprintf(made.drawn.up, sizeof made.drawn.up, "GFLOP/s");
    snprintf(made.drawn.title, sizeof made.drawn.title, "Products%s%s", count == 1 || made.has_layouts ? "" : ", ",
             count == 1 || made.has_layouts || problems[0].labels ? "" : layouts(&problems[0]));
    return made;
}

/* The place of a size, made where there is none; -1 where there is no room. */
static int place_size(chart *in, int x)
{
    int place = 0;
    while (place < in->points && in->x[place] < x)
        place++;
    if (place < in->points && in->x[place] == x)
        return place;
    if (in->points == CHART_POINTS)
        return -1;
    const size_t behind = (size_t)(in->points++ - place);
    memmove(&in->x[place + 1], &in->x[place], behind * sizeof *in->x);
    in->x[place] = x;
    for (int i = 0; i < in->lines; i++) {
        double *y = &in->line[i].y[place];
        memmove(y + 1, y, behind * sizeof *y);
        *y = NAN;
    }
    return place;
}

static int place_line(chart *in, const char *name)
{
    for (int i = 0; i < in->lines; i++)
        if (strcmp(in->line[i].name, name) == 0)
            return i;
    if (in->lines == CHART_LINES)
        return -1;
    chart_line *made = &in->line[in->lines];
    snprintf(made->name, sizeof made->name, "%s", name);
    for (int i = 0; i < CHART_POINTS; i++)
        made->y[i] = NAN;
    return in->lines++;
}

void plot_add(plot *to, const line *one)
{
    char name[sizeof to->drawn.line->name], fitted[256], threads[32] = "";
    const problem *of = one->of;
    table_fit(to->has_layouts ? layouts(of) : "", 24, fitted);
    if (to->has_threads)
        snprintf(threads, sizeof threads, ", %d threads", one->under->options.threads);
    snprintf(name, sizeof name, "%.24s%s%.24s%s%s%s", one->by->who, *fitted ? ", " : "", fitted,
             to->has_types ? ", " : "", to->has_types ? problem_type_name(one->under->type) : "", threads);
    const double x = to->axis == AXIS_CUBE ? round(cbrt((double)of->m * (double)of->n * (double)of->k))
                                           : (double)extent(of, to->axis);
    const int row = place_line(&to->drawn, name);
    const int column = row < 0 ? -1 : place_size(&to->drawn, x < INT32_MAX ? (int)x : INT32_MAX);
    if (row < 0 || column < 0)
        to->left_out++;
    else
        to->drawn.line[row].y[column] = one->gflops;
}

static void tell_left_out(const plot *of)
{
    if (of->left_out)
        printf("%d figures are not drawn: a plot has %d lines of %d sizes at most\n", of->left_out, CHART_LINES,
               CHART_POINTS);
}

static int column_of(const chart *of, int point)
{
    return (int)(chart_place(of, point) * (WIDE - 1) + 0.5);
}

static void print_sizes(const chart *of)
{
    char below[TABLE_WIDTH + 16];
    memset(below, ' ', sizeof below);
    int end = -1, last = 0;
    for (int p = 0; p < of->points; p++) {
        char text[16];
        const int length = snprintf(text, sizeof text, "%d", of->x[p]);
        int at = column_of(of, p);
        at = at + length > WIDE ? WIDE - length : at;
        if (at <= end || length > MARK)
            continue;
        memcpy(below + at, text, (size_t)length);
        last = at + length;
        end = last;
    }
    printf("%*s%.*s\n", LEFT + 1, "", last, below);
}

void plot_print(const plot *of)
{
    const chart *drawn = &of->drawn;
    const double most = chart_highest(drawn), step = chart_step(most), top = step * ceil(most / step);
    char field[HIGH][WIDE];
    memset(field, ' ', sizeof field);
    for (int i = drawn->lines - 1; i >= 0; i--) /* lay's are the first, and stand above others */
        for (int p = 0; p < drawn->points; p++)
            if (!isnan(drawn->line[i].y[p]))
                field[(int)((HIGH - 1) * (1 - drawn->line[i].y[p] / top) + 0.5)][column_of(drawn, p)] = (char)('a' + i);
    printf("\n%*s\n", LEFT, drawn->up);
    for (int row = 0; row < HIGH; row++) {
        if (row % 5 == 0)
            printf("%*.4g", LEFT, top * (HIGH - 1 - row) / (HIGH - 1));
        else
            printf("%*s", LEFT, "");
        int length = WIDE;
        while (length > 0 && field[row][length - 1] == ' ')
            length--;
        printf("|%.*s\n", length, field[row]);
    }
    print_sizes(drawn);
    printf("%*s%s\n", LEFT + 1, "", drawn->across);
    for (int i = 0; i < drawn->lines; i++)
        printf("%*c  %.60s\n", LEFT, 'a' + i, drawn->line[i].name);
    tell_left_out(of);
}

int plot_write(plot *of, const char *path)
{
    tell_left_out(of);
    return chart_write(&of->drawn, path);
}
