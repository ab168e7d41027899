/* Products of tiny elements, which have no limbs, added to what C has of the others. A group of threads has one line
 * with such elements, and one element of C each: those of rows of left first, then those of columns of right but where
 * a row has them.
 *
 *           line of right                         tiny elements are listed in any order: the first threads rank them,
 *                |  a thread                      for sums go in the order of steps
 *     row -- t --*---- t ---------
 *                |
 *                                                                                                              */
#ifndef LAY_KERNELS_CUDA_SPLIT_MEND_CUH
#define LAY_KERNELS_CUDA_SPLIT_MEND_CUH

#include "cuda/element.cuh"
#include "cuda/split/group.cuh"
#include "cuda/split/line.cuh"

/* A line's tiny elements, ascending. */
struct tiny_room {
    int step[LAY_SPLIT_TINY];
    float value[LAY_SPLIT_TINY];
};

/* By the group's first threads: count elements of a line. */
__device__ __forceinline__ void rank_tiny(const lay_cuda_split_tiny *listed, int count, tiny_room &to)
{
    const int thread = group::thread();
    if (thread >= 32)
        return;
    const lay_cuda_split_tiny own = thread < count ? listed[thread] : lay_cuda_split_tiny{ INT32_MAX, 0 };
    int rank = 0;
#pragma unroll
    for (int i = 0; i < LAY_SPLIT_TINY; i++)
        rank += __shfl_sync(0xffffffff, own.step, i) < own.step;
    if (thread < count)
        to.step[rank] = own.step, to.value[rank] = own.value;
}

/* The sum of products of a line's own tiny elements with elements of another that are not; ascending, as steps are
 * looked for one by one: such an element of C is seldom. of_line: all of the other line's elements. */
__device__ inline double add_crossing(const lay_cuda_split_tiny *listed, int count, const float *of_line,
                                      const lay_cuda_offsets &along, unsigned below)
{
    double sum = 0;
#pragma unroll 1
    for (int i = 0, last = -1; i < count; i++) {
        lay_cuda_split_tiny next = { INT32_MAX, 0 };
#pragma unroll 1
        for (int e = 0; e < count; e++)
            if (listed[e].step > last && listed[e].step < next.step)
                next = listed[e];
        last = next.step;
        const float x = of_line[offset_at(along, next.step)];
        if (!is_tiny(x, below))
            sum = fma(static_cast<double>(next.value), static_cast<double>(x), sum);
    }
    return sum;
}

/* Element `own` of other by a line of few, whose tiny elements are in room. */
struct mended {
    const lay_cuda_split_operand &few, &other;
    const int line;
    const lay_cuda_split_line &record;
    const tiny_room &room;

    __device__ __forceinline__ double sum(int own, const lay_cuda_split_line &own_record) const
    {
        const unsigned below = own_record.tiny ? tiny_below(own_record.greatest) : 0;
        const float *const from = other.from + offset_at(other.across, own);
        double single = 0, both = 0, crossing = 0;
#pragma unroll 4
        for (int e = 0; e < static_cast<int>(record.tiny); e++) {
            const float x = from[offset_at(other.along, room.step[e])];
            const bool is_both = is_tiny(x, below);
            const double to = fma(static_cast<double>(room.value[e]), static_cast<double>(x), is_both ? both : single);
            (is_both ? both : single) = to;
        }
        if (own_record.tiny)
            crossing =
                add_crossing(other.tiny + static_cast<int64_t>(own) * LAY_SPLIT_TINY, static_cast<int>(own_record.tiny),
                             few.from + offset_at(few.across, line), few.along, tiny_below(record.greatest));
        return (single + crossing) + both; /* the same if the two operands change places */
    }
};

/* Of path FP16X3: groups take lines of both operands by as many lines of the other as they have threads. */
__device__ __forceinline__ void mend_all(const lay_cuda_split_args &args, tiny_room &room)
{
    const int rows = static_cast<int>(args.left.summary->tailed),
              columns = static_cast<int>(args.right.summary->tailed);
    const int64_t of_rows = static_cast<int64_t>((args.n + group::threads - 1) / group::threads) * rows,
                  units = of_rows + static_cast<int64_t>((args.m + group::threads - 1) / group::threads) * columns;
    const unsigned patched = lay_cuda_split_patched(LAY_SPLIT_FP16X3);
#pragma unroll 1
    for (int64_t unit = group::in_grid(); unit < units; unit += group::count()) {
        const bool is_right = unit >= of_rows;
        const lay_cuda_split_operand &few = is_right ? args.right : args.left,
                                     &other = is_right ? args.left : args.right;
        const int lines = is_right ? columns : rows;
        const int64_t place = is_right ? unit - of_rows : unit;
        const int line = static_cast<int>(few.lines[place % lines].mended);
        const int own = static_cast<int>(place / lines) * group::threads + group::thread();
        const lay_cuda_split_line record = few.lines[line], own_record = other.lines[min(own, other.extent - 1)];
        if (record.flags & patched)
            continue;
        /* Where a row has tiny elements, too, the row has it. */
        const bool is_ours = own < other.extent && !(own_record.flags & patched) && !(is_right && own_record.tiny != 0);
        const int row = is_right ? own : line, column = is_right ? line : own;
        float *const c = args.c + (is_ours ? offset_at(args.result_m, row) + offset_at(args.result_n, column) : 0);
        const float before = is_ours ? *c : 0;
        group::meet(); /* the last line's elements have been read */
        rank_tiny(few.tiny + static_cast<int64_t>(line) * LAY_SPLIT_TINY, static_cast<int>(record.tiny), room);
        group::meet();
        if (!is_ours)
            continue;
        const double sum = mended{ few, other, line, record, room }.sum(own, own_record);
        *c = static_cast<float>(fma(static_cast<double>(args.alpha), sum, static_cast<double>(before)));
    }
}

#endif
