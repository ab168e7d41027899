/* The producers' side: an operand's next bk steps from global memory, in any layout, to [bk][pitch] of shared
 * memory, by asynchronous copies of 128 threads together. place() is for whole turns; a turn that the sum ends in
 * is filled by place_rest(): a step behind the last one is -0 on the left and +0 on the right, and fma(-0, +0, x)
 * is x, bit for bit. Indices behind the edge of C repeat the last one or are left as they are: what is summed from
 * them is not written. */
#ifndef LAY_KERNELS_CUDA_SIMT90_FEED_CUH
#define LAY_KERNELS_CUDA_SIMT90_FEED_CUH

#include "cuda/async.cuh"
#include "cuda/simt90/tile.cuh"

/* Offsets without their table where no turn straddles two segments of it: pointers go on by strides, and jump. */
template <int bk> __device__ __forceinline__ lay_cuda_offsets without_table(const lay_cuda_offsets &offsets, int first)
{
    if (!offsets.table)
        return { nullptr, offsets.stride, 0, INT32_MAX, 0, 0 };
    if (offsets.run > 0 && offsets.run % bk == 0 && first % bk == 0)
        return { nullptr, offsets.stride, offsets.jump, offsets.run, 0, 0 };
    return { offsets.table, 0, 0, INT32_MAX, 0, 0 };
}

struct operand {
    const char *base;
    lay_cuda_offsets across, along;
    lay_cuda_offsets steady;   /* along, without its table if it can do without */
    int last;                  /* step behind the last */
    int first, extent;         /* the tile's first index across; all are < extent */
    bool is_interleaved_along; /* the other operand is fetched along k, too */

    __device__ __forceinline__ const char *at(int i) const
    {
        return base + offset_at(across, first + i) * 4;
    }
    __device__ __forceinline__ const char *at_or_last(int i) const
    {
        return at(min(i, extent - 1 - first));
    }
    /* What is left of a vector that the edge cuts lies side by side, too. */
    __device__ __forceinline__ bool is_line() const
    {
        return !across.table && across.stride == 1;
    }
};

template <int bk, int width, int pitch>
__device__ __forceinline__ void place_rest(const operand &from, float *to, int p, int last, float fill)
{
#pragma unroll 1
    for (int e = threadIdx.x; e < bk * width; e += producers) {
        const int step = e / width, i = e % width;
        if (p + step >= last)
            to[step * pitch + i] = fill;
        else if (from.first + i < from.extent)
            copy_async<4>(to + step * pitch + i, from.at(i) + offset_at(from.along, p + step) * 4);
    }
}

/* Copies of one thread: count steps, every apart from step p on, of each of its pointers. Where the offsets along k
 * is a stride the pointers themselves go on, by count * every steps in all. */
template <int bytes, int count, int every, int pitch, int pointers, int apart>
__device__ __forceinline__ void copy_steps(const lay_cuda_offsets &along, const char *(&from)[pointers], int p,
                                           float *to)
{
    if (along.table) {
#pragma unroll 4
        for (int j = 0; j < count; j++) {
            const int64_t offset = __ldg(along.table + p + j * every) * 4;
#pragma unroll
            for (int v = 0; v < pointers; v++)
                copy_async<bytes>(to + j * every * pitch + v * apart, from[v] + offset);
        }
    } else {
        const int64_t stride = along.stride * 4 * every;
#pragma unroll 4
        for (int j = 0; j < count; j++) {
#pragma unroll
            for (int v = 0; v < pointers; v++) {
                copy_async<bytes>(to + j * every * pitch + v * apart, from[v]);
                from[v] += stride;
            }
        }
    }
}

