/* The way of an operand into shared memory where its elements lie in lines: one stride is 1, the other is
 * any, perhaps in segments, of which a tile has part of one across and whole stages along k. A thread's copies then
 * have few addresses, and what they differ in is known when this is compiled: 2 to 3 instructions a copy, where the
 * ring of offsets needs 5 to 6 (bench/LOG.md). */
#ifndef LAY_KERNELS_CUDA_SIMT_LINES_CUH
#define LAY_KERNELS_CUDA_SIMT_LINES_CUH

#include <type_traits>

#include "cuda/simt/ring.cuh"
#include "cuda/simt/tile.cuh"

/* Segment number of an axis that first lies in, without a branch: where there is no table its jump is 0. */
__device__ __forceinline__ int segment_of(const lay_cuda_offsets &offsets, int first)
{
    return static_cast<int>(quotient(first, offsets.run, offsets.inverse));
}

/* An operand in segments as one that has none: its base, and where along k it jumps. */
__device__ __forceinline__ void go_to_steps(operand &of)
{
    const int run = of.along.run, first = of.own.first, segment = segment_of(of.along, first);
    of.base = element_from(of.base + of.along.base, static_cast<int>(of.along.jump), segment);
    of.until = run ? (segment + 1) * run - first : INT32_MAX;
}
__device__ __forceinline__ void go_to_tile(operand &of)
{
    of.base = element_from(of.base + of.across.base, static_cast<int>(of.across.jump), segment_of(of.across, of.first));
}

/* Where a tile has parts of several segments across each thread finds its own place from `whole` on, which is the base
 * of all tiles, if the fetch knows how; or there are two, half the tile each. */
template <typename Lines, int across> __device__ __forceinline__ bool go_to_parts(operand &of, const float *whole)
{
    const int within = of.first - segment_of(of.across, of.first) * of.across.run;
    of.straddles = of.across.table && within + min(across, of.extent - of.first) > of.across.run;
    if (of.straddles && Lines::may_straddle)
        of.base = whole;
    return !of.straddles || Lines::may_straddle || (Lines::may_be_halved && 2 * of.across.run == across);
}

/* The same found out one after the other, for tiles that ptxas has no registers for else: of 64x64x16x2, 128x64x8x4,
 * 128x64x16x3 and 192x96x8x2 it spilled. */
template <int across, int bk, bool may_straddle, bool is_wide> __device__ __forceinline__ bool straighten(operand &of)
{
    if (of.across.table) {
        if (!of.across.run)
            return false;
        const int segment = quotient(of.first, of.across.run, of.across.inverse);
        of.straddles = of.first - segment * of.across.run + min(across, of.extent - of.first) > of.across.run;
        if (of.straddles && !may_straddle)
            return false;
        if (!of.straddles)
            of.base += of.across.base + segment * of.across.jump;
    }
    if (of.along.table) {
        if (!of.along.run || of.along.run % bk)
            return false;
        /* As a division it takes fewer registers. */
        const int segment =
            is_wide ? of.own.first / of.along.run : quotient(of.own.first, of.along.run, of.along.inverse);
        of.base += of.along.base + segment * of.along.jump;
        of.until = is_wide ? of.along.run - of.own.first % of.along.run : (segment + 1) * of.along.run - of.own.first;
    }
    return true;
}

template <int across, int bk, bool may_straddle, bool is_wide>
__device__ __forceinline__ bool lies_in_lines(operand &of, bool is_along)
{
    const lay_cuda_offsets &line = is_along ? of.along : of.across, &other = is_along ? of.across : of.along;
    const int64_t far = 1 << 22; /* a thread's lines are less than 2^31 elements apart */
    return line.stride == 1 && static_cast<uint64_t>(other.stride + far) < 2 * far &&
           ((!line.table && !other.table) || straighten<across, bk, may_straddle, is_wide>(of));
}

/* Steps from a thread's own first of the coming stage to the end of the slice, and from the stage's first to where a
 * segment ends and the operand jumps. */
struct stage_steps {
    int left, until;

    __device__ __forceinline__ stage_steps(const operand &of, int own)
        : left(of.own.last - of.own.first - own), until(of.until)
    {
    }
    /* How far the operand jumps behind a stage. */
    template <int bk> __device__ __forceinline__ int64_t end_stage(const operand &of)
    {
        left -= bk;
        until -= bk;
        if (until > 0)
            return 0;
        until = of.along.run;
        return of.along.jump;
    }
};

