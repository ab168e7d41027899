/* Block sizes and tasks of a split product, and what it should cost. */
#ifndef LAY_CPU_SPLIT_BLOCKS_H
#define LAY_CPU_SPLIT_BLOCKS_H

#include "cpu/job.h"

/* The loops are those of a plain product (cpu/packed/blocks.h), panels have 32 lines on both sides:
 *
 *   for jb: nb columns of B packed at once
 *     for p: kc steps of k                     (as plain products cut it: plan/summation.h)
 *       for ib: mb rows of A packed at once
 *         tasks of mc x nc of C, in parallel   (an mc x kc block of packed A in L2)
 *           for j, for i: panels -> 32 x 32 sums -> C
 *         lines that limbs do not serve, by the plain kernel (cpu/split/split_patch.h) */

/* Fills job's blocks, threads, workspace and predicted seconds; job->data has its row, kernel and limbs. */
void lay_cpu_split_choose(const lay_problem *problem, int threads, const lay_machine *machine, lay_job *job);

#endif
