/* FP32 products on a device's 16-bit matrix units: operands split in limbs of FP16 or BF16, at FP32's accuracy
 * (kernels/cuda_split.h, docs/numerics.md). What the way prepares is a lay_split_job. */
#ifndef LAY_CUDA_SPLIT_H
#define LAY_CUDA_SPLIT_H

#include "cuda/launch/launch.h"
#include "plan/way.h"

/* Why a product with such options is not for this device, whatever its sizes, as a phrase; NULL where it is. */
const char *lay_split_refuse(const lay_problem *problem, const lay_setting *setting, const lay_device *device);

/* The slices of path STRICT, by rows of 9.0, of a product of these sizes as it was asked for. */
lay_cuda_sum lay_split_strict_sum(int64_t m, int64_t n, int64_t k, const lay_device *device);

#endif
