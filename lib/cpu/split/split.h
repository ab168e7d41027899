/* The CPU's order of FP32 products by limbs of bfloat16 (kernels/cpu_split.h, docs/numerics.md). */
#ifndef LAY_CPU_SPLIT_H
#define LAY_CPU_SPLIT_H

#include "cpu/job.h"

/* Why a product with such options is not for this order, whatever its sizes, as a phrase; NULL where it is. */
const char *lay_cpu_split_refuse(const lay_problem *problem, const lay_setting *setting);

#endif
