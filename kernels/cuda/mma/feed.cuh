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

/* What a thread of so many brings of a tile of so many lines: some units of each turn, with few instructions for each:
 * those that multiply wait for them. */
template <lay_mma_way way, int lines, int threads, int size> class feed
{
  public:
    static constexpr bool is_across = way == LAY_MMA_ACROSS || way == LAY_MMA_ACROSS_TABLE;
    static constexpr int own = lines * (LAY_MMA_LINE / 16) / threads;

  private:
    static constexpr int v = 16 / size, steps = LAY_MMA_LINE / size;
    static constexpr int units = is_across ? lines / v : LAY_MMA_LINE / 16; /* of a row: a step, or a line */
    static constexpr int rows = threads / units;
    static_assert(rows % 8 == 0 || (is_across && size == 4 && rows % 4 == 0), "a thread's units are exchanged alike");

    const lay_cuda_offsets &along;
    const char *from[is_across ? 1 : own]; /* without tables: of the turn to come */
    int64_t ahead; /* bytes: across without tables from row to row, along with them to the turn to come */
    int left;      /* steps from the thread's first unit of that turn on */
    unsigned to;

    /* Of that unit, where steps lie together. */
    __device__ __forceinline__ int64_t look_along(int last) const
    {
        return offset_at(along, min(last - left, (last - 1) / v * v)) * size;
    }

  public:
    /* Of lines from first on, steps from step on. last: one behind the slice's. */
    __device__ __forceinline__ feed(const lay_mma_operand &of, int first, int extent, int step, int last)
        : along(of.steps)
    {
        const int unit = threadIdx.x % units, row = threadIdx.x / units;
        const char *const base = static_cast<const char *>(of.first);
        left = last - step - (is_across ? row : unit * v);
        if (is_across) { /* lines behind the edge: the last vector once more */
            from[0] = base + offset_at(of.lines, min(first + unit * v, (extent - 1) / v * v)) * size;
            to = (row * units + exchanged<size>(unit, row)) * 16;
            ahead = rows * along.stride * size;
            if (way == LAY_MMA_ACROSS)
                from[0] += (step + row) * along.stride * size;
        } else {
            to = (row * units + (unit ^ row / 2 % 4)) * 16;
            ahead = look_along(last);
#pragma unroll
            for (int i = 0; i < own; i++)
                from[i] = base + offset_at(of.lines, min(first + row + i * rows, extent - 1)) * size +
                          (way == LAY_MMA_ALONG ? ahead : 0);
        }
    }

    /* The i-th unit of the turn, to a stage that begins there. */
    __device__ __forceinline__ void bring_unit(int i, unsigned stage, int last) const
    {
        const char *at = from[is_across ? 0 : i];
        if (way == LAY_MMA_ALONG_TABLE)
            at += ahead;
        if (way == LAY_MMA_ACROSS)
            at += i * ahead;
        if (way == LAY_MMA_ACROSS_TABLE)
            at += offset_at(along, min(last - left + i * rows, last - 1)) * size;
        bring(stage + to + i * rows * units * 16, at, left > (is_across ? i * rows : 0));
    }
    /* Behind the turn's units. */
    __device__ __forceinline__ void go_on(int last)
    {
        left -= steps;
        if (way == LAY_MMA_ALONG_TABLE)
            ahead = look_along(last);
        if (way == LAY_MMA_ACROSS)
            from[0] += own * ahead;
        if (way == LAY_MMA_ALONG) /* a stride of 1 */
#pragma unroll
            for (int i = 0; i < own; i++)
                from[i] += LAY_MMA_LINE;
    }
};

} // namespace

#endif
