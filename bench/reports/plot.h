/* GFLOP/s over the size of products: lines of a table gathered, then drawn on a terminal or as SVG. */
#ifndef PLOT_H
#define PLOT_H

#include "chart.h"
#include "line.h"

typedef enum plot_axis { AXIS_CUBE, AXIS_M, AXIS_N, AXIS_K } plot_axis;

/* A figure, and what it is of. */
typedef struct plot_sample {
    const char *problem; /* as it is printed: behind the first blank are a product's layouts */
    const char *who, *type;
    int threads;
    int is_contraction;
    double m, n, k;
    double y;
} plot_sample;

typedef struct plot {
    chart drawn;
    plot_axis axis;
    int has_layouts, has_types, has_threads; /* that differ, and tell lines apart */
    int left_out;                            /* figures for which there was no room */
} plot;

plot_sample plot_sample_of(const line *one);

/* By what differs between samples that will be drawn: one of m, n and k, or the cube root of their product; layouts,
 * types and threads. Who and y are not looked at. */
plot plot_start(const plot_sample of[], int count);
void plot_add(plot *to, const plot_sample *one);

/* A line on standard output, where figures had no room. */
void plot_tell_left_out(const plot *of);

/* Letters in 80 columns. */
void plot_print(const plot *of);

/* 0, or the exit status after a sentence. */
int plot_write(plot *of, const char *path);

#endif
