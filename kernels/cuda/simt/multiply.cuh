/* The kernel: which tile, its sums by the main loop, and their way to C or to the partial sums. */
#ifndef LAY_KERNELS_CUDA_SIMT_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_SIMT_MULTIPLY_CUH

#include <type_traits>

#include "cuda/simt/lines.cuh"
#include "cuda/simt/pipeline.cuh"
#include "cuda/simt/result.cuh"

#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool is_before_hopper = true;
#else
constexpr bool is_before_hopper = false;
#endif

/* The sums over the group's steps, fetched so. */
template <typename shape, typename Left, typename Right>
__device__ __forceinline__ void sum_up_by(float (&sums)[shape::tm][shape::tn], float *shared, int group,
                                          const operand &left_operand, const operand &right_operand)
{
    using Ring = std::conditional_t<Left::uses_ring, offset_ring<shape::bk, shape::stages, shape::threads>, no_ring>;
    const int thread = threadIdx.x % shape::threads, count = left_operand.own.last - left_operand.own.first;
    Left left(left_operand, thread);
    Right right(right_operand, thread);
    const bool is_plain = Left::is_plain(left_operand) && Right::is_plain(right_operand);
    Ring ring(left_operand, right_operand, shared_address(shared) + shape::stages_bytes, thread);
    pipeline<shape, Left, Right, Ring> line = { sums, left, right, ring, shared, group, is_plain };
    const typename shape::place place = shape::of_thread(thread);
    if constexpr (Left::holds && Right::holds && !shape::split)
        line.template run<ASKED>(count, place.m, place.n);
    else if (is_plain)
        line.template run<PLAIN>(count, place.m, place.n);
    else
        line.template run<GENERAL>(count, place.m, place.n);
}

/* In small tiles by lines, where both operands lie so. */
template <typename shape, lay_cuda_class left_class, lay_cuda_class right_class>
__device__ __forceinline__ void sum_up(const lay_cuda_args &args, float (&sums)[shape::tm][shape::tn], float *shared,
                                       int m, int n, int group, steps own)
{
    const uint32_t room = shared_address(shared) + shape::stages_bytes + shape::ring_bytes;
    const int never = INT32_MAX; /* k is less by some stages */
    const operand left = { static_cast<const float *>(args.left), args.left_m, args.left_k, m, args.m, own,
                           goes_along(args.left_class),           never,       room };
    const operand right = { static_cast<const float *>(args.right), args.right_n, args.right_k,        n, args.n, own,
                            goes_along(args.right_class),           never,        room + shape::bm * 8 };
    constexpr bool has_place = shape::groups == 1;
    using LeftLines = typename choose_lines<left_class, shape::bm, shape::bk, shape::left_pitch, shape::threads,
                                            has_place, shape::is_told>::type;
    using RightLines = typename choose_lines<right_class, shape::bn, shape::bk, shape::right_pitch, shape::threads,
                                             has_place, shape::is_told>::type;
    if constexpr (shape::is_small && LeftLines::fits && RightLines::fits) {
        operand left_lines = left, right_lines = right;
        if (go_by_lines<shape, LeftLines, RightLines>(args, left_lines, right_lines)) {
            sum_up_by<shape, LeftLines, RightLines>(sums, shared, group, left_lines, right_lines);
            return;
        }
    }
    if constexpr (shape::is_wide) {
        sum_up_by<shape, fetch_looked_up<shape::bm, shape::bk, shape::left_pitch, shape::threads>,
                  fetch_looked_up<shape::bn, shape::bk, shape::right_pitch, shape::threads>>(sums, shared, group, left,
                                                                                             right);
    } else {
        using Left = typename choose_fetch<left_class, shape::bm, shape::bk, shape::left_pitch, shape::threads>::type;
        using Right =
            typename choose_fetch<right_class, shape::bn, shape::bk, shape::right_pitch, shape::threads>::type;
        sum_up_by<shape, Left, Right>(sums, shared, group, left, right);
    }
}

/* Groups with fewer steps than others meet as often as those: racecheck holds what warps do behind different numbers of
 * barriers for unordered. */
template <typename shape> __device__ __forceinline__ void meet_rest(int group, int count, int most)
{
    if (shape::groups > 1 && shape::threads > 32)
#pragma unroll 1
        for (int turn = count / shape::bk; turn < most / shape::bk; turn++)
            meet_group<shape::groups, shape::threads>(group);
}

template <typename shape, lay_cuda_class left_class, lay_cuda_class right_class>
__device__ __forceinline__ void multiply_tile(const lay_cuda_args &args)
{
    extern __shared__ float4 room[];
    let_next_begin();
    float *shared = reinterpret_cast<float *>(room);
    const tile_index index = tile_of_block<band>(args);
    const int m = index.m * shape::bm, n = index.n * shape::bn;
    float sums[shape::tm][shape::tn] = {};

    /* Several groups work only where the block is to take all slices; else the first is the block. */
    const bool is_together = shape::groups > 1 && args.slices > 1 && !args.partial;
    const int group =
        shape::groups > 1 ? __shfl_sync(~0u, threadIdx.x / shape::threads, 0) : 0; /* a warp's: it is told */
    const int slice = is_together ? group : blockIdx.z;
    if (shape::groups > 1 && !is_together && group > 0)
        return;
    if (args.resume)
        resume_sums<shape>(args, sums, shared, m, n);
    constexpr bool is_warp = shape::threads == 32;
    const steps own = is_warp || slice < args.slices ? steps_of(args, slice) : steps{ 0, 0 };
    if (!is_warp || slice < args.slices) /* a group that meets does so without steps, too */
        sum_up<shape, left_class, right_class>(args, sums, shared + group * (shape::group_bytes / 4), m, n, group, own);
    if (is_together) {
        meet_rest<shape>(group, own.last - own.first, args.slice_k);
        __syncthreads();
        passage<shape>::put(sums, shared + group * shape::sums, 0);
        __syncthreads();
        write_part<shape, shape::threads * shape::groups>(args, straight_at_c<shape>(args, m, n), shared, 0,
                                                          args.slices, m, n);
        return await_previous();
    }
    const aim to = aim_of<shape>(args, m, n);
    if (is_whole<shape>(args, m, n) && to.is_vector && !to.m.table && !to.n.table)
        write_whole<shape>(to, sums, m, n);
    else
        write_parts<shape>(args, to, sums, shared, m, n);
    if (args.counters && is_last_slice(args))
        add_slices<shape>(args, m, n);
    await_previous();
}

template <typename shape, lay_cuda_class left_class, lay_cuda_class right_class>
__global__ void __launch_bounds__(shape::threads *shape::groups, shape::blocks)
    multiply(const __grid_constant__ lay_cuda_args args)
{
    if constexpr (is_before_hopper && shape::least_sm >= 90)
        __trap(); /* the row says least_sm */
    else
        multiply_tile<shape, left_class, right_class>(args);
}

#endif
