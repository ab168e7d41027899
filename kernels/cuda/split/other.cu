/* The second pass of rows of 9.0, where FP16 will not do: images of BF16 limbs, or all of C by the plain product. One
 * launch has both, for either is mostly nothing. */
#include "cuda/split/strict.cuh"
#include "cuda/split/widen.cuh"

namespace
{

enum { warps = strict::busy / 32 };
using own_room = widening<1>;
static_assert(sizeof(own_room) * warps <= LAY_SPLIT_STRICT_SHARED, "what the launcher gives");

__global__ void __launch_bounds__(strict::busy, 1) other(const __grid_constant__ lay_cuda_split_args args)
{
    extern __shared__ __align__(128) char shared[];
    begin_launch();
    const lay_cuda_split_path_kind path = path_of(args);
    widen_wanted<warps>(args, path == LAY_SPLIT_BF16X6, reinterpret_cast<own_room *>(shared)[threadIdx.x / 32]);
    if (path != LAY_SPLIT_STRICT)
        return;
    __syncthreads();
    strict::compute_all(args, reinterpret_cast<float *>(shared));
}

} // namespace

extern "C" const lay_cuda_pass lay_cuda_split_other = { "split: widen or compute",
                                                        reinterpret_cast<const void *>(&other), strict::busy,
                                                        LAY_SPLIT_STRICT_SHARED };
