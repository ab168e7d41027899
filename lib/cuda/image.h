/* What images on a device cost. */
#ifndef LAY_CUDA_IMAGE_H
#define LAY_CUDA_IMAGE_H

#include "plan/way.h"
#include "storage/copy.h"

/* Seconds that a copy between two layouts takes on the branch's device; negative where it would go by tables. */
double lay_cuda_predict_copy(const lay_branch *branch, lay_type type, const lay_desc *from, const lay_desc *to);

/* The same of a copy that changes elements, by tables too: negative only where there is no device. */
double lay_cuda_predict_change(const lay_branch *branch, const lay_change *change, const lay_desc *from,
                               const lay_desc *to);

#endif
