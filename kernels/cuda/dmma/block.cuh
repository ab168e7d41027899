/* What a block of this family has whoever feeds it: its shared memory, its stages, and the way of its sums to C. */
#ifndef LAY_KERNELS_CUDA_DMMA_BLOCK_CUH
#define LAY_KERNELS_CUDA_DMMA_BLOCK_CUH

#include "cuda/dmma/feed.cuh"
#include "cuda/dmma/result.cuh"

namespace dmma
{

/* The place of everything in shared memory: stages, two barriers for each, offsets. */
template <class S> struct room {
    uint32_t stages, full, empty;
    int64_t *across, *of_c, *along;
    __device__ __forceinline__ explicit room(double *memory)
        : stages(shared_address(memory)), full(stages + 8 * S::stage * S::stages), empty(full + 8 * S::stages),
          across(reinterpret_cast<int64_t *>(memory + S::stage * S::stages + S::barriers)),
          of_c(across + S::bm + S::bn), along(of_c + S::bm + S::bn)
    {
    }
};

/* By the warps that multiply. */
template <class S> __device__ __forceinline__ void init_barriers(int warp, const room<S> &in)
{
    if (threadIdx.x % 32 == 0)
#pragma unroll 1
        for (int b = warp; b < S::barriers; b += S::warps)
            barrier_init(in.full + 8 * b, b < S::stages ? feeders : S::warps);
}

__device__ __forceinline__ int turns_of(int length)
{
    return (length + bk - 1) / bk;
}

/* Stages in the order of their use; parity is that of the phase now awaited. The way to the next stage is known a turn
 * before it is gone, as the first loads of a stage wait for it. */
template <class S> struct ring {
    static_assert(S::stages > 1, "a next stage");
    static constexpr int once = 8 * S::stage, back = once - 8 * S::stage * S::stages;
    uint32_t stage = 0, barrier = 0; /* bytes from the first */
    int parity, step = once;
    __device__ __forceinline__ explicit ring(int parity_) : parity(parity_)
    {
    }
    __device__ __forceinline__ void advance()
    {
        stage += step;
        parity ^= step != once;
        barrier = step == once ? barrier + 8 : 0;
        step = barrier == 8 * (S::stages - 1) ? back : once;
    }
};

/* Those that multiply. */
template <class S> __device__ __forceinline__ void meet_workers()
{
    meet<2, 32 * S::warps>();
}

/* Where the tile's rows and columns begin in the operands, in bytes; indices past an edge repeat the last. */
template <class S>
__device__ __forceinline__ void look_across(const lay_cuda_args &args, tile_of tile, int worker, const room<S> &in)
{
#pragma unroll 1
    for (int i = worker; i < S::bm + S::bn; i += 32 * S::warps)
        in.across[i] = i < S::bm ? element<S>(args.left_m, min(tile.i + i, args.m - 1))
                                 : element_across<S>(args.right_n, min(tile.j + i - S::bm, args.n - 1));
}

/* What the groups have kept, to the partial sums or to C, whose places are looked up. */
template <int wide, class S> __device__ __forceinline__ void write_kept(const result<S> &to, int groups)
{
    const lay_cuda_args &args = to.args;
    char *partial = static_cast<char *>(args.partial) + 8 * (blockIdx.z * static_cast<int64_t>(args.m) * args.n);
    to.template write<wide>(args.partial ? partial : static_cast<char *>(args.c), args.partial ? 1 : args.alpha.f64,
                            args.partial ? 0 : args.beta.f64,
                            [&](int row, int column, auto &value) { to.add_groups(groups, row, column, value); });
}

template <int wide, class S> __device__ __forceinline__ void write_slices(const result<S> &to)
{
    to.template write<wide>(static_cast<char *>(to.args.c), to.args.alpha.f64, to.args.beta.f64,
                            [&](int row, int column, auto &value) { to.add_slices(row, column, value); });
}

template <class S> __device__ __forceinline__ void write_result(const result<S> &to, int groups)
{
    const lay_cuda_args &args = to.args;
    if (args.partial ? args.n % 2 == 0 : args.is_c_vector)
        write_kept<2>(to, groups);
    else
        write_kept<1>(to, groups);
    if (!args.partial || !args.counters || !is_last_slice(args, to.worker == 0, [] { meet_workers<S>(); }))
        return;
    to.look_up_c();
    meet_workers<S>();
    if (args.is_c_vector)
        write_slices<2>(to);
    else
        write_slices<1>(to);
}

} // namespace dmma

#endif
