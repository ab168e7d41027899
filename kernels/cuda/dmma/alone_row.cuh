/* A row of few threads from its shape, and its kernel. */
#ifndef LAY_KERNELS_CUDA_DMMA_ALONE_ROW_CUH
#define LAY_KERNELS_CUDA_DMMA_ALONE_ROW_CUH

#include "cuda/dmma/alone_walk.cuh"
#include "cuda/dmma/row.cuh"

namespace dmma
{

template <class S, way left, way right>
__global__ void __launch_bounds__(S::threads, is_hopper ? S::blocks : 1)
    multiply_alone(const __grid_constant__ lay_cuda_args args)
{
    extern __shared__ __align__(128) double memory[];
    let_next_begin();
    multiply_block<S, left, right>(args, memory);
    await_previous();
}

template <class S, way left> constexpr void fill_alone(const void *(&to)[LAY_CUDA_CLASSES])
{
    to[LAY_CUDA_ACROSS_VECTOR] = reinterpret_cast<const void *>(&multiply_alone<S, left, ACROSS>);
    to[LAY_CUDA_ALONG_VECTOR] = reinterpret_cast<const void *>(&multiply_alone<S, left, ALONG>);
    to[LAY_CUDA_ACROSS] = to[LAY_CUDA_ALONG] = reinterpret_cast<const void *>(&multiply_alone<S, left, SINGLE>);
}

template <class S> constexpr lay_cuda_kernel row_alone(const char *name, double rate, double start)
{
    lay_cuda_kernel made = row_by<all_of_walk<S>>(name, rate, start);
    made.follows = 1;
    fill_alone<S, ACROSS>(made.function[LAY_CUDA_ACROSS_VECTOR]);
    fill_alone<S, ALONG>(made.function[LAY_CUDA_ALONG_VECTOR]);
    fill_alone<S, SINGLE>(made.function[LAY_CUDA_ACROSS]);
    fill_alone<S, SINGLE>(made.function[LAY_CUDA_ALONG]);
    return made;
}

} // namespace dmma

#endif
