/* Where the elements of a copy lie on both sides. */
#ifndef LAY_KERNELS_CUDA_COPY_LOCATE_CUH
#define LAY_KERNELS_CUDA_COPY_LOCATE_CUH

#include "cuda_copy.h"

namespace
{

/* Bytes to an index on both sides. */
struct offsets {
    int64_t from, to;
};

__device__ __forceinline__ int64_t offset_at(const lay_cuda_copy_offsets &offsets, int64_t i)
{
    return offsets.table ? __ldg(offsets.table + i) : i * offsets.stride;
}

/* Of an index of the axes first .. first + count - 1; bytes of an element of from. */
__device__ inline offsets locate(const lay_cuda_copy_args &args, int first, int count, int64_t index, int64_t from_size)
{
    offsets sum = { 0, 0 };
    for (int x = first; x < first + count; x++) {
        const lay_cuda_copy_axis &axis = args.axis[x];
        int64_t digit = index, rest = 0;
        if (index >= axis.extent) {
            rest = (index | axis.extent) >> 32 ? index / axis.extent
                                               : static_cast<uint32_t>(index) / static_cast<uint32_t>(axis.extent);
            digit = index - rest * axis.extent;
        }
        sum.from += offset_at(axis.from, digit);
        sum.to += offset_at(axis.to, digit);
        index = rest;
    }
    return { sum.from * from_size, sum.to * args.size };
}

} // namespace

#endif
