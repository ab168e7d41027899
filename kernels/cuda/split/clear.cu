/* Zeros for what prepare finds: the summaries and the records of lines. A launch like the others, for a memset between
 * two kernels waits for the one and has the other wait. */
#include "cuda/split/ptx.cuh"
#include "cuda_split.h"

namespace
{

__global__ void __launch_bounds__(LAY_SPLIT_THREADS) clear(const __grid_constant__ lay_cuda_split_args args)
{
    begin_launch();
    const int64_t at = (static_cast<int64_t>(blockIdx.x) * LAY_SPLIT_THREADS + threadIdx.x) * sizeof(uint4);
    if (at < args.cleared_size)
        *reinterpret_cast<uint4 *>(args.cleared + at) = make_uint4(0, 0, 0, 0);
}

} // namespace

extern "C" const lay_cuda_pass lay_cuda_split_clear = { "split: clear", reinterpret_cast<const void *>(&clear),
                                                        LAY_SPLIT_THREADS, 0 };
