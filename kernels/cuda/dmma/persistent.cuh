/* A product on the matrix units by blocks that stay: what feeds goes on to the next tile while C of this one is
 * written, each warp goes on by itself, and all blocks end at the same time (shares.cuh). */
#ifndef LAY_KERNELS_CUDA_DMMA_PERSISTENT_CUH
#define LAY_KERNELS_CUDA_DMMA_PERSISTENT_CUH

#include "cuda/dmma/fragments.cuh"
#include "cuda/dmma/leaving.cuh"

namespace dmma
{

/* A shape whose warps each have a place of their own behind all that is shared (leaving.cuh). */
template <class Shape> struct shape_persistent : Shape {
    static_assert(Shape::groups == 1 && Shape::warps <= most_warps, "words of counters");
    static constexpr int kept = Shape::shared, shared = kept + Shape::warps * own_place<Shape>::bytes;
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

/* Turns of one part, so many steps, which are the ones that `ahead` looks up. */
template <class S, class Left, class Right>
__device__ __forceinline__ void feed_turns(const Left &left, const Right &right, steps_ahead<1> &ahead, int rest,
                                           place_in_ring<S> &to, const room<S> &in)
{
#pragma unroll 1
    for (int turn = 0; rest > 0; turn++, rest -= bk) {
        if (turn % ahead.turns == 0 && turn > 0) {
            ahead.put(turn);
            meet<3, feeders>();
            ahead.look();
        }
        const auto from_left = left.look(ahead.of(turn, 0));
        barrier_wait(in.empty + to.barrier(), to.parity());
        if (rest >= bk) {
            left.copy(to.stage(), from_left);
            right.copy(to.stage(), right.look(ahead.of(turn, 0) + feeders));
            if (left.has_half || right.has_half) {
                left.copy_half(to.stage(), left.look(ahead.of(turn, 0)));
                right.copy_half(to.stage(), right.look(ahead.of(turn, 0) + feeders));
            }
        } else {
            left.copy_rest(to.stage(), from_left, rest);
            right.copy_rest(to.stage(), right.look(ahead.of(turn, 0) + feeders), rest);
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
        const tile_of tile = tile_of_part<S>(args, own, now);
        meet<3, feeders>(); /* nobody asks any more where the part before lies */
        look_across_by_feeders(args, tile, in);
        if (threadIdx.x == 0)
            own.fed = i + 1;
        const steps its = steps_of_part(args, own, now);
        steps_ahead<1> ahead(args, in.along, its);
        const int rest = its.last - its.first;
        meet<3, feeders>();
        feed<left_way, S::bm, true> left(args.left, in.across, args.left_m, args.m - tile.i,
                                         args.left_class == LAY_CUDA_ALONG, in.stages);
        feed<right_way, S::bn, false> right(args.right, in.across + S::bm, args.right_n, args.n - tile.j,
                                            args.right_class == LAY_CUDA_ALONG, in.stages + 8 * bk * S::bm);
        left.begin();
        right.begin();
        ahead.look();
        feed_turns<S>(left, right, ahead, rest, to, in);
    }
}

/* A warp's place in the tile. */
template <class S> __device__ __forceinline__ tile_of place_of_warp(int warp)
{
    return { warp % S::warps_m * S::wm, warp / S::warps_m * S::wn };
}

/* What a warp has of the part's tile, and its own place in shared memory. */
template <class S>
__device__ __forceinline__ result<of_warp<S>> result_of_warp(const lay_cuda_args &args, const shares &own,
                                                             const part &now, const room<S> &in, int warp)
{
    const tile_of tile = tile_of_part<S>(args, own, now), in_tile = place_of_warp<S>(warp);
    const own_place<S> mine(in.along + steps_ahead<1>::size, in.stages + S::kept, warp);
    return {
        args, { tile.i + in_tile.i, tile.j + in_tile.j }, mine.rows, mine.at, static_cast<int>(keep(threadIdx.x)) % 32
    };
}

/* The sums that a part begins with. */
template <class S>
__device__ __forceinline__ void begin_part(sums<of_warp<S>> &sum, const lay_cuda_args &args, const shares &own,
                                           const part &now, const room<S> &in, int warp)
{
    if (now.first > 0) {
        await_sums(args, own.role + 1, warp);
        sums_in_memory<S>(args, own.role + 1, warp).take(sum);
    } else if (args.resume) {
        sum.resume(args, result_of_warp<S>(args, own, now, in, warp).tile);
    }
}

/* Which part, and whose sums, is asked anew: no register remembers it while units multiply. */
template <class S>
__device__ __forceinline__ void end_part(sums<of_warp<S>> &sum, const lay_cuda_args &args, shares &own,
                                         const room<S> &in)
{
    const int warp = static_cast<int>(keep(threadIdx.x)) / 32 - feeders / 32, i = own.multiplied[warp];
    const part now = own.at(i);
    sum.row = static_cast<int>(keep(threadIdx.x)) % 32 / 4 * 2;
    sum.column = static_cast<int>(keep(threadIdx.x)) % 4 * 2;
    if (now.last < own.turns) {
        sums_in_memory<S>(args, own.role, warp).put(sum);
        announce_sums(args, own.role, warp);
    } else if (!args.counters || args.slices == 1 || add_slices<S>(sum, args, own, now, warp)) {
        write_part(sum, result_of_warp<S>(args, own, now, in, warp));
    }
    __syncwarp();
    if (is_first_lane())
        own.multiplied[warp] = i + 1;
    __syncwarp();
}

template <class S, image left_image, image right_image>
__device__ __forceinline__ void multiply_shares(const lay_cuda_args &args, shares &own, const room<S> &in)
{
    const bool is_first = keep(threadIdx.x % 32) == 0;
    ring<S> from(0);
    take_registers<S::multiplying>();
#pragma unroll 1
    for (;;) {
        const int warp = static_cast<int>(keep(threadIdx.x)) / 32 - feeders / 32, i = own.multiplied[warp];
        if (i >= own.count())
            break;
        const part now = own.at(i);
        const steps its = steps_of_part(args, own, now);
        const int turns = turns_of(max(0, its.last - its.first));
        sums<of_warp<S>> sum(0, 0);
        begin_part(sum, args, own, now, in, warp);
        if (turns > 0) {
            const tile_of place = place_of_warp<S>(warp);
            fragments<S, left_image, right_image> of(in.stages + from.stage, place.i, place.j, {});
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
