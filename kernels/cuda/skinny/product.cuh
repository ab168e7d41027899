/* The skinny product: C tall and narrow, or small, and bound by memory. Operands lie in shared memory as they lie
 * outside (feed.cuh), and the lanes of a block share the steps, so that a small tile still has many threads.
 *
 * The order of the sum (LAY_CUDA_LANES) of one slice, in groups of some steps (4 of f32, 8 of f64):
 *
 *     group    0  1  ... lanes-1  lanes  ...     group g belongs to lane g mod lanes
 *     lane     0  1  ... lanes-1    0    ...
 *
 *     sum(lane) = fma(left(i,p), right(p,j), sum(lane))     p ascending over the lane's groups, from +0 on
 *     then halves are folded until one is left:             sum(l) = sum(l) + sum(l + half)
 *
 * Steps between the end of a slice and the next multiple of bk are products of zeros. */
#ifndef LAY_KERNELS_CUDA_SKINNY_PRODUCT_CUH
#define LAY_KERNELS_CUDA_SKINNY_PRODUCT_CUH

#include "cuda/skinny/feed.cuh"
#include "cuda/skinny/result.cuh"

namespace skinny
{

/* A block's tile, its lanes, and how often they come round in a stage of bk steps. Sums says how threads share
 * the tile: simt.cuh, matrix.cuh. */
template <typename Sums, int lane_count, int turn_count, int stage_count, int resident> struct shape {
    using T = typename Sums::T;
    using sums = Sums;
    static constexpr int v = of_type<T>::vector;
    static constexpr int bm = Sums::bm, bn = Sums::bn;
    static constexpr int lanes = lane_count, turns = turn_count, stages = stage_count;
    static constexpr int bk = Sums::group * lanes * turns;
    static constexpr int lane_threads = Sums::threads, threads = lane_threads * lanes;
    static constexpr int blocks_per_sm = resident;          /* registers are dealt so that so many fit */
    static constexpr int slots = lanes > 1 ? lanes / 2 : 1; /* tiles of sums that meet in shared memory */
    static constexpr int shared_stages = stages * (bm + bn) * bk, shared_sums = slots * bm * bn;
    static constexpr int shared =
        static_cast<int>(sizeof(T)) * (shared_stages > shared_sums ? shared_stages : shared_sums);
};

/* Sum (x, j) in a slot: chunks exchanged so that a column's threads meet no bank twice. */
template <typename S> __device__ __forceinline__ int spot(int x, int j)
{
    return x * S::bn + (j / S::v ^ x / S::v % (S::bn / S::v)) * S::v + j % S::v;
}

/* The upper half of the lanes writes its sums to the slots, the lower half adds its own in front. */
template <typename S> __device__ __forceinline__ void fold_lanes(typename S::sums &sums, typename S::T *slots, int lane)
{
    using T = typename S::T;
    T *const slot = slots + lane % S::slots * (S::bm * S::bn);
    if (lane >= S::slots || S::lanes == 1)
        sums.for_chunks(
            [&](int x, int j, const chunk<T> &sum) { *reinterpret_cast<chunk<T> *>(slot + spot<S>(x, j)) = sum; });
    __syncthreads();
    if (S::lanes == 1)
        return;
    if (lane < S::slots)
        sums.for_chunks([&](int x, int j, const chunk<T> &sum) {
            auto *const there = reinterpret_cast<chunk<T> *>(slot + spot<S>(x, j));
            chunk<T> both = *there;
#pragma unroll
            for (int e = 0; e < S::v; e++)
                both.element[e] = sum.element[e] + both.element[e];
            *there = both;
        });
    __syncthreads();
}

template <typename S, bool left_along, bool right_along>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm) multiply(const __grid_constant__ lay_cuda_args args)
{
    using T = typename S::T;
    using left_image = typename S::sums::template image<S::bm, S::bk, left_along, true>;
    using right_image = typename S::sums::template image<S::bn, S::bk, right_along, false>;
    using left_feed = feed<left_image, S::threads>;
    using right_feed = feed<right_image, S::threads>;
    extern __shared__ unsigned char shared[] __attribute__((aligned(16)));
    T *const images = reinterpret_cast<T *>(shared), *const slots = images;

    const tile<S> whole(args);
    const int lane = threadIdx.x / S::lane_threads;
    const steps own = steps_of(args, blockIdx.z);
    const int stages = (own.last - own.first + S::bk - 1) / S::bk;
    const left_feed left(args.left, args.left_m, args.left_k, whole.first_m, args.m);
    const right_feed right(args.right, args.right_n, args.right_k, whole.first_n, args.n);
    typename S::sums sums(threadIdx.x % S::lane_threads);
#pragma unroll 1
    for (int stage = 1 - S::stages; stage < stages; stage++) {
        if (stage >= 0) {
            wait_for_stages<S::stages - 2>();
            __syncthreads(); /* this stage is there for all, and none reads the one before it any more */
        }
        const int ahead = stage + S::stages - 1;
        if (ahead < stages) {
            T *to = images + ahead % S::stages * (left_feed::size + right_feed::size);
            left.fetch(to, own.first + ahead * S::bk, own.last);
            right.fetch(to + left_feed::size, own.first + ahead * S::bk, own.last);
        }
        end_of_stage();
        if (stage >= 0) {
            const T *from = images + stage % S::stages * (left_feed::size + right_feed::size);
#pragma unroll
            for (int turn = 0; turn < S::turns; turn++)
                sums.template add<left_image, right_image>(from, from + left_feed::size,
                                                           (turn * S::lanes + lane) * S::sums::group);
        }
    }
    wait_for_stages<0>();
    __syncthreads();

    fold_lanes<S>(sums, slots, lane);
    finish_tile<S>(
        args,
        [&](int x, int j) {
            T some[S::slots];
#pragma unroll
            for (int slot = 0; slot < S::slots; slot++)
                some[slot] = slots[slot * (S::bm * S::bn) + spot<S>(x, j)];
            return fold(some);
        },
        [&](int x, int j) -> T & { return slots[spot<S>(x, j)]; });
}

template <typename S> constexpr lay_cuda_kernel row(const char *name, int max_n, double rate, double start)
{
    lay_cuda_kernel made = row_of<S>(name, max_n, rate, start);
    const void *const functions[2][2] = { { reinterpret_cast<const void *>(&multiply<S, false, false>),
                                            reinterpret_cast<const void *>(&multiply<S, false, true>) },
                                          { reinterpret_cast<const void *>(&multiply<S, true, false>),
                                            reinterpret_cast<const void *>(&multiply<S, true, true>) } };
    for (int left = 0; left < LAY_CUDA_CLASSES; left++)
        for (int right = 0; right < LAY_CUDA_CLASSES; right++)
            made.function[left][right] = functions[goes_along(left)][goes_along(right)];
    return made;
}

} // namespace skinny

#endif
