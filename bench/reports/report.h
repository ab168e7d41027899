/* What a bench prints: a table on stdout, and its rows as CSV in a file. */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "bench/contest/contest.h"

typedef struct report {
    FILE *csv;         /* or NULL */
    int problem_width; /* of the widest problem's text that is not cut */
    int who_width;
    int shows_kernels; /* lay's, at the end of its lines */
    struct best {
        const char *problem;
        double ratio[5]; /* how many times the best peer's speed ours is, with and without its copies, that of our own
                          * row-major product, alone and between copies, and, of a contraction, that of the best peer
                          * of either kind */
    } * best;            /* [cases] */
    int cases, room;
} report;

void report_start(report *to);
/* 0, or the exit status after a sentence. */
int report_contest(report *to, const terms *under, const problem *of, const contest *what);
/* The summary over all contests. */
void report_end(report *to);

#endif
