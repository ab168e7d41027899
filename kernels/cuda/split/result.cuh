/* From sums to C: through shared memory, a warp's 16 rows by 32 columns at a time, so that lanes write along C's rows
 * or columns and the code is a short loop: what runs once or twice has to be fetched first. */
#ifndef LAY_KERNELS_CUDA_SPLIT_RESULT_CUH
#define LAY_KERNELS_CUDA_SPLIT_RESULT_CUH

#include "cuda/hopper/subtile.cuh"
#include "cuda/split/finish.cuh"
#include "cuda/split/tile.cuh"

/* In place of a line's scale: behind the edge, or one that the patch writes. */
constexpr int not_ours = 1 << 20;

/* What a warpgroup's threads fetch before its products and lay down after them: the scale of each line. */
template <int columns> struct scales {
    static constexpr int rows = 64, lines = rows + columns, own = (lines + 127) / 128;
    int mine[own];

    __device__ __forceinline__ void fetch(const lay_cuda_split_args &args, int i, int j, bool is_fp16)
    {
        const unsigned patched = lay_cuda_split_patched(is_fp16 ? LAY_SPLIT_FP16X3 : LAY_SPLIT_BF16X6);
#pragma unroll
        for (int e = 0; e < own; e++) {
            const int line = threadIdx.x % 128 + e * 128;
            const bool is_row = line < rows;
            const int at = is_row ? i + line : j + line - rows;
            mine[e] = not_ours;
            if (line < lines && at < (is_row ? args.m : args.n)) {
                const lay_cuda_split_line of = is_row ? args.left.lines[at] : args.right.lines[at];
                if (!(of.flags & patched))
                    mine[e] = scale_of(of.greatest, is_fp16 ? fp16_top : bf16_top);
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

struct subtile : piece_of_tile {
    /* Those of columns 32 * which and on: registers have no index that a loop could count. */
    template <int count> __device__ __forceinline__ void lay(const float (&sum)[count], int which) const
    {
        __syncwarp();
        if (which == 0)
            lay_from<0>(sum);
        else if (which == 1)
            lay_from<16>(sum);
        else if (which == 2)
            lay_from<32>(sum);
        else
            lay_from<48>(sum);
        __syncwarp();
    }
    __device__ __forceinline__ float get(int row, int column) const
    {
        return at[row * pitch + column];
    }
    __device__ __forceinline__ float4 get4(int row, int column) const
    {
        return *reinterpret_cast<const float4 *>(at + row * pitch + column);
    }
};

/* Lanes have a line each: where it is in C, and its scale. Others ask for it. */
struct lines_of_piece {
    int64_t offset;
    int scale;

    /* A patched line has its offset all the same: its neighbours may reckon from there. */
    __device__ __forceinline__ lines_of_piece(const lay_cuda_offsets &offsets, int first, int all, const int *scales,
                                              int count)
    {
        const int lane = threadIdx.x % 32;
        scale = lane < count ? scales[lane] : not_ours;
        offset = first + lane < all ? offset_at(offsets, first + lane) : 0;
    }
    __device__ __forceinline__ int64_t offset_of(int i) const
    {
        return __shfl_sync(0xffffffff, offset, i);
    }
    __device__ __forceinline__ int scale_of(int i) const
    {
        return __shfl_sync(0xffffffff, scale, i);
    }
};

/* Elements of a subtile whose scales factors undo, one by one. The lane has a row, or a column, and goes along the
 * other dimension: along whichever C lies, lanes write neighbours. */
__device__ __forceinline__ void write_singly(const lay_cuda_split_args &args, const subtile &from,
                                             const lines_of_piece &rows, const lines_of_piece &columns)
{
    const int lane = threadIdx.x % 32, row = lane % subtile::rows;
    const bool is_down = !args.result_m.table && args.result_m.stride == 1;
    const int64_t down = rows.offset_of(row), own = is_down ? down : columns.offset;
    const int down_scale = rows.scale_of(row), own_scale = is_down ? down_scale : columns.scale;
#pragma unroll 4
    for (int e = 0; e < subtile::rows; e++) {
        const int column = is_down ? 2 * e + lane / subtile::rows : lane, along = is_down ? column : e;
        const int64_t offset = __shfl_sync(0xffffffff, is_down ? columns.offset : rows.offset, along);
        const int scale = __shfl_sync(0xffffffff, is_down ? columns.scale : rows.scale, along);
        if (own_scale == not_ours || scale == not_ours)
            continue;
        float *const c = args.c + own + offset;
        const float whole = from.get(is_down ? row : e, column) * __int_as_float((127 - own_scale - scale) << 23);
        *c = args.beta == 0 ? args.alpha * whole : fmaf(args.alpha, whole, args.beta * *c);
    }
}

/* The same whatever the scales. */
__device__ __forceinline__ void write_slowly(const lay_cuda_split_args &args, const subtile &from,
                                             const lines_of_piece &rows, const lines_of_piece &columns)
{
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int e = 0; e < subtile::rows; e++) {
        const int64_t offset = rows.offset_of(e);
        const int scale = rows.scale_of(e);
        if (scale == not_ours || columns.scale == not_ours)
            continue;
        float *const c = args.c + offset + columns.offset;
        *c = finished(args, from.get(e, lane), scale + columns.scale, args.beta == 0 ? 0 : *c);
    }
}

/* Whether every scale of what is ours is one that a factor undoes. */
__device__ __forceinline__ bool has_factors(const lines_of_piece &rows, const lines_of_piece &columns)
{
    const int row = rows.scale_of(threadIdx.x % subtile::rows), column = columns.scale, none = -not_ours;
    const int greatest = __reduce_max_sync(0xffffffff, row == not_ours ? none : row) +
                         __reduce_max_sync(0xffffffff, column == not_ours ? none : column);
    const int least = __reduce_min_sync(0xffffffff, row) + __reduce_min_sync(0xffffffff, column);
    return greatest <= 126 && least >= -127;
}

/* Whether the columns that are ours make whole vectors. */
__device__ __forceinline__ bool is_in_vectors(const lines_of_piece &columns)
{
    const unsigned ours = __ballot_sync(0xffffffff, columns.scale != not_ours), first = 0x11111111;
    return ((ours | ours >> 1 | ours >> 2 | ours >> 3) & first) == (ours & ours >> 1 & ours >> 2 & ours >> 3 & first);
}

/* Such a subtile in vectors: few instructions, for they are fetched anew for each tile. */
__device__ __forceinline__ void write_vectors(const lay_cuda_split_args &args, const subtile &from,
                                              const lines_of_piece &rows, const lines_of_piece &columns)
{
    const int lane = threadIdx.x % 32, column = lane % 8 * 4;
    const bool is_ours = columns.scale_of(column) != not_ours;
    float *const c = args.c + columns.offset_of(column);
    int factor[4]; /* exponents in place */
#pragma unroll
    for (int i = 0; i < 4; i++)
        factor[i] = (127 - columns.scale_of(column + i)) << 23;
#pragma unroll
    for (int row = lane / 8; row < subtile::rows; row += 4) {
        const int own = rows.scale_of(row), scale = own << 23;
        float4 *const to = reinterpret_cast<float4 *>(c + rows.offset_of(row));
        const float4 sum = from.get4(row, column);
        const float4 whole =
            make_float4(sum.x * __int_as_float(factor[0] - scale), sum.y * __int_as_float(factor[1] - scale),
                        sum.z * __int_as_float(factor[2] - scale), sum.w * __int_as_float(factor[3] - scale));
        if (own == not_ours || !is_ours)
            continue;
        if (args.beta == 0) {
            *to = make_float4(args.alpha * whole.x, args.alpha * whole.y, args.alpha * whole.z, args.alpha * whole.w);
        } else {
            const float4 old = *to;
            *to =
                make_float4(fmaf(args.alpha, whole.x, args.beta * old.x), fmaf(args.alpha, whole.y, args.beta * old.y),
                            fmaf(args.alpha, whole.z, args.beta * old.z), fmaf(args.alpha, whole.w, args.beta * old.w));
        }
    }
}

__device__ __forceinline__ void write_subtile(const lay_cuda_split_args &args, const subtile &from,
                                              const lines_of_piece &rows, const lines_of_piece &columns)
{
    if (!has_factors(rows, columns))
        write_slowly(args, from, rows, columns);
    else if (args.is_c_vector && is_in_vectors(columns))
        write_vectors(args, from, rows, columns);
    else
        write_singly(args, from, rows, columns);
}

/* Sums of one slice, as they are. */
__device__ __forceinline__ void keep_piece(const lay_cuda_split_args &args, const subtile &from, int i, int j,
                                           int count, int slice)
{
    const int lane = threadIdx.x % 32;
    float *const to = args.partial + (static_cast<int64_t>(slice) * args.m + i) * args.n + j + lane;
#pragma unroll 4
    for (int row = 0; row < subtile::rows; row++)
        if (i + row < args.m && j + lane < args.n && lane < count)
            to[static_cast<int64_t>(row) * args.n] = from.get(row, lane);
}

/* i, j: of the warpgroup's part of the tile. */
template <int columns>
__device__ __forceinline__ void write(const lay_cuda_split_args &args, int i, int j, int slice,
                                      const float (&sum)[columns / 2], const int *scales, float *room)
{
    const int down = threadIdx.x % 128 / 32 * subtile::rows;
    const subtile own = { room };
    const lines_of_piece rows(args.result_m, i + down, args.m, scales + down, subtile::rows);
#pragma unroll 1
    for (int which = 0; which * subtile::columns < columns; which++) {
        const int across = which * subtile::columns, count = min(columns - across, static_cast<int>(subtile::columns));
        own.lay(sum, which);
        if (args.slices > 1)
            keep_piece(args, own, i + down, j + across, count, slice);
        else
            write_subtile(
                args, own, rows,
                lines_of_piece(args.result_n, j + across, args.n, scales + ::scales<columns>::rows + across, count));
    }
}

#endif
