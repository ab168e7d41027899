/* The table that lay bench prints, 80 columns wide. */
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LABEL = 32 /* columns of the first column: as many as the figures leave */
};

void table_fit(const char *text, int room, char out[256])
{
    room = room < 255 ? room : 255;
    const int length = (int)strlen(text);
    snprintf(out, 256, "%.*s%s", length <= room ? length : room - 2, text, length <= room ? "" : "..");
}

void table_start(const table *of)
{
    printf("\n%-*s%10s%9s%7s%6s\n", LABEL, "", "time", "speed", "spread", "peak");
    printf("%-*s%10s%9s%7s%6s%s\n", LABEL, "problem, type, threads", "us", "GFLOP/s", "%", "%",
           of->has_others ? " speedup at best" : "");
}

/* Four digits or more, and nothing for a figure that a line does not have. */
static void write_figure(char text[16], double figure, int digits)
{
    for (double limit = 10; digits > 0 && figure >= limit; limit *= 10)
        digits--;
    if (isnan(figure))
        text[0] = 0;
    else
        snprintf(text, 16, "%.*f", digits, figure);
}

static void write_threads(const terms *under, char text[32])
{
    if (under->memory == LAY_MEMORY_DEVICE)
        snprintf(text, 32, "GPU");
    else if (under->options.threads == 0)
        snprintf(text, 32, "all threads");
    else
        snprintf(text, 32, "%d thread%s", under->options.threads, under->options.threads == 1 ? "" : "s");
}

static void write_heading(const table *of, const line *ours, char text[256])
{
    char threads[32], behind[128], fitted[256];
    const int names_kernel = of->shows_kernels && *ours->by->how;
    write_threads(ours->under, threads);
    snprintf(behind, sizeof behind, ", %s, %s%s%s", problem_type_name(ours->under->type), threads,
             names_kernel ? ", " : "", names_kernel ? ours->by->how : "");
    table_fit(ours->of->text, TABLE_WIDTH - (int)strlen(behind), fitted);
    snprintf(text, 256, "%.120s%s", fitted, behind);
}

static void print_line(const char *label, const line *one)
{
    char fitted[256], time[16], speed[16], share[16], spread[16], speedup[16], at_best[16];
    table_fit(label, LABEL, fitted);
    write_figure(time, 1e6 * one->seconds, 3);
    write_figure(speed, one->gflops, 2);
    write_figure(spread, 100 * one->spread, 1);
    write_figure(share, 100 * one->gflops / one->peak, 1);
    write_figure(speedup, one->speedup, 3);
    write_figure(at_best, one->at_best, 3);
    printf("%-*s%10s%9s%7s%6s", LABEL, fitted, time, speed, spread, share);
    if (*speedup)
        printf("%8s%8s", speedup, at_best);
    printf("\n");
}

static void print_unit(const line *ours)
{
    printf("  of %.1f GFLOP/s that matrix units alone reach on random numbers, lay has %.0f %%\n", ours->unit,
           100 * ours->gflops / ours->unit);
}

void table_contest(const table *of, const line lines[], int count)
{
    char heading[256], label[80];
    write_heading(of, &lines[0], heading);
    if (count == 1 && strlen(heading) <= LABEL) {
        print_line(heading, &lines[0]);
    } else {
        printf("%s\n", heading);
        for (int i = 0; i < count; i++) {
            snprintf(label, sizeof label, "  %s", lines[i].by->who);
            print_line(label, &lines[i]);
        }
    }
    if (!isnan(lines[0].unit))
        print_unit(&lines[0]);
    fflush(stdout);
}
