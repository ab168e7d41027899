/* Tensor maps: what the device's tensor copies read by, made by CUDA's driver without linking it. */
#ifndef LAY_CUDA_TENSOR_H
#define LAY_CUDA_TENSOR_H

#include <stdint.h>

#include "layoutgemm.h"

enum { LAY_TENSOR_RANK = 4 };

typedef enum lay_tensor_type { LAY_TENSOR_F16, LAY_TENSOR_BF16, LAY_TENSOR_TF32 } lay_tensor_type;

/* extent[0] is contiguous; stride[i] is that of dimension i + 1. Boxes are swizzled by 128 bytes; what is not there
 * reads as zero. base and strides are multiples of 16 bytes. */
typedef struct lay_tensor {
    lay_tensor_type type;
    const void *base;
    int rank;
    int64_t extent[LAY_TENSOR_RANK], stride[LAY_TENSOR_RANK - 1]; /* elements; bytes */
    int box[LAY_TENSOR_RANK];
} lay_tensor;

/* Fills 128 bytes that are 64-byte aligned. LAY_ERR_UNSUPPORTED where the driver is too old, LAY_ERR_DEVICE. */
lay_status lay_tensor_encode(const lay_tensor *of, void *map);

#endif
