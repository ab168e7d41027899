/* FP32 products on a device's 16-bit matrix units: operands split in limbs of FP16 or BF16, at FP32's accuracy
 * (kernels/cuda_split.h, docs/numerics.md). */
#ifndef LAY_CUDA_SPLIT_H
#define LAY_CUDA_SPLIT_H

#include "cuda_kernel.h"
#include "plan/way.h"

struct lay_device;

/* What the way prepared. */
typedef struct lay_split {
    const struct lay_cuda_split_row *row;
    const struct lay_device *device;
    lay_cuda_class left, right; /* at best, as lay_launch has them */
    int is_c_vector;
    int slices, slice_k;
} lay_split;

/* Why a product with such options is not for this device, whatever its sizes, as a phrase; NULL where it is. */
const char *lay_split_refuse(const lay_problem *problem, const lay_setting *setting, const struct lay_device *device);

#endif
