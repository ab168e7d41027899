/* From sums to C. FP32 leaves as it lies where it may: pairs of columns by four lanes side by side fill sectors. All
 * else goes through shared memory, a warp's 16 rows by some columns at a time, so that lanes write along C's rows and
 * the code is a short loop: what runs once or twice has to be fetched first. */
#ifndef LAY_KERNELS_CUDA_NARROW_RESULT_CUH
#define LAY_KERNELS_CUDA_NARROW_RESULT_CUH

#include "cuda/half.cuh"
#include "cuda/narrow/walk.cuh"

/* A warp's subtile of C on its way: [16][pitch]. Pairs of columns by half a warp fall into 32 banks. */
template <int columns_> struct subtile {
    static constexpr int rows = 16, columns = columns_, pitch = columns + 8, size = rows * pitch;
    float *at;

    /* Sums from number first on. */
    template <int first, int count> __device__ __forceinline__ void lay_from(const float (&sum)[count]) const
    {
        float *const own = at + threadIdx.x % 32 / 4 * pitch + threadIdx.x % 4 * 2;
#pragma unroll
        for (int j = 0; j < columns / 8; j++)
            if (first + 4 * j < count) {
                *reinterpret_cast<float2 *>(own + 8 * j) = make_float2(sum[first + 4 * j], sum[first + 4 * j + 1]);
                *reinterpret_cast<float2 *>(own + 8 * j + 8 * pitch) =
                    make_float2(sum[first + 4 * j + 2], sum[first + 4 * j + 3]);
            }
    }
    /* Those of columns `columns` * which and on: registers have no index that a loop could count. */
    template <int first = 0, int count> __device__ __forceinline__ void lay(const float (&sum)[count], int which) const
    {
        if (which == 0) {
            __syncwarp();
            lay_from<first>(sum);
            __syncwarp();
        } else if constexpr (first + columns / 2 < count) {
            lay<first + columns / 2>(sum, which - 1);
        }
    }
};

/* Lanes have a line each: where it is in C, if anywhere. Others ask for it. */
struct offsets {
    int64_t own;

    __device__ __forceinline__ int64_t of(int line) const
    {
        return __shfl_sync(0xffffffff, own, line);
    }
};

/* A subtile's place in C: rows and columns of it that are there. */
struct extent {
    int rows, columns;
};

template <typename T, typename P>
__device__ __forceinline__ void write_vectors(const lay_narrow_args &args, const P &from, const offsets &rows,
                                              const offsets &columns, extent there)
{
    constexpr int v = 16 / sizeof(T), across = P::columns / v, down = 32 / across;
    const int lane = threadIdx.x % 32, column = lane % across * v;
    const int64_t first = columns.of(column);
    T *const c = static_cast<T *>(args.c) + first;
#pragma unroll
    for (int e = 0; e < P::rows; e += down) {
        const int row = e + lane / across;
        const int64_t offset = rows.of(row);
        const float *const sum = from.at + row * P::pitch + column;
        if (row >= there.rows || column >= there.columns || offset == nowhere || first == nowhere)
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

template <typename T, typename P>
__device__ __forceinline__ void write_subtile(const lay_narrow_args &args, const P &from, const offsets &rows,
                                              const offsets &columns, extent there)
{
    if (args.is_c_vector)
        return write_vectors<T>(args, from, rows, columns, there);
    const int lane = threadIdx.x % 32;
    const bool is_down = args.is_c_down || (!args.result_m.table && args.result_m.stride == 1);
    constexpr int lines = 32 / P::columns; /* at a time */
#pragma unroll 4
    for (int e = 0; e < P::rows / lines; e++) {
        const int row = is_down ? lane % P::rows : e * lines + lane / P::columns;
        const int column = is_down ? 2 * e + lane / P::rows : lane % P::columns;
        const int64_t down = rows.of(row), across = columns.of(column);
        if (row < there.rows && column < there.columns && down != nowhere && across != nowhere)
            write_blended(static_cast<T *>(args.c) + down + across, args.alpha, from.at[row * P::pitch + column],
                          args.beta);
    }
}

/* FP32 of two strides that is not read leaves as it lies, a few instructions a number: what one tile asks for once is
 * fetched from memory, some fifty clocks for eight instructions (bench/LOG.md, 126). row: the lane's first, eight rows
 * above its second. */

/* Columns are contiguous: four lanes fill a sector. */
template <int columns>
__device__ __forceinline__ void write_pairs(const lay_narrow_args &args, int row, int j,
                                            const float (&sum)[columns / 2])
{
    const int column = j + threadIdx.x % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int i = row + 8 * half, there = i < args.m ? args.n - column : 0;
        float *const line = static_cast<float *>(args.c) + i * args.result_m.stride + column;
#pragma unroll
        for (int e = 0; e < columns / 8; e++)
            if (8 * e < there)
                *reinterpret_cast<float2 *>(line + 8 * e) =
                    make_float2(args.alpha * sum[4 * e + 2 * half], args.alpha * sum[4 * e + 2 * half + 1]);
    }
}

/* Rows are: eight lanes do. */
template <int columns>
__device__ __forceinline__ void write_down(const lay_narrow_args &args, int row, int j, const float (&sum)[columns / 2])
{
    const int column = j + threadIdx.x % 4 * 2, there = args.n - column;
    const int64_t next = args.result_n.stride;
    float *to = static_cast<float *>(args.c) + row + column * next;
    const bool has_first = row < args.m, has_second = row + 8 < args.m;
#pragma unroll
    for (int e = 0; e < columns / 8; e++, to += 8 * next)
#pragma unroll
        for (int c = 0; c < 2; c++) {
            if (8 * e + c < there && has_first)
                to[c * next] = args.alpha * sum[4 * e + c];
            if (8 * e + c < there && has_second)
                to[c * next + 8] = args.alpha * sum[4 * e + 2 + c];
        }
}

/* i, j: of the warpgroup's part of the tile; of one that there is not a piece goes, for its instructions' sake.
 * room: of all warps. */
template <int columns, int wide, bool is_walked>
__device__ __forceinline__ void write(const lay_narrow_args &args, int i, int j, const float (&sum)[columns / 2],
                                      float *room)
{
    using piece = subtile<wide>;
    int thread = threadIdx.x;
    asm volatile("" : "+r"(thread)); /* what follows from it is worked out here: registers are short elsewhere */
    const int row = i + thread % 128 / 32 * piece::rows;
    if (is_walked && row >= args.m)
        return;
    if (!is_walked && args.c_type == LAY_F32 && args.beta == 0 && !args.result_m.table && !args.result_n.table) {
        if (args.result_m.stride == 1)
            return write_down<columns>(args, row + thread % 32 / 4, j, sum);
        if (args.is_c_vector)
            return write_pairs<columns>(args, row + thread % 32 / 4, j, sum);
    }
    const piece own = { room + thread / 32 * piece::size };
    const offsets rows = { row_at<is_walked>(args, row + thread % 32) };
    const int all = i < LAY_NARROW_NO_TILE ? columns : 1;
#pragma unroll 1
    for (int which = 0; which * wide < all; which++) {
        const int column = j + which * wide;
        const extent there = { args.m - row, min(args.n, j + columns) - column };
        own.lay(sum, which);
        const offsets across = { column_at<is_walked>(args, column + thread % 32) };
        if (args.c_type == LAY_F32)
            write_subtile<float>(args, own, rows, across, there);
        else if (args.c_type == LAY_F16)
            write_subtile<__half>(args, own, rows, across, there);
        else
            write_subtile<__nv_bfloat16>(args, own, rows, across, there);
    }
}

#endif