/* Lines along k, one an index across: 8 lanes side by side, as a step's row of the image is 4 banks behind the last
 * one's. Indices past the edge are not copied. has_halves: there is a register for
 * where the tile's second half lies. */
template <int across, int bk, int pitch, int threads, bool has_halves> struct fetch_lines_along {
    static constexpr int side = 8, apart = threads / side, lines = across / apart, pieces = bk / side;
    static_assert(across % apart == 0 && bk % side == 0, "shares are equal");
    static constexpr bool holds = false, uses_ring = false, has_many = true, fits = true, may_straddle = false;
    static constexpr bool goes_along = true;
    static constexpr bool may_be_halved = has_halves && lines % 2 == 0;
    static constexpr int half = may_be_halved ? lines / 2 : lines;

    const operand &of;
    stage_steps steps;
    const float *base; /* of the coming stage, at the thread's first line and step */
    int step;          /* from one of its lines to the next, */
    int rise;          /* and to that which begins the tile's second half, perhaps in another segment */
    int there;         /* indices from the thread's first on */
    uint32_t slot;

    __device__ __forceinline__ fetch_lines_along(const operand &of, int thread) : of(of), steps(of, thread % side)
    {
        const int index = thread / side, own = thread % side;
        slot = (image_row(own, pitch) + index) * 4;
        there = of.extent - of.first - index;
        step = apart * static_cast<int>(of.across.stride);
        rise = half * step + (of.straddles ? static_cast<int>(of.across.jump) : 0);
        base = element_from(of.base + of.own.first + own, static_cast<int>(of.across.stride), of.first + index);
    }

    static __device__ __forceinline__ bool is_plain(const operand &)
    {
        return true;
    }

    template <int part, int parts> __device__ __forceinline__ void begin_part(uint32_t to)
    {
#pragma unroll
        for (int i = lines * part / parts; i < lines * (part + 1) / parts; i++) {
            const float *at =
                i < half ? element_from(base, step, i) : element_from(element_from(base, rise, 1), step, i - half);
#pragma unroll
            for (int piece = 0; piece < pieces; piece++)
                copy_one(to + slot + (image_row(piece * side, pitch) + i * apart) * 4, at + piece * side,
                         i * apart < there && piece * side < steps.left);
        }
        if constexpr (part == parts - 1)
            base += bk + steps.end_stage<bk>(of);
    }
    __device__ __forceinline__ void begin_plain(uint32_t to, uint32_t)
    {
        begin_part<0, 1>(to);
    }
    __device__ __forceinline__ void begin(uint32_t to, uint32_t)
    {
        begin_part<0, 1>(to);
    }
    __device__ __forceinline__ void end(uint32_t)
    {
    }
};

/* Lines across, one a step, in copies of 4 or of single elements: as many lanes side by side as a line has, or a warp.
 * has_place: as many threads, if there are, so that each has one place across (64x64x16 3 to 5 % faster, 64x64x16x2
 * slower: bench/LOG.md). Indices past the edge are not copied. */
