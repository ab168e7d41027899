/* A product on the matrix units: 128 threads feed stages of shared memory, the others multiply. */
#ifndef LAY_KERNELS_CUDA_DMMA_PRODUCT_CUH
#define LAY_KERNELS_CUDA_DMMA_PRODUCT_CUH

#include "cuda/dmma/block.cuh"
#include "cuda/dmma/fragments.cuh"
#include "cuda/dmma/shape.cuh"

namespace dmma
{

/* What of k a block sums: one slice, or all of them by its groups. Only the last may be shorter. */
struct share {
    int first, count; /* slices */
    int length, last_length;
    __device__ __forceinline__ share(const lay_cuda_args &args, bool is_together)
        : first(is_together ? 0 : blockIdx.z), count(is_together ? args.slices : 1)
    {
        const steps one = steps_of(args, first), last = steps_of(args, first + count - 1);
        length = one.last - one.first;
        last_length = last.last - last.first;
    }
    __device__ __forceinline__ int length_of(int group) const
    {
        return group + 1 < count ? length : group + 1 == count ? last_length : 0;
    }
};

/* Barriers: those that multiply say that all is prepared, those that feed wait for it; those that feed. */
template <class S> __device__ __forceinline__ void say_ready()
{
    announce<1, S::threads>();
}
template <class S> __device__ __forceinline__ void await_ready()
{
    meet<1, S::threads>();
}
__device__ __forceinline__ void meet_feeders()
{
    meet<3, feeders>();
}

template <class S, way left_way, way right_way>
__device__ __forceinline__ void feed_stages(const lay_cuda_args &args, const share &own, const room<S> &in)
{
    const int slice = min(own.first + threadIdx.x / (feeders / S::groups), args.slices - 1);
    steps_ahead<S::groups, S::is_complex> ahead(args, in.along, steps_of(args, slice));
    const tile_of tile = tile_at<S>(args);
    using left_feed = feed<left_way, S::bm, true>;
    using right_feed = feed<right_way, S::bn, false>;
    left_feed left(args.left, in.across, args.left_m, args.m - tile.i, args.left_class == LAY_CUDA_ALONG, in.stages);
    right_feed right(args.right, in.across + S::bm, args.right_n, args.n - tile.j, args.right_class == LAY_CUDA_ALONG,
                     in.stages + 8 * bk * S::bm);
    const int turns = turns_of(own.length);
    ring<S> to(1);
    await_ready<S>();
    give_registers<S::feeding>();
    left.begin();
    right.begin();
    ahead.look();
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        if (turn % ahead.turns == 0 && turn > 0) {
            ahead.put(turn);
            meet_feeders();
            ahead.look();
        }
        const int last = own.count - 1, rest = own.last_length - turn * bk;
        const auto left_last = left.look(ahead.of(turn, last));
        if (S::groups > 1 && last > 0) { /* all at once: looked up one by one they would wait */
            typename left_feed::source left_in[S::groups];
            typename right_feed::source right_in[S::groups];
#pragma unroll
            for (int group = 0; group < S::groups - 1; group++) {
                left_in[group] = left.look(ahead.of(turn, group));
                right_in[group] = right.look(ahead.of(turn, group) + feeders);
            }
            barrier_wait(in.empty + to.barrier, to.parity);
#pragma unroll
            for (int group = 0; group < S::groups - 1; group++)
                if (group < last) {
                    left.copy(to.stage + 8 * group * S::part, left_in[group]);
                    right.copy(to.stage + 8 * group * S::part, right_in[group]);
                }
        } else {
            barrier_wait(in.empty + to.barrier, to.parity);
        }
        if (rest >= bk) {
            left.copy(to.stage + 8 * last * S::part, left_last);
            right.copy(to.stage + 8 * last * S::part, right.look(ahead.of(turn, last) + feeders));
        } else if (rest > 0) {
            left.copy_rest(to.stage + 8 * last * S::part, left_last, rest);
            right.copy_rest(to.stage + 8 * last * S::part, right.look(ahead.of(turn, last) + feeders), rest);
        }
        if (left.has_half || right.has_half)
#pragma unroll 1
            for (int group = 0; group < last + (rest >= bk); group++) {
                left.copy_half(to.stage + 8 * group * S::part, left.look(ahead.of(turn, group)));
                right.copy_half(to.stage + 8 * group * S::part, right.look(ahead.of(turn, group) + feeders));
            }
        barrier_arrive_after_copies(in.full + to.barrier);
        to.advance();
    }
}

