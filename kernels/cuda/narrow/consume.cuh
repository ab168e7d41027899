/* The loop of a warpgroup that multiplies: turn after turn, the products of one at work while the next is awaited. */
#ifndef LAY_KERNELS_CUDA_NARROW_CONSUME_CUH
#define LAY_KERNELS_CUDA_NARROW_CONSUME_CUH

#include "cuda/narrow/leaving.cuh"

/* Lines of shared memory from `line` on as the matrix units see them, which may begin in the middle of 64 contiguous
 * ones, and how far 32 bytes of steps are, in units of 16 bytes. */
template <bool is_across> struct view {
    static constexpr int next = is_across ? 128 : 2;

    static __device__ __forceinline__ uint64_t of(const char *lines, int line)
    {
        return is_across ? describe_across(lines + line / 64 * 8192 + line % 64 * 2)
                         : describe_128(lines + line * LAY_NARROW_LINE);
    }
};

template <typename S> struct consumer {
    static constexpr int count = S::columns / 2;                    /* sums of a thread in a part */
    static constexpr int behind = S::bm * S::bn > 64 * 128 ? 1 : 3; /* turns at work besides the one just begun */
    using on = products<S::kind, S::columns, S::is_left_across, S::is_right_across>;
    using left_view = view<S::is_left_across>;
    using right_view = view<S::is_right_across>;
    const ring<S> &from;
    const int row, column; /* of the warpgroup's part of the tile */
    position<S> at, back;  /* the next turn, and the first that is not released */

    __device__ __forceinline__ consumer(const ring<S> &from, int row, int column)
        : from(from), row(row), column(column), at{ 0, 0 }, back{ 0, 0 }
    {
    }

    __device__ __forceinline__ void release()
    {
        if (threadIdx.x % 128 == 0)
            barrier_arrive(from.empty + back.slot);
        back.go_on();
    }

    __device__ __forceinline__ void release_last()
    {
        products_wait<behind>();
        release();
    }

    __device__ __forceinline__ void turn(float (&sum)[S::parts][count], int is_more)
    {
        barrier_wait(from.full + at.slot, at.parity);
        const char *const lines = from.turn + at.slot * S::turn_size;
        const uint64_t right = right_view::of(lines + S::left_size, column);
        products_begin();
#pragma unroll
        for (int step = 0; step < 4; step++)
#pragma unroll
            for (int part = 0; part < S::parts; part++)
                on::add(sum[part], left_view::of(lines, row + 64 * part) + step * left_view::next,
                        right + step * right_view::next, step ? 1 : is_more);
        products_commit();
        at.go_on();
    }

    /* The last tile's C leaves on the way. */
    template <typename Out>
    __device__ __forceinline__ void multiply(const lay_narrow_args &args, int turns, float (&sum)[S::parts][count],
                                             Out &out)
    {
        constexpr int first = Out::count > 0 ? Out::count : 1;
        if (turns < first)
            out.put_all(args);
        turn(sum, 0);
        if (turns >= first) {
            out.put(args, 0);
#pragma unroll
            for (int i = 1; i < first; i++) {
                turn(sum, 1);
                out.put(args, i);
                if (i >= behind)
                    release_last();
            }
        }
        int i = turns >= first ? first : 1;
#pragma unroll 1
        for (; i < behind && i < turns; i++)
            turn(sum, 1);
#pragma unroll 1
        for (; i < turns; i++) {
            turn(sum, 1);
            release_last();
        }
        products_wait<0>();
        for (int last = turns < behind ? turns : behind; last > 0; last--)
            release();
    }
};

#endif
