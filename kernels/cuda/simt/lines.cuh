/* The way of an operand into shared memory where its elements lie in lines: one walk goes by 1, the other by any
 * stride, and in blocks both do so for a stretch. A thread's copies then have few addresses, and what they differ in
 * is known when this is compiled: 2 to 3 instructions a copy, where the ring of offsets needs 5 to 6 (bench/LOG.md). */
#ifndef LAY_KERNELS_CUDA_SIMT_LINES_CUH
#define LAY_KERNELS_CUDA_SIMT_LINES_CUH

#include <limits.h>

#include "cuda/simt/ring.cuh"
#include "cuda/simt/tile.cuh"

/* Whether so many indices across from the tile's first on lie in lines, and steps do, of which a stage has bk. */
__device__ __forceinline__ bool lies_in_lines(const operand &of, bool is_along, int count, int bk)
{
    const lay_cuda_walk &line = is_along ? of.along : of.across, &other = is_along ? of.across : of.along;
    const int64_t far = 1 << 22; /* places in a tile are 32 bits apart */
    if (line.stride != 1 || static_cast<uint64_t>(other.stride + far) >= 2 * far)
        return false;
    if (of.across.table && (of.across.run == 0 || of.first / of.across.run !=
                                                      (min(of.first + count, of.extent) - 1) / of.across.run))
        return false;
    return !of.along.table || of.along.run >= bk;
}

/* Offset i of a walk whose stride fits 32 bits. */
__device__ __forceinline__ int64_t line_offset(const lay_cuda_walk &walk, int i)
{
    return walk.table ? __ldg(walk.table + i) : static_cast<int64_t>(i) * static_cast<int>(walk.stride);
}

/* Where steps go on from stretch to stretch: of the coming stage, how many come before the jump. */
struct course {
    int64_t jump;
    int run, until;

    __device__ __forceinline__ course(const lay_cuda_walk &along, int first)
        : jump(along.table ? along.jump : 0), run(along.run), until(along.table ? run - first % run : INT_MAX)
    {
    }
    __device__ __forceinline__ int64_t before(int step) const { return step >= until ? jump : 0; }
    /* To the next stage; how far that is beside its steps. */
    __device__ __forceinline__ int64_t pass(int steps)
    {
        until -= steps;
        if (until > 0)
            return 0;
        until += run;
        return jump;
    }
};

/* Lines along k, one an index across: 8 lanes side by side, as a step's row of the image is 4 banks behind the last
 * one's. Indices past the edge are held at the last one. */
template <int across, int bk, int pitch, int threads> struct fetch_lines_along {
    static constexpr int side = 8, apart = threads / side, lines = across / apart, pieces = bk / side;
    static_assert(across % apart == 0 && bk % side == 0, "shares are equal");
    static constexpr bool holds = false, uses_ring = false;

    const float *base; /* of the coming stage in the tile's first line, from the thread's step on */
    int line[lines];   /* where the thread's lines lie */
    int left;          /* steps from the stage's first to the end of the slice */
    int own;           /* the thread's step of a stage */
    uint32_t slot;
    course ahead;

    __device__ __forceinline__ fetch_lines_along(const operand &of, int thread)
        : left(of.own.last - of.own.first), own(thread % side), ahead(of.along, of.own.first)
    {
        const int index = thread / side, stride = static_cast<int>(of.across.stride);
        slot = (image_row(own, pitch) + index) * 4;
        base = of.base + own + line_offset(of.across, of.first) + line_offset(of.along, of.own.first);
#pragma unroll
        for (int i = 0; i < lines; i++)
            line[i] = min(index + i * apart, of.extent - of.first - 1) * stride;
    }

    static __device__ __forceinline__ bool is_plain(const operand &) { return true; }

    __device__ __forceinline__ void begin_plain(uint32_t to, uint32_t)
    {
        if (left >= bk && ahead.until >= bk)
            begin_stage<true>(to + slot);
        else if (left > 0)
            begin_stage<false>(to + slot);
        base += bk + ahead.pass(bk);
        left -= bk;
    }
    template <bool is_full> __device__ __forceinline__ void begin_stage(uint32_t to)
    {
#pragma unroll
        for (int i = 0; i < lines; i++) {
            const float *at = element_from(base, line[i]);
#pragma unroll
            for (int piece = 0; piece < pieces; piece++) {
                const int step = own + piece * side;
                copy_one(to + (image_row(piece * side, pitch) + i * apart) * 4,
                         at + piece * side + (is_full ? 0 : ahead.before(step)), is_full || step < left);
            }
        }
    }
    __device__ __forceinline__ void begin(uint32_t to, uint32_t offsets) { begin_plain(to, offsets); }
    __device__ __forceinline__ void end(uint32_t) {}
};

