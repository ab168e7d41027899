/* What the planner is to know of rows: their figures, and whether it takes the best. */
#ifndef BENCH_CUDA_STUDY_H
#define BENCH_CUDA_STUDY_H

#include "turns.h"

/* rate and start of each row, from whole waves of long and short k; and how much longer a block takes that has its
 * multiprocessor to itself than one of many, which the planner takes to be the root of their number. */
void study_figures(const lay_cuda_kernel *const rows[], int count, const contest *usual);

/* At one size (usual's m, n, k): the fastest rows and slices, and what the planner's formula would take instead. */
void study_choice(const lay_cuda_kernel *const rows[], int count, const contest *usual);

#endif
