/* From sums to C: through shared memory, a warp's 16 rows by 32 columns at a time, so that lanes write along C's rows
 * and the code is a short loop: what runs once or twice has to be fetched first. */
#ifndef LAY_KERNELS_CUDA_NARROW_RESULT_CUH
#define LAY_KERNELS_CUDA_NARROW_RESULT_CUH

#include "cuda/half.cuh"
#include "cuda/hopper/subtile.cuh"
#include "cuda/narrow/tile.cuh"

struct subtile : piece_of_tile {
    /* Those of columns 32 * which and on: registers have no index that a loop could count. */
    template <int count> __device__ __forceinline__ void lay(const float (&sum)[count], int which) const
    {
        __syncwarp();
        switch (which) {
        case 0:
            lay_from<0>(sum);
            break;
        case 1:
            lay_from<16>(sum);
            break;
        case 2:
            lay_from<32>(sum);
            break;
        case 3:
            lay_from<48>(sum);
            break;
        case 4:
            lay_from<64>(sum);
            break;
        case 5:
            lay_from<80>(sum);
            break;
        case 6:
            lay_from<96>(sum);
            break;
        default:
            lay_from<112>(sum);
        }
        __syncwarp();
    }
};

/* Lanes have a line each: where it is in C. Others ask for it. */
struct offsets {
    int64_t own;

    __device__ __forceinline__ offsets(const lay_cuda_offsets &offsets, int first, int all)
    {
        const int line = first + threadIdx.x % 32;
        own = line < all ? offset_at(offsets, line) : 0;
    }
    __device__ __forceinline__ int64_t of(int line) const
    {
        return __shfl_sync(0xffffffff, own, line);
    }
};

/* A subtile's place in C: rows and columns of it that are there. */
struct extent {
    int rows, columns;
};

template <typename T>
__device__ __forceinline__ void write_vectors(const lay_narrow_args &args, const subtile &from, const offsets &rows,
                                              const offsets &columns, extent there)
{
    constexpr int v = 16 / sizeof(T), across = subtile::columns / v, down = 32 / across;
    const int lane = threadIdx.x % 32, column = lane % across * v;
    T *const c = static_cast<T *>(args.c) + columns.of(column);
#pragma unroll
    for (int e = 0; e < subtile::rows; e += down) {
        const int row = e + lane / across;
        const int64_t offset = rows.of(row);
        const float *const sum = from.at + row * subtile::pitch + column;
        if (row >= there.rows || column >= there.columns)
            continue;
        if (column + v > there.columns) {
            for (int i = 0; column + i < there.columns; i++)
                write_blended(c + offset + i, args.alpha, sum[i], args.beta);
            continue;
        }
        union {
            uint4 bits;
            T element[v];
        } whole;
        float old[v];
        if (args.beta != 0) {
            whole.bits = *reinterpret_cast<const uint4 *>(c + offset);
#pragma unroll
            for (int i = 0; i < v; i++)
                old[i] = stored<T>::widen(whole.element[i]);
        }
#pragma unroll
        for (int i = 0; i < v; i++)
            whole.element[i] = stored<T>::narrow(blend(args.alpha, sum[i], args.beta, old + i));
        *reinterpret_cast<uint4 *>(c + offset) = whole.bits;
    }
}

template <typename T>
__device__ __forceinline__ void write_subtile(const lay_narrow_args &args, const subtile &from, const offsets &rows,
                                              const offsets &columns, extent there)
{
    if (args.is_c_vector)
        return write_vectors<T>(args, from, rows, columns, there);
    const int lane = threadIdx.x % 32;
    const bool is_down = !args.result_m.table && args.result_m.stride == 1;
#pragma unroll 4
    for (int e = 0; e < subtile::rows; e++) {
        const int row = is_down ? lane % subtile::rows : e, column = is_down ? 2 * e + lane / subtile::rows : lane;
        const int64_t offset = rows.of(row) + columns.of(column);
        if (row < there.rows && column < there.columns)
            write_blended(static_cast<T *>(args.c) + offset, args.alpha, from.at[row * subtile::pitch + column],
                          args.beta);
    }
}

/* Sums of one slice, as they are. */
__device__ __forceinline__ void keep_piece(const lay_narrow_args &args, const subtile &from, int i, int j, extent there,
                                           int slice)
{
    const int lane = threadIdx.x % 32;
    float *const to = args.partial + (static_cast<int64_t>(slice) * args.m + i) * args.n + j + lane;
#pragma unroll 4
    for (int row = 0; row < subtile::rows; row++)
        if (row < there.rows && lane < there.columns)
            to[static_cast<int64_t>(row) * args.n] = from.at[row * subtile::pitch + lane];
}

/* i, j: of the warpgroup's part of the tile. */
template <int columns>
__device__ __forceinline__ void write(const lay_narrow_args &args, int i, int j, int slice,
                                      const float (&sum)[columns / 2], float *room)
{
    const int row = i + threadIdx.x % 128 / 32 * subtile::rows;
    const subtile own = { room };
    const offsets rows(args.result_m, row, args.m);
#pragma unroll 1
    for (int which = 0; which * subtile::columns < columns; which++) {
        const int column = j + which * subtile::columns;
        const extent there = { args.m - row, args.n - column };
        own.lay(sum, which);
        if (args.slices > 1) {
            keep_piece(args, own, row, column, there, slice);
            continue;
        }
        const offsets across(args.result_n, column, args.n);
        if (args.c_type == LAY_F32)
            write_subtile<float>(args, own, rows, across, there);
        else if (args.c_type == LAY_F16)
            write_subtile<__half>(args, own, rows, across, there);
        else
            write_subtile<__nv_bfloat16>(args, own, rows, across, there);
    }
}

#endif
