/* FP32 products on a device's 16-bit matrix units: operands split in limbs of FP16 or BF16, at FP32's accuracy
 * (kernels/cuda_split.h, docs/numerics.md). What the way prepares is a lay_split_job. */
#ifndef LAY_CUDA_SPLIT_H
#define LAY_CUDA_SPLIT_H

#include "plan/way.h"

struct lay_device;

/* Why a product with such options is not for this device, whatever its sizes, as a phrase; NULL where it is. */
const char *lay_split_refuse(const lay_problem *problem, const lay_setting *setting, const struct lay_device *device);

#endif
