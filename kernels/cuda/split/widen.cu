/* The second pass of rows for any GPU: images of BF16 limbs, where they are wanted. */
#include "cuda/split/widen.cuh"

namespace
{

enum { warps = LAY_SPLIT_THREADS / 32 };

__global__ void __launch_bounds__(LAY_SPLIT_THREADS, 4) widen(const __grid_constant__ lay_cuda_split_args args)
{
    __shared__ __align__(128) widening<0> room[warps];
    begin_launch();
    widen_wanted<warps>(args, path_of(args) == LAY_SPLIT_BF16X6, room[threadIdx.x / 32]);
}

} // namespace

extern "C" const lay_cuda_pass lay_cuda_split_widen = { "split: widen", reinterpret_cast<const void *>(&widen),
                                                        LAY_SPLIT_THREADS, 0 };