/* Lines across, one a step, in copies of 4 elements where the operand has such vectors, else of single ones: as many
 * lanes side by side as a line has copies. Indices past the edge are not copied. */
template <int across, int bk, int pitch, int threads> struct fetch_lines_across {
    template <int wide> struct way {
        static constexpr int copies = across / wide, side = copies % 32 == 0 ? 32 : copies & -copies;
        static constexpr int apart = threads / side, lines = bk < apart ? 1 : bk / apart, pieces = copies / side;
        static_assert(threads % side == 0 && lines * apart >= bk, "shares are equal");
        static_assert(apart % 8 == 0 || 8 % apart == 0, "rows of the image that a thread fills have one distance");
    };
    static constexpr bool holds = false, uses_ring = false;

    const float *base; /* of the thread's first line of the coming stage, at its index */
    int64_t step;      /* from one of its lines to the next */
    bool is_wide;      /* 4 elements a copy */
    int there;         /* indices from the thread's on; none for a thread that has no line */
    int few;           /* of a vector that the operand's edge cuts, if that is the thread's */
    int left, own;     /* as above */
    uint32_t slot;
    course ahead;

    __device__ __forceinline__ fetch_lines_across(const operand &of, int thread)
        : is_wide(of.is_vector), left(of.own.last - of.own.first), ahead(of.along, of.own.first)
    {
        if (is_wide)
            settle<4>(of, thread);
        else
            settle<1>(of, thread);
    }
    template <int wide> __device__ __forceinline__ void settle(const operand &of, int thread)
    {
        using my = way<wide>;
        const int index = thread % my::side * wide, stride = static_cast<int>(of.along.stride);
        own = thread / my::side;
        slot = (image_row(own, pitch) + index) * 4;
        there = own < bk ? of.extent - of.first - index : 0;
        few = wide > 1 && there > 0 && there < across ? there % (my::side * wide) : 0;
        few = few < wide ? few : 0;
        step = min(my::apart, bk) * stride;
        base = of.base + index + line_offset(of.across, of.first) + line_offset(of.along, of.own.first) +
               static_cast<int64_t>(own) * stride;
    }

    static __device__ __forceinline__ bool is_plain(const operand &) { return true; }

    __device__ __forceinline__ void begin_plain(uint32_t to, uint32_t)
    {
        if (is_wide)
            begin_wide<4>(to + slot);
        else
            begin_wide<1>(to + slot);
    }
    template <int wide> __device__ __forceinline__ void begin_wide(uint32_t to)
    {
        if (wide > 1 && few && left > 0)
            begin_few<wide>(to);
        if (left >= bk && ahead.until >= bk)
            begin_stage<wide, true>(to);
        else if (left > 0)
            begin_stage<wide, false>(to);
        base += way<wide>::lines * step + ahead.pass(bk);
        left -= bk;
    }
    template <int wide, bool is_full> __device__ __forceinline__ void begin_stage(uint32_t to) const
    {
        using my = way<wide>;
        const float *line = base;
#pragma unroll
        for (int i = 0; i < my::lines; i++, line += step) {
            const bool is_there = is_full || own + i * my::apart < left;
            const float *at = is_full ? line : line + ahead.before(own + i * my::apart);
#pragma unroll
            for (int piece = 0; piece < my::pieces; piece++) {
                const int index = piece * my::side * wide;
                const uint32_t into = to + (image_row(i * my::apart, pitch) + index) * 4;
                if (wide == 4)
                    copy_vector(into, at + index, index + 3 < there && is_there);
                else
                    copy_one(into, at + index, index < there && is_there);
            }
        }
    }
    template <int wide> __device__ __forceinline__ void begin_few(uint32_t to) const
    {
        using my = way<wide>;
        const int first = there / (my::side * wide) * (my::side * wide);
#pragma unroll 1
        for (int e = first; e < first + few; e++)
#pragma unroll 1
            for (int i = 0; i < my::lines; i++)
                copy_one(to + (image_row(i * my::apart, pitch) + e) * 4,
                         base + i * step + ahead.before(own + i * my::apart) + e, own + i * my::apart < left);
    }
    __device__ __forceinline__ void begin(uint32_t to, uint32_t offsets) { begin_plain(to, offsets); }
    __device__ __forceinline__ void end(uint32_t) {}
};

#endif
