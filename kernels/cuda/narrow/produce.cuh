/* The bringing warp: boxes of left and right by tensor copies, tile after tile. */
#ifndef LAY_KERNELS_CUDA_NARROW_PRODUCE_CUH
#define LAY_KERNELS_CUDA_NARROW_PRODUCE_CUH

#include "cuda/narrow/tile.cuh"

/* A lane's box: where it is in a turn, in the tile, and in the turn's steps; and what of its operand every turn asks
 * for, in registers. */
struct box {
    const void *tensor;
    int place; /* bytes */
    int line, step;
    int inner_lines, inner_steps;
    bool is_there;
};

/* Box number of an operand's lines in a tile. Lines that are contiguous are in groups of 128 bytes, as many as a turn
 * has steps, and boxes of steps are powers of two. */
template <typename S, bool is_across>
__device__ __forceinline__ box box_of(const lay_narrow_operand &of, int number, int count)
{
    const int down = is_across ? __ffs(S::steps) - __ffs(of.box) : 0, group = number >> down;
    const int piece = number & ((1 << down) - 1);
    const int line = is_across ? group * S::steps : number * of.box, step = is_across ? piece * of.box : 0;
    return { of.tensor, (line + step) * LAY_NARROW_LINE, line, step, of.inner_lines, of.inner_steps, number < count };
}

/* The lane's own: those of left come first. Of blocks that share, here two at most, one above the other, each brings
 * half of right's, for both. */
template <typename S> __device__ __forceinline__ box own_box(const lay_narrow_args &args)
{
    const int lane = threadIdx.x % 32, before = args.left.boxes, all = args.right.boxes;
    if (lane < before)
        return box_of<S, S::is_left_across>(args.left, lane, before);
    const int own = schedule<S>::is_shared(args) ? all / 2 : all, first = own < all ? cluster_rank() * own : 0;
    box found = box_of<S, S::is_right_across>(args.right, first + lane - before, first + own);
    found.place += S::left_size;
    return found;
}

/* Constant memory is cold when a launch begins, and whoever asks for one number after another waits for each line in
 * turn: this asks for all lines at once, but for those of tensors, which nobody reads as numbers. */
__device__ __forceinline__ void touch(const lay_narrow_args &args)
{
    enum { LINE = 64, ALL = offsetof(lay_narrow_args, rows), EACH = sizeof(lay_narrow_operand) };
    const char *const first = reinterpret_cast<const char *>(&args) + blockIdx.y; /* 0, which no compiler knows */
    unsigned all = 0;
#pragma unroll
    for (int at = 0; at < ALL; at += LINE)
        if (at >= 2 * EACH || at % EACH >= static_cast<int>(sizeof args.left.tensor))
            all ^= *reinterpret_cast<const unsigned *>(first + at);
    if (all == 1) /* what is not used is not loaded */
        __nanosleep(0);
}

/* Where a lane's box is in its operand, turn after turn, by two digits a dimension. */
template <typename S> struct by_digits {
    const box own;
    const bool is_plain, is_right, is_across, is_for_both;
    int inner_line, outer_line, inner_step, outer_step;

    __device__ __forceinline__ explicit by_digits(const lay_narrow_args &args)
        : own(own_box<S>(args)), is_plain(own.inner_lines == INT32_MAX && own.inner_steps == INT32_MAX),
          is_right(own.place >= S::left_size), is_across(is_right ? S::is_right_across : S::is_left_across),
          is_for_both(is_right && schedule<S>::is_shared(args))
    {
    }
    __device__ __forceinline__ void begin(const lay_narrow_args &, const work &unit)
    {
        const int line = (is_right ? unit.j : unit.i) + own.line, step = unit.step + own.step;
        outer_line = is_plain ? 0 : line / own.inner_lines;
        inner_line = is_plain ? line : line % own.inner_lines;
        outer_step = is_plain ? 0 : step / own.inner_steps;
        inner_step = is_plain ? step : step % own.inner_steps;
    }
    __device__ __forceinline__ void go_on()
    {
        inner_step += S::steps;
        while (inner_step >= own.inner_steps)
            inner_step -= own.inner_steps, outer_step++;
    }
    __device__ __forceinline__ void copy(char *to, uint64_t *full) const
    {
        const int x = is_across ? inner_line : inner_step, y = is_across ? inner_step : inner_line;
        if (is_for_both && is_plain)
            copy_box_to(3, to, own.tensor, x, y, full);
        else if (is_for_both)
            copy_box_to(3, to, own.tensor, x, y, outer_line, outer_step, full);
        else if (is_plain)
            copy_box(to, own.tensor, x, y, full);
        else
            copy_box(to, own.tensor, x, y, outer_line, outer_step, full);
    }
};

