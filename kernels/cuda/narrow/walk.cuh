/* Walks (cuda_narrow.h): where a line is in its operand and in C, and the warp that brings boxes by them. */
#ifndef LAY_KERNELS_CUDA_NARROW_WALK_CUH
#define LAY_KERNELS_CUDA_NARROW_WALK_CUH

#include "cuda/narrow/produce.cuh"

/* An offset in C that there is not. */
static constexpr int64_t nowhere = INT64_MIN;

/* A line's digits, and its number in its mode. */
struct walked {
    int digit[LAY_NARROW_DIGITS], near;

    __device__ __forceinline__ walked(const lay_narrow_walk &walk, int line)
    {
        unsigned rest = walk.together == LAY_NARROW_GROUP ? line / LAY_NARROW_GROUP : line / LAY_NARROW_SECTOR;
        const int own = line - static_cast<int>(rest) * walk.together;
#pragma unroll
        for (int i = 0; i < LAY_NARROW_DIGITS - 1; i++) {
            const unsigned next = quotient(rest, walk.extent[i], walk.inverse[i]);
            digit[i] = static_cast<int>(rest - next * walk.extent[i]);
            rest = next;
        }
        digit[LAY_NARROW_DIGITS - 1] = static_cast<int>(rest);
        near = (walk.near ? digit[1] : digit[0]) * walk.together + own;
    }
};

/* Where a row or column of C is; nowhere: there is none. */
template <bool is_walked>
__device__ __forceinline__ int64_t place_at(const lay_narrow_walk &walk, const lay_cuda_offsets &offsets, int line,
                                            int all)
{
    if (line >= all)
        return nowhere;
    if (!is_walked || walk.count == 0)
        return offset_at(offsets, line);
    const walked at(walk, line);
    if (at.near >= walk.lines)
        return nowhere;
    const int others = walk.near ? at.digit[0] : at.digit[1];
    return at.near * walk.own + others * walk.stride[1 - walk.near] + at.digit[2] * walk.stride[2] +
           at.digit[3] * walk.stride[3];
}
template <bool is_walked> __device__ __forceinline__ int64_t row_at(const lay_narrow_args &args, int i)
{
    return place_at<is_walked>(args.rows, args.result_m, i, args.m);
}
template <bool is_walked> __device__ __forceinline__ int64_t column_at(const lay_narrow_args &args, int j)
{
    return place_at<is_walked>(args.columns, args.result_n, j, args.n);
}

/* Whether rows are crossed, and so C leaves down its tiles. */
__device__ __forceinline__ bool is_crossed(const lay_narrow_args &args)
{
    return args.rows.near == 1;
}

/* Whether left's lines are contiguous in groups of so few. */
template <typename S> __device__ __forceinline__ bool in_sectors(const lay_narrow_args &args)
{
    return S::is_walked && S::is_left_across && args.rows.count > 0 && args.rows.together == LAY_NARROW_SECTOR;
}

/* Box number of an operand's lines in a tile. Contiguous lines are in groups, each of so many boxes by steps. */
template <typename S, bool is_across>
__device__ __forceinline__ box walked_box(const lay_narrow_operand &of, const lay_narrow_walk &walk, int number,
                                          int count)
{
    const int together = walk.count ? walk.together : LAY_NARROW_GROUP;
    const int down = is_across ? __ffs(S::steps) - __ffs(of.box) : 0, group = number >> down;
    const int piece = number & ((1 << down) - 1);
    const int line = is_across ? group * together : number * of.box, step = is_across ? piece * of.box : 0;
    const int place = line * LAY_NARROW_LINE + step * together * 2;
    return { of.tensor, place, line, step, of.inner_lines, of.inner_steps, number < count };
}

template <typename S> __device__ __forceinline__ box own_walked_box(const lay_narrow_args &args)
{
    const int lane = threadIdx.x % 32, before = args.left.boxes;
    if (lane < before)
        return walked_box<S, S::is_left_across>(args.left, args.rows, lane, before);
    box found = walked_box<S, S::is_right_across>(args.right, args.columns, lane - before, args.right.boxes);
    found.place += S::left_size;
    return found;
}

template <typename S> __device__ __forceinline__ void produce_walked(const lay_narrow_args &args, const ring<S> &ring)
{
    const box own = own_walked_box<S>(args);
    const bool is_right = own.place >= S::left_size, is_across = is_right ? S::is_right_across : S::is_left_across;
    const lay_narrow_walk &walk = is_right ? args.columns : args.rows;
    const bool has_blocks = own.inner_steps != INT32_MAX;
    const schedule<S> works(args);
    position<S> at = { 0, 1 };
    for (int number = works.first; number < works.count; number += works.apart) {
        const work unit = works.at(args, number);
        const int line = (is_right ? unit.j : unit.i) + own.line, step = unit.step + own.step;
        int near = line, z = 0, w = 0, v = 0;
        if (walk.count > 0) {
            const walked digits(walk, line);
            near = digits.near, z = walk.near ? digits.digit[0] : digits.digit[1], w = digits.digit[2];
            v = digits.digit[3];
        }
        int inner_step = has_blocks ? step % own.inner_steps : step;
        v += has_blocks ? step / own.inner_steps : 0;
#pragma unroll 1
        for (int turn = 0; turn < unit.turns; turn++) {
            uint64_t *const full = ring.full + at.slot;
            barrier_wait(ring.empty + at.slot, at.parity);
            if (threadIdx.x % 32 == 0)
                barrier_expect(full, S::turn_size);
            __syncwarp();
            if (own.is_there)
                copy_box(ring.turn + at.slot * S::turn_size + own.place, own.tensor, is_across ? near : inner_step,
                         is_across ? inner_step : near, z, w, v, full);
            inner_step += S::steps;
            while (inner_step >= own.inner_steps)
                inner_step -= own.inner_steps, v++;
            at.go_on();
        }
    }
}

#endif
