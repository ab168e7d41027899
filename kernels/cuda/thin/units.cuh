/* Thin products of doubles on the matrix units: C has few columns, k few steps, and memory is the bound.
 *
 *          k steps            bn
 *        +---------+     +---------+      A warp has 16 rows of C or some times as many, and all bn columns. The right
 *     16 |  left   |     |  right  |      operand lies in shared memory, as fragments, for as long as its block is
 *        +---------+     +---------+      there. Left is fetched once, right into the registers of the lanes that
 *                        +---------+      multiply it: four lanes take 32 bytes along k, eight take 64 across. C leaves
 *                     16 | result  |      from registers as well, 64 bytes of a row by four lanes.
 *                        +---------+
 *
 * No warp waits for another but at the start, so while some wait for memory others multiply and write. */
#ifndef LAY_KERNELS_CUDA_THIN_UNITS_CUH
#define LAY_KERNELS_CUDA_THIN_UNITS_CUH

#include "cuda/chain_f64.cuh"
#include "cuda/thin/plain.cuh"

namespace thin
{

/* pieces: of 8 columns. rows: of 16, that a warp has. deep: of 8 steps, that a lane fetches at once: all that the row
 * is for, or some. */
template <int pieces_, int rows_, int deep_, int warps_, int blocks_, bool is_at_once_ = false> struct units_shape {
    using T = double;
    static constexpr int pieces = pieces_, rows = rows_, deep = deep_, warps = warps_, blocks = blocks_;
    static constexpr bool is_at_once = is_at_once_;
    static constexpr int bm = 16 * rows * warps, bn = 8 * pieces, bk = is_at_once ? 8 * deep : 32, threads = 32 * warps;
    static constexpr int most = is_at_once ? 8 * deep : pieces > 2 ? 64 : 128; /* steps of right in shared memory */
    static constexpr int max_k = is_at_once ? most : 256;
    static constexpr int together = is_at_once ? 8 : pieces > 2 ? 4 : 1; /* of right, on their way to a thread */
    static constexpr int shared = 8 * most * bn;
    static_assert(most % (8 * deep) == 0, "right is renewed between two fetches");
};

/* Of each 16 rows a lane has g and g + 8, of each 8 steps q and q + 4: chain_f64.cuh. Steps behind the end are -0, of
 * right +0: fma(-0, +0, x) is x, bit for bit. */
template <class S, bool is_plain> struct left_of_lane {
    const double *row[S::rows][2];
    const lay_cuda_offsets &along;
    double at[S::deep][S::rows][4];

    __device__ __forceinline__ left_of_lane(const lay_cuda_args &args, int first) : along(args.left_k)
    {
        const double *const left = static_cast<const double *>(args.left);
        const int g = threadIdx.x % 32 / 4;
#pragma unroll
        for (int i = 0; i < S::rows; i++)
#pragma unroll
            for (int r = 0; r < 2; r++)
                row[i][r] = left + offset_of<is_plain>(args.left_m, min(first + 16 * i + 8 * r + g, args.m - 1));
    }
    __device__ __forceinline__ void fetch(int step, int last)
    {
        const int q = threadIdx.x % 4;
        if (!is_plain && last - step >= 8 * S::deep)
            fetch_some<true>(step + q, last);
        else
            fetch_some<false>(step + q, last);
    }
    template <bool are_all_there> __device__ __forceinline__ void fetch_some(int step, int last)
    {
#pragma unroll
        for (int s = 0; s < S::deep; s++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const int p = step + 8 * s + 4 * h;
                const bool is_there = are_all_there || p < last;
                const int64_t offset = is_plain || is_there ? offset_of<is_plain>(along, p) : 0;
#pragma unroll
                for (int i = 0; i < S::rows; i++)
#pragma unroll
                    for (int r = 0; r < 2; r++)
                        at[s][i][2 * h + r] = is_there ? __ldg(row[i][r] + offset) : -0.0;
            }
    }
};

/* [most / 8][pieces][lane]: a lane's fragment, steps q and q + 4 of column g. */
template <class S, bool is_plain>
__device__ __forceinline__ void bring_right(const lay_cuda_args &args, double2 *to, int column, int step, int last)
{
    const double *const right = static_cast<const double *>(args.right);
    const int count = (min(last - step, S::most) + 7) / 8 * S::pieces * 32;
    constexpr int some = S::together;
#pragma unroll 1
    for (int first = threadIdx.x; first < count; first += some * S::threads) {
        double2 pair[some];
#pragma unroll
        for (int e = 0; e < some; e++) {
            const int i = first + e * S::threads, p = step + i / (32 * S::pieces) * 8 + i % 4;
            const int j = min(column + i / 32 % S::pieces * 8 + i % 32 / 4, args.n - 1);
            const double *const line = right + offset_of<is_plain>(args.right_n, j);
            pair[e].x = p < last ? __ldg(line + offset_of<is_plain>(args.right_k, p)) : 0;
            pair[e].y = p + 4 < last ? __ldg(line + offset_of<is_plain>(args.right_k, p + 4)) : 0;
        }
#pragma unroll
        for (int e = 0; e < some; e++)
            if (first + e * S::threads < count)
                to[first + e * S::threads] = pair[e];
    }
}

/* C or partial sums: a lane has rows g + 8 r and columns 2 q and 2 q + 1 of each 16 x 8. */
template <class S, bool is_plain> struct sums_of_lane {
    double at[S::rows][S::pieces][4];
    const lay_cuda_args &args;
    int row, column; /* of its first element */

    __device__ __forceinline__ sums_of_lane(const lay_cuda_args &args_, int first_row, int first_column)
        : at{}, args(args_), row(first_row + threadIdx.x % 32 / 4), column(first_column + threadIdx.x % 4 * 2)
    {
        if (!is_plain && args.resume)
            resume(static_cast<const double *>(args.resume));
    }
    __device__ __forceinline__ void resume(const double *from)
    {
#pragma unroll
        for (int i = 0; i < S::rows; i++)
#pragma unroll
            for (int j = 0; j < S::pieces; j++)
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const int y = row + 16 * i + e / 2 * 8, x = column + 8 * j + e % 2;
                    at[i][j][e] = y < args.m && x < args.n ? from[static_cast<int64_t>(y) * args.n + x] : 0;
                }
    }
    template <class Left> __device__ __forceinline__ void add(const Left &left, int s, const double2 *right)
    {
#pragma unroll
        for (int j = 0; j < S::pieces; j++) {
            const double2 pair = right[32 * j + threadIdx.x % 32];
            const double both[2] = { pair.x, pair.y };
#pragma unroll
            for (int i = 0; i < S::rows; i++)
                multiply_add(at[i][j], left.at[s][i], both);
        }
    }
    __device__ __forceinline__ void write() const
    {
        if constexpr (is_plain) {
            args.beta.f64 == 0 ? write_plain<false>() : write_plain<true>();
        } else {
#pragma unroll
            for (int i = 0; i < S::rows; i++)
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    const int y = row + 16 * i + 8 * r;
                    if (y >= args.m)
                        continue;
                    if (args.is_c_vector && !args.partial)
                        write_pairs(y, i, r);
                    else
                        write_singles(y, i, r);
                }
        }
    }
    /* Where vectors of C lie by a stride its rows are contiguous. */
    template <bool is_added> __device__ __forceinline__ void write_plain() const
    {
        const double alpha = args.alpha.f64, beta = is_added ? args.beta.f64 : 0;
        double *const first = static_cast<double *>(args.c) + row * args.result_m.stride + column;
#pragma unroll
        for (int i = 0; i < S::rows; i++)
#pragma unroll
            for (int r = 0; r < 2; r++) {
                if (row + 16 * i + 8 * r >= args.m)
                    continue;
                double *const line = first + (16 * i + 8 * r) * args.result_m.stride;
#pragma unroll
                for (int j = 0; j < S::pieces; j++)
                    if (column + 8 * j < args.n) {
                        double2 *const to = reinterpret_cast<double2 *>(line + 8 * j);
                        const double2 old = is_added ? *to : double2();
                        *to = make_double2(blend(alpha, at[i][j][2 * r], beta, &old.x),
                                           blend(alpha, at[i][j][2 * r + 1], beta, &old.y));
                    }
            }
    }
    __device__ __forceinline__ void write_pairs(int y, int i, int r) const
    {
        double *const line = static_cast<double *>(args.c) + offset_now(args.result_m, y);
        const double alpha = args.alpha.f64, beta = args.beta.f64;
#pragma unroll
        for (int j = 0; j < S::pieces; j++) {
            const int x = column + 8 * j;
            if (x >= args.n)
                break;
            double *const to = line + offset_now(args.result_n, x);
            const double a = at[i][j][2 * r], b = at[i][j][2 * r + 1];
            if (x + 1 == args.n) {
                *to = blend(alpha, a, beta, to);
                break;
            }
            double2 old = {};
            if (beta != 0)
                old = *reinterpret_cast<const double2 *>(to);
            *reinterpret_cast<double2 *>(to) =
                make_double2(blend(alpha, a, beta, &old.x), blend(alpha, b, beta, &old.y));
        }
    }
    __device__ __forceinline__ void write_singles(int y, int i, int r) const
    {
#pragma unroll
        for (int j = 0; j < S::pieces; j++)
#pragma unroll
            for (int c = 0; c < 2; c++)
                if (column + 8 * j + c < args.n)
                    finish(args, blockIdx.z, y, column + 8 * j + c, at[i][j][2 * r + c]);
    }
};

