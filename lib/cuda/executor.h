/* The device's row of the executor table: products of operands that all lie in one device's memory. Where the
 * build has no CUDA it refuses everything, and says so. */
#ifndef LAY_CUDA_EXECUTOR_H
#define LAY_CUDA_EXECUTOR_H

#include "plan/executor.h"

extern const lay_executor lay_executor_cuda;

/* NULL, or why no device is asked about: the backend, where the operands lie, and the kernel. */
const char *lay_cuda_refuse_setting(const lay_setting *setting);

/* lay_executor's scale, for all that work in device memory. */
lay_status lay_cuda_put_scale(lay_way *way, const lay_call *call);

#endif
