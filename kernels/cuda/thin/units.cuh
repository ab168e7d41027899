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

#include "cuda/async.cuh"
#include "cuda/chain_f64.cuh"
#include "cuda/thin/plain.cuh"

namespace thin
{

/* pieces: of 8 columns. rows: of 16, that a warp has at a time. deep: of 8 steps, that a lane fetches at once. walk: so
 * many times its rows a warp has one after the other; right, all steps of which have to lie in shared memory then,
 * stays there, and the next rows' left is on its way while these rows' C leaves. is_stream: for long k; the next steps
 * of both operands are on their way while these are multiplied. */
template <int pieces_, int rows_, int deep_, int warps_, int blocks_, int walk_ = 1, bool is_stream_ = false>
struct units_shape {
    using T = double;
    static constexpr int pieces = pieces_, rows = rows_, deep = deep_, warps = warps_, blocks = blocks_, walk = walk_;
    static constexpr int at_once = 16 * rows * warps; /* rows of a block */
    static constexpr bool is_stream = is_stream_;
    static constexpr int bm = at_once * walk, bn = 8 * pieces, threads = 32 * warps;
    static constexpr int bk = is_stream ? 16 : 8 * deep > 32 ? 8 * deep : 32; /* slices end anywhere */
    static constexpr int most = pieces > 2 ? 64 : 128;          /* steps of right that lie in shared memory */
    static constexpr int max_n = bn < 32 || is_stream ? bn : 0; /* narrow tiles read left too often */
    static constexpr int max_k = is_stream ? 0 : walk > 1 || deep > 4 ? most : 256;
    static constexpr int part = most / 2 * bn; /* pairs of right */
    static constexpr int shared = 16 * part * (is_stream ? 2 : 1);
    static constexpr int together = pieces > 2 ? 4 : deep > 4 ? 8 : 1; /* of right on their way to a thread */
    static_assert(most % (8 * deep) == 0, "right is renewed between two fetches");
};

/* Of each 16 rows a lane has g and g + 8, of each 8 steps q and q + 4: chain_f64.cuh. Steps behind the end are -0, of
 * right +0: fma(-0, +0, x) is x, bit for bit. */
template <class S> struct left_of_steps {
    double at[S::deep][S::rows][4];
};
template <class S, manner as> struct left_of_lane {
    const double *row[S::rows][2];
    const lay_cuda_args &args;

    __device__ __forceinline__ left_of_lane(const lay_cuda_args &args_, int first) : args(args_)
    {
        go_to(first);
    }
    __device__ __forceinline__ void go_to(int first)
    {
        const double *const left = static_cast<const double *>(args.left);
        const int g = threadIdx.x % 32 / 4;
#pragma unroll
        for (int i = 0; i < S::rows; i++)
#pragma unroll
            for (int r = 0; r < 2; r++)
                row[i][r] = left + offset_of<as>(args.left_m, min(first + 16 * i + 8 * r + g, args.m - 1));
    }
    __device__ __forceinline__ void fetch(left_of_steps<S> &to, int step, int last) const
    {
        const int q = threadIdx.x % 4;
        if (as == ANYHOW && last - step >= 8 * S::deep)
            fetch_some<true>(to, step + q, last);
        else
            fetch_some<false>(to, step + q, last);
    }
    template <bool are_all_there>
    __device__ __forceinline__ void fetch_some(left_of_steps<S> &to, int step, int last) const
    {
#pragma unroll
        for (int s = 0; s < S::deep; s++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const int p = step + 8 * s + 4 * h;
                const bool is_there = are_all_there || p < last;
                const int64_t offset = as != ANYHOW || is_there ? offset_of<as>(args.left_k, p) : 0;
#pragma unroll
                for (int i = 0; i < S::rows; i++)
#pragma unroll
                    for (int r = 0; r < 2; r++)
                        to.at[s][i][2 * h + r] = is_there ? __ldg(row[i][r] + offset) : -0.0;
            }
    }
};

/* [most / 8][pieces][lane]: a lane's fragment, steps q and q + 4 of column g. */
template <class S, manner as>
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
            const double *const line = right + offset_of<as>(args.right_n, j);
            pair[e].x = p < last ? __ldg(line + offset_of<as>(args.right_k, p)) : 0;
            pair[e].y = p + 4 < last ? __ldg(line + offset_of<as>(args.right_k, p + 4)) : 0;
        }
