/* Block sizes and the thread grid of a blocked product, and what it should cost. */
#ifndef LAY_CPU_BLOCKS_H
#define LAY_CPU_BLOCKS_H

#include "cpu/job.h"
#include "kernel.h"
#include "machine/machine.h"
#include "plan/problem.h"

/*   for jb: nb columns of B packed at once     (with the rows packed at once, held in L3)
 *     for p: kc steps of k                     (a function of k alone: plan/summation.h)
 *       for ib: mb rows of A packed at once      (one thread: mc)
 *         tasks of mc x nc of C, in parallel   (an mc x kc block of packed A in L2)
 *           for j: panels of nr                (a panel of packed B in L1 or L2; one thread may pack it only here)
 *             for i: panels of mr  -> kernel */
enum { LAY_MAX_MC = 1024 }; /* a task keeps that many row offsets on its stack */

/* How one operand's panels are packed. */
typedef enum lay_packing_way {
    LAY_PACKED_COPIED,
    LAY_PACKED_TRANSPOSED,
    LAY_PACKED_IN_PIECES,
    LAY_PACKED_BY_DIGITS,
    LAY_PACKED_IN_PAIRS,
    LAY_PACKED_GATHERED
} lay_packing_way;
/* steps: of k, packed at once. */
lay_packing_way lay_packing_find(const lay_axis *across, const lay_axis *along, int width, int64_t steps);

/* Steps of several blocks of kc that are worth packing at once, at most so many: where steps lie side by side that are
 * far apart in k, one block reads only parts of lines. kc: they are not. */
int64_t lay_packing_join(const lay_axis *across, const lay_axis *along, const lay_kernel *kernel, int64_t kc,
                         int64_t most);

/* Steps until what lies side by side along k ends: an outer digit of unit stride, and all inside of it. 0: there is no
 * such digit. */
int64_t lay_packing_period(const lay_axis *along);

/* Whether so many steps at once are all of one stretch of memory in another order, which panels of whole registers are
 * packed from end to end of. */
int lay_packing_is_stretch(const lay_axis *along, int width, int64_t steps);

/* How many steps of so many at once lie side by side in such a digit. */
int64_t lay_packing_run(const lay_axis *along, int64_t steps);

/* 1 when a kernel's tiles of C are contiguous along n, or their rows two by two, so that they are written in place. */
int lay_result_is_direct(const lay_problem *problem, const lay_kernel *kernel);

/* Fills job's block sizes, threads and workspace for kernel. NULL, or why tuning's are none, as a phrase. */
const char *lay_blocks_choose(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                              const lay_machine *machine, lay_job *job);

#endif
