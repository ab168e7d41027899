/* Whether a row computes what it promises. */
#ifndef BENCH_CUDA_CHECK_H
#define BENCH_CUDA_CHECK_H

#include "launch.h"

typedef struct demands {
    int m, n, k;
    char **layouts; /* of inputs and results; those that repeat elements are for inputs only */
    int layout_count;
    int all_classes; /* every one that a layout allows, not only the best */
    int is_once;     /* each class in the first layouts that have it, reals alone: few launches, for slow tools */
    int slices;
    adding adding;
} demands;

/* Every layout of the left operand with every one of the right and one of the result, each class: integers
 * with beta 0 over NaN, reals with alpha and beta, the same resumed in the middle. The gaps of all storages
 * hold NaN, and those of C must still hold it after. Prints a line; the number of failures. */
int check(const lay_cuda_kernel *row, const demands *of);

#endif
