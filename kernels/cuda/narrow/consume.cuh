/* The loop of a warpgroup that multiplies: turn after turn, the products of one at work while the next is awaited. */
#ifndef LAY_KERNELS_CUDA_NARROW_CONSUME_CUH
#define LAY_KERNELS_CUDA_NARROW_CONSUME_CUH

#include <type_traits>

#include "cuda/narrow/leaving.cuh"

/* An operand of a launch as the matrix units see it (lay_narrow_seen), from a warpgroup's first line on, of turn 0. A
 * block's number in its cluster is in its addresses, too, where descriptors have the leading offset. */
struct operand_view {
    const unsigned first, high, next, next_both, below;

    __device__ __forceinline__ operand_view(const lay_narrow_operand &of, const char *lines, int line)
        : first(of.seen.low + ((shared_address(lines) & 0x3ffff) >> 4) + line * of.seen.line), high(of.seen.high),
          next(of.seen.next), next_both(of.seen.next_both), below(64 * of.seen.line)
    {
    }
    /* Number `step` of 32 bytes of steps; of the lines 64 below the first, and so on. */
    __device__ __forceinline__ uint64_t at(unsigned turn, int step, int part = 0) const
    {
        return static_cast<uint64_t>(high) << 32 |
               (first + turn + step % 2 * next + step / 2 * next_both + part * below);
    }
};

/* A lane tells one of the blocks that bring turns besides its own: those above and below, then those beside it. Where
 * that one's barriers are; 0: it tells none. */
__device__ __forceinline__ unsigned others_of(const lay_narrow_args &args, const uint64_t *empty)
{
    const int number = threadIdx.x % 128 - 32, down = 1 << args.log_down, across = 1 << args.log_across;
    if (number < 0 || number >= down + across - 2)
        return 0;
    const int rank = cluster_rank(), below = rank & (down - 1), beside = rank >> args.log_down, on = number - down + 1;
    const int other = number < down - 1 ? rank - below + number + (number >= below)
                                        : ((on + (on >= beside)) << args.log_down) + below;
    return address_in(empty, other);
}

template <typename S> struct consumer {
    static constexpr int count = S::columns / 2;        /* sums of a thread in a part */
    static constexpr int behind = S::turns < 8 ? 1 : 3; /* turns at work besides the one just begun */
    using on = products<S::kind, S::columns, S::is_left_across, S::is_right_across>;
    /* Registers are short where left comes through them. */
    static constexpr bool keeps_others = S::kind != TF32 || !S::is_left_across;
    const lay_narrow_args &args;
    const ring<S> &from;
    const slots<S> among;
    const operand_view left, right; /* of the warpgroup's part of the tile */
    const unsigned others;          /* if kept */
    position<S> at, back;           /* the next turn, and the first that is not released */
    int left_of_block;              /* turns */
    int number;                     /* of the next turn in its tile, where an operand stays */

    __device__ __forceinline__ consumer(const lay_narrow_args &args, const ring<S> &from, int row, int column)
        : args(args), from(from), among(args), left(args.left, from.turn, row),
          right(args.right, from.turn + S::left_size, column),
          others(keeps_others ? others_of(args, from.empty) : 0), at{ 0, 0 }, back{ 0, 0 },
          left_of_block(args.block_turns), number(0)
    {
    }

    __device__ __forceinline__ void release()
    {
        if (threadIdx.x % 128 == 0)
            barrier_arrive(from.empty + back.slot);
        const unsigned there = keeps_others ? others : others_of(args, from.empty);
        if (there)
            barrier_arrive_at(there + back.slot * sizeof *from.empty);
        back.go_on(among.all);
    }

    /* Turns of another warpgroup's tile. */
    __device__ __forceinline__ void pass_by(int turns)
    {
        at.pass_by(turns, among.all);
        back.pass_by(turns, among.all);
    }

    __device__ __forceinline__ void release_last()
    {
        products_wait<behind>();
        release();
    }

    /* Of its first so many groups of 32 bytes of steps. */
    template <int groups = 4> __device__ __forceinline__ void turn(float (&sum)[S::parts][count], int is_more)
    {
        barrier_wait(from.full + at.slot, at.parity);
        const unsigned left_place = among.place(false, at.slot, number) / 16;
        const unsigned right_place = among.place(true, at.slot, number) / 16;
        number++;
        products_begin();
#pragma unroll
        for (int step = 0; step < groups; step++)
#pragma unroll
            for (int part = 0; part < S::parts; part++)
                on::add(sum[part], left.at(left_place, step, part), right.at(right_place, step), step ? 1 : is_more);
        products_commit();
        at.go_on(among.all);
    }

    /* Not the first one of a tile. */
    template <bool may_cut> __device__ __forceinline__ void next_turn(float (&sum)[S::parts][count])
    {
        if (!may_cut || --left_of_block > 0)
            return turn(sum, 1);
        left_of_block = args.block_turns;
        if (args.last_groups == 1)
            turn<1>(sum, 1);
        else if (args.last_groups == 2)
            turn<2>(sum, 1);
        else
            turn<3>(sum, 1);
    }

    /* The last tile's C leaves on the way. Whoever brings waits for this one's last turns if there is another tile. */
    template <typename Out>
    __device__ __forceinline__ void multiply(const lay_narrow_args &args, int turns, float (&sum)[S::parts][count],
                                             Out &out, bool goes_on)
    {
        constexpr int first = Out::count > 0 ? Out::count : 1; /* turns are no fewer */
        number = 0;
        turn(sum, 0);
        left_of_block = args.block_turns - 1;
        out.put(args, 0);
#pragma unroll
        for (int i = 1; i < first; i++) {
            turn(sum, 1);
            out.put(args, i);
            if (i >= behind)
                release_last();
        }
#pragma unroll 1
        for (int i = first; i < turns; i++) {
            next_turn<Out::count == 0>(sum);
            if (i >= behind)
                release_last();
        }
        products_wait<0>();
#pragma unroll 1
        for (int last = goes_on ? min(turns, behind) : 0; last > 0; last--)
            release();
    }
};

