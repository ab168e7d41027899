/* Operands -> C: persistent blocks, a warp that brings boxes by tensor copies and warpgroups that multiply. */
#ifndef LAY_KERNELS_CUDA_NARROW_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_NARROW_MULTIPLY_CUH

#include <type_traits>

#include "cuda/narrow/apart.cuh"
#include "cuda/narrow/consume.cuh"
#include "cuda/narrow/crossed.cuh"
#include "cuda/narrow/produce.cuh"
#include "cuda/narrow/result.cuh"
#include "cuda/narrow/staged.cuh"
#include "cuda/narrow/together.cuh"
#include "cuda/narrow/words.cuh"

namespace
{

/* Where a multiplying warpgroup's part begins in the tile: from one lane for all, so that it is known to be uniform. */
template <typename S> struct own_part {
    const int turn, group, row, column; /* turn: of its tiles */

    __device__ __forceinline__ own_part()
        : turn(S::is_pingpong ? __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 128, 0) : 0),
          group(S::is_pingpong ? 0 : __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 128, 0)),
          row(group % S::groups_down * 64 * S::parts), column(group / S::groups_down * S::columns)
    {
    }
};

/* When C's numbers of 16 bits leave: while the next tile is multiplied, as vectors or as words; at once; or not as
 * such vectors. */
enum leave { LATER, LATER_IN_WORDS, AT_ONCE, OTHERWISE };

/* Tiles whose C leaves in sectors where it goes no other way in vectors: gathered slices, rows that are contiguous, and
 * tiles of sixteen columns. */
template <typename S> constexpr bool leaves_gathered = S::kind != TF32 && !S::is_walked;

/* Sums that nothing has: of a tile that there is not. */
template <typename S> __device__ __forceinline__ void leave_open(float (&sum)[S::parts][S::columns / 2])
{
#pragma unroll
    for (int part = 0; part < S::parts; part++)
#pragma unroll
        for (int i = 0; i < S::columns / 2; i++)
            asm volatile("" : "=f"(sum[part][i]));
}

/* Warpgroups whose tiles take turns: one asks for its tile's first turn when the other has met all of its own, for who
 * waits for a barrier may be behind by one phase alone. */
template <typename S> struct alternation {
    uint64_t *const own, *const other;
    int parity;

    /* The first one waits for nobody at first. */
    __device__ __forceinline__ alternation(const ring<S> &ring, int turn)
        : own(ring.sums + turn), other(ring.sums + (1 - turn)), parity(turn == 0)
    {
    }
    __device__ __forceinline__ void wait()
    {
        if constexpr (S::is_pingpong) {
            barrier_wait(own, parity);
            parity ^= 1;
        }
    }
    __device__ __forceinline__ void tell()
    {
        if constexpr (S::is_pingpong)
            if (threadIdx.x % 128 == 0)
                barrier_arrive(other);
    }
};

/* A unit as it is known from here on: what is worked out behind the last product everybody waits for. */
__device__ __forceinline__ work known(work unit)
{
    asm volatile("" : "+r"(unit.i), "+r"(unit.j), "+r"(unit.slice), "+r"(unit.tile));
    return unit;
}

/* The first tile is none: its way out fetches the instructions of the others' while their first turn is awaited, since
 * all that a launch asks for comes from memory, some fifty clocks for eight of them (bench/LOG.md, 126). */
