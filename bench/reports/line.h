/* One line of lay bench's table: what one contestant did, in figures. */
#ifndef LINE_H
#define LINE_H

#include "bench/contest/contest.h"

/* NaN: the line has none. */
typedef struct line {
    const terms *under;
    const problem *of;
    const contest *what;
    const result *by;
    double seconds, lowest; /* of a call, the median and the fastest turn's */
    double spread;          /* from the first quartile of the rounds to the third, as a share of the median */
    double gflops, peak, unit;
    double speedup; /* their time divided by lay's, of the same round */
    double at_best; /* the same of the fastest turns */
    double of_row;  /* of lay's own line: its speed divided by that on row-major matrices */
} line;

line line_make(const terms *under, const problem *of, const contest *what, const result *by);

/* The median speedup of lay over them. */
double line_speedup(const contest *what, const result *them);

/* The contestant on row-major matrices, or NULL. */
const result *line_find_row(const contest *what);

#endif
