/* One operand of a turn on its way to shared memory: LAY_MMA_LINE bytes of steps of each line of a tile, in units of 16
 * bytes, which are exchanged so that no two of a fragment's lie in the same banks.
 *
 *     steps contiguous: [line][4 units], unit u at u ^ line / 2 % 4          two lines are 128 bytes
 *     lines contiguous: [step][units of a row], unit u at u ^ step % 8       of 16-bit elements
 *                                                      u ^ step % 4 * 2     of FP32 ones, whose fragments go by words
 */
#ifndef LAY_KERNELS_CUDA_MMA_FEED_CUH
#define LAY_KERNELS_CUDA_MMA_FEED_CUH

#include "cuda/element.cuh"
#include "cuda/mma/ptx.cuh"
#include "cuda_mma.h"

namespace
{

/* Where unit of a step of lines stands. */
template <int size> __device__ __forceinline__ int exchanged(int unit, int step)
{
    return size == 2 ? unit ^ step % 8 : unit ^ step % 4 * 2;
}

/* What a thread of so many brings of a tile of so many lines: some units of each turn. */
template <bool is_across, int lines, int threads, int size> class feed
{
    static constexpr int v = 16 / size, steps = LAY_MMA_LINE / size;
    static constexpr int units = is_across ? lines / v : LAY_MMA_LINE / 16; /* of a row: a step, or a line */
    static constexpr int rows = threads / units;
    static_assert(rows % 8 == 0 || (is_across && size == 4 && rows % 4 == 0), "a thread's units are exchanged alike");

  public:
    static constexpr int own = lines * (LAY_MMA_LINE / 16) / threads;

  private:
    const lay_cuda_offsets &along;
    const char *from[is_across ? 1 : own];
    int64_t ahead; /* elements to the thread's first unit of the turn to come, where steps have no table, or lie
                    * together */
    int64_t apart; /* elements from row to row, where steps have no table */
    int left;      /* steps from that unit's on */
    unsigned to;

    /* Of a step of the slice, whose last one is at most one before end. */
    __device__ __forceinline__ int64_t look_up(int step, int end) const
    {
        return along.table ? __ldg(along.table + min(step, end)) : step * along.stride;
    }

  public:
    /* Of lines from first on, steps from step on. last: one behind the slice's. */
    __device__ __forceinline__ feed(const lay_mma_operand &of, int first, int extent, int step, int last)
        : along(of.steps)
    {
        const int unit = threadIdx.x % units, row = threadIdx.x / units;
        const char *const base = static_cast<const char *>(of.first);
        if (is_across) { /* lines behind the edge: the last vector once more */
            from[0] = base + offset_at(of.lines, min(first + unit * v, (extent - 1) / v * v)) * size;
            to = (row * units + exchanged<size>(unit, row)) * 16;
        } else {
#pragma unroll
            for (int i = 0; i < own; i++)
                from[i] = base + offset_at(of.lines, min(first + row + i * rows, extent - 1)) * size;
            to = (row * units + (unit ^ row / 2 % 4)) * 16;
        }
        apart = rows * along.stride;
        left = last - step - (is_across ? row : unit * v);
        ahead = look_up(last - left, is_across ? last - 1 : (last - 1) / v * v);
    }

    /* The i-th unit of the turn, to a stage that begins there. */
    __device__ __forceinline__ void bring_unit(int i, unsigned stage, int last) const
    {
        const bool is_there = left > (is_across ? i * rows : 0);
        const int64_t at =
            is_across ? entry_or(along.table, min(last - left + i * rows, last - 1), ahead + i * apart) : ahead;
        bring(stage + to + i * rows * units * 16, from[is_across ? 0 : i] + at * size, is_there);
    }
    /* Behind the turn's units. */
    __device__ __forceinline__ void go_on(int last)
    {
        left -= steps;
        if (!along.table)
            ahead += steps * along.stride;
        else if (!is_across)
            ahead = look_up(last - left, (last - 1) / v * v);
    }
};

} // namespace

#endif
