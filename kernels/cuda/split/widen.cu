/* Operands -> images of BF16 limbs, where the lines' ranges are too wide for those of FP16: those are written over,
 * unless an operand is to be kept with both. */
#include "cuda/split/image.cuh"

namespace
{

enum { warps = LAY_SPLIT_THREADS / 32 };

__device__ __forceinline__ void widen_all(const lay_cuda_split_operand &of, int k, workplace<false> &here)
{
    const int leaves = lay_cuda_split_leaves(k),
              strips = static_cast<int>(lay_cuda_split_leaf_lines(of.extent) / LAY_SPLIT_LINES);
    const int64_t apart = static_cast<int64_t>(gridDim.x) * warps;
    for (int64_t number = static_cast<int64_t>(blockIdx.x) * warps + threadIdx.x / 32;
         number < static_cast<int64_t>(strips) * leaves; number += apart) {
        const int line = static_cast<int>(number / leaves) * LAY_SPLIT_LINES, leaf = static_cast<int>(number % leaves);
        bring(of, k, { line, leaf * LAY_SPLIT_STEPS }, here.limbs);
        const int own = line + threadIdx.x % 32;
        const unsigned greatest = own < of.extent ? of.lines[own].greatest : 0;
        const bool is_strange = own < of.extent && of.lines[own].flags & LAY_SPLIT_STRANGE;
        await_square(of, here.limbs);
        sort_line(here.limbs);
        make(greatest, is_strange, 0, here);
        send(of, k, leaf, line, here);
    }
}

__device__ __forceinline__ bool is_wanted(const lay_cuda_split_operand &of, bool is_wide)
{
    return of.is_kept == LAY_SPLIT_KEPT_NONE ? is_wide || of.fp16 != of.bf16
                                             : is_wide && of.is_kept == LAY_SPLIT_KEPT_FP16;
}

__global__ void __launch_bounds__(LAY_SPLIT_THREADS, 4) widen(const __grid_constant__ lay_cuda_split_args args)
{
    __shared__ __align__(128) workplace<false> room[warps];
    begin_launch();
    const bool is_wide = path_of(args) == LAY_SPLIT_BF16X6;
    if (is_wanted(args.left, is_wide))
        widen_all(args.left, args.k, room[threadIdx.x / 32]);
    if (is_wanted(args.right, is_wide))
        widen_all(args.right, args.k, room[threadIdx.x / 32]);
}

} // namespace

extern "C" const lay_cuda_pass lay_cuda_split_widen = { "split: widen", reinterpret_cast<const void *>(&widen),
                                                        LAY_SPLIT_THREADS, 0 };