/* TF32 wants steps contiguous, but of left only where it comes from shared memory: lines that are contiguous are read
 * by lanes, into registers. Of a turn the warp's 16 lines are in a box of 32, 128 bytes a step. */
template <typename S> struct consumer_of_registers : consumer<S> {
    using base = consumer<S>;
    using base::at;
    using base::count;
    using base::from;
    using base::right;
    const int row;
    using left_part = unsigned[4][4]; /* of groups of eight steps */

    __device__ __forceinline__ consumer_of_registers(const lay_narrow_args &args, const ring<S> &from, int row,
                                                     int column)
        : base(args, from, row, column), row(row)
    {
    }

    /* Eight lines below, four steps on: what these do to the swizzled address, of which they flip bits. */
    static __device__ __forceinline__ void load(const char *lines, int row, left_part &left)
    {
        const int line = row + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4, step = threadIdx.x % 4;
        const int first = step * LAY_NARROW_LINE + (line % 32 / 4 ^ step) * 16 + line % 4 * 4;
        const char *const box = lines + line / 32 * (S::steps * LAY_NARROW_LINE);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int below = e % 2 * 32, on = e / 2 % 2;
            const char *const own = box + (first ^ below ^ on * 64) + on * 4 * LAY_NARROW_LINE;
#pragma unroll
            for (int eight = 0; eight < 4; eight++)
                left[eight][e] = *reinterpret_cast<const unsigned *>(own + eight * 8 * LAY_NARROW_LINE);
        }
    }

    __device__ __forceinline__ void turn(float (&sum)[S::parts][count], left_part (&left)[S::parts], int is_more)
    {
        barrier_wait(from.full + at.slot, at.parity);
        const char *const lines = from.turn + at.slot * S::turn_size;
        const unsigned place = at.slot * (S::turn_size / 16);
#pragma unroll
        for (int part = 0; part < S::parts; part++)
            load(lines, row + 64 * part, left[part]);
        products_begin();
#pragma unroll
        for (int step = 0; step < 4; step++)
#pragma unroll
            for (int part = 0; part < S::parts; part++)
                products_of_registers<S::columns>::add(sum[part], left[part][step], right.at(place, step),
                                                       step ? 1 : is_more);
        products_commit();
        at.go_on();
    }

    template <typename Out>
    __device__ __forceinline__ void multiply(const lay_narrow_args &args, int turns, float (&sum)[S::parts][count],
                                             Out &out, bool)
    {
        left_part even[S::parts], odd[S::parts];
        out.put_all(args);
        turn(sum, even, 0);
        int i = 1;
#pragma unroll 1
        for (; i + 1 < turns; i += 2) {
            turn(sum, odd, 1);
            products_wait<1>();
            this->release();
            turn(sum, even, 1);
            products_wait<1>();
            this->release();
        }
        if (i < turns) {
            turn(sum, odd, 1);
            products_wait<1>();
            this->release();
        }
        products_wait<0>();
        this->release();
    }
};

template <typename S>
using consumer_for = std::conditional_t<S::kind == TF32 && S::is_left_across, consumer_of_registers<S>, consumer<S>>;

#endif
