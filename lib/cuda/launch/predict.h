/* How long a launch takes, as rows of equal bits are chosen by it: the sum is settled (cost.h), whatever is said here.
 */
#ifndef LAY_CUDA_PREDICT_H
#define LAY_CUDA_PREDICT_H

#include "cuda/launch/lie.h"
#include "cuda/launch/rows.h"

/* Seconds; the row has rates (rates.h). */
double lay_cuda_predict(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device,
                        const lay_cuda_lie *lie);

/* Not above that, and cheap: for rows that cannot be the cheapest. */
double lay_cuda_predict_at_least(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device,
                                 const lay_cuda_lie *lie);

/* What two launches take besides what each takes alone; it may be negative. */
double lay_cuda_predict_gap(const lay_device *device);

#endif
