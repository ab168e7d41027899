/* Products of few rows, whose right operand is read once, as it lies, and is what takes the time. */
#ifndef LAY_CPU_SWEEP_H
#define LAY_CPU_SWEEP_H

#include "cpu/part.h"

/*   tasks of nc columns of C, in parallel
 *     for j: segments of columns whose sums, and the rows of right under way, the second cache has room for
 *       for p: kc steps of k               (a function of k alone: plan/summation.h)
 *         left's are packed, unless it is one row
 *         for q: a few steps, each a row of right
 *           for i: panels of rows   -> the kernel's sweep function */

/* NULL and the blocks, threads, workspace and cost of such a job, or why there is none, as a phrase. */
const char *lay_sweep_choose(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                             const lay_machine *machine, lay_job *job);

/* As a way's run, with the problem's job. Cannot fail. */
void lay_sweep_run(const lay_problem *problem, const lay_job *job, const lay_part *part, const lay_call *call,
                   void *workspace);

#endif
