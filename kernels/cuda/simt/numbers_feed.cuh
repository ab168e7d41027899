/* The operands' way into a turn of numbers.cuh, number by number in any layout: which copies are a thread's, and where
 * they come from. A place across is the thread's first one and strides behind it, or it is looked up in shared memory
 * where a tile lies in several segments or in a table. */
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
    bool is_straight;  /* a stride leads from index to index of the tile */

    __device__ __forceinline__ operand(const void *base_, const lay_cuda_offsets &across_,
                                       const lay_cuda_offsets &along_, int first_, int extent_, int width,
                                       int64_t *places_)
        : base(static_cast<const char *>(base_)), across(across_), along(along_), first(first_), extent(extent_),
          places(places_), is_straight(!across_.table)
    {
        if (across.run) {
            const int begun = first - quotient(first, across.run, across.inverse) * across.run;
            is_straight = begun + min(width, extent - first) <= across.run;
        }
    }
    __device__ __forceinline__ int64_t place(int i) const
    {
        return offset_now(across, min(first + i, extent - 1)) * 8;
    }
    /* By all threads of the block, which meet before the first copy. */
    __device__ __forceinline__ void look_up(int width, int thread, int threads) const
    {
        if (!is_straight)
#pragma unroll 1
            for (int i = thread; i < width; i += threads)
                places[i] = place(i);
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
    static constexpr int steps = kind == ALONG ? 8 : kind == LINES ? lanes / (width / 2) : lanes / 16;
    static constexpr int apart = lanes / steps * each, pieces = width / apart, parts = deep / steps;
    static constexpr int bytes = !is_left ? 4 : kind == LINES ? 16 : 8;
    static_assert(apart * pieces == width && steps * parts == deep, "shares are equal");
    static_assert(is_left || apart % 2 == 0, "pairs of right stay together");

    const operand &of;
    const char *from; /* the thread's first index; where no table leads along k, at its first step of the coming turn */
    int step, index;  /* the thread's first in the tile */
    int to;           /* and where they go, in parts */
    bool is_dense; /* numbers lie side by side the way that lanes go, all of them there, and by strides the other way */

    __device__ __forceinline__ feed(const operand &of_, int first, int thread) : of(of_)
    {
        const int lane = is_left ? thread : thread / 2, part = is_left ? 0 : thread % 2;
        step = kind == ALONG ? lane % steps : lane / (apart / each);
        index = kind == ALONG ? lane / steps : lane % (apart / each) * each;
        to = step * pitch + (is_left ? 2 * index : index / 2 * 4 + index % 2 + 2 * part);
        from = of.base + 4 * part + of.place(index) + (of.along.table ? 0 : (first + step) * of.along.stride * 8);
        const bool is_near = kind == LINES || (kind == ALONG ? of.along.stride : of.across.stride) == 1;
        is_dense = is_near && are_there() && !of.along.table;
    }
    __device__ __forceinline__ bool are_there() const
    {
        return of.first + index + (pieces - 1) * apart + each <= of.extent && (pieces == 1 || of.is_straight);
    }

    /* Steps p and on, of which `rest` are there: turn by turn. */
    __device__ __forceinline__ void place(int p, int rest, float *turn)
    {
        if (is_dense && rest >= deep) {
            put_dense(turn);
            from += deep * of.along.stride * 8;
            return;
        }
        if (rest >= deep && are_there())
            put_whole(p, turn);
        else
            put_rest(p, rest, of.extent - of.first - index, turn);
        if (!of.along.table)
            from += deep * of.along.stride * 8;
    }

    __device__ __forceinline__ float *into(float *turn, int q, int v) const
    {
        return turn + to + q * steps * pitch + 2 * v * apart;
    }
    /* Numbers side by side the way that lanes go, and by strides the other way: an address serves all copies of a line.
     */
    __device__ __forceinline__ void put_dense(float *turn) const
    {
        constexpr int lines = kind == ALONG ? pieces : parts, inner = kind == ALONG ? parts : pieces;
        const int64_t stride = 8 * (kind == ALONG ? apart * of.across.stride : steps * of.along.stride);
        const char *at = from;
#pragma unroll
        for (int line = 0; line < lines; line++) {
#pragma unroll
            for (int e = 0; e < inner; e++)
                copy_async<bytes>(kind == ALONG ? into(turn, e, line) : into(turn, line, e),
                                  at + 8 * e * (kind == ALONG ? steps : apart));
            at += stride;
        }
    }
    __device__ __forceinline__ const char *line_of(int p, int q) const
    {
        return from + (of.along.table ? __ldg(of.along.table + p + step + q * steps) : q * steps * of.along.stride) * 8;
    }
    __device__ __forceinline__ void put_whole(int p, float *turn) const
    {
#pragma unroll
        for (int q = 0; q < parts; q++) {
            const char *at = line_of(p, q);
#pragma unroll
            for (int v = 0; v < pieces; v++) {
                copy_async<bytes>(into(turn, q, v), at);
                at += 8 * apart * of.across.stride;
            }
        }
    }
    /* What there is of a turn; each index looked up where no stride leads to it. */
    __device__ __forceinline__ void put_rest(int p, int rest, int there, float *turn) const
    {
#pragma unroll
        for (int q = 0; q < parts; q++) {
            if (step + q * steps >= rest)
                break;
            const char *const line = line_of(p, q);
#pragma unroll
            for (int v = 0; v < pieces; v++) {
                const char *const at =
                    line + (of.is_straight || v * apart >= there ? 8 * v * apart * of.across.stride : further(v));
                if (v * apart + each <= there)
                    copy_async<bytes>(into(turn, q, v), at);
                else if (kind == LINES && v * apart < there)
                    copy_async<8>(into(turn, q, v), at);
            }
        }
    }
    __device__ __forceinline__ int64_t further(int v) const
    {
        return v == 0 ? 0 : of.places[index + v * apart] - of.places[index];
    }
};

} // namespace simt_numbers

#endif
