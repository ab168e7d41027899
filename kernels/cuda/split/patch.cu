/* Elements of C that a line with Inf or NaN touches, or all where neither kind of pieces would do: the plain chain of
 * fused multiply-adds. Mostly there is nothing to do. */
#include "cuda/element.cuh"
#include "cuda/split/source.cuh"

namespace
{

/* A tile is 64 x 64, a turn 16 steps, a thread has 4 x 4. */
enum { side = 64, turn = 16, pitch = side + 4, own = side * turn / LAY_SPLIT_THREADS };

/* A thread's elements of the next turn: lanes along what lies together. Indices behind the edge repeat the last one:
 * what becomes of them is not written. */
struct feed {
    const lay_cuda_split_operand &of;
    const bool is_across;
    int64_t line[own]; /* offsets; all one where lanes go across */
    float value[own];

    __device__ __forceinline__ int line_of(int e) const
    {
        return is_across ? threadIdx.x % side : threadIdx.x / turn + e * (LAY_SPLIT_THREADS / turn);
    }
    __device__ __forceinline__ int step_of(int e) const
    {
        return is_across ? threadIdx.x / side + e * (LAY_SPLIT_THREADS / side) : threadIdx.x % turn;
    }
    __device__ __forceinline__ feed(const lay_cuda_split_operand &of, int first) : of(of), is_across(goes_across(of))
    {
#pragma unroll
        for (int e = 0; e < own; e++)
            line[e] = offset_at(of.across, min(first + line_of(e), of.extent - 1));
    }
    __device__ __forceinline__ void fetch(int step, int k)
    {
#pragma unroll
        for (int e = 0; e < own; e++)
            value[e] = step + step_of(e) < k ? __ldg(of.from + line[e] + offset_at(of.along, step + step_of(e))) : 0;
    }
    __device__ __forceinline__ void lay(float (&to)[turn][pitch]) const
    {
#pragma unroll
        for (int e = 0; e < own; e++)
            to[step_of(e)][line_of(e)] = value[e];
    }
};

__device__ __forceinline__ void add_step(float (&sum)[4][4], const float *left, const float *right)
{
    const float4 a = *reinterpret_cast<const float4 *>(left), b = *reinterpret_cast<const float4 *>(right);
    const float x[4] = { a.x, a.y, a.z, a.w }, y[4] = { b.x, b.y, b.z, b.w };
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
}

__device__ __forceinline__ void add_all(const lay_cuda_split_args &args, int i, int j, float (&sum)[4][4])
{
    __shared__ __align__(16) float left[turn][pitch], right[turn][pitch];
    feed a(args.left, i), b(args.right, j);
    const int down = threadIdx.x / 16 * 4, across = threadIdx.x % 16 * 4;
    a.fetch(0, args.k);
    b.fetch(0, args.k);
    for (int step = 0; step < args.k; step += turn) {
        __syncthreads();
        a.lay(left);
        b.lay(right);
        __syncthreads();
        if (step + turn < args.k) {
            a.fetch(step + turn, args.k);
            b.fetch(step + turn, args.k);
#pragma unroll
            for (int p = 0; p < turn; p++)
                add_step(sum, left[p] + down, right[p] + across);
        } else {
            for (int p = 0; p < args.k - step; p++)
                add_step(sum, left[p] + down, right[p] + across);
        }
    }
}

__device__ __forceinline__ bool is_strange(const lay_cuda_split_operand &of, int line)
{
    return line < of.extent && of.lines[line].is_strange;
}

__global__ void __launch_bounds__(LAY_SPLIT_THREADS) patch(const __grid_constant__ lay_cuda_split_args args)
{
    const bool is_all = path_of(args) == LAY_SPLIT_STRICT;
    if (!is_all && are_all_finite(args))
        return;
    const int high = (args.m + side - 1) / side, wide = (args.n + side - 1) / side;
    const int64_t tiles = static_cast<int64_t>(high) * wide;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int i = static_cast<int>(tile % high) * side, j = static_cast<int>(tile / high) * side;
        const int line = threadIdx.x % side;
        const bool is_touched = threadIdx.x < side ? is_strange(args.left, i + line)
                                                   : threadIdx.x < 2 * side && is_strange(args.right, j + line);
        if (!__syncthreads_or(is_all || is_touched))
            continue;
        float sum[4][4] = {};
        add_all(args, i, j, sum);
        const int row = i + threadIdx.x / 16 * 4, column = j + threadIdx.x % 16 * 4;
#pragma unroll
        for (int y = 0; y < 4; y++)
#pragma unroll
            for (int x = 0; x < 4; x++)
                if (row + y < args.m && column + x < args.n &&
                    (is_all || is_strange(args.left, row + y) || is_strange(args.right, column + x))) {
                    float *c = args.c + offset_at(args.result_m, row + y) + offset_at(args.result_n, column + x);
                    *c = blend(args.alpha, sum[y][x], args.beta, c);
                }
    }
}

} // namespace

extern "C" const void *const lay_cuda_split_patch = reinterpret_cast<const void *>(&patch);
