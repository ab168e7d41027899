/* A persistent row from its shape, and its kernel. */
#ifndef LAY_KERNELS_CUDA_DMMA_PERSISTENT_ROW_CUH
#define LAY_KERNELS_CUDA_DMMA_PERSISTENT_ROW_CUH

#include "cuda/dmma/persistent.cuh"
#include "cuda/dmma/row.cuh"

namespace dmma
{

template <class S, way left, way right>
__global__ void __launch_bounds__(S::threads, is_hopper ? S::blocks : 1)
    multiply_persistent(const __grid_constant__ lay_cuda_args args)
{
    if constexpr (!is_hopper) {
        __trap(); /* PTX for what comes before Hopper: the row says least_sm */
    } else {
        extern __shared__ __align__(128) double memory[];
        __shared__ shares own;
        multiply_all<S, left, right>(args, memory, own);
    }
}

template <class S, way left> constexpr void fill_persistent(const void *(&to)[LAY_CUDA_CLASSES])
{
    to[LAY_CUDA_ACROSS_VECTOR] = reinterpret_cast<const void *>(&multiply_persistent<S, left, ACROSS>);
    to[LAY_CUDA_ALONG_VECTOR] = reinterpret_cast<const void *>(&multiply_persistent<S, left, ALONG>);
    to[LAY_CUDA_ACROSS] = to[LAY_CUDA_ALONG] = reinterpret_cast<const void *>(&multiply_persistent<S, left, SINGLE>);
}

template <class Shape> constexpr lay_cuda_kernel persistent_row(const char *name, double rate, double start)
{
    using S = shape_persistent<Shape>;
    lay_cuda_kernel made = row_by<S>(name, rate, start);
    made.least_sm = 90;
    made.is_walked = 1;
    made.can_overlap = 0;
    fill_persistent<S, ACROSS>(made.function[LAY_CUDA_ACROSS_VECTOR]);
    fill_persistent<S, ALONG>(made.function[LAY_CUDA_ALONG_VECTOR]);
    fill_persistent<S, SINGLE>(made.function[LAY_CUDA_ACROSS]);
    fill_persistent<S, SINGLE>(made.function[LAY_CUDA_ALONG]);
    return made;
}

} // namespace dmma

#endif
