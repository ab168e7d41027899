/* Turns that four warps bring, 16 bytes a thread at a time: lines that are short and far from each other come sooner so
 * than by tensor copies. Where a tile's lines are is looked up once a tile, for all of its turns. */
#ifndef LAY_KERNELS_CUDA_NARROW_THREADS_CUH
#define LAY_KERNELS_CUDA_NARROW_THREADS_CUH

#include "cuda/async.cuh"
#include "cuda/narrow/walk.cuh"

/* Bytes from the first element to a line, or to eight that are contiguous; in the low four bits how many of them there
 * are. */
template <typename S, bool is_across>
__device__ __forceinline__ int64_t place_of_lines(const lay_narrow_operand &of, const lay_narrow_walk &walk, int line,
                                                  int all)
{
    constexpr int most = is_across ? 8 : 1;
    int64_t at;
    int there = all - line;
    if (there <= 0)
        return 0;
    if (walk.count == 0) {
        const int outer = of.inner_lines == INT32_MAX ? 0 : line / of.inner_lines;
        at = (line - outer * of.inner_lines) * of.line + outer * of.apart[0];
    } else {
        const walked digits(walk, line);
        there = walk.lines - digits.line;
        at = digits.line * of.line + digits.digit[1] * of.apart[1] + digits.digit[2] * of.apart[2] +
             digits.digit[3] * of.apart[3];
    }
    return there <= 0 ? 0 : at * 2 | min(there, most);
}

/* One operand's part of a turn. places: of the tile's lines. */
template <typename S, bool is_across, int lines> struct threads_of {
    static constexpr int all = 128, count = is_across ? lines / 8 : lines; /* threads, places */
    const lay_narrow_operand &of;
    const lay_narrow_walk &walk;
    const int thread;

    __device__ __forceinline__ threads_of(const lay_narrow_operand &of, const lay_narrow_walk &walk)
        : of(of), walk(walk), thread(threadIdx.x - S::multipliers)
    {
    }
    __device__ __forceinline__ void look_up(int64_t *places, int first, int extent) const
    {
#pragma unroll 1
        for (int i = thread; i < count; i += all)
            places[i] = place_of_lines<S, is_across>(of, walk, first + (is_across ? i * 8 : i), extent);
    }
    __device__ __forceinline__ void copy(char *to, const char *from, int64_t place, int bytes) const
    {
        copy_async_first(to, from + (place & ~int64_t(15)), bytes);
    }
    /* step: the turn's first; last: behind all of them. */
    __device__ __forceinline__ void bring(char *to, const int64_t *places, int step, int last) const
    {
        if constexpr (!is_across)
            bring_along(to, places, step, last);
        else if (walk.is_crossed)
            bring_sectors(to, places, step, last);
        else
            bring_across(to, places, step, last);
    }
    /* Eight threads have a line's 128 bytes. */
    __device__ __forceinline__ void bring_along(char *to, const int64_t *places, int step, int last) const
    {
        const int piece = thread % 8, first = thread / 8, bytes = min(max(last - step - piece * 8, 0), 8) * 2;
        const char *const from = static_cast<const char *>(of.first) + (step + piece * 8) * 2;
        to += first * LAY_NARROW_LINE + (piece ^ first % 8) * 16;
#pragma unroll 4
        for (int i = 0; i < lines / 16; i++) {
            const int64_t place = places[first + i * 16];
            copy(to + i * 16 * LAY_NARROW_LINE, from, place, place & 15 ? bytes : 0);
        }
    }
    /* Eight threads have 64 lines of a step. */
    __device__ __forceinline__ void bring_across(char *to, const int64_t *places, int step, int last) const
    {
        const int piece = thread % 8, first = thread / 8;
        const char *const from = static_cast<const char *>(of.first) + (step + first) * of.step * 2;
        to += first * LAY_NARROW_LINE + (piece ^ first % 8) * 16;
#pragma unroll 1
        for (int group = 0; group < lines / 64; group++) {
            const int64_t place = places[group * 8 + piece];
#pragma unroll
            for (int i = 0; i < S::steps / 16; i++)
                copy(to + group * 8192 + i * 16 * LAY_NARROW_LINE, from + i * 16 * of.step * 2, place,
                     step + first + i * 16 < last ? static_cast<int>(place & 15) * 2 : 0);
        }
    }
    /* Two threads have 16 lines of a step. */
    __device__ __forceinline__ void bring_sectors(char *to, const int64_t *places, int step, int last) const
    {
        const int half = thread % 2, own = thread / 2;
        const char *const from = static_cast<const char *>(of.first) + (step + own) * of.step * 2;
        to += own * 32 + (half ^ own / 4 % 2) * 16;
#pragma unroll
        for (int i = 0; i < lines / LAY_NARROW_SECTOR; i++) {
            const int64_t place = places[i * 2 + half];
            copy(to + i * 2048, from, place, step + own < last ? static_cast<int>(place & 15) * 2 : 0);
        }
    }
};

/* Of one's own, or of all four warps, that have passed. */
__device__ __forceinline__ void bringers_meet()
{
    asm volatile("bar.sync 15, 128;" ::: "memory");
}

/* Turns that are under way: who multiplies holds some, and there is the one that is begun. */
template <typename S> struct under_way {
    static constexpr int most = S::turns - 1 - (S::turns < 8 ? 1 : 3), count = most < 6 ? most : 6;
    const ring<S> &to;
    position<S> back;
    int now;

    __device__ __forceinline__ explicit under_way(const ring<S> &to) : to(to), back{ 0, 0 }, now(0)
    {
    }
    __device__ __forceinline__ void tell()
    {
        own_writes_are_made();
        barrier_arrive(to.full + back.slot);
        back.go_on();
    }
    __device__ __forceinline__ void add()
    {
        end_group_async();
        if (now < count) {
            now++;
            return;
        }
        wait_async_but<count>();
        tell();
    }
    __device__ __forceinline__ void end()
    {
        wait_async();
        for (; now > 0; now--)
            tell();
    }
};

template <typename S>
__device__ __forceinline__ void produce_by_threads(const lay_narrow_args &args, const ring<S> &ring,
                                                   const schedule<S> &works, work unit)
{
    const threads_of<S, S::is_left_across, S::bm> left(args.left, args.rows);
    const threads_of<S, S::is_right_across, S::right_lines> right(args.right, args.columns);
    int64_t *places = ring.places;
    under_way<S> out(ring);
    position<S> at = { 0, 1 };
    bool is_odd = false;
    await_launch_before();
#pragma unroll 1
    for (int number = works.first; number < works.count;) {
        int64_t *const own = places + (is_odd ? S::bm + S::right_lines : 0);
        left.look_up(own, unit.i, args.m);
        right.look_up(own + S::bm, unit.j, args.n);
        bringers_meet();
#pragma unroll 1
        for (int turn = 0; turn < unit.turns; turn++) {
            char *const to = ring.turn + at.slot * S::turn_size;
            barrier_wait(ring.empty + at.slot, at.parity);
            left.bring(to, own, unit.step + turn * S::steps, args.k);
            right.bring(to + S::left_size, own + S::bm, unit.step + turn * S::steps, args.k);
            out.add();
            at.go_on();
        }
        is_odd = !is_odd;
        number += works.apart;
        unit = works.at(args, number);
    }
    out.end();
}

#endif
