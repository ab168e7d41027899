/* What most thin products are, for which a kernel has code of its own. */
#ifndef LAY_KERNELS_CUDA_THIN_PLAIN_CUH
#define LAY_KERNELS_CUDA_THIN_PLAIN_CUH

#include "cuda/element.cuh"

namespace thin
{

/* Of a plain product everything lies by strides, and C is written in whole vectors of v and nothing else: it has its
 * own code, that branches for nothing else and is short, as a block runs through it once and waits for each line of it.
 */
template <bool is_plain> __device__ __forceinline__ int64_t offset_of(const lay_cuda_offsets &offsets, int i)
{
    return is_plain ? i * offsets.stride : offset_at(offsets, i);
}
template <int v> __device__ __forceinline__ bool is_plain(const lay_cuda_args &args)
{
    return !args.left_m.table && !args.left_k.table && !args.right_k.table && !args.right_n.table &&
           !args.result_m.table && !args.result_n.table && args.is_c_vector && args.n % v == 0 && !args.partial &&
           !args.resume;
}

} // namespace thin

#endif
