/* Complex products of doubles on the matrix units by few threads, which do everything: several blocks share a
 * multiprocessor, as alone.cuh says, the right operand expanded in registers. */
#include "cuda/dmma/alone_row.cuh"
#include "cuda/dmma/numbers_row.cuh"

using namespace dmma;

namespace
{

template <class S, way left> constexpr void fill_numbers_alone(const void *(&to)[LAY_CUDA_CLASSES])
{
    to[LAY_CUDA_ACROSS_VECTOR] = to[LAY_CUDA_ACROSS] =
        reinterpret_cast<const void *>(&multiply_alone<S, left, EXPANDED>);
    to[LAY_CUDA_ALONG_VECTOR] = to[LAY_CUDA_ALONG] =
        reinterpret_cast<const void *>(&multiply_alone<S, left, EXPANDED_ALONG>);
}

template <class S> constexpr lay_cuda_kernel row_numbers_alone(const char *name, double rate, double start)
{
    lay_cuda_kernel made = row_by<S>(name, rate, start);
    made.contract = LAY_CUDA_COMPLEX;
    made.can_resume = 0;
    made.follows = 1;
    if (S::adds_slices) {
        made.groups = 128; /* as many as there may be, one after the other */
        made.at_once = 1;
        made.lone = 1;
    }
    fill_numbers_alone<S, NUMBERS_ACROSS>(made.function[LAY_CUDA_ACROSS_VECTOR]);
    fill_numbers_alone<S, NUMBERS_ACROSS>(made.function[LAY_CUDA_ACROSS]);
    fill_numbers_alone<S, NUMBERS>(made.function[LAY_CUDA_ALONG_VECTOR]);
    fill_numbers_alone<S, NUMBERS>(made.function[LAY_CUDA_ALONG]);
    return made;
}

} // namespace

/*                       bm   bn  wm  wn stages blocks */
extern "C" const lay_cuda_kernel lay_cuda_dmma_numbers_alone[] = {
    row_numbers_alone<of_numbers<shape_alone<128, 64, 64, 32, 5, 2>>>("gemm_c64_128x64x16w4_dmma", 230, 4000),
    row_numbers_alone<of_numbers<shape_alone<64, 64, 32, 32, 5, 2, 1, 1, true>>>("gemm_c64_64x64x16w4_dmma", 215, 2500),
    row_numbers_alone<of_numbers<shape_alone<64, 32, 32, 16, 5, 2, 1, 1, true>>>("gemm_c64_64x32x16w4_dmma", 190, 1800),
    row_numbers_alone<of_numbers<shape_alone<32, 64, 16, 32, 5, 2, 1, 1, true>>>("gemm_c64_32x64x16w4_dmma", 190, 1800),
    {},
};
