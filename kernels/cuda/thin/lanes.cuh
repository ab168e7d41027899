/* Thin products of floats: C has few columns, k few steps, and memory is the bound. Tiles lie as in units.cuh: the
 * right operand in shared memory for as long as its block is there, [step][column], and rows of left streamed past it,
 * some 32 steps at a time, two of these under way. These a warp has by itself, so that no warp waits for another but at
 * the start:
 *
 *          deep         bn
 *        +------+    +-------+     A lane has rows g + 8 i and, of each 4 or 16 columns, 1 or 4 from q or 4 q on, so
 *   rows | left |    | right |     that four lanes write whole sectors of a row.
 *        +------+    +-------+ */
#ifndef LAY_KERNELS_CUDA_THIN_LANES_CUH
#define LAY_KERNELS_CUDA_THIN_LANES_CUH

#include "cuda/async.cuh"
#include "cuda/thin/plain.cuh"

namespace thin
{

/* own_rows: of a lane. deep: steps that come at a time. most: of right that lie in shared memory. walk: so many times
 * its rows a warp has one after the other; right, all steps of which have to lie in shared memory then, stays there,
 * and the next rows' left is on its way while these rows' C leaves. */
template <int bn_, int own_rows_, int deep_, int warps_, int blocks_, int most_ = 128, int max_k_ = 256, int walk_ = 1>
struct lanes_shape {
    using T = float;
    static constexpr int bn = bn_, own_rows = own_rows_, deep = deep_, warps = warps_, blocks = blocks_;
    static constexpr int walk = walk_, most = most_, max_k = walk > 1 ? most : max_k_;
    static constexpr int max_n = bn < 32 ? bn : 0;                    /* narrow tiles read left too often */
    static constexpr int rows = 8 * own_rows, at_once = rows * warps; /* of a warp, of a block */
    static constexpr int bm = at_once * walk, bk = 32, threads = 32 * warps;
    static constexpr int own_columns = bn / 4, wide = own_columns < 4 ? own_columns : 4; /* of a lane; side by side */
    static constexpr int pieces = own_columns / wide;
    static constexpr int pitch = deep + 4, stages = 2; /* 16 bytes of eight rows meet in no bank */
    static constexpr int stage = rows * pitch, right_size = most * bn;
    static constexpr int shared = 4 * (right_size + warps * stages * stage);
    static_assert(most % deep == 0 && deep % 4 == 0 && rows * deep % 128 == 0, "whole copies");
};

/* A lane's place in its warp's part: lanes 1 or 2 apart read the same, which halves the wavefronts of their reads. */
struct place_of_lane {
    int g, q;
    __device__ __forceinline__ place_of_lane() : g(threadIdx.x % 32 / 8 * 2 + threadIdx.x % 2), q(threadIdx.x / 2 % 4)
    {
    }
};

/* Elements of left that a warp brings to a stage. Steps behind the end are +0, of right -0: fma(+0, -0, x) is x, bit
 * for bit. They are brought as far as the last four steps go. */
template <class S, bool in_vectors, bool is_plain> struct left_of_warp {
    const lay_cuda_args &args;
    float *const to; /* [stages][rows][pitch] */
    int first;

    __device__ __forceinline__ const float *line(int row) const
    {
        return static_cast<const float *>(args.left) + offset_of<is_plain>(args.left_m, min(first + row, args.m - 1));
    }
    __device__ __forceinline__ void bring(int stage, int step, int last) const
    {
        float *const there = to + stage * S::stage;
        if (step < last) {
            if constexpr (in_vectors)
                bring_vectors(there, step, last);
            else
                bring_singles(there, step, last);
        }
        end_group_async();
    }
    __device__ __forceinline__ void bring_vectors(float *there, int step, int last) const
    {
        constexpr int across = S::deep / 4; /* vectors of a row */
#pragma unroll
        for (int i = threadIdx.x % 32; i < S::rows * across; i += 32) {
            const int row = i / across, p = i % across * 4;
            if (step + p + 4 <= last)
                copy_async<16>(there + row * S::pitch + p, line(row) + offset_of<is_plain>(args.left_k, step + p));
            else if (!is_plain && step + p < last)
                bring_cut(there + row * S::pitch + p, line(row), step + p, last);
        }
    }
    __device__ __forceinline__ void bring_cut(float *there, const float *from, int p, int last) const
    {
#pragma unroll 1
        for (int e = 0; e < 4; e++)
            bring_one(there + e, from, p + e, last);
    }
    __device__ __forceinline__ void bring_one(float *there, const float *from, int p, int last) const
    {
        const bool is_there = p < last;
        copy_async_or_zero<4>(there, is_there ? from + offset_of<is_plain>(args.left_k, p) : from, is_there);
    }
    /* Lanes side by side go along k, or across. */
    __device__ __forceinline__ void bring_singles(float *there, int step, int last) const
    {
        const bool is_along = goes_along(args.left_class);
        const int most = min(S::deep, (last - step + 3) / 4 * 4);
#pragma unroll 4
        for (int i = threadIdx.x % 32; i < S::rows * S::deep; i += 32) {
            const int row = is_along ? i / S::deep : i % S::rows, p = is_along ? i % S::deep : i / S::rows;
            if (p < most)
                bring_one(there + row * S::pitch + p, line(row), step + p, last);
        }
    }
};

/* All that there is room for, on its way at once; behind it a barrier. */
template <class S, bool is_plain>
__device__ __forceinline__ void bring_right(const lay_cuda_args &args, float *to, int column, int step, int last)
{
    const int count = (min(last - step, S::most) + 3) / 4 * 4 * S::bn;
#pragma unroll 4
    for (int i = threadIdx.x; i < count; i += S::threads) {
        const int p = step + i / S::bn, j = min(column + i % S::bn, args.n - 1);
        if (p < last)
            copy_async<4>(to + i, static_cast<const float *>(args.right) + offset_of<is_plain>(args.right_k, p) +
                                      offset_of<is_plain>(args.right_n, j));
        else
            to[i] = -0.0f;
    }
    wait_async();
}

template <int wide> __device__ __forceinline__ void load_wide(const float *from, float *to)
{
    if constexpr (wide == 4) {
        const float4 all = *reinterpret_cast<const float4 *>(from);
        to[0] = all.x, to[1] = all.y, to[2] = all.z, to[3] = all.w;
    } else {
        static_assert(wide == 2, "a pair or four");
        const float2 all = *reinterpret_cast<const float2 *>(from);
        to[0] = all.x, to[1] = all.y;
    }
}
template <int wide> __device__ __forceinline__ void store_wide(float *to, const float *from)
{
    if constexpr (wide == 4)
        *reinterpret_cast<float4 *>(to) = make_float4(from[0], from[1], from[2], from[3]);
    else
        *reinterpret_cast<float2 *>(to) = make_float2(from[0], from[1]);
}

template <class S, bool is_plain> struct lane_sums {
    float at[S::own_rows][S::own_columns];
    const lay_cuda_args &args;
    int row, column; /* of its first element */

    __device__ __forceinline__ lane_sums(const lay_cuda_args &args_, int first_row, int first_column)
        : args(args_), column(first_column + S::wide * place_of_lane().q)
    {
        go_to(first_row);
    }
    __device__ __forceinline__ void go_to(int first_row)
    {
        row = first_row + place_of_lane().g;
        if (S::walk > 1) /* else places of all columns would be kept in registers from rows to rows */
            asm volatile("" : "+r"(column));
#pragma unroll
        for (int i = 0; i < S::own_rows; i++)
#pragma unroll
            for (int j = 0; j < S::own_columns; j++)
                at[i][j] = 0;
        if (!is_plain && args.resume)
            resume(static_cast<const float *>(args.resume));
    }
    static constexpr __device__ __forceinline__ int column_of(int j)
    {
        return j / S::wide * 4 * S::wide + j % S::wide;
    }
    __device__ __forceinline__ void resume(const float *from)
    {
#pragma unroll
        for (int i = 0; i < S::own_rows; i++)
#pragma unroll
            for (int j = 0; j < S::own_columns; j++) {
                const int y = row + 8 * i, x = column + column_of(j);
                at[i][j] = y < args.m && x < args.n ? from[static_cast<int64_t>(y) * args.n + x] : 0;
            }
    }

    /* Four steps: left is the lane's first row, right those steps' line of its first column. */
    __device__ __forceinline__ void add_four(const float *left, const float *right)
    {
        float l[S::own_rows][4];
#pragma unroll
        for (int i = 0; i < S::own_rows; i++)
            load_wide<4>(left + 8 * i * S::pitch, l[i]);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float r[S::own_columns];
#pragma unroll
            for (int piece = 0; piece < S::pieces; piece++)
                load_wide<S::wide>(right + e * S::bn + piece * 4 * S::wide, r + piece * S::wide);
#pragma unroll
            for (int i = 0; i < S::own_rows; i++)
#pragma unroll
                for (int j = 0; j < S::own_columns; j++)
                    at[i][j] = fmaf(l[i][e], r[j], at[i][j]);
        }
    }
    __device__ __forceinline__ void write() const
    {
        if constexpr (is_plain) {
            args.beta.f32 == 0 ? write_plain<false>() : write_plain<true>();
        } else {
#pragma unroll
            for (int i = 0; i < S::own_rows; i++) {
                const int y = row + 8 * i;
                if (y >= args.m)
                    break;
                if (args.is_c_vector && !args.partial)
                    write_vectors(y, i);
                else
                    write_singles(y, i, 0);
            }
        }
    }
    /* Where vectors of C lie by a stride its rows are contiguous. */
    template <bool is_added> __device__ __forceinline__ void write_plain() const
    {
        const float alpha = args.alpha.f32, beta = is_added ? args.beta.f32 : 0;
        float *const first = static_cast<float *>(args.c) + row * args.result_m.stride + column;
#pragma unroll
        for (int i = 0; i < S::own_rows; i++) {
            if (row + 8 * i >= args.m)
                continue;
            float *const line = first + 8 * i * args.result_m.stride;
#pragma unroll
            for (int piece = 0; piece < S::pieces; piece++)
                if (column + piece * 4 * S::wide < args.n) {
                    float *const to = line + piece * 4 * S::wide;
                    float value[S::wide], old[S::wide] = {};
                    if (is_added)
                        load_wide<S::wide>(to, old);
#pragma unroll
                    for (int e = 0; e < S::wide; e++)
                        value[e] = blend(alpha, at[i][piece * S::wide + e], beta, &old[e]);
                    store_wide<S::wide>(to, value);
                }
        }
    }
    __device__ __forceinline__ void write_vectors(int y, int i) const
    {
        float *const line = static_cast<float *>(args.c) + offset_now(args.result_m, y);
        const float alpha = args.alpha.f32, beta = args.beta.f32;
#pragma unroll
        for (int piece = 0; piece < S::pieces; piece++) {
            const int x = column + piece * 4 * S::wide;
            if (x / 4 * 4 + 4 > args.n) { /* no vector of C is there */
                write_singles(y, i, piece);
                break;
            }
            float *const to = line + offset_now(args.result_n, x);
            float value[S::wide], old[S::wide] = {};
            if (beta != 0)
                load_wide<S::wide>(to, old);
#pragma unroll
            for (int e = 0; e < S::wide; e++)
                value[e] = blend(alpha, at[i][piece * S::wide + e], beta, &old[e]);
            store_wide<S::wide>(to, value);
        }
    }
    __device__ __forceinline__ void write_singles(int y, int i, int first_piece) const
    {
#pragma unroll
        for (int j = 0; j < S::own_columns; j++)
            if (j / S::wide >= first_piece && column + column_of(j) < args.n)
                finish(args, blockIdx.z, y, column + column_of(j), at[i][j]);
    }
};

