/* 32 lines of one leaf: elements read along whichever mode lies together, turned in shared memory if need be, and
 * written as pieces, 4 or 6 contiguous kilobytes of an image. By one warp. */
#ifndef LAY_KERNELS_CUDA_SPLIT_SQUARE_CUH
#define LAY_KERNELS_CUDA_SPLIT_SQUARE_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/split/source.cuh"

enum { square_pitch = 33 };
using square = float[32 * square_pitch]; /* [line][step] */

/* 16 bytes: eight pieces of one line. */
__device__ __forceinline__ void store(void *image, const unsigned (&pair)[4])
{
    *static_cast<uint4 *>(image) = make_uint4(pair[0], pair[1], pair[2], pair[3]);
}

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

/* Where the square's lines are in an image. */
struct place {
    char *lines, *thirds;

    __device__ __forceinline__ place(void *image, int64_t leaf_lines, int leaves, int leaf, int line)
        : lines(static_cast<char *>(image) + (leaf_lines * leaf + line) * 128),
          thirds(static_cast<char *>(image) + leaf_lines * leaves * 128 + (leaf_lines * leaf + line) * 64)
    {
    }
    __device__ __forceinline__ char *unit_of(int line, int unit) const { return lines + line * 128 + (unit ^ line % 8) * 16; }
    __device__ __forceinline__ char *third_of(int line, int unit) const
    {
        return thirds + line * 64 + (unit ^ line / 2 % 4) * 16;
    }
};

__device__ __forceinline__ void make_fp16(const float (&x)[8], int e, const place &to, int line, int unit)
{
    const scaling scaled(e);
    unsigned first[4], second[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float a = scaled(x[2 * i]), b = scaled(x[2 * i + 1]);
        first[i] = fp16_pieces(a, b, fp16_gap);
        second[i] = fp16_pieces(a, b, 1);
    }
    store(to.unit_of(line, unit), first);
    store(to.unit_of(line, unit + 4), second);
}

__device__ __forceinline__ void make_bf16(const float (&x)[8], int e, const place &to, int line, int unit)
{
    const scaling scaled(e);
    unsigned first[4], second[4], third[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float a = scaled(x[2 * i]), b = scaled(x[2 * i + 1]);
        first[i] = bf16_pieces(a, b);
        second[i] = bf16_pieces(a, b);
        third[i] = bf16_pieces(a, b);
    }
    store(to.unit_of(line, unit), first);
    store(to.unit_of(line, unit + 4), second);
    store(to.third_of(line, unit), third);
}

/* Elements that are not finite, and those that are not there, become 0. */
__device__ __forceinline__ void fetch_square(const lay_cuda_split_operand &of, int k, int line, int leaf, square &to)
{
    const int lane = threadIdx.x % 32;
    const offsets lines(of.across, line, of.extent), steps(of.along, leaf * LAY_SPLIT_STEPS, k);
    const bool is_across = goes_across(of);
    float value[32];
    if (is_across)
        load_square(of.from, lines, steps, value);
    else
        load_square(of.from, steps, lines, value);
    float *const own = to + lane * (is_across ? square_pitch : 1);
    const int apart = is_across ? 1 : square_pitch;
#pragma unroll
    for (int i = 0; i < 32; i++)
        own[i * apart] = is_finite(__float_as_uint(value[i]) & 0x7fffffff) ? value[i] : 0;
}

/* greatest: of the lane's line. */
template <bool is_fp16>
__device__ __forceinline__ void write_square(const square &from, unsigned greatest, const place &to)
{
#pragma unroll
    for (int i = 0; i < 32; i += 8) { /* eight lines at a time, four lanes each */
        const int line = i + threadIdx.x % 32 / 4, unit = threadIdx.x % 4;
        const unsigned own_greatest = __shfl_sync(0xffffffff, greatest, line);
        float x[8];
#pragma unroll
        for (int e = 0; e < 8; e++)
            x[e] = from[line * square_pitch + unit * 8 + e];
        if (is_fp16)
            make_fp16(x, scale_of(own_greatest, fp16_top), to, line, unit);
        else
            make_bf16(x, scale_of(own_greatest, bf16_top), to, line, unit);
    }
}

#endif
