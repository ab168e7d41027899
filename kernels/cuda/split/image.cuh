/* A leaf's square -> its place in an image, by one warp: 4 contiguous kilobytes, and 2 of third limbs. */
#ifndef LAY_KERNELS_CUDA_SPLIT_IMAGE_CUH
#define LAY_KERNELS_CUDA_SPLIT_IMAGE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/split/ptx.cuh"
#include "cuda/split/source.cuh"

template <typename Pair> __device__ __forceinline__ unsigned bits_of(Pair pair)
{
    return *reinterpret_cast<const unsigned *>(&pair);
}

/* x becomes what the limb leaves of it, times gap. */
__device__ __forceinline__ unsigned fp16_limbs(float &x, float &y, float gap)
{
    const __half2 limb = __floats2half2_rn(x, y);
    x = (x - __low2float(limb)) * gap;
    y = (y - __high2float(limb)) * gap;
    return bits_of(limb);
}
__device__ __forceinline__ unsigned bf16_limbs(float &x, float &y)
{
    const __nv_bfloat162 limb = __floats2bfloat162_rn(x, y);
    x -= __low2float(limb);
    y -= __high2float(limb);
    return bits_of(limb);
}

/* Eight steps of one line, scaled: 16 bytes of each limb. */
template <bool is_fp16> struct unit {
    uint4 first, second, third; /* third: of BF16 */

    __device__ __forceinline__ explicit unit(const float (&x)[8])
    {
        unsigned pair[3][4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float a = x[2 * i], b = x[2 * i + 1];
            pair[0][i] = is_fp16 ? fp16_limbs(a, b, fp16_gap) : bf16_limbs(a, b);
            pair[1][i] = is_fp16 ? fp16_limbs(a, b, 1) : bf16_limbs(a, b);
            pair[2][i] = is_fp16 ? 0 : bf16_limbs(a, b);
        }
        first = make_uint4(pair[0][0], pair[0][1], pair[0][2], pair[0][3]);
        second = make_uint4(pair[1][0], pair[1][1], pair[1][2], pair[1][3]);
        third = make_uint4(pair[2][0], pair[2][1], pair[2][2], pair[2][3]);
    }
};

/* A warp's square, and third limbs of it as an image has them. */
template <bool is_fp16> struct workplace {
    square limbs;
    uint4 thirds[is_fp16 ? 1 : 32 * 4];
};

/* A lane's line, sorted, its elements -> limbs, in place. greatest, is_strange, below: its own; of FP16 elements below
 * that are tiny. Bits say which of the 32 steps are. */
template <bool is_fp16>
__device__ __forceinline__ unsigned make(unsigned greatest, bool is_strange, unsigned below, workplace<is_fp16> &here)
{
    const int lane = threadIdx.x % 32;
    const scaling by(scale_of(greatest, is_fp16 ? fp16_top : bf16_top));
    const bool is_rare = __any_sync(0xffffffff, is_strange || by.second != 1 || below != 0);
    unsigned tiny = 0;
#pragma unroll
    for (int at = 0; at < 4; at++) {
        const float4 a = here.limbs.get(lane, at), b = here.limbs.get(lane, at + 4);
        float x[8] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
        if (is_rare) {
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const bool is_left_out = is_fp16 && is_tiny(x[i], below);
                tiny |= static_cast<unsigned>(is_left_out) << (at * 8 + i);
                x[i] = is_left_out ? 0 : by(finite_or_zero(x[i]));
            }
        } else {
#pragma unroll
            for (int i = 0; i < 8; i++)
                x[i] *= by.first;
        }
        const unit<is_fp16> made(x);
        here.limbs.unit[square::place(lane, at)] = made.first;
        here.limbs.unit[square::place(lane, at + 4)] = made.second;
        if (!is_fp16)
            here.thirds[lane * 4 + (at ^ lane / 2 % 4)] = made.third;
    }
    return tiny;
}

/* By one warp, to the leaf's lines in the image. here may be written over then. */
template <bool is_fp16>
__device__ __forceinline__ void send(const lay_cuda_split_operand &of, int k, int leaf, int line,
                                     const workplace<is_fp16> &here)
{
    const int64_t lines = lay_cuda_split_leaf_lines(of.extent), first = lines * leaf + line;
    char *const image = static_cast<char *>(is_fp16 ? of.fp16 : of.bf16);
    char *const third = image + lines * lay_cuda_split_leaves(k) * 128 + first * 64;
#if __CUDA_ARCH__ >= 900
    own_writes_are_made();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        send_bulk(image + first * 128, here.limbs.unit, sizeof here.limbs);
        if (!is_fp16)
            send_bulk(third, here.thirds, sizeof here.thirds);
        sent_is_read();
    }
#else
    __syncwarp();
    send_by_lanes(image + first * 128, here.limbs.unit, sizeof here.limbs);
    if (!is_fp16)
        send_by_lanes(third, here.thirds, sizeof here.thirds);
#endif
    __syncwarp();
}

#endif
