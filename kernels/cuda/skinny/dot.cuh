/* The skinny product of a block for each element of C: all its threads are lanes. Order of the sum, lanes and groups
 * of v steps as in product.cuh. */
#ifndef LAY_KERNELS_CUDA_SKINNY_DOT_CUH
#define LAY_KERNELS_CUDA_SKINNY_DOT_CUH

#include "cuda/skinny/direct.cuh"

namespace skinny
{

template <typename Element, int lane_count, int chunks_ahead, int resident> struct dot_shape {
    using T = Element;
    static constexpr int v = of_type<T>::vector;
    static constexpr int bm = 1, bn = 1, tm = 1, lanes = lane_count, ahead = chunks_ahead;
    static constexpr int turn = v * lanes; /* steps */
    static constexpr int bk = 32;          /* where slices may begin; at any chunk, in truth */
    static constexpr int threads_m = 1, threads = lanes;
    static constexpr int shared = static_cast<int>(sizeof(T)) * lanes;
    static constexpr int blocks_per_sm = resident;
    static_assert(lanes % 64 == 0, "a warp folds what the others leave");
};

/* The tree of product.cuh: halves of whole warps first, then within one. For thread 0. */
template <typename S, typename T> __device__ __forceinline__ T fold_threads(T sum, T *shared)
{
    shared[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x >= 32)
        return sum;
    T some[S::lanes / 32];
#pragma unroll
    for (int warp = 0; warp < S::lanes / 32; warp++)
        some[warp] = shared[warp * 32 + threadIdx.x];
    sum = fold(some);
#pragma unroll
    for (int half = 16; half > 0; half /= 2)
        sum = sum + __shfl_down_sync(~0u, sum, half);
    return sum;
}

/* What finish_tile does, by the one thread that has the sum. */
template <typename T> __device__ __forceinline__ void finish_one(const lay_cuda_args &args, int i, int j, T sum)
{
    finish(args, blockIdx.z, i, j, sum);
    if (!args.partial || !args.counters)
        return;
    __threadfence();
    if (atomicInc(args.counters + blockIdx.x, args.slices - 1) != args.slices - 1u)
        return;
    __threadfence();
    constexpr int ahead = 128 / static_cast<int>(sizeof(T)); /* loads on their way */
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    const T *from = static_cast<const T *>(args.partial) + static_cast<int64_t>(i) * args.n + j;
    T total = T(0);
#pragma unroll 1
    for (int slice = 0; slice < args.slices; slice += ahead) {
        T some[ahead];
#pragma unroll
        for (int next = 0; next < ahead; next++) {
            some[next] = slice + next < args.slices ? __ldcg(from) : T(0);
            from += size;
        }
#pragma unroll
        for (int next = 0; next < ahead; next++)
            if (slice + next < args.slices)
                total = slice + next ? total + some[next] : some[next];
    }
    T *c = static_cast<T *>(args.c) + offset_at(args.result_m, i) + offset_at(args.result_n, j);
    *c = blend(of_type<T>::read(args.alpha), total, of_type<T>::read(args.beta), c);
}

template <typename S, bool is_vector>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm) multiply_dot(const __grid_constant__ lay_cuda_args args)
{
    using T = typename S::T;
    constexpr int v = S::v;
    extern __shared__ unsigned char shared[] __attribute__((aligned(16)));
    T *const sums = reinterpret_cast<T *>(shared); /* [lanes] */

    const tile<S> at(args);
    const int lane = threadIdx.x;
    const steps own = steps_of(args, blockIdx.z);
    const rows<S, true> left(args, 0, at.first_m, is_vector);
    const columns<S> right(args, at.first_n);
    const int whole = own.last - (own.last - own.first) % v; /* the end of the whole chunks */
    T sum[1][1] = {};
#pragma unroll 1
    for (int p = own.first + lane * v; p < whole; p += S::ahead * S::turn) {
        T a[S::ahead][1][v], b[S::ahead][1][v];
#pragma unroll
        for (int next = 0; next < S::ahead; next++) {
            const int q = p + next * S::turn, there = q < whole ? q : p; /* all on their way before one is added */
            if constexpr (is_vector)
                left.read_wide(a[next], there);
            else
                left.template read_elements<true>(a[next], there, own.last);
            right.read(b[next], there, own.last);
        }
#pragma unroll
        for (int next = 0; next < S::ahead; next++)
            if (p + next * S::turn < whole)
                add_chunk<S>(sum, a[next], b[next]);
    }
    if (whole < own.last && (whole - own.first) / v % S::lanes == lane) {
        T a[1][v], b[1][v];
        left.read_elements(a, whole, own.last);
        right.read(b, whole, own.last);
        add_chunk<S>(sum, a, b);
    }
    const T total = fold_threads<S>(sum[0][0], sums);
    if (lane == 0)
        finish_one(args, at.first_m, at.first_n, total);
}

template <typename S> constexpr lay_cuda_kernel dot_row(const char *name, int max_n, double rate, double start)
{
    const void *const elements = reinterpret_cast<const void *>(&multiply_dot<S, false>);
    return with_functions<S>(row_of<S>(name, max_n, rate, start), elements,
                             reinterpret_cast<const void *>(&multiply_dot<S, true>), elements, elements);
}

} // namespace skinny

#endif
