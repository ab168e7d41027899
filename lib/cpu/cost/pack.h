/* Seconds of packing an operand. */
#ifndef LAY_CPU_COST_PACK_H
#define LAY_CPU_COST_PACK_H

#include "cpu/job.h"
#include "kernel.h"
#include "machine/machine.h"
#include "plan/problem.h"

/* Packing an operand once: by each element, or by the lines that it is read from. */
double lay_cost_pack(const lay_axis *across, const lay_axis *along, const lay_kernel *kernel, int width, int together,
                     double kc, const lay_machine *machine);

/* Packing right: again for each row of tasks. */
double lay_cost_pack_right(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine);

#endif
