/* A block of complex products: which tile, its sums by the pipeline, and their way out. */
#ifndef LAY_KERNELS_CUDA_SIMT_NUMBERS_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_SIMT_NUMBERS_MULTIPLY_CUH

#include "cuda/complex/result.cuh"
#include "cuda/simt/numbers.cuh"

namespace simt_numbers
{

template <typename S, typename Left, typename Right>
__device__ __forceinline__ void sum_up(const lay_cuda_args &args, sums<S> &sums, const operand &left,
                                       const operand &right, float *room, int group, steps own)
{
    const int thread = threadIdx.x % S::threads;
    const int first = own.first / 2, count = (own.last - own.first) / 2;
    Left a(left, first, thread);
    Right b(right, first, thread);
    const pipeline<S, Left, Right> line = { a, b, room, group, first, count };
    switch (args.negated) { /* neither operand conjugated, left, right, both */
    case 4:
        return line.template run<4>(sums);
    case 8:
        return line.template run<8>(sums);
    case 2:
        return line.template run<2>(sums);
    default:
        return line.template run<14>(sums);
    }
}

/* Groups with fewer steps than others meet as often as those: racecheck holds what warps do behind different numbers of
 * barriers for unordered. */
template <typename S> __device__ __forceinline__ void meet_rest(int group, int count, int most)
{
    if (S::groups > 1 && S::threads > 32)
#pragma unroll 1
        for (int turn = count / S::deep; turn < most / S::deep; turn++)
            meet_group<S::groups, S::threads>(group);
}

/* To the sum of the slices before. */
template <typename S> __device__ __forceinline__ void keep_sums(float *kept, const sums<S> &sums, bool is_first)
{
#pragma unroll
    for (int i = 0; i < S::m; i++)
#pragma unroll
        for (int j = 0; j < S::n; j += 4) {
            float *const to = kept + (sums.i0 + sums.row(i)) * S::pitch_n + sums.j0 + sums.column(j);
            numbers::put_two(to, { sums.at[i][j], sums.at[i][j + 1], sums.at[i][j + 2], sums.at[i][j + 3] }, is_first);
        }
}

template <typename S, way left_way, way right_way>
__device__ __forceinline__ void multiply_tile(const lay_cuda_args &args, float *shared)
{
    using Left = feed<left_way, S::bm, S::deep, S::pitch_m, S::threads, true>;
    using Right = feed<right_way, S::bn / 2, S::deep, S::pitch_n, S::threads, false>;
    let_next_begin();
    const tile_index index = tile_of_block<band>(args);
    const int i = index.m * S::bm, j = index.n * S::bn;

    /* Several groups work only where the block is to take all slices; else the first is the block. */
    const bool is_together = args.slices > 1 && !args.partial;
    const int slices = is_together ? args.slices : 1;
    const int group = S::groups > 1 ? __shfl_sync(~0u, threadIdx.x / S::threads, 0) : 0; /* a warp's: it is told */
    if (S::groups > 1 && !is_together && group > 0)
        return;
    const int threads = is_together ? S::groups * S::threads : S::threads;
    float *const kept = shared + S::kept;
    int64_t *const places = reinterpret_cast<int64_t *>(shared + S::places);
    const operand left(args.left, args.left_m, args.left_k, i, args.m, S::bm, places);
    const operand right(args.right, args.right_n, args.right_k, j / 2, args.n / 2, S::bn / 2, places + S::bm);
    if (!left.is_straight || !right.is_straight) {
        left.look_up(S::bm, threadIdx.x, threads);
        right.look_up(S::bn / 2, threadIdx.x, threads);
        __syncthreads();
    }
#pragma unroll 1
    for (int first = 0; first < slices; first += S::groups) {
        const int slice = first + group;
        const steps own = slice < slices ? steps_of(args, is_together ? slice : blockIdx.z) : steps{ 0, 0 };
        sums<S> sums(threadIdx.x % S::threads);
        if (slice < slices)
            sum_up<S, Left, Right>(args, sums, left, right, shared + group * S::group_size, group, own);
        if (is_together)
            meet_rest<S>(group, (own.last - own.first) / 2, args.slice_k / 2);
#pragma unroll 1
        for (int next = 0; next < (is_together ? S::groups : 1); next++) { /* in ascending order */
            if (next == group && slice < slices)
                keep_sums<S>(kept, sums, slice == 0 || !is_together);
            __syncthreads(); /* all turns are read, too */
        }
    }
    const numbers::writer writer = { static_cast<int>(threadIdx.x), threads, i, j };
    if (args.partial)
        numbers::write_partial<S>(args, kept, writer);
    else
        numbers::write_c<S>(args, kept, writer, 1);
    await_previous();
}

} // namespace simt_numbers

#endif
