/* Sums of the patch: a chain of fused multiply-adds a chunk; chunks are added to segments, and those to the whole, so
 * that rounding errors grow with none of the three alone. */
#ifndef LAY_KERNELS_CUDA_SPLIT_CHAINS_CUH
#define LAY_KERNELS_CUDA_SPLIT_CHAINS_CUH

#include "cuda_split.h"

template <int count> struct chains {
    static constexpr int chunks_in_segment = LAY_SPLIT_PATCH_SEGMENT / LAY_SPLIT_CHUNK;
    float chunk[count], segment[count], whole[count];
    int chunks;

    /* What is added to -0 is left as it is. */
    __device__ __forceinline__ chains() : chunks(0)
    {
#pragma unroll
        for (int e = 0; e < count; e++)
            chunk[e] = 0, segment[e] = whole[e] = -0.0f;
    }
    /* Behind each LAY_SPLIT_CHUNK steps, and behind the last. */
    __device__ __forceinline__ void end_chunk()
    {
#pragma unroll
        for (int e = 0; e < count; e++)
            segment[e] += chunk[e], chunk[e] = 0;
        if (++chunks % chunks_in_segment)
            return;
#pragma unroll
        for (int e = 0; e < count; e++)
            whole[e] += segment[e], segment[e] = -0.0f;
    }
    __device__ __forceinline__ float sum(int e) const
    {
        return whole[e] + segment[e];
    }
};

#endif