/* All that stays, before the first turn. */
template <typename S, typename Places>
__device__ __forceinline__ void bring_staying(const lay_narrow_args &args, const ring<S> &ring, const slots<S> &slots,
                                              Places &from, const work &unit)
{
    if (threadIdx.x % 32 == 0)
        barrier_expect(ring.stay, slots.stay);
    __syncwarp();
    for (int turn = 0; turn < unit.turns; turn++) {
        if (from.own.is_there && slots.is(from.is_right))
            from.copy(ring.turn + from.own.place + slots.place(from.is_right, 0, turn), ring.stay);
        from.go_on();
    }
    from.begin(args, unit);
}

/* A lane has a box. Where the first tile's boxes are is known before the launch before has ended. */
template <typename S, typename Places>
__device__ __forceinline__ void produce(const lay_narrow_args &args, const ring<S> &ring, const schedule<S> &works,
                                        work unit)
{
    Places from(args);
    position<S> at = { 0, 1 };
    const slots<S> slots(args);
    const bool is_brought = from.own.is_there && !slots.is(from.is_right);
    from.begin(args, unit);
    await_launch_before();
    if (S::is_pingpong && slots.which && works.first < works.count)
        bring_staying(args, ring, slots, from, unit);
    for (int number = works.first; number < works.count;) {
#pragma unroll 1
        for (int turn = 0; turn < unit.turns; turn++) {
            uint64_t *const full = ring.full + at.slot;
            barrier_wait(ring.empty + at.slot, at.parity);
            if (threadIdx.x % 32 == 0)
                barrier_expect(full, slots.size);
            __syncwarp();
            if (is_brought)
                from.copy(ring.turn + from.own.place + slots.place(from.is_right, at.slot, turn), full);
            from.go_on();
            at.go_on(slots.all);
        }
        number += works.apart;
        unit = works.at(args, number);
        from.begin(args, unit);
    }
}

/* Where lanes have a box each, they take turns, a loop over them with moves to uniform registers (bench/LOG.md, 109).
 * So one thread brings left and one of another warp right, wherever what a copy asks for is a few additions away. */

/* Blocks that share an operand: which one of 2^log_parts this is, and all of them by their bits. */
struct sharers {
    int log_parts, part, blocks;

    /* Of left those side by side, of right those above each other. */
    static __device__ __forceinline__ sharers of(const lay_narrow_args &args, bool is_right)
    {
        if (args.is_together)
            return { 0, 0, 0 };
        const int rank = cluster_rank(), below = rank & ((1 << args.log_down) - 1), beside = rank >> args.log_down;
        if (is_right)
            return { args.log_down, below, ((1 << (1 << args.log_down)) - 1) << (rank - below) };
        int blocks = 1 << below;
        for (int i = 0; i < args.log_across; i++)
            blocks |= blocks << (1 << (args.log_down + i));
        return { args.log_across, beside, blocks };
    }
};

