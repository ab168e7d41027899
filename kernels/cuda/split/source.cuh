/* An operand as it is read: 32 lines by 32 steps, a leaf's square, by one warp, along whichever mode lies together.
 *
 *     across: a lane has a line, all 32 steps of it      along: four lanes have a line, 8 steps each, eight lines at
 *                                                        a time; in vectors of four where the class has them */
#ifndef LAY_KERNELS_CUDA_SPLIT_SOURCE_CUH
#define LAY_KERNELS_CUDA_SPLIT_SOURCE_CUH

#include "cuda/element.cuh"
#include "cuda/split/line.cuh"

__device__ __forceinline__ bool goes_across(const lay_cuda_split_operand &of)
{
    return of.as == LAY_CUDA_ACROSS_VECTOR || of.as == LAY_CUDA_ACROSS;
}

/* Where a strip's lines and a leaf's steps are. */
struct corner {
    int line, step;
};

/* Steps from first on that one stride serves, so that there is nothing to look up; count is at most 32. */
__device__ __forceinline__ bool is_steady(const lay_cuda_walk &walk, int first, int count)
{
    return !walk.table || (walk.run > 0 && first % walk.run + count <= walk.run);
}

/* is_last: nobody reads it again soon. */
template <bool is_last, typename T> __device__ __forceinline__ T load(const T *from)
{
    return is_last ? __ldcs(from) : __ldg(from);
}

/* value[i] is step i of the lane's line; 0 where there is none. */
template <bool is_last>
__device__ __forceinline__ void load_across(const lay_cuda_split_operand &of, int k, corner at, float (&value)[32])
{
    const int line = at.line + threadIdx.x % 32;
    const bool is_line = line < of.extent;
    const float *from = of.from + offset_at(of.across, is_line ? line : of.extent - 1);
    if (at.step + 32 <= k && is_steady(of.along, at.step, 32)) {
        from += offset_at(of.along, at.step);
#pragma unroll
        for (int i = 0; i < 32; i++)
            value[i] = is_line ? load<is_last>(from + i * of.along.stride) : 0;
        return;
    }
#pragma unroll
    for (int i = 0; i < 32; i++)
        value[i] = is_line && at.step + i < k ? load<is_last>(from + offset_at(of.along, at.step + i)) : 0;
}

/* value[i] is step 8 (lane % 4) + i of line lane / 4. */
template <bool is_last>
__device__ __forceinline__ void load_along(const lay_cuda_split_operand &of, int k, corner at, float (&value)[8])
{
    const int line = at.line + threadIdx.x % 32 / 4, step = at.step + threadIdx.x % 4 * 8;
    const bool is_line = line < of.extent;
    const float *const from = of.from + offset_at(of.across, is_line ? line : of.extent - 1);
    if (of.as == LAY_CUDA_ALONG_VECTOR && at.step + 32 <= k) {
        const float4 zero = make_float4(0, 0, 0, 0);
#pragma unroll
        for (int i = 0; i < 8; i += 4) {
            const float4 v =
                is_line ? load<is_last>(reinterpret_cast<const float4 *>(from + offset_at(of.along, step + i))) : zero;
            value[i] = v.x;
            value[i + 1] = v.y;
            value[i + 2] = v.z;
            value[i + 3] = v.w;
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        value[i] = is_line && step + i < k ? load<is_last>(from + offset_at(of.along, step + i)) : 0;
}

__device__ __forceinline__ bool is_finite(float x)
{
    return is_finite(__float_as_uint(x) & 0x7fffffff);
}

template <int count> __device__ __forceinline__ void drop_strange(float (&value)[count])
{
#pragma unroll
    for (int i = 0; i < count; i++)
        value[i] = is_finite(value[i]) ? value[i] : 0;
}

#endif
