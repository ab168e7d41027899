/* A product on the matrix units by few threads, all of which feed and multiply: several blocks are at work on a
 * multiprocessor, so that one's first loads and its C pass while others multiply. For few steps of k, where blocks that
 * fill a multiprocessor by themselves (product.cuh) let its units wait at both ends. */
#ifndef LAY_KERNELS_CUDA_DMMA_ALONE_CUH
#define LAY_KERNELS_CUDA_DMMA_ALONE_CUH

#include "cuda/dmma/block.cuh"
#include "cuda/dmma/shape.cuh"

namespace dmma
{

/* The same as a shape, for functions that both have; nobody feeds it but its own warps. walk: tiles of a block, one
 * below the other. */
template <int bm_, int bn_, int wm_, int wn_, int stages_, int blocks_, int walk_ = 1> struct shape_alone {
    static constexpr bool is_complex = false;
    static constexpr int bm = bm_, bn = bn_, wm = wm_, wn = wn_, groups = 1, stages = stages_, blocks = blocks_;
    static constexpr int walk = walk_;
    static constexpr int warps_m = bm / wm, warps = warps_m * (bn / wn), threads = 32 * warps, least_sm = 80;
    static constexpr int part = bk * (bm + bn), stage = part, barriers = 0, offsets = 2 * (bm + bn);
    static constexpr int shared = 8 * (stages * stage + offsets + steps_ahead<1>::size);
    static_assert(threads == feeders, "a feeder is any thread");
};

/* Behind it a barrier: all of a stage's copies are there, and the stage before it is read. */
template <int more> __device__ __forceinline__ void await_stage()
{
    wait_copies_but<more>();
    __syncthreads();
}

/* One turn's fragments and products: of its first half alone where it has no more steps. */
template <class S, image left_image, image right_image>
__device__ __forceinline__ void multiply_turn(sums<S> &sum, const reader<left_image, S::bm, true> &left,
                                              const reader<right_image, S::bn, false> &right, int steps)
{
#pragma unroll
    for (int s = 0; s < 2; s++) {
        if (s > 0 && steps <= bk / 2)
            return;
        double l[S::wm / 16][4], r[S::wn / 8][2];
#pragma unroll
        for (int i = 0; i < S::wm / 16; i++)
            left.left(l[i], i, s);
#pragma unroll
        for (int j = 0; j < S::wn / 8; j++)
            right.right(r[j], j, s);
#pragma unroll
        for (int j = 0; j < S::wn / 8; j++)
#pragma unroll
            for (int i = 0; i < S::wm / 16; i++)
                multiply_add(sum.at[i][j], l[i], r[j]);
    }
}

/* The turns of the block's slice, stages - 1 of them under way. */
template <class S, way left_way, way right_way>
__device__ __forceinline__ void multiply_slice(sums<S> &sum, int row, int column, const lay_cuda_args &args,
                                               tile_of tile, const room<S> &in, steps_ahead<1> &ahead, int length)
{
    using left_feed = feed<left_way, S::bm, true>;
    using right_feed = feed<right_way, S::bn, false>;
    left_feed left(args.left, in.across, args.left_m, args.m - tile.i, args.left_class == LAY_CUDA_ALONG, in.stages);
    right_feed right(args.right, in.across + S::bm, args.right_n, args.n - tile.j, args.right_class == LAY_CUDA_ALONG,
                     in.stages + 8 * bk * S::bm);
    left.begin();
    right.begin();
    ahead.look();
    const int turns = turns_of(length);
    const auto feed_turn = [&](int turn, uint32_t stage) {
        const int rest = length - turn * bk;
        if (rest >= bk) {
            left.copy(stage, left.look(ahead.of(turn, 0)));
            right.copy(stage, right.look(ahead.of(turn, 0) + feeders));
            if (left.has_half || right.has_half) {
                left.copy_half(stage, left.look(ahead.of(turn, 0)));
                right.copy_half(stage, right.look(ahead.of(turn, 0) + feeders));
            }
        } else if (rest > 0) {
            const int needed = rest <= bk / 2 ? bk / 2 : bk;
            left.copy_rest_of_pairs(stage, left.look(ahead.of(turn, 0)), rest, needed);
            right.copy_rest_of_pairs(stage, right.look(ahead.of(turn, 0) + feeders), rest, needed);
        }
    };
    ring<S> from(0), to(0);
    const auto feed_next = [&](int turn) {
        feed_turn(turn, to.stage);
        end_copies();
        to.advance();
    };
#pragma unroll 1
    for (int turn = 0; turn < S::stages - 1; turn++)
        feed_next(turn);
    reader<image_of<left_way>, S::bm, true> from_left(in.stages, row);
    reader<image_of<right_way>, S::bn, false> from_right(in.stages + 8 * bk * S::bm, column);
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        const int coming = turn + S::stages - 1;
        if (coming % ahead.turns == 0)
            ahead.put(coming);
        await_stage<S::stages - 2>();
        if (coming % ahead.turns == 0)
            ahead.look();
        feed_next(coming);
        multiply_turn<S>(sum, from_left, from_right, length - turn * bk);
        from_left.move(from.step);
        from_right.move(from.step);
        from.advance();
    }
}

