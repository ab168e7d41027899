/* Tensor maps: what the device's tensor copies read by, made by CUDA's driver without linking it. */
#ifndef LAY_CUDA_TENSOR_H
#define LAY_CUDA_TENSOR_H

#include <stdint.h>

#include "layoutgemm.h"

enum { LAY_TENSOR_RANK = 5 };

typedef enum lay_tensor_type {
    LAY_TENSOR_F16,
    LAY_TENSOR_BF16,
    LAY_TENSOR_TF32,
    LAY_TENSOR_F32,
    LAY_TENSOR_F64
} lay_tensor_type;

/* Bytes of shared memory within which 16-byte pieces change places. */
typedef enum lay_tensor_swizzle {
    LAY_TENSOR_BY_128,
    LAY_TENSOR_BY_64,
    LAY_TENSOR_BY_32,
    LAY_TENSOR_BY_NONE
} lay_tensor_swizzle;

/* extent[0] is contiguous; stride[i] is that of dimension i + 1. What is not there reads as zero. base and strides are
 * multiples of 16 bytes. */
typedef struct lay_tensor {
    lay_tensor_type type;
    lay_tensor_swizzle swizzle;
    const void *base;
    int rank;
    int64_t extent[LAY_TENSOR_RANK], stride[LAY_TENSOR_RANK - 1]; /* elements; bytes */
    int box[LAY_TENSOR_RANK];
} lay_tensor;

/* Fills 128 bytes that are 64-byte aligned. LAY_ERR_UNSUPPORTED where the driver is too old, LAY_ERR_DEVICE. */
lay_status lay_tensor_encode(const lay_tensor *of, void *map);

#endif
