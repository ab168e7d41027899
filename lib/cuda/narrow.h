/* The device's executor of 16-bit types, and of FP32 operands rounded to what the matrix units take where
 * options.compute asks for that (kernels/cuda_narrow.h, docs/numerics.md). */
#ifndef LAY_CUDA_NARROW_H
#define LAY_CUDA_NARROW_H

#include "plan/executor.h"

extern const lay_executor lay_executor_narrow;

#endif