/* The same of vectors of an operand that has so many elements left: as many of 4 are read, behind them are zeros. */
template <int count, int every, int pitch, int pointers, int apart>
__device__ __forceinline__ void copy_some_steps(const lay_cuda_offsets &along, const char *(&from)[pointers], int left,
                                                int p, float *to)
{
    int bytes[pointers];
#pragma unroll
    for (int v = 0; v < pointers; v++)
        bytes[v] = 4 * max(0, min(left - v * apart, 4));
    const int64_t stride = along.table ? 0 : along.stride * 4 * every;
#pragma unroll 4
    for (int j = 0; j < count; j++) {
        const int64_t offset = along.table ? __ldg(along.table + p + j * every) * 4 : 0;
#pragma unroll
        for (int v = 0; v < pointers; v++) {
            copy_async_first(to + j * every * pitch + v * apart, from[v] + offset, bytes[v]);
            from[v] += stride;
        }
    }
}

/* To step p, or to the last one: then no whole turn follows. */
template <int pointers> __device__ __forceinline__ void go_to(const operand &of, const char *(&from)[pointers], int p)
{
    if (of.steady.table)
        return;
    const int64_t offset = offset_at(of.along, min(p, of.last - 1)) * 4;
#pragma unroll
    for (int v = 0; v < pointers; v++)
        from[v] += offset;
}

/* From segment to segment: until is the steps to the end of this one. */
template <int bk, int pointers>
__device__ __forceinline__ void pass_turn(const lay_cuda_offsets &steady, const char *(&from)[pointers], int &until)
{
    if ((until -= bk) != 0)
        return;
    until = steady.run;
#pragma unroll
    for (int v = 0; v < pointers; v++)
        from[v] += steady.jump * 4;
}

/* is_roomy: registers suffice for copies of vectors that the edge cuts. */
template <int kind, int width, int bk, int pitch, bool is_roomy> struct feed;

/* A warp takes every fourth step, its lanes the vectors across. */
template <int width, int bk, int pitch, bool is_roomy> struct feed<LAY_CUDA_ACROSS_VECTOR, width, bk, pitch, is_roomy> {
    enum { pointers = width / 128 };
    const char *from[pointers];
    int left; /* indices from the lane's first one to the edge */

    static __device__ __forceinline__ int across()
    {
        return threadIdx.x % 32 * 4;
    }
    static __device__ __forceinline__ int along()
    {
        return threadIdx.x / 32;
    }

    __device__ __forceinline__ void start(const operand &of, int p)
    {
        const int last = is_roomy && of.is_line() ? (of.extent - 1 - of.first) / 4 * 4 : of.extent - 1 - of.first;
        left = of.extent - of.first - across();
#pragma unroll
        for (int v = 0; v < pointers; v++)
            from[v] = of.at(min(across() + v * 128, last));
        go_to(of, from, p + along());
    }
    __device__ __forceinline__ void place(const operand &of, int p, float *to)
    {
        to += along() * pitch + across();
        if (left >= (pointers - 1) * 128 + 4)
            return copy_steps<16, bk / 4, 4, pitch, pointers, 128>(of.steady, from, p + along(), to);
        if (is_roomy && of.is_line())
            return copy_some_steps<bk / 4, 4, pitch, pointers, 128>(of.steady, from, left, p + along(), to);
#pragma unroll 1
        for (int v = 0; v < pointers; v++)
            place_edge(of, v, p + along(), to);
    }
    /* Here the pointers stand still: every copy asks the offsets. */
    __device__ __forceinline__ void place_edge(const operand &of, int v, int p, float *to)
    {
        const int count = left - v * 128, i = across() + v * 128;
#pragma unroll 1
        for (int j = 0; j < bk / 4 && count > 0; j++) {
            const int64_t step = offset_at(of.along, p + j * 4) * 4;
            float *at = to + j * 4 * pitch + v * 128;
            if (count >= 4)
                copy_async<16>(at, of.at(i) + step);
            else
                for (int e = 0; e < count; e++)
                    copy_async<4>(at + e, of.at(i + e) + step);
        }
    }
};

