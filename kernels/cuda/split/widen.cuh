/* Operands -> images of BF16 limbs, where the lines' ranges are too wide for those of FP16: those are written over,
 * unless an operand is to be kept with both. */
#ifndef LAY_KERNELS_CUDA_SPLIT_WIDEN_CUH
#define LAY_KERNELS_CUDA_SPLIT_WIDEN_CUH

#include "cuda/split/image.cuh"

/* A warp's: while one leaf becomes limbs, copies of the next ones are on their way. */
template <int ahead_> struct widening {
    static constexpr int ahead = ahead_, places = ahead + 1;
    workplace<false> place[places];
};

/* By so many warps a block; numbers of leaves, strip by strip. */
template <int warps, int ahead>
__device__ __forceinline__ void widen_all(const lay_cuda_split_operand &of, int k, widening<ahead> &here)
{
    const int leaves = lay_cuda_split_leaves(k),
              strips = static_cast<int>(lay_cuda_split_leaf_lines(of.extent) / LAY_SPLIT_LINES);
    const int64_t apart = static_cast<int64_t>(gridDim.x) * warps, all = static_cast<int64_t>(strips) * leaves;
    const auto corner_of = [&](int64_t number) {
        return corner{ static_cast<int>(number / leaves) * LAY_SPLIT_LINES,
                       static_cast<int>(number % leaves) * LAY_SPLIT_STEPS };
    };
    const auto begin = [&](int64_t number, int turn) {
        if (number < all)
            bring(of, k, corner_of(number), here.place[turn].limbs);
        end_group_async();
    };
    const int64_t first = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < ahead; i++)
        begin(first + i * apart, i);
    int turn = 0;
    for (int64_t number = first; number < all; number += apart) {
        begin(number + ahead * apart, (turn + ahead) % (ahead + 1));
        workplace<false> &own = here.place[turn];
        const corner at = corner_of(number);
        const int line = at.line + threadIdx.x % 32;
        const unsigned greatest = line < of.extent ? of.lines[line].greatest : 0;
        const bool is_strange = line < of.extent && of.lines[line].flags & LAY_SPLIT_STRANGE;
        await_square<ahead>(of, own.limbs);
        sort_line(own.limbs);
        make(greatest, is_strange, 0, own);
        send(of, k, at.step / LAY_SPLIT_STEPS, at.line, own);
        turn = turn == ahead ? 0 : turn + 1;
    }
    wait_async();
}

__device__ __forceinline__ bool is_wanted(const lay_cuda_split_operand &of, bool is_wide)
{
    return of.is_kept == LAY_SPLIT_KEPT_NONE ? is_wide || of.fp16 != of.bf16
                                             : is_wide && of.is_kept == LAY_SPLIT_KEPT_FP16;
}

template <int warps, int ahead>
__device__ __forceinline__ void widen_wanted(const lay_cuda_split_args &args, bool is_wide, widening<ahead> &here)
{
    if (is_wanted(args.left, is_wide))
        widen_all<warps>(args.left, args.k, here);
    if (is_wanted(args.right, is_wide))
        widen_all<warps>(args.right, args.k, here);
}

#endif
