/* Walks (cuda_narrow.h): where a line is in its operand and in C, and where boxes of them are. */
#ifndef LAY_KERNELS_CUDA_NARROW_WALK_CUH
#define LAY_KERNELS_CUDA_NARROW_WALK_CUH

#include "cuda/narrow/produce.cuh"

/* An offset in C that there is not. */
static constexpr int64_t nowhere = INT64_MIN;

/* A line's digits, and its number in its mode; what crosses it, at 2. */
struct walked {
    int line, digit[LAY_NARROW_DIGITS];

    __device__ __forceinline__ walked(const lay_narrow_walk &walk, int at)
    {
        const unsigned groups = static_cast<unsigned>(at) >> walk.log_together;
        unsigned rest = walk.is_crossed ? groups / LAY_NARROW_CROSSED : groups;
#pragma unroll
        for (int i = 0; i < LAY_NARROW_DIGITS - 1; i++) {
            const unsigned next = quotient(rest, walk.extent[i], walk.inverse[i]);
            digit[i] = static_cast<int>(rest - next * walk.extent[i]);
            rest = next;
        }
        digit[LAY_NARROW_DIGITS - 1] = static_cast<int>(rest);
        line = (digit[0] << walk.log_together) + (at & ((1 << walk.log_together) - 1));
        if (walk.is_crossed)
            digit[2] = digit[2] * LAY_NARROW_CROSSED + static_cast<int>(groups % LAY_NARROW_CROSSED);
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
        return offset_now(offsets, line);
    const walked at(walk, line);
    if (at.line >= walk.lines)
        return nowhere;
    return at.line * walk.own + at.digit[1] * walk.stride[1] + at.digit[2] * walk.stride[2] +
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

/* Box number of an operand's lines in a tile. Contiguous lines are in groups, each of so many boxes by steps; those of
 * a tile of crossed rows are one box. */
template <typename S, bool is_across>
__device__ __forceinline__ box walked_box(const lay_narrow_operand &of, const lay_narrow_walk &walk, int number,
                                          int count)
{
    const int together = walk.is_crossed ? LAY_NARROW_SECTOR : LAY_NARROW_GROUP; /* of contiguous lines */
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

/* Where a lane's box is in its operand, turn after turn, by a walk's digits. */
template <typename S> struct by_walk {
    const box own;
    const bool is_right, is_across, has_blocks;
    int near, z, w, v, inner_step;

    __device__ __forceinline__ explicit by_walk(const lay_narrow_args &args)
        : own(own_walked_box<S>(args)), is_right(own.place >= S::left_size),
          is_across(is_right ? S::is_right_across : S::is_left_across), has_blocks(own.inner_steps != INT32_MAX)
    {
    }
    __device__ __forceinline__ void begin(const lay_narrow_args &args, const work &unit)
    {
        const lay_narrow_walk &walk = is_right ? args.columns : args.rows;
        const int line = (is_right ? unit.j : unit.i) + own.line, step = unit.step + own.step;
        near = line, z = 0, w = 0, v = 0;
        if (walk.count > 0) {
            const walked digits(walk, line);
            near = digits.line, z = digits.digit[1], w = digits.digit[2], v = digits.digit[3];
        }
        inner_step = has_blocks ? step % own.inner_steps : step;
        v += has_blocks ? step / own.inner_steps : 0;
    }
    __device__ __forceinline__ void go_on()
    {
        inner_step += S::steps;
        while (inner_step >= own.inner_steps)
            inner_step -= own.inner_steps, v++;
    }
    __device__ __forceinline__ void copy(char *to, uint64_t *full) const
    {
        copy_box(to, own.tensor, is_across ? near : inner_step, is_across ? inner_step : near, z, w, v, full);
    }
};

#endif
