/* An operand as scan and split read it: 32 lanes by 32 loads, along whichever of lines and steps lies together. */
#ifndef LAY_KERNELS_CUDA_SPLIT_SOURCE_CUH
#define LAY_KERNELS_CUDA_SPLIT_SOURCE_CUH

#include "cuda/element.cuh"
#include "cuda/split/line.cuh"

__device__ __forceinline__ bool goes_across(const lay_cuda_split_operand &of)
{
    return of.as == LAY_CUDA_ACROSS_VECTOR || of.as == LAY_CUDA_ACROSS;
}

/* Offsets of 32 indices of a walk, one a lane; 0 behind the last. All lanes may ask for any. */
struct offsets {
    int64_t own;
    int count; /* indices that are there: 0 .. 32 */

    __device__ __forceinline__ offsets(const lay_cuda_walk &walk, int first, int all)
        : count(max(min(all - first, 32), 0))
    {
        const int i = first + static_cast<int>(threadIdx.x % 32);
        own = i < all ? offset_at(walk, i) : 0;
    }
    __device__ __forceinline__ int64_t at(int i) const { return __shfl_sync(0xffffffff, own, i); }
};

/* value[i] is element (lane, i) of 32 x 32: lanes go along lanes. Elements that are not there are 0. */
__device__ __forceinline__ void load_square(const float *from, const offsets &lanes, const offsets &others,
                                            float (&value)[32])
{
    const bool is_there = static_cast<int>(threadIdx.x % 32) < lanes.count;
#pragma unroll
    for (int i = 0; i < 32; i++) {
        const int64_t offset = lanes.own + others.at(i);
        value[i] = is_there && i < others.count ? __ldg(from + offset) : 0;
    }
}

#endif