/* The steps of a stage: left is its first, right the first of those steps. */
template <class S, bool is_plain>
__device__ __forceinline__ void add_stage(lane_sums<S, is_plain> &sums, const float *left, const float *right,
                                          int there)
{
    const place_of_lane lane;
    const float *const from = left + lane.g * S::pitch;
    const int count = min(S::deep, there);
    wait_async_but<S::stages - 1>();
    __syncwarp();
#pragma unroll(S::own_rows > 4 ? 1 : 2)
    for (int p = 0; p < count; p += 4)
        sums.add_four(from + p, right + p * S::bn + S::wide * lane.q);
    __syncwarp();
}

template <class S, bool in_vectors, bool is_plain>
__device__ __forceinline__ void stand(const lay_cuda_args &args, float *right, int column, const steps &own,
                                      const left_of_warp<S, in_vectors, is_plain> &left, lane_sums<S, is_plain> &sums)
{
#pragma unroll
    for (int i = 0; i < S::stages; i++)
        left.bring(i, own.first + i * S::deep, own.last);
#pragma unroll 1
    for (int step = own.first, turn = 0; step < own.last; step += S::deep, turn++) {
        const int done = turn * S::deep % S::most, stage = turn % S::stages;
        if (done == 0) {
            if (turn > 0)
                __syncthreads();
            bring_right<S, is_plain>(args, right, column, step, own.last);
            __syncthreads();
        }
        add_stage(sums, left.to + stage * S::stage, right + done * S::bn, own.last - step);
        left.bring(stage, step + S::stages * S::deep, own.last);
    }
    sums.write();
}

