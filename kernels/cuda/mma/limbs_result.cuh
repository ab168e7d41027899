/* Sums of a warp -> C, their lines' scales undone, but for those that are patched; or partial sums as they are. 16 rows
 * at a time go through shared memory, so that lanes write what lies side by side. */
#ifndef LAY_KERNELS_CUDA_MMA_LIMBS_RESULT_CUH
#define LAY_KERNELS_CUDA_MMA_LIMBS_RESULT_CUH

#include "cuda/mma/limbs.cuh"
#include "cuda/mma/strip.cuh"
#include "cuda/split/finish.cuh"

namespace
{

/* How the path has scaled lines, and which of them it leaves to the patch. */
struct undoing {
    int top;
    unsigned patched;
};
template <bool is_fp16> __device__ __forceinline__ undoing undoing_of()
{
    return { is_fp16 ? fp16_top : bf16_top, lay_cuda_split_patched(is_fp16 ? LAY_SPLIT_FP16X3 : LAY_SPLIT_BF16X6) };
}

/* What a line's record says of its sums. */
struct line_of_sums {
    int scale;
    bool is_ours;

    __device__ __forceinline__ line_of_sums(const lay_cuda_split_operand &of, int line, undoing by)
        : scale(0), is_ours(line < of.extent)
    {
        if (!is_ours)
            return;
        scale = scale_of(of.lines[line].greatest, by.top);
        is_ours = !(of.lines[line].flags & by.patched);
    }
};

/* Whether one power of two undoes the scales of each element of the strip. */
template <int columns, class Asked>
__device__ __forceinline__ bool has_factors(const Asked &of, int i, int j, undoing by)
{
    constexpr int none = 1 << 20;
    const int lane = threadIdx.x % 32;
    const line_of_sums row(of.left(), i + lane % 16, by);
    int most = -none, least = none;
#pragma unroll
    for (int column = lane; column < columns; column += 32) {
        const line_of_sums own(of.right(), j + column, by);
        if (own.is_ours) {
            most = max(most, own.scale);
            least = min(least, own.scale);
        }
    }
    const int rows_most = __reduce_max_sync(0xffffffff, row.is_ours ? row.scale : -none);
    const int rows_least = __reduce_min_sync(0xffffffff, row.is_ours ? row.scale : none);
    return __reduce_max_sync(0xffffffff, most) + rows_most <= 126 &&
           __reduce_min_sync(0xffffffff, least) + rows_least >= -127;
}

__device__ __forceinline__ float blended(const lay_cuda_split_args &args, float sum, float old)
{
    return args.beta == 0 ? args.alpha * sum : fmaf(args.alpha, sum, args.beta * old);
}

/* A lane has four neighbours of each other row, which has_factors. */
template <int columns, class Asked>
__device__ __forceinline__ void write_vectors(const Asked &of, const strip<columns> &from, int i, int j, undoing by)
{
    const lay_cuda_split_args &args = of.args;
    constexpr int across = columns / 4, rows = 32 / across;
    const int lane = threadIdx.x % 32, column = lane % across * 4;
    int scale[4];
    unsigned ours = 0;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const line_of_sums own(of.right(), j + column + e, by);
        scale[e] = own.scale;
        ours |= static_cast<unsigned>(own.is_ours) << e;
    }
    if (!ours)
        return;
    float *const c = args.c + offset_at(of.result_n(), j + column);
#pragma unroll 1
    for (int row = lane / across; row < 16; row += rows) {
        const line_of_sums own(of.left(), i + row, by);
        if (!own.is_ours)
            continue;
        float *const to = c + offset_at(of.result_m(), i + row);
        const float *const sum = &from.sum[row][column];
        if (ours == 15) {
            float4 old = make_float4(0, 0, 0, 0);
            if (args.beta != 0)
                old = *reinterpret_cast<const float4 *>(to);
            *reinterpret_cast<float4 *>(to) = make_float4(blended(args, sum[0] * power(-own.scale - scale[0]), old.x),
                                                          blended(args, sum[1] * power(-own.scale - scale[1]), old.y),
                                                          blended(args, sum[2] * power(-own.scale - scale[2]), old.z),
                                                          blended(args, sum[3] * power(-own.scale - scale[3]), old.w));
            continue;
        }
#pragma unroll
        for (int e = 0; e < 4; e++)
            if (ours >> e & 1)
                to[e] = blended(args, sum[e] * power(-own.scale - scale[e]), args.beta == 0 ? 0 : to[e]);
    }
}

/* Element by element: lanes go down columns where these are contiguous, else along rows. */
template <int columns, class Asked>
__device__ __forceinline__ void write_elements(const Asked &of, const strip<columns> &from, int i, int j, undoing by)
{
    const lay_cuda_split_args &args = of.args;
    const bool is_down = !of.result_m().table && of.result_m().stride == 1;
#pragma unroll 1
    for (int e = threadIdx.x % 32; e < 16 * columns; e += 32) {
        const int row = is_down ? e % 16 : e / columns, column = is_down ? e / 16 : e % columns;
        const line_of_sums left(of.left(), i + row, by);
        const line_of_sums right(of.right(), j + column, by);
        if (!left.is_ours || !right.is_ours)
            continue;
        float *const to = args.c + offset_at(of.result_m(), i + row) + offset_at(of.result_n(), j + column);
        *to = finished(args, from.sum[row][column], left.scale + right.scale, args.beta == 0 ? 0 : *to);
    }
}

/* Of a transposed product lanes go down columns: in memory they are rows. */
template <int columns, class Asked>
__device__ __forceinline__ void write_strip(const Asked &of, const strip<columns> &from, int i, int j, int slice,
                                            undoing by)
{
    constexpr bool is_transposed = Asked::transposed;
    const lay_cuda_split_args &args = of.args;
    if (args.slices > 1)
        write_partial<is_transposed>(args.partial, args.m, args.n, from, slice, i, j);
    else if (!is_transposed && args.is_c_vector && has_factors<columns>(of, i, j, by))
        write_vectors(of, from, i, j, by);
    else
        write_elements(of, from, i, j, by);
}

template <int rows_16, int columns, class Asked>
__device__ __forceinline__ void write_sums(const Asked &of, int i, int j, int slice, undoing by,
                                           const float (&sum)[rows_16][columns / 8][4], strip<columns> &own)
{
#pragma unroll
    for (int t = 0; t < rows_16; t++) {
        fill_strip(own, sum[t]);
        __syncwarp();
        write_strip(of, own, i + t * 16, j, slice, by);
        __syncwarp();
    }
}

} // namespace

#endif
