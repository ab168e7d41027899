/* What is done to all of C without a product: adding the slices of a sum, and C = beta C. */
#include "cuda/element.cuh"

namespace {

template <typename T, typename Sum> __device__ __forceinline__ void for_elements(const lay_cuda_args &args, Sum sum)
{
    const int64_t count = static_cast<int64_t>(args.m) * args.n;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * LAY_CUDA_ADD_ELEMENTS + threadIdx.x;
#pragma unroll
    for (int turn = 0; turn < LAY_CUDA_ADD_ELEMENTS / LAY_CUDA_ADD_THREADS; turn++) {
        const int64_t at = first + turn * LAY_CUDA_ADD_THREADS;
        if (at >= count)
            return;
        T *c = static_cast<T *>(args.c) + offset_at(args.result_m, at / args.n) + offset_at(args.result_n, at % args.n);
        sum(at, c);
    }
}

template <typename T> __global__ void __launch_bounds__(LAY_CUDA_ADD_THREADS) add_slices(const __grid_constant__ lay_cuda_args args)
{
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    for_elements<T>(args, [&](int64_t at, T *c) {
        const T *partial = static_cast<const T *>(args.partial) + at;
        T sum = *partial;
        for (int slice = 1; slice < args.slices; slice++)
            sum += partial[slice * size];
        *c = blend(of_type<T>::read(args.alpha), sum, of_type<T>::read(args.beta), c);
    });
}

template <typename T> __global__ void __launch_bounds__(LAY_CUDA_ADD_THREADS) scale(const __grid_constant__ lay_cuda_args args)
{
    const T beta = of_type<T>::read(args.beta);
    for_elements<T>(args, [&](int64_t, T *c) { *c = beta == T(0) ? T(0) : beta * *c; });
}

} // namespace

extern "C" const void *const lay_cuda_add_slices[] = { reinterpret_cast<const void *>(&add_slices<float>),
                                                       reinterpret_cast<const void *>(&add_slices<double>) };
extern "C" const void *const lay_cuda_scale[] = { reinterpret_cast<const void *>(&scale<float>),
                                                  reinterpret_cast<const void *>(&scale<double>) };
