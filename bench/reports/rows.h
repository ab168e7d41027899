/* The rows of lay bench in files, as CSV and as JSON. */
#ifndef ROWS_H
#define ROWS_H

#include <stdio.h>

#include "line.h"

void rows_start_csv(FILE *to);
void rows_write_csv(FILE *to, const line *one);

/* What the head of a JSON file says beside the rows; NULL and NaN become null. */
typedef struct rows_head {
    const char *command, *machine;
    const char *const *warnings; /* [warning_count] */
    int warning_count;
    double load;
    const terms *under;
} rows_head;

void rows_start_json(FILE *to, const rows_head *head);
void rows_write_json(FILE *to, const line *one, int is_first);
void rows_end_json(FILE *to, int is_complete);

/* A text in quotes, its special characters escaped and what is no UTF-8 replaced; null for NULL. */
void rows_write_text(FILE *to, const char *text);

#define ROWS_HELP                                                                                                      \
    "--csv and --json write a row for each line, with the same keys: problem, m, n, k, layout_a, layout_b,\n"          \
    "layout_c, type, memory, threads (0: the library's choice), who, kernels, rounds, calls (of a turn),\n"            \
    "median_seconds, lowest_seconds (of a call), gflops, peak_gflops, share_of_peak, of_row (lay's speed\n"            \
    "divided by its speed on row-major matrices), unit_gflops (of matrix units), spread (of the rounds, a\n"           \
    "share of the median), caches (warm or cold), and with --roof or --html roof_gflops (of a device's units,\n"       \
    "by their number and clock) and roof_gbytes (GB/s that memory gave). The speedup is 'speedup' and\n"               \
    "'speedup_at_best' in JSON, 'lay_is' and 'lay_is_at_best' in CSV. JSON has the seconds of each round too,\n"       \
    "as 'seconds', and around the 'rows' format (\"lay bench 1\"), version, command, machine, load, warnings,\n"       \
    "rounds, min_time and, last, complete: false where a run broke off. A figure that a row does not have is\n"        \
    "empty in CSV, null in JSON.\n"

#endif
