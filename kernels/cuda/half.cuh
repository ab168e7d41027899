/* Elements of C as FP32 and back, whatever their type. */
#ifndef LAY_KERNELS_CUDA_HALF_CUH
#define LAY_KERNELS_CUDA_HALF_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/element.cuh"

/* What a type's sums are made of, and the way there and back. */
template <typename T> struct stored {
    using sum = T;
    static __device__ __forceinline__ T widen(T x)
    {
        return x;
    }
    static __device__ __forceinline__ T narrow(T x)
    {
        return x;
    }
};
template <> struct stored<__half> {
    using sum = float;
    static __device__ __forceinline__ float widen(__half x)
    {
        return __half2float(x);
    }
    static __device__ __forceinline__ __half narrow(float x)
    {
        return __float2half_rn(x);
    }
};
template <> struct stored<__nv_bfloat16> {
    using sum = float;
    static __device__ __forceinline__ float widen(__nv_bfloat16 x)
    {
        return __bfloat162float(x);
    }
    static __device__ __forceinline__ __nv_bfloat16 narrow(float x)
    {
        return __float2bfloat16_rn(x);
    }
};

/* C's element from its sum; not read where beta is 0. */
template <typename T>
__device__ __forceinline__ void write_blended(T *c, typename stored<T>::sum alpha, typename stored<T>::sum sum,
                                              typename stored<T>::sum beta)
{
    const typename stored<T>::sum old = beta == 0 ? typename stored<T>::sum(0) : stored<T>::widen(*c);
    *c = stored<T>::narrow(blend(alpha, sum, beta, &old));
}

#endif
