/* Thin rows of floats: lanes.cuh. */
#include "cuda/thin/lanes.cuh"
#include "cuda/thin/row.cuh"

using namespace thin;

namespace
{

template <class S, bool in_vectors>
__global__ void __launch_bounds__(S::threads, S::blocks) multiply(const __grid_constant__ lay_cuda_args args)
{
    extern __shared__ __align__(16) float room[];
    let_next_begin();
    multiply_tile<S, in_vectors>(args, room);
    add_counted<S>(args);
    await_previous();
}

/* Left in vectors along k, or one by one; right as it comes. */
template <class S> constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    lay_cuda_kernel made = row_of<S>(name, rate, start);
    for (int left = 0; left < LAY_CUDA_CLASSES; left++)
        for (auto &function : made.function[left])
            function = left == LAY_CUDA_ALONG_VECTOR ? reinterpret_cast<const void *>(&multiply<S, true>)
                                                     : reinterpret_cast<const void *>(&multiply<S, false>);
    return made;
}

} // namespace

/*                bn own_rows deep warps blocks most max_k walk */
extern "C" const lay_cuda_kernel lay_cuda_thin_f32[] = {
    row<lanes_shape<8, 8, 8, 4, 5>>("gemm_f32_256x8x32_thin", 60, 2000),
    row<lanes_shape<16, 4, 16, 4, 5>>("gemm_f32_128x16x32_thin", 100, 2000),
    row<lanes_shape<32, 4, 32, 8, 2>>("gemm_f32_256x32x32_thin", 180, 2500),
    row<lanes_shape<8, 4, 32, 4, 4, 512, 0>>("gemm_f32_128x8x32_thin", 120, 2000),
    row<lanes_shape<32, 4, 32, 8, 2, 128, 256, 3>>("gemm_f32_768x32x32_thin", 180, 2500),
    {},
};
