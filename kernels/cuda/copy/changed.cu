/* Copies between layouts that change elements on the way: in lines, all else in tiles (kernels/cuda_copy.h). */
#include "cuda/copy/change.cuh"

namespace
{

template <class Number, int v>
__global__ void __launch_bounds__(LAY_CUDA_COPY_THREADS) lines(const __grid_constant__ lay_cuda_copy_args args)
{
    __shared__ offsets at[LAY_CUDA_COPY_LINES];
    locate_lines<Number>(args, at);
    __syncthreads();
    change_lines<Number, v>(args, at);
}

template <class Number>
__global__ void __launch_bounds__(LAY_CUDA_COPY_THREADS) tiles(const __grid_constant__ lay_cuda_copy_args args)
{
    extern __shared__ uint4 room[];
    locate_tile<Number>(args, room);
    __syncthreads();
    fill_tile<Number>(args, room);
    __syncthreads();
    empty_tile<Number>(args, room);
}

template <class Number, int v> constexpr const void *by_lines()
{
    return reinterpret_cast<const void *>(&lines<Number, v>);
}

template <class Number> constexpr const void *by_tiles()
{
    return reinterpret_cast<const void *>(&tiles<Number>);
}

} // namespace

extern "C" const void *const lay_cuda_changed_lines[] = { by_lines<real_number<float>, 1>(),
                                                          by_lines<real_number<double>, 1>(),
                                                          by_lines<complex_number<float>, 1>(),
                                                          by_lines<complex_number<double>, 1>() };
extern "C" const void *const lay_cuda_changed_lines_by_vectors[] = { by_lines<real_number<float>, 4>(),
                                                                     by_lines<real_number<double>, 2>(),
                                                                     by_lines<complex_number<float>, 2>(), nullptr };
extern "C" const void *const lay_cuda_changed_tiles[] = { by_tiles<real_number<float>>(),
                                                          by_tiles<real_number<double>>(),
                                                          by_tiles<complex_number<float>>(),
                                                          by_tiles<complex_number<double>>() };