/* Fragments are loaded ahead of the units: the left's two pieces, the right's from step to step. */
template <class S, image left_image, image right_image>
__device__ __forceinline__ void multiply_stages(sums<S> &sum, int row, int column, uint32_t stages, int turns,
                                                const room<S> &in, const expansion &as)
{
    constexpr int pieces = S::wm / 16, columns = S::wn / 8, all = 2 * pieces; /* steps of 8, two a stage */
    constexpr int places = all % 4 == 0 ? 4 : all % 3 == 0 ? 3 : all, ahead = places > 2 ? 2 : 1; /* of the left */
    static_assert(all % places == 0, "each turn begins at the first place");
    reader<left_image, S::bm, true> left(stages, row);
    reader<right_image, S::bn, false> right(stages + 8 * bk * S::bm, column, as);
    const bool is_first = keep(threadIdx.x % 32) == 0;
    double l[places][4], r[2][columns][2];
    ring<S> from(0);
    barrier_wait(in.full, 0);
#pragma unroll
    for (int i = 0; i < ahead; i++)
        left.left(l[i], i % pieces, i / pieces);
#pragma unroll
    for (int j = 0; j < columns; j++)
        right.right(r[0][j], j, 0);
    for (int turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int at = 0; at < all; at++) {
            const int i = at % pieces, s = at / pieces, then = (at + ahead) % all;
            /* The right's next step, spread over the pieces but the first, whose units still read its place. */
            auto load_right = [&] {
#pragma unroll
                for (int j = 0; j < columns; j++)
                    if (i == (pieces > 1) + j * (pieces - 1) / columns)
                        right.right(r[1 - s][j], j, 1 - s);
            };
            left.left(l[(at + ahead) % places], then % pieces, then / pieces);
            if (s == 0)
                load_right();
            if (at == all - 1 - ahead) { /* the last loads of this stage */
                __syncwarp();
                if (is_first)
                    barrier_arrive(in.empty + from.barrier);
                left.move(from.step);
                right.move(from.step);
                from.advance();
                if (turn + 1 < turns)
                    barrier_wait(in.full + from.barrier, from.parity);
            }
            if (s == 1)
                load_right();
#pragma unroll
            for (int j = 0; j < columns; j++) {
                if (i == 0)
                    right.expand(r[s][j], s);
                multiply_add(sum.at[i][j], l[at % places], r[s][j]);
            }
        }
        right.pass_turn();
    }
}

/* The same by instructions of 16 steps. */
template <class S, image left_image, image right_image>
__device__ __forceinline__ void multiply_whole_stages(sums<S> &sum, int row, int column, uint32_t stages, int turns,
                                                      const room<S> &in, const expansion &as)
{
    fragments<S, left_image, right_image> of(stages, row, column, as);
    const bool is_first = keep(threadIdx.x % 32) == 0;
    ring<S> from(0);
    barrier_wait(in.full, 0);
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

/* Turns that another group's slice has and this one's has not. */
template <class S> __device__ __forceinline__ void pass_turns(int turn, int turns, const room<S> &in)
{
    for (; turn < turns; turn++) {
        const int stage = turn % S::stages;
        barrier_wait(in.full + 8 * stage, turn / S::stages % 2);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            barrier_arrive(in.empty + 8 * stage);
    }
}

template <class S, way left_way, way right_way>
__global__ void __launch_bounds__(S::threads, is_hopper ? S::blocks : 1)
    multiply(const __grid_constant__ lay_cuda_args args)
{
    if constexpr (!is_hopper && S::least_sm >= 90) {
        __trap(); /* PTX for what comes before Hopper: the row says least_sm */
    } else {
        extern __shared__ __align__(128) double memory[];
        let_next_begin();
        const room<S> in(memory);
        const share own(args, S::groups > 1 && args.slices > 1 && !args.partial);
        const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0) - feeders / 32; /* so the compiler knows it is one */
        if (warp < 0) {
            feed_stages<S, left_way, right_way>(args, own, in);
            await_previous();
            return;
        }
        init_barriers(warp, in);
        const tile_of tile = tile_at<S>(args);
        const result<S> to = { args, tile, in.stages, in.of_c, static_cast<int>(threadIdx.x) - feeders };
        look_across(args, tile, to.worker, in);
        say_ready<S>();
        meet_workers<S>();
        take_registers<S::multiplying>();
        if (args.partial)
            to.look_up_partial();
        else
            to.look_up_c();
        const int group = S::groups == 1 ? 0 : warp / S::group_warps, in_group = warp % S::group_warps;
        const int row = in_group % S::warps_m * S::wm, column = in_group / S::warps_m * S::wn;
        sums<S> sum(row, column);
        if (args.resume && group == 0)
            sum.resume(args, tile);
        const int turns = turns_of(own.length_of(group));
        const expansion as = { args.negated, own.length_of(group) };
        if (S::groups == 1 || turns > 0) {
            if constexpr (S::deep == 16)
                multiply_whole_stages<S, image_of<left_way>, image_of<right_way>>(
                    sum, row, column, in.stages + 8 * group * S::part, turns, in, as);
            else
                multiply_stages<S, image_of<left_way>, image_of<right_way>>(
                    sum, row, column, in.stages + 8 * group * S::part, turns, in, as);
        }
        if (S::groups > 1)
            pass_turns(turns, turns_of(own.length), in);
        meet_workers<S>(); /* all stages are read */
        to.keep_sums(sum, group);
        meet_workers<S>();
        write_result(to, own.count);
    }
}

} // namespace dmma

#endif