/* The rows and the step that a stage begins with. */
template <class S> struct place_on_walk {
    int first, step;
    __device__ __forceinline__ bool is_last(const steps &own) const
    {
        return step + S::deep >= own.last;
    }
    __device__ __forceinline__ void go_on(const steps &own)
    {
        first += is_last(own) ? S::at_once : 0;
        step = is_last(own) ? own.first : step + S::deep;
    }
};
template <class S, bool in_vectors, bool is_plain>
__device__ __forceinline__ void walk(const lay_cuda_args &args, float *right, int column, int end, const steps &own,
                                     left_of_warp<S, in_vectors, is_plain> &left, lane_sums<S, is_plain> &sums)
{
    place_on_walk<S> now = { left.first, own.first }, ahead = now;
    const auto bring_ahead = [&](int stage) {
        left.first = ahead.first;
        left.bring(stage, ahead.step, ahead.first < end ? own.last : ahead.step);
        ahead.go_on(own);
    };
#pragma unroll
    for (int i = 0; i < S::stages; i++)
        bring_ahead(i);
    bring_right<S, is_plain>(args, right, column, own.first, own.last);
    __syncthreads();
#pragma unroll 1
    for (int stage = 0; now.first < end; stage = stage + 1 < S::stages ? stage + 1 : 0) {
        const bool is_last = now.is_last(own);
        add_stage(sums, left.to + stage * S::stage, right + (now.step - own.first) * S::bn, own.last - now.step);
        bring_ahead(stage);
        now.go_on(own);
        if (is_last) {
            sums.write();
            sums.go_to(now.first);
        }
    }
}

template <class S, bool in_vectors, bool is_plain>
__device__ __forceinline__ void multiply_tile(const lay_cuda_args &args, float *room)
{
    const tile_index tile = tile_of_block<1>(args);
    const int column = tile.n * S::bn, warp = threadIdx.x / 32, first = tile.m * S::bm + warp * S::rows;
    const steps own = steps_of(args, blockIdx.z);
    left_of_warp<S, in_vectors, is_plain> left = { args, room + S::right_size + warp * (S::stages * S::stage), first };
    lane_sums<S, is_plain> sums(args, first, column);
    if constexpr (S::walk > 1)
        walk(args, room, column, min(args.m, (tile.m + 1) * S::bm), own, left, sums);
    else
        stand(args, room, column, own, left, sums);
}
template <class S, bool in_vectors>
__device__ __forceinline__ void multiply_tile(const lay_cuda_args &args, float *room)
{
    if (is_plain<4>(args) && (!in_vectors || args.k % 4 == 0))
        multiply_tile<S, in_vectors, true>(args, room);
    else
        multiply_tile<S, in_vectors, false>(args, room);
}

} // namespace thin

#endif