/* What such a block brings: a part of the lines, or of groups of them that are not so many a part of the steps. */
template <typename S, bool is_across, int lines> struct share {
    static constexpr int groups = is_across ? (lines + S::steps - 1) / S::steps : 1;
    static constexpr int rows = is_across ? groups * S::steps : lines; /* of shared memory */
    const bool is_part, by_lines;
    const int count;             /* of groups */
    const int blocks;            /* for whom */
    const int line, step, place; /* the first, and where that is in a turn */

    __device__ __forceinline__ explicit share(const sharers &among)
        : is_part(among.log_parts > 0),
          by_lines(!is_across || (groups >> among.log_parts << among.log_parts) == groups),
          count(by_lines && is_across ? groups >> among.log_parts : groups), blocks(among.blocks),
          line(by_lines ? among.part * (rows >> among.log_parts) : 0),
          step(by_lines ? 0 : among.part * (S::steps >> among.log_parts)), place((line + step) * LAY_NARROW_LINE)
    {
    }
    __device__ __forceinline__ unsigned bytes() const
    {
        return rows * LAY_NARROW_LINE;
    }
};

/* Boxes of an operand that has one stride a dimension: one, or one of each group. */
template <typename S, bool is_across, int lines> struct plain_boxes {
    static constexpr bool may_have_tail = false;
    const lay_narrow_operand &of;
    const share<S, is_across, lines> own;
    int line, step;

    __device__ __forceinline__ plain_boxes(const lay_narrow_operand &of, const lay_narrow_map &, const sharers &among)
        : of(of), own(among)
    {
    }
    __device__ __forceinline__ unsigned bytes() const
    {
        return own.bytes();
    }
    __device__ __forceinline__ void begin(int first_line, int first_step)
    {
        line = first_line + own.line, step = first_step + own.step;
    }
    __device__ __forceinline__ void go_on()
    {
        step += S::steps;
    }
    __device__ __forceinline__ void copy(char *to, uint64_t *full) const
    {
#pragma unroll
        for (int group = 0; group < own.groups; group++) {
            if (group >= own.count)
                return;
            char *const there = to + own.place + group * S::steps * LAY_NARROW_LINE;
            const int x = is_across ? line + group * S::steps : step, y = is_across ? step : line;
            if (own.is_part)
                copy_box_to(own.blocks, there, of.tensor, x, y, full);
            else
                copy_box(there, of.tensor, x, y, full);
        }
    }
};

/* The one box of an operand's turn, or of this block's part of it, of which blocks and groups are dimensions: a tile
 * finds its digits by quotients, and the next turn by two additions, of numbers that stand in registers. */
