/* A block of patch is LAY_SPLIT_GROUPS groups of threads that work apart, as blocks of that size would: then all of it
 * has the registers and the shared memory that path STRICT wants. */
#ifndef LAY_KERNELS_CUDA_SPLIT_GROUP_CUH
#define LAY_KERNELS_CUDA_SPLIT_GROUP_CUH

#include "cuda/split/ptx.cuh"
#include "cuda_split.h"

/* This thread's, and its place in it. */
struct group {
    static constexpr int threads = LAY_SPLIT_THREADS, in_block = LAY_SPLIT_GROUPS;

    static __device__ __forceinline__ int in_grid()
    {
        return static_cast<int>(blockIdx.x) * in_block + static_cast<int>(threadIdx.x) / threads;
    }
    static __device__ __forceinline__ int count()
    {
        return static_cast<int>(gridDim.x) * in_block;
    }
    static __device__ __forceinline__ int thread()
    {
        return static_cast<int>(threadIdx.x) % threads;
    }
    static __device__ __forceinline__ int warp()
    {
        return thread() / 32;
    }
    /* Its part of what each group of the block has. */
    template <typename T> static __device__ __forceinline__ T &own(T (&each)[in_block])
    {
        return each[threadIdx.x / threads];
    }
    static __device__ __forceinline__ void meet()
    {
        static_assert(in_block <= 2, "a barrier each");
        if (in_block == 1)
            __syncthreads();
        else if (threadIdx.x < threads)
            meet_numbered<1, threads>();
        else
            meet_numbered<2, threads>();
    }
};

#endif
