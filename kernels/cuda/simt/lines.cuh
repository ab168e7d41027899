/* The way of an operand into shared memory where its elements lie in lines: one walk goes by 1, the other by any
 * stride. A thread's copies then have few addresses, and what they differ in is known when this is compiled: 1.5 to 2
 * instructions a copy, where the ring of offsets needs 5 to 6 (bench/LOG.md). */
#ifndef LAY_KERNELS_CUDA_SIMT_LINES_CUH
#define LAY_KERNELS_CUDA_SIMT_LINES_CUH

#include "cuda/simt/ring.cuh"
#include "cuda/simt/tile.cuh"

__device__ __forceinline__ bool lies_in_lines(const operand &of, bool is_along)
{
    const lay_cuda_walk &line = is_along ? of.along : of.across, &other = is_along ? of.across : of.along;
    const int64_t far = 1 << 22; /* offsets in a tile fit 32 bits */
    return !line.table && !other.table && line.stride == 1 && static_cast<uint64_t>(other.stride + far) < 2 * far;
}

/* Lines along k, one an index across: 8 lanes side by side, as a step's row of the image is 4 banks behind the last
 * one's. Indices past the edge are held at the last one. */
template <int across, int bk, int pitch, int threads> struct fetch_lines_along {
    static constexpr int side = 8, apart = threads / side, lines = across / apart, pieces = bk / side;
    static_assert(across % apart == 0 && bk % side == 0, "shares are equal");
    static constexpr bool has_full = lines * pieces > 8; /* else code is dearer than predicates */
    static constexpr bool holds = false, uses_ring = false;

    const float *base; /* of the coming stage in the tile's first line, from the thread's step on */
    int line[lines];   /* where the thread's lines lie */
    int left;          /* steps from the stage's first to the end of the slice */
    int own;           /* the thread's step of a stage */
    uint32_t slot;

    __device__ __forceinline__ fetch_lines_along(const operand &of, int thread)
    {
        const int index = thread / side, stride = static_cast<int>(of.across.stride);
        own = thread % side;
        slot = (image_row(own, pitch) + index) * 4;
        left = of.own.last - of.own.first;
        base = of.base + of.first * of.across.stride + of.own.first + own;
#pragma unroll
        for (int i = 0; i < lines; i++)
            line[i] = min(index + i * apart, of.extent - of.first - 1) * stride;
    }

    static __device__ __forceinline__ bool is_plain(const operand &) { return true; }

    __device__ __forceinline__ void begin_plain(uint32_t to, uint32_t)
    {
        if (has_full && left >= bk)
            begin_stage<true>(to + slot);
        else if (left > 0)
            begin_stage<false>(to + slot);
        base += bk;
        left -= bk;
    }
    template <bool is_full> __device__ __forceinline__ void begin_stage(uint32_t to)
    {
#pragma unroll
        for (int i = 0; i < lines; i++) {
            const float *at = element_from(base, line[i]);
#pragma unroll
            for (int piece = 0; piece < pieces; piece++)
                copy_one(to + (image_row(piece * side, pitch) + i * apart) * 4, at + piece * side,
                         is_full || own + piece * side < left);
        }
    }
    __device__ __forceinline__ void begin(uint32_t to, uint32_t offsets) { begin_plain(to, offsets); }
    __device__ __forceinline__ void end(uint32_t) {}
};

/* Lines across, one a step, in copies of 4 or of single elements: as many lanes side by side as a line has. Indices
 * past the edge are not copied. */
template <int wide, int across, int bk, int pitch, int threads> struct fetch_lines_across {
    static constexpr int copies = across / wide, side = copies % 32 == 0 ? 32 : copies & -copies;
    static constexpr int apart = threads / side, lines = bk / apart, pieces = copies / side;
    static_assert(across % wide == 0 && threads % side == 0 && bk % apart == 0, "shares are equal");
    static_assert(apart % 8 == 0 || 8 % apart == 0, "rows of the image that a thread fills have one distance");
    static constexpr bool has_full = lines * pieces > 8;
    static constexpr bool holds = false, uses_ring = false;

    const float *base; /* of the thread's first line of the coming stage, at its index */
    int64_t step;      /* from one of its lines to the next */
    int there;         /* indices from the thread's on */
    int few;           /* of a vector that the operand's edge cuts, if that is the thread's */
    int left, own;     /* as above */
    uint32_t slot;

    __device__ __forceinline__ fetch_lines_across(const operand &of, int thread)
    {
        const int index = of.first + thread % side * wide;
        own = thread / side;
        slot = (image_row(own, pitch) + thread % side * wide) * 4;
        left = of.own.last - of.own.first;
        there = of.extent - index;
        few = wide > 1 && there > 0 && there < across && there % (side * wide) < wide ? there % (side * wide) : 0;
        step = apart * of.along.stride;
        base = of.base + index + (of.own.first + own) * of.along.stride;
    }

    static __device__ __forceinline__ bool is_plain(const operand &) { return true; }

    __device__ __forceinline__ void begin_plain(uint32_t to, uint32_t)
    {
        if (has_full && left >= bk)
            begin_stage<true>(to + slot);
        else if (left > 0)
            begin_stage<false>(to + slot);
        left -= bk;
    }
    template <bool is_full> __device__ __forceinline__ void begin_stage(uint32_t to)
    {
        if (few)
            begin_few(to);
#pragma unroll
        for (int line = 0; line < lines; line++, base += step)
#pragma unroll
            for (int piece = 0; piece < pieces; piece++) {
                const uint32_t into = to + (image_row(line * apart, pitch) + piece * side * wide) * 4;
                const bool is_there = is_full || own + line * apart < left;
                if (wide == 4)
                    copy_vector(into, base + piece * side * wide, piece * side * wide + 3 < there && is_there);
                else
                    copy_one(into, base + piece * side, piece * side < there && is_there);
            }
    }
    __device__ __forceinline__ void begin_few(uint32_t to) const
    {
        const int first = there / (side * wide) * (side * wide);
#pragma unroll 1
        for (int e = first; e < first + few; e++)
#pragma unroll
            for (int line = 0; line < lines; line++)
                copy_one(to + (image_row(line * apart, pitch) + e) * 4, base + line * step + e,
                         own + line * apart < left);
    }
    __device__ __forceinline__ void begin(uint32_t to, uint32_t offsets) { begin_plain(to, offsets); }
    __device__ __forceinline__ void end(uint32_t) {}
};

#endif
