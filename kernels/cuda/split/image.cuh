/* A leaf's square -> its place in an image, by one warp: 4 or 6 contiguous kilobytes. */
#ifndef LAY_KERNELS_CUDA_SPLIT_IMAGE_CUH
#define LAY_KERNELS_CUDA_SPLIT_IMAGE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/split/source.cuh"

template <typename Pair> __device__ __forceinline__ unsigned bits_of(Pair pair)
{
    return *reinterpret_cast<const unsigned *>(&pair);
}

/* x becomes what the piece leaves of it, times gap. */
__device__ __forceinline__ unsigned fp16_pieces(float &x, float &y, float gap)
{
    const __half2 piece = __floats2half2_rn(x, y);
    x = (x - __low2float(piece)) * gap;
    y = (y - __high2float(piece)) * gap;
    return bits_of(piece);
}
__device__ __forceinline__ unsigned bf16_pieces(float &x, float &y)
{
    const __nv_bfloat162 piece = __floats2bfloat162_rn(x, y);
    x -= __low2float(piece);
    y -= __high2float(piece);
    return bits_of(piece);
}

/* Eight steps of one line: 16 bytes of each piece. */
template <bool is_fp16> struct unit {
    uint4 first, second, third; /* third: of BF16 */

    __device__ __forceinline__ unit(const float (&x)[8], const scaling &scaled)
    {
        unsigned pair[3][4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float a = scaled(x[2 * i]), b = scaled(x[2 * i + 1]);
            pair[0][i] = is_fp16 ? fp16_pieces(a, b, fp16_gap) : bf16_pieces(a, b);
            pair[1][i] = is_fp16 ? fp16_pieces(a, b, 1) : bf16_pieces(a, b);
            pair[2][i] = is_fp16 ? 0 : bf16_pieces(a, b);
        }
        first = make_uint4(pair[0][0], pair[0][1], pair[0][2], pair[0][3]);
        second = make_uint4(pair[1][0], pair[1][1], pair[1][2], pair[1][3]);
        third = make_uint4(pair[2][0], pair[2][1], pair[2][2], pair[2][3]);
    }
};

/* The square's 32 lines, in an image or on their way there: units of 16 bytes, exchanged as the header has it. */
struct spot {
    uint4 *lines, *thirds;

    __device__ __forceinline__ spot(uint4 *lines, uint4 *thirds) : lines(lines), thirds(thirds)
    {
    }
    __device__ __forceinline__ spot(const lay_cuda_split_operand &of, bool is_fp16, int k, int leaf, int line)
    {
        const int64_t leaf_lines = lay_cuda_split_leaf_lines(of.extent);
        uint4 *const image = static_cast<uint4 *>(is_fp16 ? of.fp16 : of.bf16);
        lines = image + (leaf_lines * leaf + line) * 8;
        thirds = image + leaf_lines * lay_cuda_split_leaves(k) * 8 + (leaf_lines * leaf + line) * 4;
    }
    template <bool is_fp16> __device__ __forceinline__ void put(int line, int at, const unit<is_fp16> &of) const
    {
        lines[line * 8 + (at ^ line % 8)] = of.first;
        lines[line * 8 + (at + 4 ^ line % 8)] = of.second;
        if (!is_fp16)
            thirds[line * 4 + (at ^ line / 2 % 4)] = of.third;
    }
};

/* What a warp turns lines in that it read across. */
template <bool is_fp16> struct turned {
    uint4 lines[32 * 8], thirds[is_fp16 ? 1 : 32 * 4];
};

/* greatest and is_strange: of the lane's line. */
template <bool is_fp16>
__device__ __forceinline__ void make_image(const lay_cuda_split_operand &of, int k, int line, int leaf,
                                           unsigned greatest, unsigned is_strange, turned<is_fp16> &room)
{
    constexpr int top = is_fp16 ? fp16_top : bf16_top;
    const spot to(of, is_fp16, k, leaf, line);
    const bool has_strange = __any_sync(0xffffffff, is_strange);
    const int lane = threadIdx.x % 32, step = leaf * LAY_SPLIT_STEPS;
    if (goes_across(of)) {
        float value[32];
        load_across<true>(of, k, { line, step }, value);
        if (has_strange)
            drop_strange(value);
        const scaling scaled(scale_of(greatest, top));
        const spot here(room.lines, room.thirds);
#pragma unroll
        for (int at = 0; at < 4; at++) {
            float x[8];
#pragma unroll
            for (int i = 0; i < 8; i++)
                x[i] = value[at * 8 + i];
            here.put(lane, at, unit<is_fp16>(x, scaled));
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 8; i++)
            __stcs(to.lines + i * 32 + lane, room.lines[i * 32 + lane]);
#pragma unroll
        for (int i = 0; i < 4 && !is_fp16; i++)
            __stcs(to.thirds + i * 32 + lane, room.thirds[i * 32 + lane]);
        return;
    }
    float value[4][8];
#pragma unroll
    for (int i = 0; i < 4; i++)
        load_along<true>(of, k, { line + i * 8, step }, value[i]);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (has_strange)
            drop_strange(value[i]);
        const int own = i * 8 + lane / 4;
        const scaling scaled(scale_of(__shfl_sync(0xffffffff, greatest, own), top));
        const unit<is_fp16> made(value[i], scaled);
        __stcs(to.lines + own * 8 + (lane % 4 ^ own % 8), made.first);
        __stcs(to.lines + own * 8 + (lane % 4 + 4 ^ own % 8), made.second);
        if (!is_fp16)
            __stcs(to.thirds + own * 4 + (lane % 4 ^ own / 2 % 4), made.third);
    }
}

#endif
