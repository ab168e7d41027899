/* Sums of the patch: a chain of fused multiply-adds a chunk; chunks are added to stretches, and those to the whole, so
 * that rounding errors grow with none of the three alone. */
#ifndef LAY_KERNELS_CUDA_SPLIT_CHAINS_CUH
#define LAY_KERNELS_CUDA_SPLIT_CHAINS_CUH

#include "cuda_split.h"

template <int count> struct chains {
    static constexpr int chunks_in_stretch = LAY_SPLIT_PATCH_STRETCH / LAY_SPLIT_CHUNK;
    float chunk[count], stretch[count], whole[count];
    int chunks;

    /* What is added to -0 is left as it is. */
    __device__ __forceinline__ chains() : chunks(0)
    {
#pragma unroll
        for (int e = 0; e < count; e++)
            chunk[e] = 0, stretch[e] = whole[e] = -0.0f;
    }
    /* Behind each LAY_SPLIT_CHUNK steps, and behind the last. */
    __device__ __forceinline__ void end_chunk()
    {
#pragma unroll
        for (int e = 0; e < count; e++)
            stretch[e] += chunk[e], chunk[e] = 0;
        if (++chunks % chunks_in_stretch)
            return;
#pragma unroll
        for (int e = 0; e < count; e++)
            whole[e] += stretch[e], stretch[e] = -0.0f;
    }
    __device__ __forceinline__ float sum(int e) const
    {
        return whole[e] + stretch[e];
    }
};

#endif
