/* A product on the matrix units by blocks that stay: what feeds goes on to the next tile while C of this one is
 * written, and all blocks end at the same time (shares.cuh). */
#ifndef LAY_KERNELS_CUDA_DMMA_PERSISTENT_CUH
#define LAY_KERNELS_CUDA_DMMA_PERSISTENT_CUH

#include "cuda/dmma/alone.cuh"
#include "cuda/dmma/fragments.cuh"
#include "cuda/dmma/shares.cuh"

namespace dmma
{

/* A shape whose groups add their sums up beside the stages, which are free for the next tile's turns. */
template <class Shape> struct shape_persistent : Shape {
    static constexpr int kept = Shape::shared, shared = kept + 8 * (Shape::groups - 1) * Shape::bm * Shape::bn;
    static_assert(kept % 16 == 0, "pairs");
};

/* Stages as a ring has them, twice round, in one register: parity is 1, then 0. */
template <class S> struct place_in_ring {
    int at = 0;
    __device__ __forceinline__ int number() const
    {
        return at >= S::stages ? at - S::stages : at;
    }
    __device__ __forceinline__ uint32_t stage() const
    {
        return number() * ring<S>::once;
    }
    __device__ __forceinline__ uint32_t barrier() const
    {
        return 8 * number();
    }
    __device__ __forceinline__ int parity() const
    {
        return at < S::stages;
    }
    __device__ __forceinline__ void advance()
    {
        at = at == 2 * S::stages - 1 ? 0 : at + 1;
    }
};

/* Turns of one part, whose steps are the ones that `ahead` looks up: so many are left of the last group's slice; all
 * other groups' turns are whole. */
template <class S, class Left, class Right>
__device__ __forceinline__ void feed_turns(const Left &left, const Right &right, steps_ahead<S::groups> &ahead,
                                           int groups, int turns, int rest, place_in_ring<S> &to, const room<S> &in)
{
    const auto feed_halves = [&](int turn, int group) {
        if (left.has_half || right.has_half) {
            left.copy_half(to.stage() + 8 * group * S::part, left.look(ahead.of(turn, group)));
            right.copy_half(to.stage() + 8 * group * S::part, right.look(ahead.of(turn, group) + feeders));
        }
    };
#pragma unroll 1
    for (int turn = 0; S::groups > 1 ? turn < turns : rest > 0; turn++, rest -= bk) {
        if (turn % ahead.turns == 0 && turn > 0) {
            ahead.put(turn);
            meet<3, feeders>();
            ahead.look();
        }
        const int last = S::groups > 1 ? groups - 1 : 0;
        const auto from_left = left.look(ahead.of(turn, last));
        barrier_wait(in.empty + to.barrier(), to.parity());
        if constexpr (S::groups > 1)
#pragma unroll
            for (int group = 0; group < S::groups - 1; group++)
                if (group < last) {
                    left.copy(to.stage() + 8 * group * S::part, left.look(ahead.of(turn, group)));
                    right.copy(to.stage() + 8 * group * S::part, right.look(ahead.of(turn, group) + feeders));
                    feed_halves(turn, group);
                }
        if (rest >= bk) {
            left.copy(to.stage() + 8 * last * S::part, from_left);
            right.copy(to.stage() + 8 * last * S::part, right.look(ahead.of(turn, last) + feeders));
            feed_halves(turn, last);
        } else if (rest > 0) {
            left.copy_rest(to.stage() + 8 * last * S::part, from_left, rest);
            right.copy_rest(to.stage() + 8 * last * S::part, right.look(ahead.of(turn, last) + feeders), rest);
        }
        barrier_arrive_after_copies(in.full + to.barrier());
        to.advance();
    }
}

/* Where rows and columns of the next tile begin. */
template <class S>
__device__ __forceinline__ void look_across_by_feeders(const lay_cuda_args &args, tile_of tile, const room<S> &in)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < S::bm + S::bn; i += feeders)
        in.across[i] = i < S::bm ? element<S>(args.left_m, min(tile.i + i, args.m - 1))
                                 : element_across<S>(args.right_n, min(tile.j + i - S::bm, args.n - 1));
}

/* None where the slice is shorter than that. */
__device__ __forceinline__ steps steps_of_part(const lay_cuda_args &args, int slice, const part &of)
{
    const steps all = steps_of(args, slice);
    return { all.first + of.first * bk, min(all.first + of.last * bk, all.last) };
}

