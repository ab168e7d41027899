/* Copies from global to shared memory that pass no register: inline assembly has its place here. */
#ifndef LAY_KERNELS_CUDA_ASYNC_CUH
#define LAY_KERNELS_CUDA_ASYNC_CUH

#include <stdint.h>

/* 4, 8 or 16 bytes, both addresses aligned to as many. */
template <int bytes> __device__ __forceinline__ void copy_async(void *shared, const void *global)
{
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if (bytes == 16) /* past L1 */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(bytes) : "memory");
}

/* This thread's copies have arrived; others see them behind a barrier. */
__device__ __forceinline__ void wait_async()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

#endif
