/* Block sizes and the thread grid of a blocked product, and what it should cost. */
#ifndef LAY_PLAN_BLOCKS_H
#define LAY_PLAN_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"
#include "machine/machine.h"
#include "plan/problem.h"

/*   for jb: nb columns of B packed at once     (with the rows packed at once, held in L3)
 *     for p: kc steps of k                     (a function of the type alone: plan/summation.h)
 *       for ib: mb rows of A packed at once
 *         tasks of mc x nc of C, in parallel   (an mc x kc block of packed A in L2)
 *           for j: panels of nr                (a panel of packed B in L1 or L2)
 *             for i: panels of mr  -> kernel */
typedef struct lay_blocks {
    int64_t mb, nb, kc, mc, nc;
    int threads;                    /* that work can keep busy, at most those asked for */
    int64_t grid_m, grid_n;         /* tasks along m and n of one mb x nb block */
    size_t left_panel, right_panel; /* bytes from one packed panel to the next, a multiple of 64 */
    size_t left_bytes, right_bytes; /* of all that is packed at once */
} lay_blocks;

void lay_blocks_choose(const lay_problem *problem, const lay_kernel *kernel, int threads, const lay_machine *machine,
                       lay_blocks *blocks);

/* Predicted seconds. */
double lay_blocks_cost(const lay_problem *problem, const lay_kernel *kernel, const lay_blocks *blocks,
                       const lay_machine *machine);

#endif
