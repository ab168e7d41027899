/* What a narrow product is predicted to take, from sizes alone: it settles slices, and so bits. */
#ifndef LAY_CUDA_NARROW_COST_H
#define LAY_CUDA_NARROW_COST_H

#include "cuda/launch/rows.h"
#include "cuda/narrow/narrow_view.h"

/* Whether a cluster's tiles may share what they read. */
typedef int lay_narrow_may_share(const lay_cuda_kernel *row, lay_narrow_cluster cluster, const void *context);

/* Which operand of a product stays in shared memory, where a row knows that; and the blocks, of so many at most, each
 * of which then has the same tile of it all along. */
lay_narrow_stays lay_narrow_staying(const lay_cuda_kernel *row, int64_t m, int64_t n, int64_t k);
int64_t lay_narrow_staying_blocks(const lay_cuda_kernel *row, int64_t m, int64_t n, lay_narrow_stays stays,
                                  int64_t most);

/* The cluster that is cheapest for a row, of those that may be; all may without a function. Where an operand is nested
 * sharing is worth more, and bits are those of any cluster. */
lay_narrow_cluster lay_narrow_cluster_of(const lay_cuda_kernel *row, const lay_cuda_shape *of, int is_nested,
                                         const lay_device *device, lay_narrow_may_share *may, const void *context);

/* So many of a row's find place at once. */
int64_t lay_narrow_clusters_at_once(const lay_cuda_kernel *row, lay_narrow_cluster cluster, const lay_device *device);

/* Seconds of a row with it; C's elements leave by vectors, or one by one. */
double lay_narrow_cost(const lay_cuda_kernel *row, const lay_cuda_shape *of, int is_scattered,
                       const lay_device *device);

#endif
