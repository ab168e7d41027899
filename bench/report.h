/* What a bench prints: a table on stdout, and its rows as CSV in a file. */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "contest.h"

typedef struct report {
    FILE *csv;         /* or NULL */
    int problem_width; /* of the widest problem's text */
    int who_width;
    double (*best)[2]; /* [cases]: how many times the best peer's speed ours is, with and without its copies */
    int cases, room;
} report;

void report_start(report *to);
/* 0, or the exit status after a sentence. */
int report_contest(report *to, const terms *under, const problem *of, const contest *what);
/* The summary over all contests. */
void report_end(report *to);

#endif
