/* What a product costs that one function of a kernel does whole. */
#ifndef LAY_CPU_COST_WHOLE_H
#define LAY_CPU_COST_WHOLE_H

#include "kernel.h"
#include "machine/machine.h"

/* Seconds of all its tiles, operands and C being at hand. */
double lay_cost_whole(const lay_kernel *kernel, const lay_whole *of, const lay_machine *machine);

#endif