/* Whether a tile is whole and lies in lines of C. */
template <class S> __device__ __forceinline__ bool is_plain(const lay_cuda_args &args, tile_of tile)
{
    return args.is_c_vector && !args.partial && !args.result_m.table && !args.result_n.table &&
           args.result_n.stride == 1 && args.m - tile.i >= S::bm && args.n - tile.j >= S::bn;
}
template <class S> __device__ __forceinline__ void write_plain(sums<S> &sum, const lay_cuda_args &args, tile_of tile)
{
    const double alpha = args.alpha.f64, beta = args.beta.f64;
    double *const first =
        static_cast<double *>(args.c) + (tile.i + sum.row) * args.result_m.stride + tile.j + sum.column;
#pragma unroll
    for (int i = 0; i < S::wm / 16; i++)
#pragma unroll
        for (int r = 0; r < 2; r++) {
            double *const line = first + (16 * i + r) * args.result_m.stride;
#pragma unroll
            for (int j = 0; j < S::wn / 8; j++) {
                double2 *const to = reinterpret_cast<double2 *>(line + 8 * j);
                const double2 old = beta != 0 ? *to : double2();
                *to = make_double2(blend(alpha, sum.at[i][j][2 * r], beta, &old.x),
                                   blend(alpha, sum.at[i][j][2 * r + 1], beta, &old.y));
            }
        }
}

/* Two neighbours of C, where they lie side by side at a multiple of 16 bytes; count: so many of them there are. */
__device__ __forceinline__ void write_two(char *to, double alpha, double first, double second, double beta, int count)
{
    double2 *const both = reinterpret_cast<double2 *>(to);
    if (count >= 2) {
        const double2 old = beta != 0 ? *both : double2();
        *both = make_double2(blend(alpha, first, beta, &old.x), blend(alpha, second, beta, &old.y));
    } else if (count == 1) {
        both->x = blend(alpha, first, beta, &both->x);
    }
}

/* Pairs of C's rows, right from the registers: four lanes have 64 bytes of a row. */
template <class S> __device__ __forceinline__ void write_sums(sums<S> &sum, const result<S> &to)
{
    const lay_cuda_args &args = to.args;
    const double alpha = args.alpha.f64, beta = args.beta.f64;
    const int rows = args.m - to.tile.i - sum.row, columns = args.n - to.tile.j - sum.column;
    int64_t across[S::wn / 8];
#pragma unroll
    for (int j = 0; j < S::wn / 8; j++)
        across[j] = to.at[S::bm + sum.column + 8 * j];
#pragma unroll
    for (int i = 0; i < S::wm / 16; i++)
#pragma unroll
        for (int r = 0; r < 2; r++) {
            char *const line = static_cast<char *>(args.c) + to.at[sum.row + 16 * i + r];
#pragma unroll
            for (int j = 0; j < S::wn / 8; j++)
                write_two(line + across[j], alpha, sum.at[i][j][2 * r], sum.at[i][j][2 * r + 1], beta,
                          16 * i + r < rows ? columns - 8 * j : 0);
        }
}

/* The same where the numbers of a column lie side by side, each a pair of a row: two lanes exchange a row of theirs, so
 * that they have 32 bytes of a column, and sixteen 256. */
