/* Rows of the matrix units whose few threads do everything, for few steps of k: alone.cuh. */
#include "cuda/dmma/alone.cuh"
#include "cuda/dmma/row.cuh"

using namespace dmma;

namespace
{

template <class S, way left> constexpr void fill_alone(const void *(&to)[LAY_CUDA_CLASSES])
{
    to[LAY_CUDA_ACROSS_VECTOR] = reinterpret_cast<const void *>(&multiply_alone<S, left, ACROSS>);
    to[LAY_CUDA_ALONG_VECTOR] = reinterpret_cast<const void *>(&multiply_alone<S, left, ALONG>);
    to[LAY_CUDA_ACROSS] = to[LAY_CUDA_ALONG] = reinterpret_cast<const void *>(&multiply_alone<S, left, SINGLE>);
}

template <class S> constexpr lay_cuda_kernel row_alone(const char *name, double rate, double start)
{
    lay_cuda_kernel made = row_by<S>(name, rate, start);
    made.follows = 1;
    fill_alone<S, ACROSS>(made.function[LAY_CUDA_ACROSS_VECTOR]);
    fill_alone<S, ALONG>(made.function[LAY_CUDA_ALONG_VECTOR]);
    fill_alone<S, SINGLE>(made.function[LAY_CUDA_ACROSS]);
    fill_alone<S, SINGLE>(made.function[LAY_CUDA_ALONG]);
    return made;
}

} // namespace

/* Registers: sums, fragments of one step and where the coming turn lies.
 *
 *                  bm   bn  wm  wn stages blocks */
extern "C" const lay_cuda_kernel lay_cuda_dmma_alone_64x64[] = {
    row_alone<shape_alone<128, 64, 64, 32, 3, 2>>("gemm_f64_128x64x16w4_dmma", 230, 4000),
    row_alone<shape_alone<64, 64, 32, 32, 3, 3>>("gemm_f64_64x64x16w4_dmma", 215, 2500),
    row_alone<shape_alone<64, 32, 32, 16, 3, 4>>("gemm_f64_64x32x16w4_dmma", 190, 1800),
    {},
};
