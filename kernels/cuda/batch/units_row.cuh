/* Rows of batches of a 16-bit type: a function for each direction of the operands. */
#ifndef LAY_KERNELS_CUDA_BATCH_UNITS_ROW_CUH
#define LAY_KERNELS_CUDA_BATCH_UNITS_ROW_CUH

#include "cuda/batch/row.cuh"
#include "cuda/batch/units.cuh"

namespace batch
{

template <piece_type kind, int warpgroups, int bn, int ahead, int lag, int blocks>
constexpr lay_cuda_kernel units_row(const char *name)
{
    using S = units<kind, warpgroups, bn, true, true, ahead, lag, blocks>; /* whose turns are the largest */
    lay_cuda_kernel made = row<S>(name, element_of<kind>::name);
    made.least_sm = 90;
    made.can_slice = 0;
    made.function[0][0] =
        reinterpret_cast<const void *>(&multiply<units<kind, warpgroups, bn, false, false, ahead, lag, blocks>>);
    made.function[0][1] =
        reinterpret_cast<const void *>(&multiply<units<kind, warpgroups, bn, false, true, ahead, lag, blocks>>);
    made.function[1][0] =
        reinterpret_cast<const void *>(&multiply<units<kind, warpgroups, bn, true, false, ahead, lag, blocks>>);
    made.function[1][1] = reinterpret_cast<const void *>(&multiply<S>);
    return made;
}

} // namespace batch

#endif
