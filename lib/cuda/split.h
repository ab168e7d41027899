/* The device's executor of FP32 products on its 16-bit matrix units: operands split in pieces of FP16 or BF16, at
 * FP32's accuracy (kernels/cuda_split.h, docs/numerics.md). */
#ifndef LAY_CUDA_SPLIT_H
#define LAY_CUDA_SPLIT_H

#include "plan/executor.h"

extern const lay_executor lay_executor_split;

/* Why a product with such options is not for this device, whatever its sizes, as a phrase; NULL where it is. */
struct lay_device;
const char *lay_split_refuse(const lay_problem *problem, const lay_setting *setting, const struct lay_device *device);

#endif
