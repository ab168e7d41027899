/* A row of the table of complex products from its shape. */
#ifndef LAY_KERNELS_CUDA_DMMA_NUMBERS_ROW_CUH
#define LAY_KERNELS_CUDA_DMMA_NUMBERS_ROW_CUH

#include "cuda/dmma/expanded.cuh"
#include "cuda/dmma/row.cuh"

namespace dmma
{

template <class S, way left> constexpr void fill_numbers(const void *(&to)[LAY_CUDA_CLASSES])
{
    to[LAY_CUDA_ACROSS_VECTOR] = to[LAY_CUDA_ACROSS] = reinterpret_cast<const void *>(&multiply<S, left, EXPANDED>);
    to[LAY_CUDA_ALONG_VECTOR] = to[LAY_CUDA_ALONG] = reinterpret_cast<const void *>(&multiply<S, left, EXPANDED_ALONG>);
}

template <class S> constexpr lay_cuda_kernel row_of_numbers(const char *name, double rate, double start)
{
    lay_cuda_kernel made = row_by<S>(name, rate, start);
    made.contract = LAY_CUDA_COMPLEX;
    made.can_resume = 0;
    fill_numbers<S, NUMBERS_ACROSS>(made.function[LAY_CUDA_ACROSS_VECTOR]);
    fill_numbers<S, NUMBERS_ACROSS>(made.function[LAY_CUDA_ACROSS]);
    fill_numbers<S, NUMBERS>(made.function[LAY_CUDA_ALONG_VECTOR]);
    fill_numbers<S, NUMBERS>(made.function[LAY_CUDA_ALONG]);
    return made;
}

} // namespace dmma

#endif