template <class S> __device__ __forceinline__ void write_numbers(sums<S> &sum, const result<S> &to)
{
    const lay_cuda_args &args = to.args;
    const double alpha = args.alpha.f64, beta = args.beta.f64;
    const int odd = threadIdx.x & 1, row = sum.row + odd, column = sum.column - 2 * odd;
    const int rows = args.m - to.tile.i - row, columns = args.n - to.tile.j - column;
#pragma unroll
    for (int i = 0; i < S::wm / 16; i++) {
        char *const line = static_cast<char *>(args.c) + to.at[row + 16 * i];
#pragma unroll
        for (int j = 0; j < S::wn / 8; j++) {
            double two[2][2]; /* of the even lane's column and of the odd one's */
#pragma unroll
            for (int c = 0; c < 2; c++) {
                const double upper = sum.at[i][j][c], lower = sum.at[i][j][2 + c];
                const double other = __shfl_xor_sync(~0u, odd ? upper : lower, 1);
                two[0][c] = odd ? other : upper;
                two[1][c] = odd ? lower : other;
            }
#pragma unroll
            for (int e = 0; e < 2; e++)
                write_two(line + to.at[S::bm + column + 8 * j + 2 * e], alpha, two[e][0], two[e][1], beta,
                          16 * i < rows ? columns - 8 * j - 2 * e : 0);
        }
    }
}

/* Whether lanes go down C's columns, rows in their order. */
__device__ __forceinline__ bool goes_down(const lay_cuda_args &args)
{
    return args.down && (args.down >> 4 & 15) == 0 && !args.partial;
}
/* The same down C's columns, in pairs where neighbours are one: eight lanes have 128 bytes of a column. */
template <class S> __device__ __forceinline__ void write_sums_down(sums<S> &sum, const result<S> &to)
{
    const lay_cuda_args &args = to.args;
    const double alpha = args.alpha.f64, beta = args.beta.f64;
    const int rows = args.m - to.tile.i - sum.row, columns = args.n - to.tile.j - sum.column;
    int64_t first[S::wm / 16], second[S::wm / 16];
#pragma unroll
    for (int i = 0; i < S::wm / 16; i++) {
        first[i] = to.at[sum.row + 16 * i];
        second[i] = to.at[sum.row + 16 * i + 1];
    }
#pragma unroll
    for (int j = 0; j < S::wn / 8; j++)
#pragma unroll
        for (int c = 0; c < 2; c++) {
            char *const column = static_cast<char *>(args.c) + to.at[S::bm + sum.column + 8 * j + c];
#pragma unroll
            for (int i = 0; i < S::wm / 16; i++) {
                const int count = 8 * j + c < columns ? rows - 16 * i : 0;
                const double a = sum.at[i][j][c], b = sum.at[i][j][2 + c];
                if (second[i] - first[i] == 8 && reinterpret_cast<uintptr_t>(column + first[i]) % 16 == 0) {
                    write_two(column + first[i], alpha, a, b, beta, count);
                } else {
                    write_two(column + first[i], alpha, a, 0, beta, min(count, 1));
                    write_two(column + second[i], alpha, b, 0, beta, min(count - 1, 1));
                }
            }
        }
}

template <class S, way left_way, way right_way>
__device__ __forceinline__ void multiply_tile(const lay_cuda_args &args, double *memory, tile_of tile)
{
    const room<S> in(memory);
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
    const result<S> to = { args, tile, in.stages, in.of_c, static_cast<int>(threadIdx.x) };
    const steps own = steps_of(args, blockIdx.z);
    steps_ahead<1> ahead(args, in.along, own);
    look_across(args, tile, to.worker, in);
    if (args.partial)
        to.look_up_partial();
    else if (!is_plain<S>(args, tile))
        to.look_up_c();
    __syncthreads();
    const int row = warp % S::warps_m * S::wm, column = warp / S::warps_m * S::wn;
    sums<S> sum(row, column);
    if (args.resume)
        sum.resume(args, tile);
    multiply_slice<S, left_way, right_way>(sum, row, column, args, tile, in, ahead, own.last - own.first);
    if (is_plain<S>(args, tile)) {
        write_plain(sum, args, tile);
    } else if (args.is_c_vector && args.down & LAY_CUDA_DOWN_PAIRS && !args.partial) {
        write_numbers(sum, to);
    } else if (args.is_c_vector && !args.partial) {
        write_sums(sum, to);
    } else if (goes_down(args)) {
        write_sums_down(sum, to);
    } else {
        __syncthreads(); /* all stages are read */
        to.keep_sums(sum, 0);
        __syncthreads();
        write_result(to, 1);
    }
}

} // namespace dmma

#endif
