/* A row of the table of complex products from its shape. */
#ifndef LAY_KERNELS_CUDA_DMMA_NUMBERS_ROW_CUH
#define LAY_KERNELS_CUDA_DMMA_NUMBERS_ROW_CUH

#include "cuda/dmma/expanded.cuh"
#include "cuda/dmma/row.cuh"

namespace dmma
{

template <class S> constexpr lay_cuda_kernel row_of_numbers(const char *name, double rate, double start)
{
    lay_cuda_kernel made = row_by<S>(name, rate, start);
    made.contract = LAY_CUDA_COMPLEX;
    made.can_resume = 0;
    for (auto &left : made.function)
        for (auto &function : left)
            function = reinterpret_cast<const void *>(&multiply<S, NUMBERS, EXPANDED>);
    return made;
}

} // namespace dmma

#endif
