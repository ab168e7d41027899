/* Images of limbs (cuda_split.h) -> sums of a tile, by warps: leaf after leaf through a ring of shared memory. A leaf
 * is a chunk on either path: its leading products start from zero in the matrix units and are added to FP32 registers,
 * its corrections go on from the last leaf's.
 *
 *     128 x 128 of C: 8 warps, 32 x 64 each; a thread has 64 sums and 64 corrections, and 16 of a leaf's leading ones
 *
 * The ring has 96 KiB, which every compute capability from 8.0 on lets a block have: 3 leaves of FP16X3, 2 of BF16X6.
 */
#ifndef LAY_KERNELS_CUDA_MMA_LIMBS_CUH
#define LAY_KERNELS_CUDA_MMA_LIMBS_CUH

#include "cuda/element.cuh"
#include "cuda/mma/ptx.cuh"
#include "cuda/split/line.cuh"
#include "cuda_split.h"

namespace
{

enum { side = 128, warp_rows = 32, warp_columns = 64, warps = 8, threads = warps * 32, ring_size = 96 * 1024 };
enum { tiles_16 = warp_rows / 16, pairs = warp_columns / 16, tiles_8 = warp_columns / 8 };

/* The product as it was asked for, which has an order for its corrections: of a transposed one left and right are back
 * in their places, and C is written the other way round. */
template <bool is_transposed> struct as_asked {
    static constexpr bool transposed = is_transposed;
    const lay_cuda_split_args &args;

    __device__ __forceinline__ const lay_cuda_split_operand &left() const
    {
        return is_transposed ? args.right : args.left;
    }
    __device__ __forceinline__ const lay_cuda_split_operand &right() const
    {
        return is_transposed ? args.left : args.right;
    }
    __device__ __forceinline__ int tiles_m() const
    {
        return is_transposed ? args.tiles_n : args.tiles_m;
    }
    __device__ __forceinline__ int tiles_n() const
    {
        return is_transposed ? args.tiles_m : args.tiles_n;
    }
    __device__ __forceinline__ const lay_cuda_offsets &result_m() const
    {
        return is_transposed ? args.result_n : args.result_m;
    }
    __device__ __forceinline__ const lay_cuda_offsets &result_n() const
    {
        return is_transposed ? args.result_m : args.result_n;
    }
};

/* A tile's sum over one slice: the unit of work. Slice by slice; tiles go down the columns of bands. */
struct work {
    int i, j, slice, leaf, leaves;
};
template <class Asked> __device__ __forceinline__ work work_at(const Asked &of, int number)
{
    constexpr int band = 16;
    const lay_cuda_split_args &args = of.args;
    const int tiles = args.tiles_m * args.tiles_n, slice = number / tiles, tile = number % tiles;
    const int in_band = band * of.tiles_n(), first = tile / in_band * band, rows = min(band, of.tiles_m() - first);
    const int rest = tile % in_band;
    const int begin = slice * args.slice_k, end = args.slice_k < args.k - begin ? begin + args.slice_k : args.k;
    return { (first + rest % rows) * side, rest / rows * side, slice, begin / LAY_SPLIT_STEPS,
             lay_cuda_split_leaves(end - begin) };
}

/* A leaf in shared memory: 128 bytes a line of left, then of right; of BF16X6 then 64 of left's third limbs, and of
 * right's. */
template <bool is_fp16> struct leaf_room {
    static constexpr int limbs = is_fp16 ? 2 : 3, right = side * 128, left_third = 2 * right,
                         right_third = left_third + side * 64, size = 2 * side * (is_fp16 ? 128 : 192),
                         turns = ring_size / size;
};

/* A thread's share of a leaf, lines from line on: every 256th unit of 16 bytes. Where these lie is worked out for each
 * leaf: registers are short. Lines behind the last are left as they are: nobody stores their sums. */
template <bool is_fp16>
__device__ __forceinline__ void bring_leaf(const lay_cuda_split_operand &of, int k, int line, int leaf, unsigned to,
                                           unsigned to_third)
{
    const int64_t lines = lay_cuda_split_leaf_lines(of.extent), first = lines * leaf + line;
    const int count = static_cast<int>(lines) - line;
    const char *const image = static_cast<const char *>(is_fp16 ? of.fp16 : of.bf16);
    const char *const from = image + first * 128 + threadIdx.x * 16;
#pragma unroll
    for (int i = 0; i < side * 8 / threads; i++)
        if (static_cast<int>(threadIdx.x / 8 + i * (threads / 8)) < count)
            bring(to + (threadIdx.x + i * threads) * 16, from + i * threads * 16);
    if constexpr (!is_fp16) {
        const char *const third = image + lines * lay_cuda_split_leaves(k) * 128 + first * 64 + threadIdx.x * 16;
#pragma unroll
        for (int i = 0; i < side * 4 / threads; i++)
            if (static_cast<int>(threadIdx.x / 4 + i * (threads / 4)) < count)
                bring(to_third + (threadIdx.x + i * threads) * 16, third + i * threads * 16);
    }
}

/* Where a lane's fragments begin in a leaf: lines and steps as mma/fragments.cuh has their squares. */
template <bool is_left> class limb_fragments
{
    unsigned at, third;

  public:
    /* first: the warp's line in the tile. */
    __device__ __forceinline__ explicit limb_fragments(int first)
    {
        const int lane = threadIdx.x % 32, low = lane % 8;
        const int line = first + (is_left ? lane / 8 % 2 : lane / 16) * 8 + low;
        const int step_half = is_left ? lane / 16 : lane / 8 % 2;
        at = (is_left ? 0 : side * 128) + line * 128 + (step_half ^ line % 8) * 16;
        third = 2 * side * 128 + (is_left ? 0 : side * 64) + line * 64 + (step_half ^ line / 2 % 4) * 16;
    }
    /* Lines number * 16 and on, steps group * 16 and on. leaf: a multiple of 128. */
    __device__ __forceinline__ void load(uint32_t (&to)[4], unsigned leaf, int limb, int number, int group) const
    {
        load_squares(to, limb < 2 ? (leaf + at + number * 16 * 128) ^ (limb * 64 + group * 32)
                                  : (leaf + third + number * 16 * 64) ^ group * 32);
    }
};

/* Sums of a warp. */
struct sums_of_limbs {
    float sum[tiles_16][tiles_8][4], small[tiles_16][tiles_8][4];
};

/* The products of one limb of left and one of right, 16 steps, with two tiles of columns from the first on. */
template <bool is_fp16, int columns>
__device__ __forceinline__ void add_products(float (&to)[tiles_16][columns][4], int first,
                                             const uint32_t (&left)[tiles_16][4], const uint32_t (&right)[4])
{
#pragma unroll
    for (int s = 0; s < 2; s++)
#pragma unroll
        for (int t = 0; t < tiles_16; t++)
            multiply_add<is_fp16 ? FP16 : BF16>(to[t][first + s], left[t], right[s * 2], right[s * 2 + 1]);
}

/* 16 steps by 16 steps the products of a pair of columns' tiles; limbs of right for the next are loaded meanwhile. */
template <bool is_fp16>
__device__ __forceinline__ void add_leaf(sums_of_limbs &to, unsigned leaf, const limb_fragments<true> &left_at,
                                         const limb_fragments<false> &right_at)
{
    constexpr int limbs = leaf_room<is_fp16>::limbs, last = limbs - 1;
    uint32_t left[2][2][tiles_16][4], right[2][limbs][4];
    const auto load_right = [&](int number) {
#pragma unroll
        for (int limb = 0; limb < limbs; limb++)
            right_at.load(right[number % 2][limb], leaf, limb, number / 2, number % 2);
    };
    load_right(0);
#pragma unroll
    for (int group = 0; group < 2; group++)
#pragma unroll
        for (int limb = 0; limb < 2; limb++)
#pragma unroll
            for (int t = 0; t < tiles_16; t++)
                left_at.load(left[limb][group][t], leaf, limb, t, group);
#pragma unroll
    for (int pair = 0; pair < pairs; pair++) {
        float leading[tiles_16][2][4] = {};
#pragma unroll
        for (int group = 0; group < 2; group++) {
            if (pair * 2 + group + 1 < 2 * pairs)
                load_right(pair * 2 + group + 1);
            const auto &columns = right[group];
            const auto correct = [&](const uint32_t(&of_left)[tiles_16][4], int limb) {
                add_products<is_fp16>(to.small, 2 * pair, of_left, columns[limb]);
            };
            if constexpr (!is_fp16) {
                uint32_t third[tiles_16][4]; /* loaded for each pair, as registers are short */
#pragma unroll
                for (int t = 0; t < tiles_16; t++)
                    left_at.load(third[t], leaf, 2, t, group);
                correct(third, 0);
                correct(left[1][group], 1);
                correct(left[0][group], last);
            }
            correct(left[0][group], 1);
            add_products<is_fp16>(leading, 0, left[0][group], columns[0]);
            correct(left[1][group], 0);
        }
#pragma unroll
        for (int t = 0; t < tiles_16; t++)
#pragma unroll
            for (int e = 0; e < 8; e++)
                to.sum[t][2 * pair + e / 4][e % 4] += leading[t][e / 4][e % 4];
    }
}

/* Corrections of a segment go to the sums. */
template <bool is_fp16> __device__ __forceinline__ void end_segment(sums_of_limbs &to)
{
#pragma unroll
    for (int t = 0; t < tiles_16; t++)
#pragma unroll
        for (int s = 0; s < tiles_8; s++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                to.sum[t][s][e] = is_fp16 ? fmaf(to.small[t][s][e], 1 / fp16_gap, to.sum[t][s][e])
                                          : to.sum[t][s][e] + to.small[t][s][e];
                to.small[t][s][e] = 0;
            }
}

/* A unit of work, by all threads of a block: nobody reads the ring before, nor behind. */
template <bool is_fp16, class Asked>
__device__ __forceinline__ void sum_work(const Asked &of, const work &own, unsigned ring, sums_of_limbs &to)
{
    using room = leaf_room<is_fp16>;
    constexpr int segment = is_fp16 ? fp16_segment : bf16_segment;
    const int warp = threadIdx.x / 32;
    const limb_fragments<true> left_at(warp % (side / warp_rows) * warp_rows);
    const limb_fragments<false> right_at(warp / (side / warp_rows) * warp_columns);
    constexpr int all = room::turns * room::size;
    unsigned read = ring;
    const auto bring_next = [&](int leaf, unsigned at) {
        if (leaf < own.leaves) {
            bring_leaf<is_fp16>(of.left(), of.args.k, own.i, own.leaf + leaf, at, at + room::left_third);
            bring_leaf<is_fp16>(of.right(), of.args.k, own.j, own.leaf + leaf, at + room::right,
                                at + room::right_third);
        }
        close_group(); /* of nothing, behind the last leaf: so many groups are waited for */
    };
    to = {};
#pragma unroll
    for (int leaf = 0; leaf < room::turns - 1; leaf++)
        bring_next(leaf, ring + leaf * room::size);
#pragma unroll 1
    for (int leaf = 0; leaf < own.leaves; leaf++) {
        await_groups<room::turns - 2>();
        __syncthreads(); /* all threads' copies of this leaf are there, and the last leaf's room is free */
        bring_next(leaf + room::turns - 1, (read == ring ? ring + all : read) - room::size);
        add_leaf<is_fp16>(to, read, left_at, right_at);
        read = read + room::size == ring + all ? ring : read + room::size;
        if ((leaf + 1) % segment == 0 || leaf + 1 == own.leaves)
            end_segment<is_fp16>(to);
    }
    await_groups<0>();
    __syncthreads();
}

} // namespace

#endif
