/* The bringing warp: each lane has one box of a turn, of left or of right, tile after tile. */
#ifndef LAY_KERNELS_CUDA_NARROW_PRODUCE_CUH
#define LAY_KERNELS_CUDA_NARROW_PRODUCE_CUH

#include "cuda/narrow/tile.cuh"

/* A lane's box: where it is in a turn, in the tile, and in the turn's steps. */
struct box {
    const lay_narrow_operand *of;
    int place; /* bytes */
    int line, step;
    bool is_there;
};

/* Box number of an operand's lines in a tile. */
template <bool is_across, int lines> __device__ __forceinline__ box box_of(const lay_narrow_operand &of, int number)
{
    if (!is_across)
        return { &of, number * of.box * LAY_NARROW_LINE, number * of.box, 0, number * of.box < lines };
    const int down = 64 / of.box, group = number / down, piece = number % down;
    return { &of, group * 8192 + piece * of.box * LAY_NARROW_LINE, group * 64, piece * of.box,
             number < lines / 64 * down };
}

/* The lane's own: those of left come first. */
template <typename S> __device__ __forceinline__ box own_box(const lay_narrow_args &args)
{
    const int lane = threadIdx.x % 32;
    box own = box_of<S::is_left_across, S::bm>(args.left, lane);
    if (own.is_there)
        return own;
    own = box_of<S::is_right_across, S::bn>(args.right, lane - S::bm / args.left.box);
    own.place += S::left_size;
    return own;
}

template <typename S> __device__ __forceinline__ void produce(const lay_narrow_args &args, const ring<S> &ring)
{
    const box own = own_box<S>(args);
    const lay_narrow_operand &of = *own.of;
    const bool is_across = of.is_across, is_plain = of.inner_lines == INT32_MAX && of.inner_steps == INT32_MAX;
    const bool is_right = own.place >= S::left_size;
    const schedule<S> works(args);
    position<S> at = { 0, 1 };
    for (int number = blockIdx.x; number < works.count; number += gridDim.x) {
        const work unit = works.at(args, number);
        const int line = (is_right ? unit.j : unit.i) + own.line, step = unit.step + own.step;
        const int inner_line = line % of.inner_lines, outer_line = line / of.inner_lines;
        int inner_step = step % of.inner_steps, outer_step = step / of.inner_steps;
#pragma unroll 1
        for (int turn = 0; turn < unit.turns; turn++) {
            uint64_t *const full = ring.full + at.slot;
            barrier_wait(ring.empty + at.slot, at.parity);
            if (threadIdx.x % 32 == 0)
                barrier_expect(full, S::turn_size);
            __syncwarp();
            char *const to = ring.turn + at.slot * S::turn_size + own.place;
            const int x = is_across ? inner_line : inner_step, y = is_across ? inner_step : inner_line;
            if (own.is_there && is_plain)
                copy_box(to, of.tensor, x, y, full);
            else if (own.is_there)
                copy_box(to, of.tensor, x, y, outer_line, outer_step, full);
            inner_step += S::steps;
            while (inner_step >= of.inner_steps)
                inner_step -= of.inner_steps, outer_step++;
            at.go_on();
        }
    }
}

#endif
