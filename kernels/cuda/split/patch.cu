/* What limbs leave of C; mostly nothing. Elements in lines that the path leaves to this: chains of fused multiply-adds.
 * Patched rows by all columns, then patched columns by all rows but those, and products of tiny elements: patched.cuh.
 * All of C, where neither kind of limbs would do, is other.cu's; if it has slices they are added here. */
#define LAY_SPLIT_GROUPS LAY_SPLIT_PATCH_GROUPS
#include "cuda/split/patched.cuh"
#include "cuda/split/strict_sums.cuh"

namespace
{

enum { threads = group::threads * group::in_block };

__global__ void __launch_bounds__(threads, 1) patch(const __grid_constant__ lay_cuda_split_args args)
{
    extern __shared__ __align__(16) char shared[];
    const lay_cuda_split_path_kind path = begin_patch(args);
    if (path != LAY_SPLIT_STRICT)
        patch_all(args, path, shared);
    else if (args.strict_slices > 1)
        strict_sums::add_all(args, static_cast<int64_t>(blockIdx.x) * threads + threadIdx.x,
                             static_cast<int64_t>(gridDim.x) * threads);
}

} // namespace

extern "C" const lay_cuda_pass lay_cuda_split_patch = { "split: patch", reinterpret_cast<const void *>(&patch), threads,
                                                        LAY_SPLIT_PATCH_SHARED };
