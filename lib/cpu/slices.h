/* Long sums of few elements: slices of k, side by side, and then their sum. */
#ifndef LAY_CPU_SLICES_H
#define LAY_CPU_SLICES_H

#include "cpu/part.h"

/* Runs a part of a product, on one thread where the job is a slice's. */
typedef void lay_run_part_fn(const lay_problem *problem, const lay_job *job, const lay_part *part, const lay_call *call,
                             void *workspace);

/* Makes a one-thread job for a slice, whose order of the sum is cut in slices (plan/summation.h), the whole product's.
 */
void lay_slices_choose(const lay_problem *problem, int threads, lay_job *job);

/* As lay_executor's multiply. Cannot fail. */
void lay_slices_run(const lay_problem *problem, const lay_job *job, const lay_call *call, lay_run_part_fn *run,
                    void *workspace);

#endif
