/* GFLOP/s over the size of products: lines of a table gathered, then drawn on a terminal or as SVG. */
#ifndef PLOT_H
#define PLOT_H

#include "chart.h"
#include "line.h"

typedef enum plot_axis { AXIS_CUBE, AXIS_M, AXIS_N, AXIS_K } plot_axis;

typedef struct plot {
    chart drawn;
    plot_axis axis;
    int has_layouts, has_types, has_threads; /* that differ, and tell lines apart */
    int left_out;                            /* figures for which there was no room */
} plot;

/* What differs between problems: one of m, n and k, or the cube root of their product. */
plot plot_start(const problem problems[], int count, int type_count, int thread_count);
void plot_add(plot *to, const line *one);

/* Letters in 80 columns. */
void plot_print(const plot *of);

/* 0, or the exit status after a sentence. */
int plot_write(plot *of, const char *path);

#endif
