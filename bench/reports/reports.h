/* Whole tables of measurements: what --report= names. A report is a file with its row, and a line in a table of rows:
 * reports.c for those of the CPU, reports_device.c for those that need CUDA. */
#ifndef REPORTS_H
#define REPORTS_H

#include <stdio.h>

#include "bench/contest/contest.h"

enum { MAX_SIZES = 16 };

/* Square matrices of which sizes, or sums of which lengths. */
typedef struct sizes {
    int n[MAX_SIZES];
    int count;
} sizes;

typedef struct report_row {
    const char *name;
    const char *help; /* lines of the command's help, the first behind the name */
    sizes usual;      /* where the command line gives none */
    int least;        /* of a size; the largest is 32768 */
    int is_on_device; /* opened before. Else the report is the CPU's, beside the peers that are named */
    int is_f32;       /* of no other type */
    int takes_memory; /* its operands lie where --memory says: on the host or on a device */
    int takes_type;   /* of a device: of --type alone where that is given, and --compute of f32 */

    /* 0, or the exit status after a sentence; csv may be NULL. */
    int (*run)(const terms *under, const sizes *of, FILE *csv);
} report_row;

/* The index-th of this build, NULL behind the last. */
const report_row *report_at(int index);

/* 0 and the row of a name, or the exit status after a sentence. */
int report_find(const char *name, const report_row **out);

/* What the help tells of them. */
void reports_print_help(void);

extern const report_row report_errors, report_host_batches, report_mixed, report_model, report_planning, report_scale;

/* With CUDA alone; the second ends with NULL. */
extern const report_row report_batches, report_course, report_paper, report_copies, report_host, report_roof,
    report_shapes;
extern const report_row *const reports_of_device[];

/* Head lines of a report on the open device. */
void report_print_device(const terms *under);

#endif