template <class S, way left_way, way right_way>
__device__ __forceinline__ void feed_shares(const lay_cuda_args &args, shares &own, const room<S> &in)
{
    place_in_ring<S> to;
    give_registers<S::feeding>();
#pragma unroll 1
    for (;;) {
        const int i = own.fed;
        if (i >= own.count())
            break;
        const part now = own.at(i);
        const tile_of tile = tile_by_number<S>(args, now.tile);
        meet<3, feeders>(); /* nobody asks any more where the part before lies */
        look_across_by_feeders(args, tile, in);
        if (threadIdx.x == 0)
            own.fed = i + 1;
        const int other =
            S::groups == 1 ? 0 : min(static_cast<int>(threadIdx.x) / (feeders / S::groups), own.groups - 1);
        steps_ahead<S::groups> ahead(args, in.along, steps_of_part(args, own.slice + other, now));
        const steps last = steps_of_part(args, own.slice + (S::groups == 1 ? 0 : own.groups - 1), now);
        const int rest = last.last - last.first;
        meet<3, feeders>();
        feed<left_way, S::bm, true> left(args.left, in.across, args.left_m, args.m - tile.i,
                                         args.left_class == LAY_CUDA_ALONG, in.stages);
        feed<right_way, S::bn, false> right(args.right, in.across + S::bm, args.right_n, args.n - tile.j,
                                            args.right_class == LAY_CUDA_ALONG, in.stages + 8 * bk * S::bm);
        left.begin();
        right.begin();
        ahead.look();
        feed_turns<S>(left, right, ahead, own.groups, now.last - now.first, rest, to, in);
    }
}

/* One by one, where C has no vectors; and partial sums, [slices][m][n]. */
template <class S>
__device__ __forceinline__ void write_ones(sums<S> &sum, const result<S> &to, void *c, double alpha, double beta)
{
    const int rows = to.args.m - to.tile.i, columns = to.args.n - to.tile.j;
    sum.for_pairs([&](int row, int column, double a, double b) {
        char *const line = static_cast<char *>(c) + to.at[row];
        double *const first = reinterpret_cast<double *>(line + to.at[S::bm + column]);
        double *const second = reinterpret_cast<double *>(line + to.at[S::bm + column + 1]);
        if (row < rows && column < columns)
            *first = blend(alpha, a, beta, first);
        if (row < rows && column + 1 < columns)
            *second = blend(alpha, b, beta, second);
    });
}

template <class S> __device__ __forceinline__ void write_part(sums<S> &sum, const result<S> &to)
{
    const lay_cuda_args &args = to.args;
    const bool is_partial = args.partial && !args.counters;
    double *const partial = static_cast<double *>(args.partial) + blockIdx.z * static_cast<int64_t>(args.m) * args.n;
    if (args.is_c_vector && !is_partial)
        write_sums(sum, to);
    else if (args.down && (args.down >> 4 & 15) == 0 && !is_partial)
        write_sums_down(sum, to);
    else
        write_ones(sum, to, is_partial ? partial : args.c, is_partial ? 1 : args.alpha.f64,
                   is_partial ? 0 : args.beta.f64);
}

/* Where a part's C lies, and the sums that it begins with. */
template <class S>
__device__ __forceinline__ void begin_part(sums<S> &sum, const lay_cuda_args &args, const shares &own, const part &now,
                                           const room<S> &in)
{
    const int worker = static_cast<int>(threadIdx.x) - feeders;
    const result<S> to = { args, tile_by_number<S>(args, now.tile), in.stages, in.of_c, worker };
    const handed<S> by_other(args, own.role + 1);
    if (args.partial && !args.counters)
        to.look_up_partial();
    else
        to.look_up_c();
    if (now.first > 0 && worker == 0)
        by_other.await();
    meet_workers<S>();
    if (now.first > 0)
        by_other.take(sum, worker);
    else if (args.resume && (S::groups == 1 || worker < 32 * S::group_warps))
        sum.resume(args, to.tile);
}

/* To the first group's sums those of the others, in ascending order, by way of memory beside the stages. */
template <class S> __device__ __forceinline__ void add_groups(sums<S> &sum, int worker, int groups, const room<S> &in)
{
    constexpr int threads = 32 * S::group_warps, each = 8 * S::bm * S::bn;
    const int group = worker / threads;
    const uint32_t own = in.stages + S::kept + 16 * (worker % threads);
    if (group > 0) {
        uint32_t to = own + (group - 1) * each;
        sum.for_pairs([&](int, int, double a, double b) {
            store_two(to, a, b);
            to += 16 * threads;
        });
    }
    meet_workers<S>();
    if (group > 0)
        return;
#pragma unroll 1
    for (int other = 1; other < groups; other++) {
        uint32_t from = own + (other - 1) * each;
        sum.for_pairs([&](int, int, double &a, double &b) {
            double more[2];
            load_two(from, more[0], more[1]);
            a += more[0];
            b += more[1];
            from += 16 * threads;
        });
    }
}

