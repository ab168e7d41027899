/* From the sums of a block's lanes to C: folding, partial sums of slices, and stores along C's nearer side. */
#ifndef LAY_KERNELS_CUDA_SKINNY_RESULT_CUH
#define LAY_KERNELS_CUDA_SKINNY_RESULT_CUH

#include "cuda/element.cuh"

namespace skinny
{

/* Halves are folded until one is left: sum(l) = sum(l) + sum(l + half). */
template <typename T, int count> __device__ __forceinline__ T fold(const T (&sums)[count])
{
    if constexpr (count == 1)
        return sums[0];
    else {
        T lower[count / 2];
#pragma unroll
        for (int l = 0; l < count / 2; l++)
            lower[l] = sums[l] + sums[l + count / 2];
        return fold(lower);
    }
}

/* The block's tile of C. */
template <typename S> struct tile {
    const tile_index at;
    const int first_m, first_n;

    __device__ __forceinline__ explicit tile(const lay_cuda_args &args)
        : at(tile_of_block<1>(args)), first_m(at.m * S::bm), first_n(at.n * S::bn)
    {
    }
};

/* Calls what(x, j, turn) for the thread's share of a tile; threads side by side stand below one another, or beside. */
template <typename S, bool down, int unrolled = 2, typename What> __device__ __forceinline__ void for_share(What what)
{
    constexpr int line = down ? S::bm : S::bn, size = S::bm * S::bn, turns = (size + S::threads - 1) / S::threads;
#pragma unroll(unrolled)
    for (int turn = 0; turn < turns; turn++) {
        const int e = threadIdx.x + turn * S::threads;
        if (size % S::threads == 0 || e < size)
            what(down ? e % line : e / line, down ? e / line : e % line, turn);
    }
}

template <typename S, typename Sum>
__device__ __forceinline__ void write_partial(const lay_cuda_args &args, const tile<S> &at, Sum sum)
{
    using T = typename S::T;
    T *const partial = static_cast<T *>(args.partial) + static_cast<int64_t>(blockIdx.z) * args.m * args.n;
    for_share<S, false>([&](int x, int j, int) {
        if (at.first_m + x < args.m && at.first_n + j < args.n)
            partial[static_cast<int64_t>(at.first_m + x) * args.n + at.first_n + j] = sum(x, j);
    });
}

/* The tile's sums over all slices, in ascending order, handed to keep(x, j, sum). */
template <typename S, typename Keep>
__device__ __forceinline__ void add_slices(const lay_cuda_args &args, const tile<S> &at, Keep keep)
{
    using T = typename S::T;
    constexpr int own = (S::bm * S::bn + S::threads - 1) / S::threads;
    constexpr int ahead = own < 4 ? 16 / own : own < 16 ? 32 / own : 2; /* loads on their way */
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    const T *from[own];
    T sum[own];
    if constexpr (S::bm * S::bn % S::threads != 0)
        for (int e = 0; e < own; e++)
            from[e] = static_cast<const T *>(args.partial); /* of threads without a share */
    for_share<S, false, own>([&](int x, int j, int e) {
        const int i = min(at.first_m + x, args.m - 1),
                  j_there = min(at.first_n + j, args.n - 1); /* past an edge: thrown away */
        from[e] = static_cast<const T *>(args.partial) + static_cast<int64_t>(i) * args.n + j_there;
        sum[e] = __ldcg(from[e]); /* other multiprocessors wrote some: L1 knows nothing of that */
    });
#pragma unroll 1
    for (int slice = 1; slice < args.slices; slice += ahead) {
        T some[ahead][own];
#pragma unroll
        for (int next = 0; next < ahead; next++) /* all are under way before the first is added */
#pragma unroll
            for (int e = 0; e < own; e++)
                some[next][e] = __ldcg(from[e] + min(slice + next, args.slices - 1) * size);
#pragma unroll
        for (int next = 0; next < ahead; next++)
#pragma unroll
            for (int e = 0; e < own; e++)
                sum[e] = slice + next < args.slices ? sum[e] + some[next][e] : sum[e];
    }
    for_share<S, false, own>([&](int x, int j, int e) { keep(x, j, sum[e]); });
}

/* Whether C's rows are nearer to each other than its columns. */
__device__ __forceinline__ bool runs_down(const lay_cuda_args &args)
{
    if (args.m == 1 || args.n == 1)
        return args.n == 1;
    const int64_t down = offset_at(args.result_m, 1) - offset_at(args.result_m, 0);
    const int64_t right = offset_at(args.result_n, 1) - offset_at(args.result_n, 0);
    return llabs(down) < llabs(right);
}

template <typename S, typename Sum>
__device__ __forceinline__ void write_result(const lay_cuda_args &args, const tile<S> &at, Sum sum)
{
    using T = typename S::T;
    const T alpha = of_type<T>::read(args.alpha), beta = of_type<T>::read(args.beta);
    const auto write = [&](int x, int j, int) {
        if (at.first_m + x >= args.m || at.first_n + j >= args.n)
            return;
        T *c = static_cast<T *>(args.c) + offset_at(args.result_m, at.first_m + x) +
               offset_at(args.result_n, at.first_n + j);
        *c = blend(alpha, sum(x, j), beta, c);
    };
    if (runs_down(args))
        for_share<S, true>(write);
    else
        for_share<S, false>(write);
}

/* is_last_slice with one thread at the fences, which cover what the barriers order before and behind them. */
__device__ __forceinline__ bool is_last_block(const lay_cuda_args &args)
{
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicInc(args.counters + blockIdx.x, args.slices - 1) == args.slices - 1u;
        __threadfence();
    }
    __syncthreads();
    return is_last;
}

/* All of it. sum(x, j) is the tile's, over all lanes; slot(x, j) a place in shared memory for one sum each, which
 * may be where sum reads. Every thread of the block comes here. */
template <typename S, typename Sum, typename Slot>
__device__ __forceinline__ void finish_tile(const lay_cuda_args &args, Sum sum, Slot slot)
{
    using T = typename S::T;
    const tile<S> at(args);
    if (!args.partial) {
        write_result<S>(args, at, sum);
        return;
    }
    write_partial<S>(args, at, sum);
    if (!args.counters || !is_last_block(args))
        return;
    add_slices<S>(args, at, [&](int x, int j, T total) { slot(x, j) = total; });
    __syncthreads();
    write_result<S>(args, at, [&](int x, int j) { return slot(x, j); });
}

/* What all rows of the family have in common. */
template <typename S> constexpr lay_cuda_kernel row_of(const char *name, int max_n, double rate, double start)
{
    lay_cuda_kernel made = {};
    made.family = "skinny";
    made.name = name;
    made.type = of_type<typename S::T>::type;
    made.order = LAY_CUDA_LANES;
    made.can_slice = 1;
    made.bm = S::bm;
    made.bn = S::bn;
    made.bk = S::bk;
    made.band = 1;
    made.threads = S::threads;
    made.shared = S::shared;
    made.blocks_per_sm = S::blocks_per_sm;
    made.least_sm = 80;
    made.max_n = max_n;
    made.rate = rate;
    made.start = start;
    made.crowding = 0.5;
    return made;
}

} // namespace skinny

#endif
