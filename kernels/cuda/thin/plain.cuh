/* What most thin products are, for which a kernel has code of its own. */
#ifndef LAY_KERNELS_CUDA_THIN_PLAIN_CUH
#define LAY_KERNELS_CUDA_THIN_PLAIN_CUH

#include "cuda/element.cuh"

namespace thin
{

/* Of a plain product everything lies by strides, and C is written in whole vectors of v, or one by one, and nothing
 * else: each has its own code, that branches for nothing else and is short, as a block runs through it once and waits
 * for each line of it. */
enum manner { ANYHOW, SINGLES, VECTORS };

template <manner as> __device__ __forceinline__ int64_t offset_of(const lay_cuda_offsets &offsets, int i)
{
    return as != ANYHOW ? i * offsets.stride : offset_at(offsets, i);
}
template <int v> __device__ __forceinline__ manner manner_of(const lay_cuda_args &args)
{
    const bool is_plain = !args.left_m.table && !args.left_k.table && !args.right_k.table && !args.right_n.table &&
                          !args.result_m.table && !args.result_n.table && !args.partial && !args.resume;
    return !is_plain ? ANYHOW : args.is_c_vector && args.n % v == 0 ? VECTORS : SINGLES;
}

} // namespace thin

#endif
