/* What the orders of products in a device's memory have in common. */
#ifndef LAY_CUDA_EXECUTOR_H
#define LAY_CUDA_EXECUTOR_H

#include "cuda/launch/launch.h"
#include "plan/way.h"

/* NULL, or why no device is asked about: the backend, where the operands lie, and the kernel. */
const char *lay_cuda_refuse_setting(const lay_setting *setting);

/* C = beta C, for all that work in device memory. */
lay_status lay_cuda_put_scale(lay_branch *branch, const lay_call *call);

/* Of a branch whose data begins with its two launches, done in so many seconds: the same with rows crossed, by a sector
 * of left's neighbours or a few, where that is done sooner. Returns its seconds. */
double lay_launch_try_crossed(lay_branch *branch, const lay_device *device, double seconds);

/* What a bench does to a branch of lay_way_launch: the product by this sum, begun by this row, in most launches (1 or
 * 2), whether or not that is the cheapest. 0 where it cannot be: the branch is as it was. */
int lay_launch_prepare_by(lay_branch *branch, const lay_cuda_sum *sum, const lay_cuda_kernel *first_row, int most);

#endif
