/* What is known of an operand's lines, and the powers of two that they are scaled by. */
#ifndef LAY_KERNELS_CUDA_SPLIT_LINE_CUH
#define LAY_KERNELS_CUDA_SPLIT_LINE_CUH

#include "cuda_split.h"

/* Of a scaled line's greatest element. FP16X3: limbs are at most 2^15. BF16X6: sums of 2^31 products are finite. */
constexpr int fp16_top = 14, bf16_top = 47;
/* What FP16X3's second limb is multiplied by: as accurate for elements 2^-28 of the greatest as for that. */
constexpr float fp16_gap = 2048;
/* Leaves of which corrections are summed by the matrix units alone: 4096 steps, and 512. */
constexpr int fp16_segment = 128, bf16_segment = 16;

__device__ __forceinline__ lay_cuda_split_path_kind path_of(const lay_cuda_split_args &args)
{
    return lay_cuda_split_path(&args, *args.left.summary, *args.right.summary);
}
__device__ __forceinline__ bool is_finite(unsigned bits)
{
    return bits < 0x7f800000;
}

/* Of the absolute value that these are the bits of, not zero: as if denormals were not. */
__device__ __forceinline__ int exponent_of(unsigned bits)
{
    return bits >= 0x800000 ? static_cast<int>(bits >> 23) - 127 : -118 - __clz(bits);
}

/* Of a line with such a greatest element: those below this, 0 aside, are tiny. As bits. */
__device__ __forceinline__ unsigned tiny_below(unsigned greatest)
{
    const int least = exponent_of(greatest) - LAY_SPLIT_FP16_RANGE;
    return least >= -126 ? static_cast<unsigned>(least + 127) << 23 : least >= -149 ? 1u << (least + 149) : 0;
}
__device__ __forceinline__ bool is_tiny(float x, unsigned below)
{
    const unsigned bits = __float_as_uint(x) & 0x7fffffff;
    return bits != 0 && bits < below;
}

/* A line of zeros is scaled by 1. */
__device__ __forceinline__ int scale_of(unsigned greatest, int top)
{
    return greatest ? top - exponent_of(greatest) : 0;
}

/* 2^e, -126 <= e <= 127 */
__device__ __forceinline__ float power(int e)
{
    return __int_as_float((e + 127) << 23);
}

/* x 2^e, exact: for e of a line's scale and x an element of it, as far as it has limbs. */
struct scaling {
    float first, second;

    __device__ __forceinline__ explicit scaling(int e) : first(power(min(e, 126))), second(power(max(e - 126, 0)))
    {
    }
    __device__ __forceinline__ float operator()(float x) const
    {
        return x * first * second;
    }
};

/* sum 2^e with one rounding, for any e that two scales add up to. sum is 0 or at least 2^-75, and less than 2^127: the
 * first factors leave a normal number where that matters, the last one rounds. */
inline __device__ __noinline__ float unscaled_far(float sum, int e)
{
    if (e > 127)
        return sum * power(127) * power(min(e - 127, 127));
    if (e >= -252) {
        const int first = e >= -177 ? -51 : -126;
        return sum * power(first) * power(e - first);
    }
    return sum * power(-126) * power(-100) * power(max(e + 226, -126));
}
__device__ __forceinline__ float unscaled(float sum, int e)
{
    return e >= -126 && e <= 127 ? sum * power(e) : unscaled_far(sum, e);
}

#endif
