/* A row of the table of complex products from its shape. */
#ifndef LAY_KERNELS_CUDA_SIMT_NUMBERS_ROW_CUH
#define LAY_KERNELS_CUDA_SIMT_NUMBERS_ROW_CUH

#include "cuda/simt/numbers_multiply.cuh"

namespace simt_numbers
{

template <typename S, way left_way, way right_way>
__global__ void __launch_bounds__(S::threads *S::groups, S::blocks)
    multiply_numbers(const __grid_constant__ lay_cuda_args args)
{
    extern __shared__ float4 room[];
    multiply_tile<S, left_way, right_way>(args, reinterpret_cast<float *>(room));
}

template <typename S, way left_way> constexpr void fill(const void *(&to)[LAY_CUDA_CLASSES])
{
    to[LAY_CUDA_ACROSS_VECTOR] = to[LAY_CUDA_ACROSS] =
        reinterpret_cast<const void *>(&multiply_numbers<S, left_way, ACROSS>);
    to[LAY_CUDA_ALONG_VECTOR] = to[LAY_CUDA_ALONG] =
        reinterpret_cast<const void *>(&multiply_numbers<S, left_way, ALONG>);
}

template <typename S> constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    lay_cuda_kernel made = row_of_complex<S>(name, rate, start);
    made.bk = 16; /* where slices may end: a turn need not be whole */
    made.band = band;
    made.threads = S::threads * S::groups;
    made.groups = 128; /* as many as there may be, at_once of them side by side */
    made.at_once = S::groups;
    made.blocks_per_sm = S::blocks;
    made.least_sm = 80;
    made.crowding = S::groups > 1 ? 1 : 0.8;
    made.lone = S::groups > 1 ? 1.5 : 1.2;
    fill<S, LINES>(made.function[LAY_CUDA_ACROSS_VECTOR]);
    fill<S, ACROSS>(made.function[LAY_CUDA_ACROSS]);
    fill<S, ALONG>(made.function[LAY_CUDA_ALONG_VECTOR]);
    fill<S, ALONG>(made.function[LAY_CUDA_ALONG]);
    return made;
}

} // namespace simt_numbers

#endif
