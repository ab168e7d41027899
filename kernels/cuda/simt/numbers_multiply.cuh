/* A block of complex products: which tile, its sums by the pipeline, and their way out. */
#ifndef LAY_KERNELS_CUDA_SIMT_NUMBERS_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_SIMT_NUMBERS_MULTIPLY_CUH

#include "cuda/simt/numbers.cuh"

namespace simt_numbers
{

template <typename S, typename Left, typename Right>
__device__ __forceinline__ void sum_up(const lay_cuda_args &args, sums<S> &sums, const operand &left,
                                       const operand &right, float *room, float *kept, int group, steps own)
{
    const int thread = threadIdx.x % S::threads;
    const int first = own.first / 2, count = (own.last - own.first) / 2;
    Left a(left, first, thread);
    Right b(right, first, thread);
    const int each = S::groups == 1 ? args.slice_k / 2 : count;
    const pipeline<S, Left, Right> line = { a, b, room, kept, group, first, count, each };
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

/* Where C's rows and columns of a tile lie, in shared memory. */
template <typename S> struct result_places {
    const lay_cuda_args &args;
    int64_t *at; /* [bm], [bn / 2] */
    int i, j;

    __device__ __forceinline__ void look_up(int thread, int threads) const
    {
#pragma unroll 1
        for (int e = thread; e < S::width; e += threads)
            at[e] = e < S::bm ? offset_now(args.result_m, min(i + e, args.m - 1))
                              : offset_now(args.result_n, min(j + e - S::bm, args.n / 2 - 1));
    }
    __device__ __forceinline__ int64_t operator()(int row, int number) const
    {
        return at[row] + at[S::bm + number];
    }
};

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
    const operand left = { static_cast<const char *>(args.left), args.left_m, args.left_k, i, args.m, places };
    const operand right = {
        static_cast<const char *>(args.right), args.right_n, args.right_k, j / 2, args.n / 2, places + S::bm
    };
    const result_places<S> c = { args, places + S::width, i, j / 2 };
    left.look_up(S::bm, threadIdx.x, threads);
    right.look_up(S::bn / 2, threadIdx.x, threads);
    __syncthreads();
    /* A group by itself goes through all slices. */
    const int rounds = S::groups == 1 ? 1 : (slices + S::groups - 1) / S::groups;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        const int slice = round * S::groups + group;
        const bool is_at_work = slice < slices;
        const steps own = S::groups == 1 && is_together ? steps{ 0, args.k }
                          : is_at_work                  ? steps_of(args, is_together ? slice : blockIdx.z)
                                                        : steps{ 0, 0 };
        sums<S> sums(threadIdx.x % S::threads);
        if (is_at_work)
            sum_up<S, Left, Right>(args, sums, left, right, shared + group * S::group_size, kept, group, own);
        if (S::groups > 1 && is_together)
            meet_rest<S>(group, (own.last - own.first) / 2, args.slice_k / 2);
        if (round == rounds - 1)
            c.look_up(threadIdx.x, threads);
#pragma unroll 1
        for (int next = 0; next < (is_together ? S::groups : 1); next++) { /* in ascending order */
            if (next == group && is_at_work)
                sums.keep(kept, S::groups == 1 ? slices == 1 : slice == 0 || !is_together);
            __syncthreads(); /* all turns are read, too */
        }
    }
    const numbers::writer writer = { static_cast<int>(threadIdx.x), threads, i, j };
    if (args.partial)
        numbers::write_partial<S>(args, kept, writer);
    else
        numbers::write_c<S>(args, kept, writer, 1, c);
    await_previous();
}

} // namespace simt_numbers

#endif
