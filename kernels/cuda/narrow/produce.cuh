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

/* The lane's own: those of left come first. Each block of a pair brings half of right's, for both. */
template <typename S> __device__ __forceinline__ box own_box(const lay_narrow_args &args)
{
    const int lane = threadIdx.x % 32, before = args.left.boxes, all = args.right.boxes;
    if (lane < before)
        return box_of<S, S::is_left_across>(args.left, lane, before);
    const int own = schedule<S>::is_pair(args) ? all / 2 : all, first = own < all ? cluster_rank() * own : 0;
    box found = box_of<S, S::is_right_across>(args.right, first + lane - before, first + own);
    found.place += S::left_size;
    return found;
}

/* Constant memory is cold when a launch begins, and whoever asks for one number after another waits for each line in
 * turn: this asks for all lines at once. */
__device__ __forceinline__ void touch(const lay_narrow_args &args)
{
    enum { LINE = 64, COUNT = (offsetof(lay_narrow_args, rows) + LINE - 1) / LINE };
    const char *const first = reinterpret_cast<const char *>(&args) + blockIdx.y; /* 0, which no compiler knows */
    unsigned all = 0;
#pragma unroll
    for (int line = 0; line < COUNT; line++)
        all ^= *reinterpret_cast<const unsigned *>(first + line * LINE);
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
          is_for_both(is_right && schedule<S>::is_pair(args))
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

/* A lane has a box. Where the first tile's boxes are is known before the launch before has ended. */
template <typename S, typename Places>
__device__ __forceinline__ void produce(const lay_narrow_args &args, const ring<S> &ring)
{
    const schedule<S> works(args);
    Places from(args);
    position<S> at = { 0, 1 };
    work unit = works.at(args, works.first);
    from.begin(args, unit);
    await_launch_before();
    for (int number = works.first; number < works.count;) {
#pragma unroll 1
        for (int turn = 0; turn < unit.turns; turn++) {
            uint64_t *const full = ring.full + at.slot;
            barrier_wait(ring.empty + at.slot, at.parity);
            if (threadIdx.x % 32 == 0)
                barrier_expect(full, S::turn_size);
            __syncwarp();
            if (from.own.is_there)
                from.copy(ring.turn + at.slot * S::turn_size + from.own.place, full);
            from.go_on();
            at.go_on();
        }
        number += works.apart;
        unit = works.at(args, number);
        from.begin(args, unit);
    }
}

/* Boxes of an operand that has one stride a dimension: numbers that all threads have in common, so that a copy is a few
 * instructions. Where lanes have a box each, they take turns, a loop over them with moves to uniform registers. */
template <typename S, bool is_across> struct plain_boxes {
    const lay_narrow_operand &of;
    const int first, behind; /* this block's */

    __device__ __forceinline__ void copy(char *to, int line, int step, bool is_for_both, uint64_t *full) const
    {
        const int down = is_across ? __ffs(S::steps) - __ffs(of.box) : 0, mask = (1 << down) - 1;
#pragma unroll 1
        for (int number = first; number < behind; number++) {
            const int lines = is_across ? (number >> down) * S::steps : number * of.box;
            const int steps = is_across ? (number & mask) * of.box : 0;
            char *const place = to + (lines + steps) * LAY_NARROW_LINE;
            const int x = is_across ? line + lines : step, y = is_across ? step + steps : line + lines;
            if (is_for_both)
                copy_box_to(3, place, of.tensor, x, y, full);
            else
                copy_box(place, of.tensor, x, y, full);
        }
    }
};

__device__ __forceinline__ bool is_plain(const lay_narrow_operand &of)
{
    return of.inner_lines == INT32_MAX && of.inner_steps == INT32_MAX;
}

/* By one thread. */
template <typename S> __device__ __forceinline__ void produce_plain(const lay_narrow_args &args, const ring<S> &ring)
{
    const bool is_pair = schedule<S>::is_pair(args);
    const int own = is_pair ? args.right.boxes / 2 : args.right.boxes, first = is_pair ? cluster_rank() * own : 0;
    const plain_boxes<S, S::is_left_across> left = { args.left, 0, args.left.boxes };
    const plain_boxes<S, S::is_right_across> right = { args.right, first, first + own };
    const schedule<S> works(args);
    position<S> at = { 0, 1 };
    work unit = works.at(args, works.first);
    await_launch_before();
    for (int number = works.first; number < works.count;) {
        int step = unit.step;
#pragma unroll 1
        for (int turn = 0; turn < unit.turns; turn++) {
            uint64_t *const full = ring.full + at.slot;
            char *const to = ring.turn + at.slot * S::turn_size;
            barrier_wait(ring.empty + at.slot, at.parity);
            barrier_expect(full, S::turn_size);
            left.copy(to, unit.i, step, false, full);
            right.copy(to + S::left_size, unit.j, step, is_pair, full);
            step += S::steps;
            at.go_on();
        }
        number += works.apart;
        unit = works.at(args, number);
    }
}

#endif
