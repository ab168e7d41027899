/* From sums to C: straight from registers. The eight lanes below each other have rows of one column, the four beside
 * each other eight columns of a row: 32 bytes either way, whichever C is contiguous along. */
#ifndef LAY_KERNELS_CUDA_SPLIT_RESULT_CUH
#define LAY_KERNELS_CUDA_SPLIT_RESULT_CUH

#include "cuda/split/finish.cuh"
#include "cuda/split/tile.cuh"

/* In place of a line's scale: behind the edge, or with Inf or NaN in it, so that the patch writes it. */
constexpr int not_ours = 1 << 20;

/* What a warpgroup's threads fetch before its products and lay down after them: the scale of each line. */
template <int columns> struct scales {
    static constexpr int rows = 64, lines = rows + columns, own = (lines + 127) / 128;
    int mine[own];

    __device__ __forceinline__ void fetch(const lay_cuda_split_args &args, int i, int j, int top)
    {
#pragma unroll
        for (int e = 0; e < own; e++) {
            const int line = threadIdx.x % 128 + e * 128;
            const bool is_row = line < rows;
            const int at = is_row ? i + line : j + line - rows;
            mine[e] = not_ours;
            if (line < lines && at < (is_row ? args.m : args.n)) {
                const lay_cuda_split_line of = is_row ? args.left.lines[at] : args.right.lines[at];
                if (!of.is_strange)
                    mine[e] = scale_of(of.greatest, top);
            }
        }
    }
    __device__ __forceinline__ void lay(int *to, int warpgroup) const
    {
        meet(warpgroup); /* the last tile's were read */
#pragma unroll
        for (int e = 0; e < own; e++)
            if (threadIdx.x % 128 + e * 128 < lines)
                to[threadIdx.x % 128 + e * 128] = mine[e];
        meet(warpgroup);
    }
};

/* What a thread's sums are of: rows down and down + 8, columns across + 8 j and one more. */
struct sums_at {
    int down, across; /* in the warpgroup's part of the tile */

    __device__ __forceinline__ sums_at()
        : down(threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4), across(threadIdx.x % 4 * 2)
    {
    }
};

/* Some groups of two columns at a time, so that what is read of C is on its way together. */
template <int columns, bool is_vector>
__device__ __forceinline__ void write_sums(const lay_cuda_split_args &args, int i, int j,
                                           const float (&sum)[columns / 2], const int *scales)
{
    constexpr int rows = 64, batch = columns % 32 ? 2 : 4;
    const sums_at at;
    const int *of_columns = scales + rows + at.across;
    int row_scale[2];
    float *row[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        row_scale[r] = scales[at.down + 8 * r];
        row[r] = args.c + (row_scale[r] == not_ours ? 0 : offset_at(args.result_m, i + at.down + 8 * r));
    }
#pragma unroll
    for (int first = 0; first < columns / 8; first += batch) {
        float *to[batch][2][2];
        float old[batch][2][2] = {};
        int scale[batch][2][2];
#pragma unroll
        for (int b = 0; b < batch; b++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const int of_column = of_columns[(first + b) * 8 + e];
                const bool is_there = of_column != not_ours;
                if (!is_vector || e == 0) {
                    const int64_t offset = is_there ? offset_at(args.result_n, j + at.across + (first + b) * 8 + e) : 0;
                    to[b][0][e] = row[0] + offset;
                    to[b][1][e] = row[1] + offset;
                }
#pragma unroll
                for (int r = 0; r < 2; r++)
                    scale[b][r][e] = is_there && row_scale[r] != not_ours ? row_scale[r] + of_column : not_ours;
            }
        if (args.beta != 0) {
#pragma unroll
            for (int b = 0; b < batch; b++)
#pragma unroll
                for (int r = 0; r < 2; r++)
#pragma unroll
                    for (int e = 0; e < 2; e++)
                        if (scale[b][r][e] != not_ours)
                            old[b][r][e] = is_vector ? to[b][r][0][e] : *to[b][r][e];
        }
#pragma unroll
        for (int b = 0; b < batch; b++)
#pragma unroll
            for (int r = 0; r < 2; r++) {
                float value[2];
#pragma unroll
                for (int e = 0; e < 2; e++)
                    value[e] = scale[b][r][e] == not_ours
                                   ? 0
                                   : finished(args, sum[(first + b) * 4 + r * 2 + e], scale[b][r][e], old[b][r][e]);
                if (is_vector && scale[b][r][0] != not_ours && scale[b][r][1] != not_ours) {
                    *reinterpret_cast<float2 *>(to[b][r][0]) = make_float2(value[0], value[1]);
                    continue;
                }
#pragma unroll
                for (int e = 0; e < 2; e++)
                    if (scale[b][r][e] != not_ours)
                        *(is_vector ? to[b][r][0] + e : to[b][r][e]) = value[e];
            }
    }
}

/* Sums of one slice, as they are. */
template <int columns>
__device__ __forceinline__ void keep_sums(const lay_cuda_split_args &args, int i, int j, int slice,
                                          const float (&sum)[columns / 2])
{
    const sums_at at;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int row = i + at.down + 8 * r;
        float *to = args.partial + (static_cast<int64_t>(slice) * args.m + row) * args.n + j + at.across;
        if (row < args.m)
#pragma unroll
            for (int b = 0; b < columns / 8; b++) {
                const int rest = args.n - j - at.across - b * 8;
                if (args.n % 2 == 0 && rest > 0)
                    *reinterpret_cast<float2 *>(to + b * 8) = make_float2(sum[b * 4 + r * 2], sum[b * 4 + r * 2 + 1]);
                else
#pragma unroll
                    for (int e = 0; e < 2; e++)
                        if (e < rest)
                            to[b * 8 + e] = sum[b * 4 + r * 2 + e];
            }
    }
}

template <int columns>
__device__ __forceinline__ void write(const lay_cuda_split_args &args, int i, int j, int slice,
                                      const float (&sum)[columns / 2], const int *scales)
{
    if (args.slices > 1)
        keep_sums<columns>(args, i, j, slice, sum);
    else if (args.is_c_vector)
        write_sums<columns, true>(args, i, j, sum, scales);
    else
        write_sums<columns, false>(args, i, j, sum, scales);
}

#endif
