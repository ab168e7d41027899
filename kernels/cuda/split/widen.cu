/* Operands -> images of BF16 pieces, where the lines' ranges are too wide for those of FP16: those are written over,
 * unless an operand is to be kept with both. A warp makes a square. */
#include "cuda/split/square.cuh"

namespace {

enum { warps = LAY_SPLIT_THREADS / 32 };

__device__ __forceinline__ void widen_squares(const lay_cuda_split_operand &of, int k, int64_t first, int64_t apart, square &turned)
{
    const int64_t leaf_lines = lay_cuda_split_leaf_lines(of.extent);
    const int leaves = lay_cuda_split_leaves(k), strips = static_cast<int>(leaf_lines / LAY_SPLIT_LINES);
    const bool is_across = goes_across(of);
    for (int64_t number = first; number < static_cast<int64_t>(strips) * leaves; number += apart) {
        /* Warps side by side read what lies together. */
        const int strip = static_cast<int>(is_across ? number % strips : number / leaves);
        const int leaf = static_cast<int>(is_across ? number / strips : number % leaves);
        const int line = strip * LAY_SPLIT_LINES, own = line + threadIdx.x % 32;
        const unsigned greatest = own < of.extent ? of.lines[own].greatest : 0;
        fetch_square(of, k, line, leaf, turned);
        __syncwarp();
        write_square<false>(turned, greatest, place(of.bf16, leaf_lines, leaves, leaf, line));
        __syncwarp();
    }
}

__global__ void __launch_bounds__(LAY_SPLIT_THREADS) widen(const __grid_constant__ lay_cuda_split_args args)
{
    __shared__ square squares[warps];
    const bool is_wide = path_of(args) == LAY_SPLIT_BF16X6;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.x / 32, apart = static_cast<int64_t>(gridDim.x) * warps;
    if (!args.left.is_kept && (is_wide || args.left.fp16 != args.left.bf16))
        widen_squares(args.left, args.k, first, apart, squares[threadIdx.x / 32]);
    if (!args.right.is_kept && (is_wide || args.right.fp16 != args.right.bf16))
        widen_squares(args.right, args.k, first, apart, squares[threadIdx.x / 32]);
}

} // namespace

extern "C" const void *const lay_cuda_split_widen = reinterpret_cast<const void *>(&widen);
