/* Operands -> images. A warp makes 32 lines of one leaf: 32 x 32 elements, read along whichever mode lies together,
 * turned in shared memory if need be, and written as 4 or 6 contiguous kilobytes. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/split/source.cuh"

namespace {

enum { warps = LAY_SPLIT_THREADS / 32, pitch = 33 };

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

/* Where the warp's 32 lines of its leaf are. */
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

__device__ __forceinline__ void make_fp16(const float (&x)[8], int e, const place &to, int line, int unit_of_line)
{
    const scaling scaled(e);
    unsigned first[4], second[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float a = scaled(x[2 * i]), b = scaled(x[2 * i + 1]);
        first[i] = fp16_pieces(a, b, fp16_gap);
        second[i] = fp16_pieces(a, b, 1);
    }
    store(to.unit_of(line, unit_of_line), first);
    store(to.unit_of(line, unit_of_line + 4), second);
}

__device__ __forceinline__ void make_bf16(const float (&x)[8], int e, const place &to, int line, int unit_of_line)
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
    store(to.unit_of(line, unit_of_line), first);
    store(to.unit_of(line, unit_of_line + 4), second);
    store(to.third_of(line, unit_of_line), third);
}

__global__ void __launch_bounds__(LAY_SPLIT_THREADS) split(const __grid_constant__ lay_cuda_split_args args)
{
    __shared__ float squares[warps][32 * pitch]; /* [line][step] */
    const lay_cuda_split_path_kind path = path_of(args);
    const unsigned left_blocks = static_cast<unsigned>(lay_cuda_split_split_blocks(&args.left, args.k));
    const bool is_right = blockIdx.x >= left_blocks;
    const lay_cuda_split_operand &of = is_right ? args.right : args.left;
    const bool makes_both = of.fp16 != of.bf16;
    if (path == LAY_SPLIT_STRICT && !makes_both)
        return;
    const int64_t leaf_lines = lay_cuda_split_leaf_lines(of.extent);
    const int leaves = lay_cuda_split_leaves(args.k), strips = static_cast<int>(leaf_lines / LAY_SPLIT_LINES);
    const int64_t number = static_cast<int64_t>(is_right ? blockIdx.x - left_blocks : blockIdx.x) * warps + threadIdx.x / 32;
    if (number >= static_cast<int64_t>(strips) * leaves)
        return;
    /* Warps side by side read what lies together. */
    const bool is_across = goes_across(of);
    const int strip = static_cast<int>(is_across ? number % strips : number / leaves);
    const int leaf = static_cast<int>(is_across ? number / strips : number % leaves);
    const int line = strip * LAY_SPLIT_LINES, step = leaf * LAY_SPLIT_STEPS, lane = threadIdx.x % 32;
    float *const square = squares[threadIdx.x / 32];
    {
        const offsets lines(of.across, line, of.extent), steps(of.along, step, args.k);
        float value[32];
        if (is_across)
            load_square(of.from, lines, steps, value);
        else
            load_square(of.from, steps, lines, value);
        const int lane_apart = is_across ? pitch : 1, apart = is_across ? 1 : pitch;
#pragma unroll
        for (int i = 0; i < 32; i++)
            square[lane * lane_apart + i * apart] = is_finite(__float_as_uint(value[i]) & 0x7fffffff) ? value[i] : 0;
    }
    __syncwarp();
    const place fp16(of.fp16, leaf_lines, leaves, leaf, line), bf16(of.bf16, leaf_lines, leaves, leaf, line);
#pragma unroll
    for (int i = 0; i < 32; i += 8) { /* eight lines at a time, four lanes each */
        const int own = i + lane / 4, unit_of_line = lane % 4;
        const unsigned greatest = line + own < of.extent ? of.lines[line + own].greatest : 0;
        float x[8];
#pragma unroll
        for (int e = 0; e < 8; e++)
            x[e] = square[own * pitch + unit_of_line * 8 + e];
        if (makes_both || path == LAY_SPLIT_FP16X3)
            make_fp16(x, scale_of(greatest, fp16_top), fp16, own, unit_of_line);
        if (makes_both || path == LAY_SPLIT_BF16X6)
            make_bf16(x, scale_of(greatest, bf16_top), bf16, own, unit_of_line);
    }
}

} // namespace

extern "C" const void *const lay_cuda_split_split = reinterpret_cast<const void *>(&split);
