/* What a bench prints: a table on stdout, and its rows as CSV in a file. */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "contest.h"

typedef struct report {
    FILE *csv;         /* or NULL */
    int problem_width; /* of the widest problem's text */
    int who_width;
    int shows_kernels;
    double (*best)[3]; /* [cases]: how many times the best peer's speed ours is, that of the best with its copies, and
                        * that of our own row-major product */
    int cases, room;
} report;

void report_start(report *to);
/* 0, or the exit status after a sentence. */
int report_contest(report *to, const terms *under, const problem *of, const contest *what);
/* The summary over all contests. */
void report_end(report *to);

#endif
