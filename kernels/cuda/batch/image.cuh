/* How a turn's steps of an operand lie in shared memory. */
#ifndef LAY_KERNELS_CUDA_BATCH_IMAGE_CUH
#define LAY_KERNELS_CUDA_BATCH_IMAGE_CUH

#include "cuda/batch/copy.cuh"

namespace batch
{

/* [lines][steps]: the left operand, read in vectors along k (f32), or as a fragment's rows (f64). Four elements
 * behind each line, so that lines side by side begin in different banks. Steps behind the end, up to a multiple of
 * pad_to, are -0: fma(-0, +0, x) is x, bit for bit. */
template <typename T_, int lines_, int steps_, int pad_to> struct lines_by_steps {
    using T = T_;
    static constexpr int lines = lines_, steps = steps_, pitch = steps + 4;
    static constexpr int bytes = lines * pitch * sizeof(T);
    static constexpr bool pads_with_zeros = pad_to == 1; /* as there is nothing behind the end */

    template <bool is_along> static constexpr bool takes_vectors = is_along;
    template <bool is_along> static constexpr __host__ __device__ bool adds_up(int, int)
    {
        return true;
    }

    static __device__ __forceinline__ int at(int line, int step)
    {
        return (line * pitch + step) * static_cast<int>(sizeof(T));
    }
    static __device__ __forceinline__ int padded(int there)
    {
        return (there + pad_to - 1) / pad_to * pad_to;
    }
    /* v elements, of which the first `there` are. */
    template <int v> static __device__ __forceinline__ void pad(uint32_t to, const char *from, int there)
    {
#pragma unroll
        for (int e = 0; e < v; e++)
            if (e < there)
                copy<sizeof(T)>(to + e * sizeof(T), from + e * sizeof(T), sizeof(T));
            else
                store(to + e * sizeof(T), -0.0);
    }
};

/* [steps][lines]: the right operand. Steps behind the end, up to a multiple of pad_to, are +0. */
template <typename T_, int lines_, int steps_, int pad_to> struct steps_by_lines {
    using T = T_;
    static constexpr int lines = lines_, steps = steps_;
    static constexpr int pitch = lines + 4;
    static constexpr int bytes = steps * pitch * sizeof(T);
    static constexpr bool pads_with_zeros = true;

    template <bool is_along> static constexpr bool takes_vectors = !is_along;
    template <bool is_along> static constexpr __host__ __device__ bool adds_up(int, int)
    {
        return true;
    }

    static __device__ __forceinline__ int at(int line, int step)
    {
        return (step * pitch + line) * static_cast<int>(sizeof(T));
    }
    static __device__ __forceinline__ int padded(int there)
    {
        return (there + pad_to - 1) / pad_to * pad_to;
    }
    template <int v> static __device__ __forceinline__ void pad(uint32_t, const char *, int)
    {
    }
};

/* A turn as tensor copies would leave it, swizzled by 128 bytes: lines of 64 steps; or is_across, 64 lines by the step.
 * Steps behind the end are zeros. */
template <typename T_, int lines_, bool is_across> struct swizzled {
    using T = T_;
    static constexpr int lines = lines_, steps = 64;
    static constexpr int bytes = is_across ? (lines + 63) / 64 * steps * 128 : lines * 128;
    static constexpr bool pads_with_zeros = true;

    template <bool is_along> static constexpr bool takes_vectors = is_along != is_across;
    /* Whether places have one distance that are so many neighbours apart, and so many rows of them. */
    template <bool is_along> static constexpr __host__ __device__ bool adds_up(int neighbours, int rows)
    {
        return rows % 8 == 0 && neighbours % 64 == 0;
    }

    static __device__ __forceinline__ int at(int line, int step)
    {
        return is_across ? line / 64 * 8192 + step * 128 + ((line % 64 / 8 ^ step % 8) * 16) + line % 8 * 2
                         : line * 128 + ((step / 8 ^ line % 8) * 16) + step % 8 * 2;
    }
    static __device__ __forceinline__ int padded(int)
    {
        return steps;
    }
    template <int v> static __device__ __forceinline__ void pad(uint32_t, const char *, int)
    {
    }
};

} // namespace batch

#endif
