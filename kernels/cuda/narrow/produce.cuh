/* The bringing warp: each lane has one box of a turn, of left or of right, tile after tile. */
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

template <typename S> __device__ __forceinline__ void produce(const lay_narrow_args &args, const ring<S> &ring)
{
    const box own = own_box<S>(args);
    const bool is_plain = own.inner_lines == INT32_MAX && own.inner_steps == INT32_MAX;
    const bool is_right = own.place >= S::left_size, is_for_both = is_right && schedule<S>::is_pair(args);
    const bool is_across = is_right ? S::is_right_across : S::is_left_across;
    const schedule<S> works(args);
    position<S> at = { 0, 1 };
    for (int number = works.first; number < works.count; number += works.apart) {
        const work unit = works.at(args, number);
        const int line = (is_right ? unit.j : unit.i) + own.line, step = unit.step + own.step;
        const int outer_line = is_plain ? 0 : line / own.inner_lines;
        const int inner_line = is_plain ? line : line % own.inner_lines;
        int outer_step = is_plain ? 0 : step / own.inner_steps, inner_step = is_plain ? step : step % own.inner_steps;
#pragma unroll 1
        for (int turn = 0; turn < unit.turns; turn++) {
            uint64_t *const full = ring.full + at.slot;
            barrier_wait(ring.empty + at.slot, at.parity);
            if (threadIdx.x % 32 == 0)
                barrier_expect(full, S::turn_size);
            __syncwarp();
            char *const to = ring.turn + at.slot * S::turn_size + own.place;
            const int x = is_across ? inner_line : inner_step, y = is_across ? inner_step : inner_line;
            if (own.is_there && is_for_both && is_plain)
                copy_box_to(3, to, own.tensor, x, y, full);
            else if (own.is_there && is_for_both)
                copy_box_to(3, to, own.tensor, x, y, outer_line, outer_step, full);
            else if (own.is_there && is_plain)
                copy_box(to, own.tensor, x, y, full);
            else if (own.is_there)
                copy_box(to, own.tensor, x, y, outer_line, outer_step, full);
            inner_step += S::steps;
            while (inner_step >= own.inner_steps)
                inner_step -= own.inner_steps, outer_step++;
            at.go_on();
        }
    }
}

#endif
