/* Products that read A, and B where its columns are contiguous, where they are: no phases, no joins. */
#ifndef LAY_CPU_DIRECT_H
#define LAY_CPU_DIRECT_H

#include "cpu/part.h"

/*   tasks of mc x nc of C, in parallel
 *     for p: kc steps of k                   (a function of k alone: plan/summation.h)
 *       for j: panels of at most nr columns
 *         right's panel is packed, unless its columns are contiguous
 *         for i: at most mr rows   -> the kernel's strided function
 *
 * or, where left is large and right small, all of right's panels first, and then for i: for j:. Panels end where a
 * block of nested storage does. */

/* Strides and boundaries, right packed or as it lies; NULL or why there are none. */
const char *lay_direct_find_strides(const lay_problem *problem, const lay_kernel *kernel, int is_right_packed,
                                    lay_direct *out);

/* NULL and the blocks, threads, workspace and cost of a direct job, or why there is none, as a phrase. */
const char *lay_direct_choose(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                              const lay_machine *machine, lay_job *job);

/* Bytes a task of mc rows needs for where its panels of rows are cut. */
size_t lay_direct_cut_bytes(const lay_blocked *blocks);

/* As a way's run, with the problem's job. Cannot fail. */
void lay_direct_run(const lay_problem *problem, const lay_job *job, const lay_part *part, const lay_call *call,
                    void *workspace);

#endif
