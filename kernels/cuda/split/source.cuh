/* An operand as it is read: 32 lines by 32 steps, a leaf's square, by one warp. Copies bring it to shared memory, along
 * whichever mode lies together, a row of 128 bytes after the other: no sector is asked for twice, and no register waits
 * for one. There a lane has a line. */
#ifndef LAY_KERNELS_CUDA_SPLIT_SOURCE_CUH
#define LAY_KERNELS_CUDA_SPLIT_SOURCE_CUH

#include "cuda/async.cuh"
#include "cuda/element.cuh"
#include "cuda/split/line.cuh"

__device__ __forceinline__ bool goes_across(const lay_cuda_split_operand &of)
{
    return of.as == LAY_CUDA_ACROSS_VECTOR || of.as == LAY_CUDA_ACROSS;
}

/* Where a strip's lines and a leaf's steps are. */
struct corner {
    int line, step;
};

/* Rows of eight units of 16 bytes, four elements each; unit u of row r stands at u ^ r % 8, so that eight rows' units
 * are in all banks. (Whole sectors of 32 bytes stay together: copies that tear them apart are three times as slow.) */
struct square {
    uint4 unit[32 * 8];

    static __device__ __forceinline__ int place(int row, int u)
    {
        return row * 8 + row % 8 ^ u;
    }
    __device__ __forceinline__ float4 get(int row, int u) const
    {
        return reinterpret_cast<const float4 *>(unit)[place(row, u)];
    }
    __device__ __forceinline__ void put(int row, int u, float4 elements)
    {
        reinterpret_cast<float4 *>(unit)[place(row, u)] = elements;
    }
};

/* Steps from first on that one stride serves, so that there is nothing to look up; count is at most 32. */
__device__ __forceinline__ bool is_steady(const lay_cuda_offsets &offsets, int first, int count)
{
    return !offsets.table || (offsets.run > 0 && first % offsets.run + count <= offsets.run);
}

/* A warp's copies of a square; zeros where the operand has no element. Rows are lines, or steps where it goes across. A
 * lane has width elements of a row, and every width'th row. */
template <int width>
__device__ __forceinline__ void bring_rows(const lay_cuda_split_operand &of, int k, corner at, square &to)
{
    constexpr int lanes = 32 / width, looked_up = 4;
    const bool is_across = goes_across(of);
    const lay_cuda_offsets &down = is_across ? of.along : of.across, &right = is_across ? of.across : of.along;
    const int first = is_across ? at.step : at.line, rows = min(32, (is_across ? k : of.extent) - first);
    const int own = threadIdx.x % 32 / lanes, column = threadIdx.x % 32 % lanes * width;
    const int place = (is_across ? at.line : at.step) + column;
    const bool is_column = place < (is_across ? of.extent : k);
    const float *const from = of.from + (is_column ? offset_at(right, place) : 0);
    char *const bytes = reinterpret_cast<char *>(to.unit);
    const int start = square::place(own, column / 4) * 16 + column % 4 * 4;
    /* Where the lane writes in row i + own, which have no bit in common. */
    const auto spot = [=](int i) { return bytes + i * 128 + (start ^ i % 8 * 16); };
    if (is_steady(down, first, rows)) {
        const float *row = from + offset_at(down, first) + own * down.stride;
#pragma unroll 8
        for (int i = 0; i < 32; i += width, row += width * down.stride)
            copy_async_or_zero<width * 4>(spot(i), i + own < rows ? row : of.from, is_column && i + own < rows);
        return;
    }
#pragma unroll 1
    for (int begin = 0; begin < 32; begin += looked_up * width) {
        int64_t offset[looked_up];
#pragma unroll
        for (int i = 0; i < looked_up; i++)
            offset[i] = offset_at(down, first + min(begin + i * width + own, rows - 1));
#pragma unroll
        for (int i = 0; i < looked_up; i++)
            copy_async_or_zero<width * 4>(spot(begin + i * width), from + offset[i],
                                          is_column && begin + i * width + own < rows);
    }
}

/* Begins to bring a square. */
__device__ __forceinline__ void bring(const lay_cuda_split_operand &of, int k, corner at, square &to)
{
    if (at.step >= k) {
#pragma unroll
        for (int i = 0; i < 8; i++)
            to.unit[i * 32 + threadIdx.x % 32] = make_uint4(0, 0, 0, 0);
    } else if (of.as == LAY_CUDA_ACROSS_VECTOR ? at.line + 32 <= of.extent
                                               : of.as == LAY_CUDA_ALONG_VECTOR && at.step + 32 <= k) {
        bring_rows<4>(of, k, at, to);
    } else {
        bring_rows<1>(of, k, at, to);
    }
}

/* Rows are steps -> rows are lines: blocks of 8 x 8 change places with their mirror images. */
__device__ __forceinline__ void turn(square &of)
{
    const int lane = threadIdx.x % 32;
    const float *const elements = reinterpret_cast<const float *>(of.unit);
#pragma unroll
    for (int apart = 0; apart < 4; apart++) {
        const int row = (lane / 8 ^ apart) * 8;
        float x[8];
#pragma unroll
        for (int i = 0; i < 8; i++)
            x[i] = elements[square::place(row + i, lane / 4) * 4 + lane % 4];
        __syncwarp();
        of.put(lane, row / 4, make_float4(x[0], x[1], x[2], x[3]));
        of.put(lane, row / 4 + 1, make_float4(x[4], x[5], x[6], x[7]));
    }
    __syncwarp();
}

/* Until the warp's square is there, rows lines; behind it as many groups of copies may be on their way. */
template <int groups = 0> __device__ __forceinline__ void await_square(const lay_cuda_split_operand &of, square &here)
{
    if (groups == 0)
        wait_async();
    else
        wait_async_but<groups>();
    __syncwarp();
    if (goes_across(of))
        turn(here);
}

/* The lane's line: see is shown all of it, and units change places, u to u / 2 + u % 2 * 4: steps 8 i .. then stand in
 * units i and i + 4, which is where limbs of them will stand. */
template <class See> __device__ __forceinline__ void sort_line(square &of, See see)
{
    const int lane = threadIdx.x % 32;
    see(of.get(lane, 0));
    see(of.get(lane, 7));
#pragma unroll
    for (int u = 1; u <= 3; u += 2) { /* 1 to 4 to 2 to 1, and 3 to 5 to 6 to 3 */
        const int second = u / 2 + 4, third = second / 2 + second % 2 * 4;
        const float4 x = of.get(lane, u), y = of.get(lane, second), z = of.get(lane, third);
        see(x), see(y), see(z);
        of.put(lane, second, x);
        of.put(lane, third, y);
        of.put(lane, u, z);
    }
}
__device__ __forceinline__ void sort_line(square &of)
{
    sort_line(of, [](float4) {});
}

__device__ __forceinline__ bool is_finite(float x)
{
    return is_finite(__float_as_uint(x) & 0x7fffffff);
}
__device__ __forceinline__ float finite_or_zero(float x)
{
    return is_finite(x) ? x : 0;
}

#endif
