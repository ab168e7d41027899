/* A dimension of an operand in two digits, as tensor copies step through it. */
#ifndef LAY_CUDA_DIGITS_H
#define LAY_CUDA_DIGITS_H

#include "plan/axis.h"

/* In elements: index % inner * stride + index / inner * outer_stride. */
typedef struct lay_cuda_digits {
    int64_t inner, outer, stride, outer_stride;
} lay_cuda_digits;

static inline int64_t lay_cuda_digits_offset(const lay_cuda_digits *digits, int64_t index)
{
    return index % digits->inner * digits->stride + index / digits->inner * digits->outer_stride;
}

/* In one or two digits; NULL, or why it is in neither. */
const char *lay_cuda_find_digits(const lay_axis *axis, lay_cuda_digits *out);

/* The same of an axis that limits may cut: its last block may be short. */
const char *lay_cuda_find_cut_digits(const lay_axis *axis, lay_cuda_digits *out);

/* Whether a stride of elements of so many bytes is one of a tensor map. */
int lay_cuda_can_step(int64_t stride, int64_t size);

/* Indices of a block; INT32_MAX where there are no blocks. */
int lay_cuda_inner_of(const lay_cuda_digits *digits);

#endif
