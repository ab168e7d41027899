/* How fast rows are, in turns with each other and with cuBLAS. */
#ifndef BENCH_CUDA_TURNS_H
#define BENCH_CUDA_TURNS_H

#include <stdio.h>

#include "bench/peers/cublas.h"
#include "launch.h"

enum { MAX_ROUNDS = 101, MAX_CONTESTANTS = 256 };

typedef struct contest {
    lay_type type;
    int m, n, k;
    const cublas *peer; /* or NULL */
    int rounds;
    double turn;    /* seconds a turn lasts at least */
    int is_l2_warm; /* one set of matrices; else as many as outgrow the L2 cache */
    int is_plain;   /* launches one by one, the gaps between them timed too; else in a graph */
    double beta;
    int is_quiet;
    FILE *csv; /* or NULL */
    struct contestant {
        const lay_cuda_kernel *row; /* NULL: cuBLAS */
        const char *layouts[3];
        int left_as, right_as; /* classes, or -1 for the best */
        int slices;
        adding adding;                           /* ADDED_AFTER: as the planner has it */
        double seconds, predicted, peer_seconds; /* results: medians; peer_seconds 0 where there is no peer */
    } list[MAX_CONTESTANTS];
    int count;
} contest;

/* The open device's. */
const machine *contest_machine(void);

/* Times all and prints a line for each, with cuBLAS on the same matrices, or on row-major ones where it cannot
 * read them, before those that are compared with it. */
void contest_hold(contest *of);

#endif
