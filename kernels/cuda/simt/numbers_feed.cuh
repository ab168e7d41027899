/* The operands' way into a turn of numbers.cuh, number by number in any layout: which copies are a thread's, and where
 * they come from. Where a tile's indices lie is looked up in shared memory; along k a stride leads on, or a table. */
#ifndef LAY_KERNELS_CUDA_SIMT_NUMBERS_FEED_CUH
#define LAY_KERNELS_CUDA_SIMT_NUMBERS_FEED_CUH

#include "cuda/async.cuh"
#include "cuda/element.cuh"
#include "cuda/simt/copy.cuh"

namespace simt_numbers
{

struct operand {
    const char *base;
    const lay_cuda_offsets &across, &along;
    int first, extent; /* across: of the tile, and all */
    int64_t *places;   /* [the tile's width] in shared memory: bytes from the base to each index */

    /* By all threads of the block, which meet before the first copy. Behind the last index stands one of the last two,
     * so that pairs begin at even indices. */
    __device__ __forceinline__ void look_up(int width, int thread, int threads) const
    {
        const int last = extent - 1;
#pragma unroll 1
        for (int i = thread; i < width; i += threads) {
            const int there = first + i <= last ? first + i : max(0, last - ((last ^ i) & 1));
            places[i] = offset_now(across, there) * 8;
        }
    }
};

/* LINES: 16 bytes, two numbers side by side across. The others: numbers or parts one by one, lanes side by side across
 * or along k. */
enum way { LINES, ACROSS, ALONG };

/* A thread has `pieces` copies across, `apart` indices from one to the next, of each of `parts` steps, `steps` apart. A
 * number of left is one copy, of right two, by lanes side by side. Eight of them along k fill 64 bytes and all banks.
 */
template <way kind, int width, int deep, int pitch, int threads, bool is_left> struct feed {
    static constexpr int lanes = threads / (is_left ? 1 : 2), each = kind == LINES ? 2 : 1;
    static constexpr int steps = kind == ALONG   ? 8
                                 : kind == LINES ? lanes / (width / 2)
                                 : width % 16    ? lanes / 8
                                                 : lanes / 16;
    static constexpr int apart = lanes / steps * each, pieces = width / apart, parts = deep / steps;
    static constexpr int copies = pieces * parts, bytes = !is_left ? 4 : kind == LINES ? 16 : 8;
    static_assert(apart * pieces == width && steps * parts == deep, "shares are equal");
    static_assert(is_left || apart % 2 == 0, "pairs of right stay together");

    const operand &of;
    const char *from; /* where no table leads along k, of the thread's first step of the coming turn */
    int step, index;  /* the thread's first in the tile */
    int to;           /* and where they go, in parts */

    __device__ __forceinline__ feed(const operand &of_, int first, int thread) : of(of_)
    {
        const int lane = is_left ? thread : thread / 2, part = is_left ? 0 : thread % 2;
        step = kind == ALONG ? lane % steps : lane / (apart / each);
        index = kind == ALONG ? lane / steps : lane % (apart / each) * each;
        to = step * pitch + (is_left ? 2 * index : index / 2 * 4 + index % 2 + 2 * part);
        from = of.base + 4 * part + (of.along.table ? 0 : (first + step) * of.along.stride * 8);
    }
    /* Each turn's copies are alike. */
    __device__ __forceinline__ bool is_even() const
    {
        return !of.along.table && (kind != LINES || of.extent % 2 == 0);
    }
    __device__ __forceinline__ float *into(float *turn, int q, int v) const
    {
        return turn + to + q * steps * pitch + 2 * v * apart;
    }
    /* One of a whole turn's copies, if is_even: where from, and the copy itself. */
    __device__ __forceinline__ const char *find(int copy) const
    {
        return from + of.places[index + copy / parts * apart] + copy % parts * steps * of.along.stride * 8;
    }
    __device__ __forceinline__ void put(int copy, float *turn, const char *at, bool is_wanted) const
    {
        copy_async_if<bytes>(into(turn, copy % parts, copy / parts), at, is_wanted);
    }
    __device__ __forceinline__ void go_on(bool is_wanted)
    {
        from += is_wanted ? deep * of.along.stride * 8 : 0;
    }

    /* Steps p and on, of which `rest` are there, and on to the next turn. */
    __device__ __forceinline__ void place(int p, int rest, float *turn)
    {
        const int there = of.extent - of.first - index;
#pragma unroll 1
        for (int q = 0; q < parts && step + q * steps < rest; q++) {
            const char *const line =
                from +
                (of.along.table ? __ldg(of.along.table + p + step + q * steps) : q * steps * of.along.stride) * 8;
#pragma unroll
            for (int v = 0; v < pieces; v++) {
                const char *const at = line + of.places[index + v * apart];
                if (kind == LINES && of.extent % 2 && v * apart + 1 >= there)
                    copy_async<8>(into(turn, q, v), at);
                else
                    copy_async<bytes>(into(turn, q, v), at);
            }
        }
        if (!of.along.table)
            from += deep * of.along.stride * 8;
    }
};

} // namespace simt_numbers

#endif