template <typename S, bool is_across, int lines> struct whole_box {
    static constexpr bool may_have_tail = true, is_grouped = is_across && lines > S::steps;
    const lay_narrow_operand &of;
    const lay_narrow_map &tail;
    const sharers among;
    int inner_steps, back, carry;
    unsigned short_bytes;
    int line, group, outer_line, step, outer_step;

    __device__ __forceinline__ whole_box(const lay_narrow_operand &of, const lay_narrow_map &tail, const sharers &among)
        : of(of), tail(tail), among(among), inner_steps(of.inner_steps), back(S::steps - of.back), carry(of.carry),
          short_bytes(of.last.bytes)
    {
        asm volatile("" : "+r"(inner_steps), "+r"(back), "+r"(carry), "+r"(short_bytes)); /* not read again */
    }
    __device__ __forceinline__ bool is_short() const
    {
        return short_bytes && step + S::steps > inner_steps;
    }
    __device__ __forceinline__ unsigned bytes() const
    {
        return is_short() ? short_bytes : of.bytes;
    }
    __device__ __forceinline__ void begin(int first_line, int first_step)
    {
        line = first_line + among.part * of.part.line;
        step = first_step + among.part * of.part.step;
        outer_line = static_cast<int>(quotient(line, of.inner_lines, of.lines_inverse));
        outer_step = static_cast<int>(quotient(step, inner_steps, of.steps_inverse));
        line -= outer_line * of.inner_lines;
        step -= outer_step * inner_steps;
        if (of.strip) {
            line = static_cast<unsigned>(line) / lines * of.strip;
            outer_line *= of.strip_blocks;
        }
        outer_line += among.part * of.part.outer_line;
        outer_step += among.part * of.part.outer_step;
        group = is_grouped ? line >> of.log_group : 0;
        line -= group << of.log_group;
    }
    __device__ __forceinline__ void go_on()
    {
        const bool is_last = step + S::steps >= inner_steps; /* of its block */
        step += is_last ? back : S::steps;
        outer_step += is_last ? carry : 0;
    }
    __device__ __forceinline__ void copy_to(char *there, const void *tensor, int at_step, int at_outer, int own_group,
                                            int outer, uint64_t *full) const
    {
        const bool is_part = among.log_parts > 0;
        if (is_grouped && is_part)
            copy_box_to(among.blocks, there, tensor, line, at_step, at_outer, own_group, outer, full);
        else if (is_grouped)
            copy_box(there, tensor, line, at_step, at_outer, own_group, outer, full);
        else if (is_across && is_part)
            copy_box_to(among.blocks, there, tensor, line, at_step, at_outer, outer, full);
        else if (is_across)
            copy_box(there, tensor, line, at_step, at_outer, outer, full);
        else if (is_part)
            copy_box_to(among.blocks, there, tensor, at_step, line, outer, at_outer, full);
        else
            copy_box(there, tensor, at_step, line, outer, at_outer, full);
    }
    __device__ __forceinline__ void copy_by(const void *tensor, int at_step, int at_outer, char *to,
                                            uint64_t *full) const
    {
        copy_to(to + among.part * of.part.place, tensor, at_step, at_outer, group, outer_line, full);
    }
    /* A short turn's groups of lines lie as those of others do. */
    __device__ __forceinline__ void copy_short(char *to, uint64_t *full) const
    {
        char *there = to + among.part * of.part.place;
        int own_group = group, outer = outer_line;
#pragma unroll 1
        for (int number = 0; number < of.last.boxes; number++, there += of.last.place) {
            copy_to(there, tail.tensor, step, outer_step, own_group, outer, full);
            const bool is_over = ++own_group == of.last.groups;
            own_group = is_over ? 0 : own_group;
            outer += is_over;
        }
    }
    __device__ __forceinline__ void copy(char *to, uint64_t *full) const
    {
        if (is_short())
            copy_short(to, full);
        else
            copy_by(of.tensor, step, outer_step, to, full);
    }
    __device__ __forceinline__ void copy_tail(char *to, uint64_t *full) const
    {
        copy_by(tail.tensor, among.part * of.part.step, among.part * of.part.outer_step, to, full);
    }
};

/* Boxes of an operand of which no one is a whole turn: each has all steps, and lines of one block. */
template <typename S, bool is_across, int lines> struct pieces {
    static constexpr bool may_have_tail = true;
    const lay_narrow_operand &of;
    const lay_narrow_map &tail;
    const share<S, is_across, lines> own; /* for its bytes and blocks */
    const int each, count;                /* lines of a box; such boxes */
    int inner_lines, inner_steps;
    int first, place; /* of the block's part */
    int line, outer_line, step, outer_step;

    __device__ __forceinline__ pieces(const lay_narrow_operand &of, const lay_narrow_map &tail, const sharers &among)
        : of(of), tail(tail), own(among), each(is_across ? S::steps : of.box), count(of.boxes >> among.log_parts),
          inner_lines(of.inner_lines), inner_steps(of.inner_steps), first(among.part * count * each),
          place(first * LAY_NARROW_LINE)
    {
        asm volatile("" : "+r"(inner_lines), "+r"(inner_steps)); /* not read again */
    }
    __device__ __forceinline__ unsigned bytes() const
    {
        return own.bytes();
    }
    __device__ __forceinline__ void begin(int first_line, int first_step)
    {
        line = first_line + first, step = first_step;
        outer_line = static_cast<int>(quotient(line, inner_lines, of.lines_inverse));
        outer_step = static_cast<int>(quotient(step, inner_steps, of.steps_inverse));
        line -= outer_line * inner_lines;
        step -= outer_step * inner_steps;
    }
    __device__ __forceinline__ void go_on()
    {
        const bool is_last = step + S::steps >= inner_steps; /* of its block */
        step = is_last ? 0 : step + S::steps;
        outer_step += is_last;
    }
    __device__ __forceinline__ void copy_by(const void *tensor, int at_step, int at_outer, char *to,
                                            uint64_t *full) const
    {
        int inner = line, outer = outer_line;
        char *there = to + place;
#pragma unroll 1
        for (int number = 0; number < count; number++) {
            const int x = is_across ? inner : at_step, y = is_across ? at_step : inner;
            if (own.is_part)
                copy_box_to(own.blocks, there, tensor, x, y, outer, at_outer, full);
            else
                copy_box(there, tensor, x, y, outer, at_outer, full);
            there += each * LAY_NARROW_LINE;
            inner += each;
            const bool is_over = inner >= inner_lines;
            inner = is_over ? 0 : inner;
            outer += is_over;
        }
    }
    __device__ __forceinline__ void copy(char *to, uint64_t *full) const
    {
        copy_by(of.tensor, step, outer_step, to, full);
    }
    __device__ __forceinline__ void copy_tail(char *to, uint64_t *full) const
    {
        copy_by(tail.tensor, 0, 0, to, full);
    }
};