#pragma unroll
        for (int e = 0; e < some; e++)
            if (first + e * S::threads < count)
                to[first + e * S::threads] = pair[e];
    }
}

/* C or partial sums: a lane has rows g + 8 r and columns 2 q and 2 q + 1 of each 16 x 8. */
template <class S, manner as> struct sums_of_lane {
    double at[S::rows][S::pieces][4];
    const lay_cuda_args &args;
    int row, column; /* of its first element */

    __device__ __forceinline__ sums_of_lane(const lay_cuda_args &args_, int first_row, int first_column)
        : args(args_), column(first_column + threadIdx.x % 4 * 2)
    {
        go_to(first_row);
    }
    __device__ __forceinline__ void go_to(int first_row)
    {
        row = first_row + threadIdx.x % 32 / 4;
        if (S::walk > 1) /* else places of all columns would be kept in registers from rows to rows */
            asm volatile("" : "+r"(column));
#pragma unroll
        for (int i = 0; i < S::rows; i++)
#pragma unroll
            for (int j = 0; j < S::pieces; j++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    at[i][j][e] = 0;
        if (as == ANYHOW && args.resume)
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
    __device__ __forceinline__ void add(const left_of_steps<S> &left, int s, const double2 *right)
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
        if constexpr (as != ANYHOW) {
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
        const int64_t along = as == VECTORS ? 1 : args.result_n.stride;
        double *const first = static_cast<double *>(args.c) + row * args.result_m.stride + column * along;
#pragma unroll
        for (int i = 0; i < S::rows; i++)
#pragma unroll
            for (int r = 0; r < 2; r++) {
                if (row + 16 * i + 8 * r >= args.m)
                    continue;
                double *line = first + (16 * i + 8 * r) * args.result_m.stride;
#pragma unroll
                for (int j = 0; j < S::pieces; j++, line += 8 * along)
                    write_two<is_added>(line, along, args.n - column - 8 * j, at[i][j][2 * r], at[i][j][2 * r + 1]);
            }
    }
    template <bool is_added>
    __device__ __forceinline__ void write_two(double *to, int64_t along, int there, double a, double b) const
    {
        const double alpha = args.alpha.f64, beta = is_added ? args.beta.f64 : 0;
        if (as == VECTORS && there > 0) {
            double2 *const both = reinterpret_cast<double2 *>(to);
            const double2 old = is_added ? *both : double2();
            *both = make_double2(blend(alpha, a, beta, &old.x), blend(alpha, b, beta, &old.y));
        } else if (there > 0) {
            *to = blend(alpha, a, beta, to);
            if (there > 1)
                to[along] = blend(alpha, b, beta, to + along);
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

/* The steps that so many fetched ones begin with; right as it lies there. */
template <class S, manner as>
__device__ __forceinline__ void add_steps(sums_of_lane<S, as> &sums, const left_of_steps<S> &left, int there,
                                          const double2 *right)
{
#pragma unroll
    for (int s = 0; s < S::deep; s++)
        if (8 * s < there)
            sums.add(left, s, right + s * (32 * S::pieces));
}

/* Rows after rows; `now` is on its way, all of right is there. */
template <class S, manner as>
__device__ __forceinline__ void walk(const double2 *right, int first, int end, const steps &own,
                                     left_of_lane<S, as> &left, sums_of_lane<S, as> &sums, left_of_steps<S> &now)
{
#pragma unroll 1
    for (int step = own.first; first < end;) {
        const int here = step;
        const bool is_last = (step += 8 * S::deep) >= own.last;
        left_of_steps<S> next;
        if (is_last) {
            step = own.first;
            first += S::at_once;
            if (first < end)
                left.go_to(first);
        }
        if (first < end)
            left.fetch(next, step, own.last);
        add_steps(sums, now, own.last - here, right + (here - own.first) / 8 * (32 * S::pieces));
        if (is_last) {
            sums.write();
            sums.go_to(first);
        }
        now = next;
    }
}
/* The rows that the warp is at; the same of the first steps, as many as there is room for. */
template <class S, manner as>
__device__ __forceinline__ void stand(const lay_cuda_args &args, double2 *right, int column, const steps &own,
                                      left_of_lane<S, as> &left, sums_of_lane<S, as> &sums, left_of_steps<S> &now)
{
#pragma unroll 1
    for (int step = own.first; step < own.last; step += 8 * S::deep) {
        const int done = step - own.first;
        if (done > 0 && done % S::most == 0) {
            __syncthreads();
            bring_right<S, as>(args, right, column, step, own.last);
            __syncthreads();
        }
        if (done > 0)
            left.fetch(now, step, own.last);
        add_steps(sums, now, own.last - step, right + done % S::most / 8 * (32 * S::pieces));
    }
    sums.write();
}

/* The same as bring_right, on its way until it is waited for. */
template <class S, manner as>
__device__ __forceinline__ void send_right(const lay_cuda_args &args, double2 *to, int column, int step, int last)
{
    const double *const right = static_cast<const double *>(args.right);
    const int count = (min(last - step, S::most) + 7) / 8 * S::pieces * 32;
#pragma unroll 2
    for (int i = threadIdx.x; i < count; i += S::threads) {
        const int p = step + i / (32 * S::pieces) * 8 + i % 4;
        const int j = min(column + i / 32 % S::pieces * 8 + i % 32 / 4, args.n - 1);
        const double *const line = right + offset_of<as>(args.right_n, j);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const bool is_there = p + 4 * h < last;
            copy_async_or_zero<8>(&to[i].x + h, is_there ? line + offset_of<as>(args.right_k, p + 4 * h) : line,
                                  is_there);
        }
    }
    end_group_async();
}

/* The same where nothing of right is there yet. */
template <class S, manner as>
__device__ __forceinline__ void stream(const lay_cuda_args &args, double2 *right, int column, const steps &own,
                                       left_of_lane<S, as> &left, sums_of_lane<S, as> &sums, left_of_steps<S> &now)
{
    send_right<S, as>(args, right, column, own.first, own.last);
#pragma unroll 1
    for (int first = own.first, part = 0; first < own.last; first += S::most, part = S::part - part) {
        wait_async();
        __syncthreads(); /* this part is there, and the other one is read */
        send_right<S, as>(args, right + S::part - part, column, first + S::most, own.last);
        const int end = min(first + S::most, own.last);
#pragma unroll 1
        for (int step = first; step < end; step += 8 * S::deep) {
            left_of_steps<S> next;
            if (step + 8 * S::deep < own.last)
                left.fetch(next, step + 8 * S::deep, own.last);
            add_steps(sums, now, own.last - step, right + part + (step - first) / 8 * (32 * S::pieces));
            now = next;
        }
    }
    sums.write();
}

template <class S, manner as> __device__ __forceinline__ void multiply_tile(const lay_cuda_args &args, double2 *right)
{
    const tile_index tile = tile_of_block<1>(args);
    const int column = tile.n * S::bn, first = tile.m * S::bm + threadIdx.x / 32 * (16 * S::rows);
    const steps own = steps_of(args, blockIdx.z);
    left_of_lane<S, as> left(args, first);
    left_of_steps<S> now;
    left.fetch(now, own.first, own.last); /* on their way while right comes */
    sums_of_lane<S, as> sums(args, first, column);
    if constexpr (S::is_stream)
        return stream(args, right, column, own, left, sums, now);
    bring_right<S, as>(args, right, column, own.first, own.last);
    __syncthreads();
    const int end = min(args.m, (tile.m + 1) * S::bm);
    if constexpr (S::walk > 1 && as != ANYHOW) {
        walk(right, first, end, own, left, sums, now);
    } else {
#pragma unroll 1
        for (int at = first;;) {
            stand(args, right, column, own, left, sums, now);
            at += S::at_once;
            if (S::walk == 1 || at >= end)
                break;
            left.go_to(at);
            left.fetch(now, own.first, own.last);
            sums.go_to(at);
        }
    }
}
template <class S> __device__ __forceinline__ void multiply_tile(const lay_cuda_args &args, double2 *right)
{
    switch (manner_of<2>(args)) {
    case VECTORS:
        return multiply_tile<S, VECTORS>(args, right);
    case SINGLES:
        return multiply_tile<S, SINGLES>(args, right);
    default:
        return multiply_tile<S, ANYHOW>(args, right);
    }
}

} // namespace thin

#endif