/* A warp takes every fourth step, its lanes the elements across. */
template <int width, int bk, int pitch, bool is_roomy> struct feed<LAY_CUDA_ACROSS, width, bk, pitch, is_roomy> {
    enum { pointers = width / 32 };
    const char *from[pointers];

    __device__ __forceinline__ void start(const operand &of, int p)
    {
#pragma unroll
        for (int v = 0; v < pointers; v++)
            from[v] = of.at_or_last(threadIdx.x % 32 + v * 32);
        go_to(of, from, p + threadIdx.x / 32);
    }
    __device__ __forceinline__ void place(const operand &of, int p, float *to)
    {
        const int step = threadIdx.x / 32;
        copy_steps<4, bk / 4, 4, pitch, pointers, 32>(of.steady, from, p + step, to + step * pitch + threadIdx.x % 32);
    }
};

/* Eight lanes along k, four across: shared memory is written transposed by copies of single elements. Vector loads
 * with stores from registers were slower, as the stores delay the consumers' loads (bench/LOG.md). Where both operands
 * come that way the producers hardly keep up: then lines that lie at one distance from each other are fetched by
 * sixteen lanes along k and two across, so that a copy meets two lines, not four. Their addresses are sums from line to
 * line, for registers are short. */
template <int width, int bk, int pitch, bool is_vector> struct feed_along {
    enum { pointers = width / 16, lanes = 16 };
    const char *from[pointers];
    int64_t apart; /* bytes from line to line of a lane; 0: the lines are fetched by pointers */

    __device__ __forceinline__ void start(const operand &of, int p)
    {
        const bool are_lines = is_vector && of.is_interleaved_along && !of.steady.table && !of.across.table &&
                               of.across.stride != 0 && of.first + width <= of.extent;
        const int along = are_lines ? lanes : 8;
        apart = are_lines ? of.across.stride * (4 * producers / lanes) : 0;
#pragma unroll
        for (int v = 0; v < pointers; v++)
            from[v] = of.at_or_last(threadIdx.x / along + v * 16);
        go_to(of, from, p + threadIdx.x % along);
    }
    __device__ __forceinline__ void place(const operand &of, int p, float *to)
    {
        if constexpr (is_vector)
            if (!of.steady.table)
                return apart ? place_lines(to) : place_dense(to);
        const int step = threadIdx.x % 8;
        copy_steps<4, bk / 8, 8, pitch, pointers, 16>(of.steady, from, p + step, to + step * pitch + threadIdx.x / 8);
    }
    /* The stride is 1, if only within a segment. */
    __device__ __forceinline__ void place_dense(float *to)
    {
        to += threadIdx.x % 8 * pitch + threadIdx.x / 8;
#pragma unroll
        for (int v = 0; v < pointers; v++) {
#pragma unroll
            for (int j = 0; j < bk / 8; j++)
                copy_async<4>(to + j * 8 * pitch + v * 16, from[v] + j * 32);
            from[v] += bk * 4;
        }
    }
    __device__ __forceinline__ void place_lines(float *to)
    {
        const char *at = from[0];
        to += threadIdx.x % lanes * pitch + threadIdx.x / lanes;
#pragma unroll
        for (int v = 0; v < width * lanes / producers; v++) {
#pragma unroll
            for (int j = 0; j < bk / lanes; j++)
                copy_async<4>(to + j * lanes * pitch + v * (producers / lanes), at + j * lanes * 4);
            at += apart;
        }
        from[0] += bk * 4;
    }
};
template <int width, int bk, int pitch, bool is_roomy>
struct feed<LAY_CUDA_ALONG_VECTOR, width, bk, pitch, is_roomy> : feed_along<width, bk, pitch, true> {
};
template <int width, int bk, int pitch, bool is_roomy>
struct feed<LAY_CUDA_ALONG, width, bk, pitch, is_roomy> : feed_along<width, bk, pitch, false> {
};

#endif
