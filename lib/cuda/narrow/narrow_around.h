/* What a product on the matrix units takes besides its tiles. */
#ifndef LAY_CUDA_NARROW_AROUND_H
#define LAY_CUDA_NARROW_AROUND_H

#include "cuda/narrow/narrow_view.h"

/* Nears of an aligned word of C, where these lie together for a while; 0 where they do not. */
int lay_narrow_together(const lay_problem *problem, lay_type units, const lay_axis *near, const lay_axis *far);

/* Whether C leaves in words along its rows. */
int lay_narrow_leaves_in_words(const lay_cuda_kernel *row, const lay_narrow_form *form);

/* Whether a plain row's threads, or those of any if NULL, write 16-bit elements one by one. */
int lay_narrow_is_scattered(const lay_cuda_kernel *row, const lay_narrow_form *form);

/* Seconds of images, and of C where it does not leave in vectors across. */
double lay_narrow_cost_around(const lay_problem *problem, const lay_narrow_form *form, const lay_device *device);

#endif
