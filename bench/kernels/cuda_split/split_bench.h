/* What cuda-split-bench does, task by task. */
#ifndef BENCH_CUDA_SPLIT_BENCH_H
#define BENCH_CUDA_SPLIT_BENCH_H

#include <stdio.h>

#include "bench/peers/cublas.h"
#include "split_data.h"
#include "split_product.h"

enum { SPLIT_MAX_LAYOUTS = 16, SPLIT_MAX_ROUNDS = 101 };

typedef struct split_task {
    const lay_cuda_kernel *row;
    int m, n, k, slices, strict_slices;
    lay_cuda_split_policy policy;
    char **layouts;
    int layout_count;
    int multiprocessors;
    const cublas *peer; /* or NULL */
    int rounds;
    int is_set;                  /* records are cleared by a memset */
    int each_stage;              /* times by launch as well */
    unsigned kinds;              /* bits: of numbers, checked */
    split_kind kind;             /* and timed */
    unsigned seed;               /* timed */
    int is_transposed, patience; /* checked */
    double beta;
    const char *const *notes; /* a text for each row that is timed, or NULL */
} split_task;

/* Every layout of left with every one of right and one of the result, kinds of numbers: within the bound, exact
 * where that is promised, the same bits in all layouts, classes and vectors or not, nothing written outside of C.
 * Prints a line; the number of failures. */
int split_check(const split_task *of);

/* A line for each kind of number: the path, and the errors of this, of the chain and of the peer. The number of kinds
 * that miss their bound, or are above 1.6 of the peer's (without one, of the chain's) and 4 u. */
int split_errors(const split_task *of);

/* Of one kind, on the device's own path. */
split_verdict split_error(const split_task *of, split_kind kind);

/* Row after row of the table in turns with cuBLAS's SGEMM and with three of its FP16 products; the layouts of the task
 * are triples: left, right, result. */
void split_time(const lay_cuda_kernel *const rows[], int count, const split_task *of);

/* The same for the table's rows and those of lay_cuda_split_sweep, and beside each what errors it has at 512x512x16384,
 * in one slice. */
void split_sweep(const split_task *of);

#endif