/* Which part, and whose sums, is asked anew: no register remembers it while units multiply. */
template <class S>
__device__ __forceinline__ void end_part(sums<S> &sum, const lay_cuda_args &args, shares &own, const room<S> &in)
{
    const int worker = static_cast<int>(keep(threadIdx.x)) - feeders, i = own.multiplied;
    const int group = worker / 32 / S::group_warps, warp = worker / 32 % S::group_warps;
    const part now = own.at(i);
    sum.row = warp % S::warps_m * S::wm + worker % 32 / 4 * 2;
    sum.column = warp / S::warps_m * S::wn + worker % 4 * 2;
    if (now.last < own.turns) {
        handed<S>(args, own.role).leave(sum, worker);
    } else {
        if constexpr (S::groups > 1)
            add_groups(sum, worker, own.groups, in);
        if (S::groups == 1 || group == 0)
            write_part(sum, result<S>{ args, tile_by_number<S>(args, now.tile), in.stages, in.of_c, worker });
    }
    meet_workers<S>();
    if (worker == 0)
        own.multiplied = i + 1;
    meet_workers<S>();
}

/* Turns that another group's slice has and this one's has not. */
template <class S> __device__ __forceinline__ void pass_turns(int turns, ring<S> &from, const room<S> &in)
{
#pragma unroll 1
    for (; turns > 0; turns--) {
        barrier_wait(in.full + from.barrier, from.parity);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            barrier_arrive(in.empty + from.barrier);
        from.advance();
    }
}

/* Of a part those that the group has. */
template <class S>
__device__ __forceinline__ int turns_of_group(const lay_cuda_args &args, const shares &own, const part &now, int group)
{
    if (S::groups == 1)
        return now.last - now.first;
    const steps all = steps_of_part(args, own.slice + group, now);
    return group < own.groups ? turns_of(max(0, all.last - all.first)) : 0;
}

template <class S, image left_image, image right_image>
__device__ __forceinline__ void multiply_shares(const lay_cuda_args &args, shares &own, const room<S> &in)
{
    const bool is_first = keep(threadIdx.x % 32) == 0;
    ring<S> from(0);
    take_registers<S::multiplying>();
#pragma unroll 1
    while (own.multiplied < own.count()) {
        const int worker_warp = static_cast<int>(keep(threadIdx.x)) / 32 - feeders / 32;
        const int group = S::groups == 1 ? 0 : worker_warp / S::group_warps;
        const int warp = S::groups == 1 ? worker_warp : worker_warp % S::group_warps;
        const int row = warp % S::warps_m * S::wm, column = warp / S::warps_m * S::wn;
        sums<S> sum(row, column);
        const part now = own.at(own.multiplied);
        begin_part(sum, args, own, now, in);
        const int turns = turns_of_group<S>(args, own, now, group);
        if (S::groups == 1 || turns > 0) {
            fragments<S, left_image, right_image> of(in.stages + from.stage + 8 * group * S::part, row, column, {});
            barrier_wait(in.full + from.barrier, from.parity);
            of.begin();
            of.multiply(sum, turns, [&](int turn) {
                __syncwarp();
                if (is_first)
                    barrier_arrive(in.empty + from.barrier);
                of.move(from.step);
                from.advance();
                if (turn + 1 < turns)
                    barrier_wait(in.full + from.barrier, from.parity);
            });
        }
        if constexpr (S::groups > 1)
            pass_turns(now.last - now.first - turns, from, in);
        end_part(sum, args, own, in);
    }
}

/* Own is in shared memory. */
template <class S, way left_way, way right_way>
__device__ __forceinline__ void multiply_all(const lay_cuda_args &args, double *memory, shares &own)
{
    const room<S> in(memory);
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0) - feeders / 32; /* so the compiler knows it is one */
    if (warp >= 0)
        init_barriers(warp, in);
    else if (threadIdx.x == 0)
        own = take_shares<S>(args);
    __syncthreads();
    if (warp < 0)
        feed_shares<S, left_way, right_way>(args, own, in);
    else
        multiply_shares<S, image_of<left_way>, image_of<right_way>>(args, own, in);
}

} // namespace dmma

#endif
