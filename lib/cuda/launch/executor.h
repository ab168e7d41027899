/* What the orders of products in a device's memory have in common. */
#ifndef LAY_CUDA_EXECUTOR_H
#define LAY_CUDA_EXECUTOR_H

#include "plan/way.h"

/* NULL, or why no device is asked about: the backend, where the operands lie, and the kernel. */
const char *lay_cuda_refuse_setting(const lay_setting *setting);

/* C = beta C, for all that work in device memory. */
lay_status lay_cuda_put_scale(lay_branch *branch, const lay_call *call);

#endif
