/* GFLOP/s over the size of products. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "table.h"

enum { HIGH = 16, LEFT = 10, WIDE = TABLE_WIDTH - LEFT - 2, MARK = 10 /* columns of a size below, at most */ };

static double extent(const plot_sample *of, plot_axis axis)
{
    return axis == AXIS_M ? of->m : axis == AXIS_N ? of->n : of->k;
}

static const char *layouts(const plot_sample *of)
{
    const char *blank = strchr(of->problem, ' ');
    return of->is_contraction || !blank ? of->problem : blank + 1;
}

plot_sample plot_sample_of(const line *one)
{
    const problem *of = one->of;
    return (plot_sample){ .problem = of->text,
                          .who = one->by->who,
                          .type = problem_type_name(one->under->type),
                          .threads = one->under->options.threads,
                          .is_contraction = of->labels != NULL,
                          .m = (double)of->m,
                          .n = (double)of->n,
                          .k = (double)of->k,
                          .y = one->gflops };
}

plot plot_start(const plot_sample of[], int count)
{
    plot made = { 0 };
    int varying = 0, is_square = 1;
    for (plot_axis axis = AXIS_M; axis <= AXIS_K; axis++) {
        int differs = 0;
        for (int i = 1; i < count; i++)
            differs |= extent(&of[i], axis) != extent(&of[0], axis);
        made.axis = differs ? axis : made.axis;
        varying += differs;
    }
    for (int i = 0; i < count; i++) {
        is_square &= of[i].m == of[i].n && of[i].n == of[i].k;
        made.has_layouts |= !of[i].is_contraction && strcmp(layouts(&of[i]), layouts(&of[0])) != 0;
        made.has_types |= strcmp(of[i].type, of[0].type) != 0;
        made.has_threads |= of[i].threads != of[0].threads;
    }
    made.axis = varying == 1 ? made.axis : AXIS_CUBE;
    static const char *const names[] = { "cube root of m n k", "m", "n", "k" };
    snprintf(made.drawn.across, sizeof made.drawn.across, "%s", is_square ? "n" : names[made.axis]);
    snprintf(made.drawn.up, sizeof made.drawn.up, "GFLOP/s");
    const int is_unnamed = count == 1 || made.has_layouts;
    snprintf(made.drawn.title, sizeof made.drawn.title, "Products%s%s", is_unnamed ? "" : ", ",
             is_unnamed || of[0].is_contraction ? "" : layouts(&of[0]));
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

void plot_add(plot *to, const plot_sample *one)
{
    char name[sizeof to->drawn.line->name], fitted[256], threads[32] = "";
    table_fit(to->has_layouts ? layouts(one) : "", 24, fitted);
    if (to->has_threads)
        snprintf(threads, sizeof threads, ", %d threads", one->threads);
    snprintf(name, sizeof name, "%.24s%s%.24s%s%.8s%s", one->who, *fitted ? ", " : "", fitted,
             to->has_types ? ", " : "", to->has_types ? one->type : "", threads);
    const double x = to->axis == AXIS_CUBE ? round(cbrt(one->m * one->n * one->k)) : extent(one, to->axis);
    const int row = place_line(&to->drawn, name);
    const int column = row < 0 ? -1 : place_size(&to->drawn, x < INT32_MAX ? (int)x : INT32_MAX);
    if (row < 0 || column < 0)
        to->left_out++;
    else
        to->drawn.line[row].y[column] = one->y;
}

void plot_tell_left_out(const plot *of)
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
    plot_tell_left_out(of);
}

int plot_write(plot *of, const char *path)
{
    plot_tell_left_out(of);
    return chart_write(&of->drawn, path);
}