template <int wide, int across, int bk, int pitch, int threads, bool has_place> struct fetch_lines_across {
    static constexpr int copies = across / wide;
    static constexpr int side = has_place && threads % copies == 0 ? copies : copies % 32 == 0 ? 32 : copies & -copies;
    static constexpr int apart = threads / side, lines = apart < bk ? bk / apart : 1, pieces = copies / side;
    static_assert(across % wide == 0 && threads % side == 0 && (bk % apart == 0 || apart % bk == 0), "equal shares");
    static_assert(apart % 8 == 0 || 8 % apart == 0, "rows of the image that a thread fills have one distance");
    static constexpr bool holds = false, uses_ring = false, has_many = false;
    static constexpr bool fits = pieces <= 4; /* in registers, beside the largest tile's sums */
    static constexpr bool may_straddle = pieces == 1, may_be_halved = false, goes_along = false;
    static constexpr bool is_tight = across % 96 == 0; /* 192x96x8x2 spills if it copies parts of vectors */

    const operand &of;
    stage_steps steps;
    const float *base; /* of the thread's first line of the coming stage, at its index */
    int step;          /* from one of its lines to the next */
    int there;         /* indices from the thread's on */
    uint32_t slot;

    __device__ __forceinline__ fetch_lines_across(const operand &of, int thread) : of(of), steps(of, thread / side)
    {
        const int index = thread % side * wide, own = thread / side;
        slot = (image_row(own, pitch) + index) * 4;
        there = own < bk ? of.extent - of.first - index : 0; /* there may be more threads than copies */
        step = (apart < bk ? apart : bk) * static_cast<int>(of.along.stride);
        const float *const line = of.base + place_across(of.first + index);
        base = element_from(line, static_cast<int>(of.along.stride), of.own.first + own);
    }

    __device__ __forceinline__ int64_t place_across(int i) const
    {
        if constexpr (may_straddle)
            if (of.straddles)
                return offset_now(of.across, min(i, of.extent - 1));
        return i;
    }

    static __device__ __forceinline__ bool is_plain(const operand &)
    {
        return true;
    }

    template <int part, int parts> __device__ __forceinline__ void begin_part(uint32_t to)
    {
        constexpr int all = lines * pieces;
        if (wide > 1 && part == 0 && there > 0 && there < across && there % wide != 0 && there % (side * wide) < wide)
            begin_cut(to + slot);
#pragma unroll
        for (int i = all * part / parts; i < all * (part + 1) / parts; i++) {
            const int line = i / pieces, piece = i % pieces;
            const uint32_t into = to + slot + (image_row(line * apart, pitch) + piece * side * wide) * 4;
            const int open = line * apart < steps.left ? there : 0; /* indices */
            if (wide == 4)
                copy_vector(into, base + piece * side * wide, piece * side * wide + 3 < open);
            else
                copy_one(into, base + piece * side, piece * side < open);
            if (piece == pieces - 1)
                base = element_from(base, step, 1);
        }
        if constexpr (part == parts - 1)
            base += steps.end_stage<bk>(of);
    }
    __device__ __forceinline__ void begin_plain(uint32_t to, uint32_t)
    {
        begin_part<0, 1>(to);
    }
    __device__ __forceinline__ void begin(uint32_t to, uint32_t)
    {
        begin_part<0, 1>(to);
    }
    /* Of a vector that the edge cuts, what there is. Loops: registers are short. */
    __device__ __forceinline__ void begin_cut(uint32_t to) const
    {
        const int piece = there / (side * wide) * (side * wide);
        if constexpr (is_tight) {
#pragma unroll 1
            for (int e = piece; e < there; e++)
#pragma unroll
                for (int line = 0; line < lines; line++)
                    copy_one(to + (image_row(line * apart, pitch) + e) * 4, element_from(base + e, step, line),
                             line * apart < steps.left);
        } else {
            const float *at = base + piece;
#pragma unroll 1
            for (int line = 0; line < lines; line++) {
                copy_first(to + (image_row(line * apart, pitch) + piece) * 4, at, there % wide * 4,
                           line * apart < steps.left);
                at = element_from(at, step, 1);
            }
        }
    }
    __device__ __forceinline__ void end(uint32_t)
    {
    }
};

template <lay_cuda_class way, int across, int bk, int pitch, int threads, bool has_place, bool has_halves>
struct choose_lines {
    static constexpr int wide = way == LAY_CUDA_ACROSS_VECTOR ? 4 : 1;
    using type = std::conditional_t<goes_along(way), fetch_lines_along<across, bk, pitch, threads, has_halves>,
                                    fetch_lines_across<wide, across, bk, pitch, threads, has_place>>;
};

/* Whether both operands' tiles are fetched by lines, mostly by what the launcher tells; then they are as those have
 * them. */
template <typename shape, typename Left, typename Right>
__device__ __forceinline__ bool go_by_lines(const lay_cuda_args &args, operand &left, operand &right)
{
    if constexpr (!shape::is_told) {
        return lies_in_lines<shape::bm, shape::bk, Left::may_straddle, shape::is_wide>(left, Left::goes_along) &&
               lies_in_lines<shape::bn, shape::bk, Right::may_straddle, shape::is_wide>(right, Right::goes_along);
    } else {
        if (!(args.lies & LAY_CUDA_IN_LINES))
            return false;
        if (!(args.lies & LAY_CUDA_IN_SEGMENTS))
            return true;
        go_to_steps(left); /* no branch until all is known: the arguments come at once (bench/LOG.md, 127) */
        go_to_steps(right);
        const float *const of_left = left.base, *const of_right = right.base;
        go_to_tile(left);
        go_to_tile(right);
        return !(args.lies & LAY_CUDA_STRADDLES) ||
               (go_to_parts<Left, shape::bm>(left, of_left) & go_to_parts<Right, shape::bn>(right, of_right));
    }
}

#endif