/* All steps are there: C leaves two pieces after two, while the next ones are multiplied. */
template <class S> struct two_pieces : S {
    static constexpr int pieces = 2;
};
template <class S, bool is_plain>
__device__ __forceinline__ void add_at_once(const lay_cuda_args &args, const double2 *right, int row, int column,
                                            int steps, const left_of_lane<S, is_plain> &left)
{
    static_assert(S::pieces % 2 == 0, "two pieces at a time");
#pragma unroll
    for (int j = 0; j < S::pieces; j += 2) {
        sums_of_lane<two_pieces<S>, is_plain> sums(args, row, column + 8 * j);
#pragma unroll
        for (int s = 0; s < S::deep; s++)
            if (8 * s < steps)
                sums.add(left, s, right + (s * S::pieces + j) * 32);
        sums.write();
    }
}

/* Some steps after the other: right is renewed where its room ends, left is fetched behind what is multiplied. */
template <class S, bool is_plain>
__device__ __forceinline__ void add_by_turns(const lay_cuda_args &args, double2 *right, int row, int column,
                                             const steps &own, left_of_lane<S, is_plain> &left)
{
    sums_of_lane<S, is_plain> sums(args, row, column);
#pragma unroll 1
    for (int step = own.first; step < own.last; step += 8 * S::deep) {
        const int done = step - own.first;
        if (done % S::most == 0) {
            if (done > 0)
                __syncthreads();
            bring_right<S, is_plain>(args, right, column, step, own.last);
            __syncthreads();
        }
        if (done > 0)
            left.fetch(step, own.last);
#pragma unroll
        for (int s = 0; s < S::deep; s++)
            if (step + 8 * s < own.last)
                sums.add(left, s, right + (done % S::most / 8 + s) * (32 * S::pieces));
    }
    sums.write();
}

template <class S, bool is_plain>
__device__ __forceinline__ void multiply_tile(const lay_cuda_args &args, double2 *right)
{
    const tile_index tile = tile_of_block<1>(args);
    const int row = tile.m * S::bm, column = tile.n * S::bn;
    const steps own = steps_of(args, blockIdx.z);
    const int first = row + threadIdx.x / 32 * (16 * S::rows);
    left_of_lane<S, is_plain> left(args, first);
    left.fetch(own.first, own.last); /* on their way while right comes */
    if constexpr (S::is_at_once) {
        bring_right<S, is_plain>(args, right, column, own.first, own.last);
        __syncthreads();
        add_at_once(args, right, first, column, own.last - own.first, left);
    } else {
        add_by_turns(args, right, first, column, own, left);
    }
}
template <class S> __device__ __forceinline__ void multiply_tile(const lay_cuda_args &args, double2 *right)
{
    if (is_plain<2>(args))
        multiply_tile<S, true>(args, right);
    else
        multiply_tile<S, false>(args, right);
}

} // namespace thin

#endif
