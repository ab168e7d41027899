/* A chart of lines over n, as an SVG by itself. */
#ifndef CHART_H
#define CHART_H

enum { CHART_LINES = 12, CHART_POINTS = 128 };

typedef struct chart_line {
    char name[96];
    int is_bound;           /* drawn as one: what no other reaches */
    double y[CHART_POINTS]; /* NaN: none at this x */
} chart_line;

/* x grows from point to point; it is drawn by its logarithm, y from 0 on. */
typedef struct chart {
    char title[160], across[80], up[80];
    int points, lines;
    int x[CHART_POINTS];
    chart_line line[CHART_LINES];
} chart;

/* 0, or the exit status after a sentence. */
int chart_write(const chart *of, const char *path);

/* The highest y, and a step of 1, 2 or 5 times a power of ten that makes some five to ten of it. */
double chart_highest(const chart *of);
double chart_step(double most);

/* Where a point stands between the first and the last, from 0 to 1. */
double chart_place(const chart *of, int point);

#endif
