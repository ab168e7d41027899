/* A chart of lines over n, as an SVG by itself. */
#ifndef CHART_H
#define CHART_H

enum { CHART_LINES = 12, CHART_POINTS = 16 };

typedef struct chart_line {
    const char *name;
    int is_bound; /* drawn as one: what no other reaches */
    double y[CHART_POINTS];
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

#endif
