/* Products of a matrix with a vector, m or n 1, where k is not short: their sums go in partial sums (plan/summation.h).
 */
#ifndef LAY_CPU_VECTOR_H
#define LAY_CPU_VECTOR_H

#include "cpu/job.h"

/*   for segments of k, whose sums of blocks fit at the same time
 *     tasks of some lines of the matrix and all blocks or, where lines are few, of all lines and some blocks, in
 * parallel for j: as many lines as are at hand together, their sums in a cache for p: kc steps of k              (a
 * function of k alone: plan/summation.h) read them, as the matrix lies   -> the kernel's along or across function:
 * sums[block][line] C = alpha (1 .. 1) sums + beta C      -> the kernel's strided or sweep function, with the last
 * segment */

/* Blocks, threads, workspace and cost of such a job. */
void lay_vector_choose(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                       const lay_machine *machine, lay_job *job);

/* As a way's run, with the problem's job. Cannot fail. */
void lay_vector_run(const lay_problem *problem, const lay_job *job, const lay_call *call, void *workspace);

/* "contiguous along k" and the like. */
const char *lay_vector_reading_name(lay_vector_reading reading);

#endif