template <typename S, leave when>
__device__ __forceinline__ void consume(const lay_narrow_args &args, const ring<S> &ring)
{
    const own_part<S> part;
    const int row = part.row, column = part.column;
    const schedule<S> works(args);
    consumer_for<S> self(args, ring, row, column);
    constexpr bool waits = when == LATER || when == LATER_IN_WORDS;
    std::conditional_t<when == LATER, leaving_of<S>,
                       std::conditional_t<when == LATER_IN_WORDS, leaving_in_words<S>, nothing_leaving>>
        out;
    constexpr int in_turns = S::groups / S::of_tile;                  /* warpgroups that have a tile each */
    constexpr bool is_known = !waits && S::parts * S::columns <= 128; /* else registers are short */
    alternation<S> turns(ring, part.turn);
#pragma unroll 1
    for (int number = works.first + (part.turn - in_turns) * works.apart; number < works.count;
         number += in_turns * works.apart) {
        float sum[S::parts][S::columns / 2];
        work own = { LAY_NARROW_NO_TILE, LAY_NARROW_NO_TILE, 0, 0, 0, 0 };
        const bool is_there = number >= works.first;
        if constexpr (S::is_pingpong)
            if (number > works.first)
                self.pass_by(works.at(args, number - works.apart).turns);
        if (is_there) {
            if (S::is_pingpong && args.stays)
                barrier_wait(ring.stay, 0);
            turns.wait();
            own = works.at(args, number);
            if constexpr (is_known)
                own = known(own);
            const bool goes_on = works.count > number + works.apart;
            self.multiply(args, own.turns, sum, out, goes_on);
            turns.tell();
            if constexpr (!is_known) {
                asm volatile("" : "+r"(number)); /* worked out again */
                own = works.at(args, number);
            }
        } else {
            leave_open<S>(sum);
        }
        if constexpr (waits) {
            out.take(args, own.i + row, own.j + column, sum);
            if (!is_there || number + works.apart >= works.count)
                out.put_all(args);
        } else if constexpr (when == AT_ONCE) {
            leaving_of<S>().pass(args, own.i + row, own.j + column, sum);
        } else {
            if constexpr (!S::is_pingpong)
                if (args.slices > 1 && is_there && !gather<S>(args, own, sum))
                    continue;
            if constexpr (S::is_walked && !S::is_pingpong)
                if (args.is_c_down) {
                    if (is_there)
                        write_eights_down<S>(args, own, sum, ring.pieces);
                    continue;
                }
            if constexpr (leaves_gathered<S>)
                if (leaving_in_sectors<S>::may(args)) {
                    leaving_in_sectors<S>().pass(args, own.i + row, own.j + column, sum);
                    continue;
                }
#pragma unroll
            for (int part = 0; part < S::parts; part++)
                write<S::columns, S::piece_columns, S::is_walked>(args, own.i + row + 64 * part, own.j + column,
                                                                  sum[part], ring.pieces);
        }
    }
}

/* A block has one tile. */
template <typename S> __device__ __forceinline__ void consume_one(const lay_narrow_args &args, const ring<S> &ring)
{
    const own_part<S> part;
    const schedule<S> works(args);
    consumer_for<S> self(args, ring, part.row, part.column);
    nothing_leaving out;
#pragma unroll 1
    for (int number = works.first - works.apart; number < works.count; number += works.apart) {
        float sum[S::parts][S::columns / 2];
        work own = { LAY_NARROW_NO_TILE, LAY_NARROW_NO_TILE, 0, 0, 0, 0 };
        const bool is_there = number >= works.first;
        if (is_there) {
            own = known(works.at(args, number));
            self.multiply(args, own.turns, sum, out, false);
            some_meet<S::multipliers>(); /* nobody reads turns any more */
        } else {
            leave_open<S>(sum);
        }
        staged<S>::lay(args, ring.turn, part.row, part.column, sum, is_there);
        some_meet<S::multipliers>();
        if (in_words<S>::serves(args))
            write_words<S>(args, ring.turn, own.i, own.j);
        else
            staged<S>::write(args, ring.turn, own.i, own.j);
    }
}

/* A block has one slice of one tile. */
template <typename S> __device__ __forceinline__ void consume_together(const lay_narrow_args &args, const ring<S> &ring)
{
    static_assert(units<S>::fit, "room");
    const own_part<S> part;
    const work own = schedule<S>(args).at(args, cluster_number());
    {
        float sum[S::parts][S::columns / 2];
        nothing_leaving out;
        consumer_for<S>(args, ring, part.row, part.column).multiply(args, own.turns, sum, out, false);
        cluster_meet(); /* everybody's last turns are read */
        units<S>(args).send(ring.turn, ring.sums, sum);
    }
    barrier_wait_for_others(ring.sums, 0);
    __syncwarp();
    cluster_arrive(); /* who sent has no more to keep */
    add_slices_of<S>(args, ring.turn, own.i + part.row, own.j + part.column);
    __syncwarp();
    cluster_await();
}

template <typename S> __device__ __forceinline__ void make_barriers(const lay_narrow_args &args, const ring<S> &ring)
{
    const int bringers = args.bringing == LAY_NARROW_BY_LANES ? 1 : 2,
              users = S::of_tile * ((1 << args.log_down) + (1 << args.log_across) - 1);
#pragma unroll
    for (int turn = 0; turn < (S::is_pingpong ? S::most_turns : S::turns); turn++) {
        barrier_init(ring.full + turn, bringers);
        barrier_init(ring.empty + turn, users);
    }
    if (args.is_together || S::is_pingpong)
        barrier_init(ring.sums, 1);
    if (S::is_pingpong) {
        barrier_init(ring.sums + 1, 1);
        barrier_init(ring.stay, 1);
    }
    barriers_are_made();
    if (args.is_together)
        barrier_expect(ring.sums, units<S>(args).bytes());
}

