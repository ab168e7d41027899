/* What a bench prints: a table on stdout, its rows in files, and a summary. */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "bench/contest/contest.h"
#include "plot.h"
#include "rows.h"
#include "table.h"

typedef struct report {
    FILE *csv, *json, *page; /* or NULL; page: JSON once more, for a page to be made of */
    rows_head head;          /* of the latter two */
    table table;
    plot *plot; /* or NULL */
    struct best {
        const char *problem;
        double ratio[6]; /* how many times the best peer's speed ours is, with and without its copies, that of our own
                          * row-major product, alone and between copies, of a contraction that of the best peer of
                          * either kind, and that of our own strict product */
        double peak;     /* of FMAs, a thread's */
        lay_type type;
        lay_isa isa;
    } * best; /* [cases] */
    int cases, room;
} report;

void report_start(report *to);
/* 0, or the exit status after a sentence. */
int report_contest(report *to, const terms *under, const problem *of, const contest *what);
/* The end of files, and the summary over all contests. */
void report_end(report *to, int is_complete);

#endif