/* One operand's boxes, of the first tile and then of others. */
template <typename S, bool is_right, typename Boxes>
__device__ __forceinline__ void produce_one(const lay_narrow_args &args, const ring<S> &ring, const schedule<S> &works,
                                            work unit, Boxes boxes)
{
    position<S> at = { 0, 1 };
    const int has_tail = Boxes::may_have_tail ? boxes.of.has_tail : 0;
    boxes.begin(is_right ? unit.j : unit.i, unit.step);
    await_launch_before();
    for (int number = works.first; number < works.count;) {
#pragma unroll 1
        for (int turn = has_tail; turn < unit.turns; turn++) {
            uint64_t *const full = ring.full + at.slot;
            barrier_wait(ring.empty + at.slot, at.parity);
            barrier_expect(full, boxes.bytes());
            boxes.copy(ring.turn + at.slot * S::turn_size + (is_right ? S::left_size : 0), full);
            boxes.go_on();
            at.go_on();
        }
        if constexpr (Boxes::may_have_tail)
            if (has_tail && unit.turns > 0) {
                uint64_t *const full = ring.full + at.slot;
                barrier_wait(ring.empty + at.slot, at.parity);
                barrier_expect(full, boxes.bytes());
                boxes.copy_tail(ring.turn + at.slot * S::turn_size + (is_right ? S::left_size : 0), full);
                at.go_on();
            }
        number += works.apart;
        unit = works.at(args, number);
        boxes.begin(is_right ? unit.j : unit.i, unit.step);
    }
}

/* By a thread each. */
template <typename S, template <typename, bool, int> class Boxes>
__device__ __forceinline__ void produce_left(const lay_narrow_args &args, const ring<S> &ring, const schedule<S> &works,
                                             const work &first)
{
    const sharers among = sharers::of(args, false);
    produce_one<S, false>(args, ring, works, first,
                          Boxes<S, S::is_left_across, S::bm>(args.left, args.left_tail, among));
}
template <typename S, template <typename, bool, int> class Boxes>
__device__ __forceinline__ void produce_right(const lay_narrow_args &args, const ring<S> &ring,
                                              const schedule<S> &works, const work &first)
{
    const sharers among = sharers::of(args, true);
    produce_one<S, true>(args, ring, works, first,
                         Boxes<S, S::is_right_across, S::bn>(args.right, args.right_tail, among));
}
template <typename S, template <typename, bool, int> class Boxes>
__device__ __forceinline__ void produce_by(const lay_narrow_args &args, const ring<S> &ring, const schedule<S> &works,
                                           const work &first, bool is_right)
{
    if (is_right)
        produce_right<S, Boxes>(args, ring, works, first);
    else
        produce_left<S, Boxes>(args, ring, works, first);
}

#endif