/* All threads of a block, or of a cluster. */
__device__ __forceinline__ void all_meet(const lay_narrow_args &args)
{
    if (args.cluster > 1)
        cluster_meet();
    else
        __syncthreads();
}

/* By warps of their own. What can be known is, before barriers are made. */
template <typename S> __device__ __forceinline__ void bring(const lay_narrow_args &args, const ring<S> &ring)
{
    const int warp = static_cast<int>(threadIdx.x) / 32 - S::multipliers / 32;
    const schedule<S> works(args);
    const work first = works.at(args, works.first);
    all_meet(args);
    if constexpr (S::residents == 1)
        give_registers<S::bringer_registers>();
    if (S::is_walked || args.bringing == LAY_NARROW_BY_LANES) {
        if (warp == 0)
            produce<S, std::conditional_t<S::is_walked, by_walk<S>, by_digits<S>>>(args, ring, works, first);
    } else if (warp < 2 && is_elected()) {
        if (args.bringing == LAY_NARROW_BY_STRIDES)
            produce_by<S, plain_boxes>(args, ring, works, first, warp == 1);
        else if (args.bringing == LAY_NARROW_BY_WHOLES)
            produce_by<S, whole_box>(args, ring, works, first, warp == 1);
        else
            produce_by<S, pieces>(args, ring, works, first, warp == 1);
    }
    __syncwarp();
    if (args.is_together) {
        cluster_meet();
        cluster_meet();
    }
}

/* What bringing warps would wait for is asked for by others, which have nothing to do yet: barriers, the tensors'
 * descriptions, and the arguments. */
template <typename S> __device__ __forceinline__ void make_ready(const lay_narrow_args &args, const ring<S> &ring)
{
    constexpr int last = S::multipliers - 32;
    if (threadIdx.x == 0) {
        make_barriers(args, ring);
    } else if (threadIdx.x >= last) {
        touch(args);
    } else if (threadIdx.x == last - 32) {
        expect_tensor(args.left.tensor);
        expect_tensor(args.right.tensor);
    }
    __syncwarp();
}

/* By the others. */
template <typename S> __device__ __forceinline__ void consume_all(const lay_narrow_args &args, const ring<S> &ring)
{
    constexpr bool leaves = S::leave_in_eights || S::leave_in_sectors;
    make_ready(args, ring);
    all_meet(args);
    if constexpr (S::residents == 1)
        take_registers<S::multiplier_registers>();
    const schedule<S> works(args);
    if (!S::is_pingpong && args.is_together) {
        if constexpr (!S::is_pingpong && units<S>::fit)
            consume_together<S>(args, ring);
    } else if (works.count <= works.apart && (staged<S>::serves(args) || in_words<S>::serves(args))) {
        if constexpr (staged<S>::serves_any)
            consume_one<S>(args, ring);
    } else if (in_words<S>::serves(args) && leaving_in_words<S>::may_wait(args)) {
        if constexpr (in_words<S>::may)
            consume<S, LATER_IN_WORDS>(args, ring);
    } else if (!leaving_of<S>::serves(args))
        consume<S, OTHERWISE>(args, ring);
    else if (leaving_of<S>::may_wait(args) && args.turns == 0)
        consume<S, leaves && S::residents == 1 && !S::is_walked ? LATER : OTHERWISE>(args, ring);
    else
        consume<S, leaves ? AT_ONCE : OTHERWISE>(args, ring);
}

/* Whoever multiplies touches no memory before the first turn is there, so that only the bringing warps await the launch
 * before. */
template <typename S> __device__ __forceinline__ void multiply_tiles(const lay_narrow_args &args, char *shared)
{
    const ring<S> ring(shared);
    let_next_begin();
    if (threadIdx.x >= S::multipliers)
        bring<S>(args, ring);
    else
        consume_all<S>(args, ring);
    if (schedule<S>::is_shared(args)) { /* others may still reach this block's shared memory */
        __syncwarp();
        cluster_meet();
    }
}

template <typename S>
__global__ void __launch_bounds__(S::threads, S::residents) multiply(const __grid_constant__ lay_narrow_args args)
{
    extern __shared__ __align__(1024) char shared[];
    multiply_tiles<S>(args, shared);
}

} // namespace

#endif
