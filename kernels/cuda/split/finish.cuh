/* The end of a sum: its lines' scales undone, then what C becomes. */
#ifndef LAY_KERNELS_CUDA_SPLIT_FINISH_CUH
#define LAY_KERNELS_CUDA_SPLIT_FINISH_CUH

#include "cuda/element.cuh"
#include "cuda/split/line.cuh"

__device__ __forceinline__ float finished(const lay_cuda_split_args &args, float sum, int scale, float old)
{
    const float whole = unscaled(sum, -scale);
    return args.beta == 0 ? args.alpha * whole : fmaf(args.alpha, whole, args.beta * old);
}

#endif
