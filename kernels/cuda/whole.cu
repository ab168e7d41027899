/* What is done to all of C without a product: adding the slices of a sum, and C = beta C. */
#include "cuda/half.cuh"

namespace
{

template <typename T> __device__ __forceinline__ T *element_of_c(const lay_cuda_args &args, int64_t at)
{
    const bool is_short = at <= UINT32_MAX; /* a short division is some times faster */
    const int64_t i = is_short ? static_cast<uint32_t>(at) / static_cast<uint32_t>(args.n) : at / args.n;
    return static_cast<T *>(args.c) + offset_at(args.result_m, i) + offset_at(args.result_n, at - i * args.n);
}

/* T: C's type. An element's slices are added one after the other, but many are on their way at a time: where C is small
 * the time is latency. A thread has so many elements, and so many slices of each at a time. */
template <typename T, int own, int batch> __device__ __forceinline__ void add_slices_of(const lay_cuda_args &args)
{
    using S = typename stored<T>::sum;
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * own * LAY_CUDA_ADD_THREADS + threadIdx.x;
    const S *const partial = static_cast<const S *>(args.partial) + first;
    S sum[own] = {}, more[own][batch];
    for (int slice = 0; slice < args.slices; slice += batch) {
#pragma unroll
        for (int ahead = 0; ahead < batch; ahead++)
#pragma unroll
            for (int e = 0; e < own; e++)
                if (slice + ahead < args.slices && first + e * LAY_CUDA_ADD_THREADS < size)
                    more[e][ahead] = partial[(slice + ahead) * size + e * LAY_CUDA_ADD_THREADS];
#pragma unroll
        for (int ahead = 0; ahead < batch; ahead++)
#pragma unroll
            for (int e = 0; e < own; e++)
                if (slice + ahead < args.slices)
                    sum[e] = slice + ahead ? sum[e] + more[e][ahead] : more[e][ahead]; /* -0 stays what it is */
    }
    const S alpha = of_type<S>::read(args.alpha), beta = of_type<S>::read(args.beta);
#pragma unroll
    for (int e = 0; e < own; e++)
        if (first + e * LAY_CUDA_ADD_THREADS < size)
            write_blended(element_of_c<T>(args, first + e * LAY_CUDA_ADD_THREADS), alpha, sum[e], beta);
}

/* Whether the launch has a thread for each element. */
__device__ __forceinline__ bool is_one_each(const lay_cuda_args &args)
{
    return static_cast<int64_t>(gridDim.x) * LAY_CUDA_ADD_THREADS >= static_cast<int64_t>(args.m) * args.n;
}

template <typename T>
__global__ void __launch_bounds__(LAY_CUDA_ADD_THREADS) add_slices(const __grid_constant__ lay_cuda_args args)
{
    if (is_one_each(args))
        add_slices_of<T, 1, 16>(args);
    else
        add_slices_of<T, 4, 8>(args);
}

template <typename T>
__global__ void __launch_bounds__(LAY_CUDA_ADD_THREADS) scale(const __grid_constant__ lay_cuda_args args)
{
    using S = typename stored<T>::sum;
    const S beta = of_type<S>::read(args.beta);
    const int64_t own = is_one_each(args) ? 1 : 4, first = blockIdx.x * own * LAY_CUDA_ADD_THREADS + threadIdx.x;
    for (int e = 0; e < own; e++)
        if (first + e * LAY_CUDA_ADD_THREADS < static_cast<int64_t>(args.m) * args.n) {
            T *c = element_of_c<T>(args, first + e * LAY_CUDA_ADD_THREADS);
            *c = stored<T>::narrow(beta == S(0) ? S(0) : beta * stored<T>::widen(*c));
        }
}

} // namespace

extern "C" const void *const lay_cuda_add_slices[] = { reinterpret_cast<const void *>(&add_slices<float>),
                                                       reinterpret_cast<const void *>(&add_slices<double>),
                                                       reinterpret_cast<const void *>(&add_slices<__half>),
                                                       reinterpret_cast<const void *>(&add_slices<__nv_bfloat16>) };
extern "C" const void *const lay_cuda_scale[] = { reinterpret_cast<const void *>(&scale<float>),
                                                  reinterpret_cast<const void *>(&scale<double>),
                                                  reinterpret_cast<const void *>(&scale<__half>),
                                                  reinterpret_cast<const void *>(&scale<__nv_bfloat16>) };
