/* What is done to all of C without a product: adding the slices of a sum, and C = beta C. */
#include "cuda/element.cuh"

namespace {

template <typename Task> __device__ __forceinline__ void for_elements(const lay_cuda_args &args, Task task)
{
    const int64_t count = static_cast<int64_t>(args.m) * args.n;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * LAY_CUDA_ADD_ELEMENTS + threadIdx.x;
#pragma unroll
    for (int turn = 0; turn < LAY_CUDA_ADD_ELEMENTS / LAY_CUDA_ADD_THREADS; turn++) {
        const int64_t at = first + turn * LAY_CUDA_ADD_THREADS;
        if (at >= count)
            return;
        task(at / args.n, at % args.n);
    }
}

template <typename T> __global__ void __launch_bounds__(LAY_CUDA_ADD_THREADS) add_slices(const __grid_constant__ lay_cuda_args args)
{
    for_elements(args, [&](int64_t i, int64_t j) { add_slices_at<T>(args, i, j); });
}

template <typename T> __global__ void __launch_bounds__(LAY_CUDA_ADD_THREADS) scale(const __grid_constant__ lay_cuda_args args)
{
    const T beta = of_type<T>::read(args.beta);
    for_elements(args, [&](int64_t i, int64_t j) {
        T *c = static_cast<T *>(args.c) + offset_at(args.result_m, i) + offset_at(args.result_n, j);
        *c = beta == T(0) ? T(0) : beta * *c;
    });
}

} // namespace

extern "C" const void *const lay_cuda_add_slices[] = { reinterpret_cast<const void *>(&add_slices<float>),
                                                       reinterpret_cast<const void *>(&add_slices<double>) };
extern "C" const void *const lay_cuda_scale[] = { reinterpret_cast<const void *>(&scale<float>),
                                                  reinterpret_cast<const void *>(&scale<double>) };
