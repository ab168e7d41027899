/* One product on one device: a row of the kernel table, its slices and its launches. Plain data that the
/* lay_launch itself, plain data, stands in plan/executor.h. */
 * planner made (choose) and the run uses (launch). */
#ifndef LAY_CUDA_LAUNCH_H
#define LAY_CUDA_LAUNCH_H

#include <stddef.h>

#include "cuda/device.h"
#include "cuda_kernel.h"
#include "plan/problem.h"

/* The order of the sum: what the bits of C depend on beside the operands' values. A function of the type,
 * the sizes (the same for m x n as for n x m) and the device; never of layouts. */
typedef struct lay_cuda_sum {
    lay_cuda_order order;
    int slices, slice_k;
} lay_cuda_sum;
lay_cuda_sum lay_cuda_sum_choose(lay_type type, int64_t m, int64_t n, int64_t k, const lay_device *device);

/* Fills launch for the cheapest row of the sum's order; wanted is NULL or a row's or family's name, whose
 * own order and slices then hold. Returns predicted seconds; negative where no row serves, and why. */
double lay_launch_choose(const lay_problem *problem, const lay_device *device, const char *wanted, lay_launch *launch,
                         const char **reason);

/* Classes of an operand: vectors only where the walks allow them whatever the base address. */
lay_cuda_class lay_launch_classify(const lay_axis *across, const lay_axis *along, lay_type type);

#endif
