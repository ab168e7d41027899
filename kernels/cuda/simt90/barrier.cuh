/* Where a part of the block's warps meets, beside barriers in shared memory. */
#ifndef LAY_KERNELS_CUDA_SIMT90_BARRIER_CUH
#define LAY_KERNELS_CUDA_SIMT90_BARRIER_CUH

#include "cuda/hopper/ptx.cuh"

/* Of a part of the block's warps. */
template <int threads> __device__ __forceinline__ void meet()
{
    asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
}

#endif
