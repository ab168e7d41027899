/* The patch of GPUs from 8.0 on, in blocks of one group, which have what shared memory those have: as patch.cu, bit for
 * bit, but that path STRICT goes in tiles of 64 x 64 through registers. */
#define LAY_SPLIT_GROUPS 1
#include "cuda/split/patched.cuh"

namespace
{

/* Blocks of a multiprocessor. */
#if __CUDA_ARCH__ >= 900
enum { residents = 2 };
#else
enum { residents = 1 };
#endif

/* A tile is 64 x 64, a turn 16 steps, a thread has 4 x 4. */
enum { side = 64, turn = 16, pitch = side + 4, own = side * turn / LAY_SPLIT_THREADS };
using sums = chains<4 * 4>;

/* A thread's elements of the next turn, of lines from first on: lanes along what lies together. Indices behind the edge
 * repeat the last one: what becomes of them is not written. */
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

__device__ __forceinline__ void add_step(sums &to, const float *left, const float *right)
{
    const float4 a = *reinterpret_cast<const float4 *>(left), b = *reinterpret_cast<const float4 *>(right);
    const float x[4] = { a.x, a.y, a.z, a.w }, y[4] = { b.x, b.y, b.z, b.w };
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            to.chunk[4 * i + j] = fmaf(x[i], y[j], to.chunk[4 * i + j]);
}

__device__ __forceinline__ void add_all(const lay_cuda_split_args &args, int row, int column, sums &to)
{
    __shared__ __align__(16) float left[turn][pitch], right[turn][pitch];
    feed a(args.left, row), b(args.right, column);
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
                add_step(to, left[p] + down, right[p] + across);
        } else {
            for (int p = 0; p < args.k - step; p++)
                add_step(to, left[p] + down, right[p] + across);
        }
        if ((step + turn) % LAY_SPLIT_CHUNK == 0 || step + turn >= args.k)
            to.end_chunk();
    }
}

/* All of C. */
__device__ __forceinline__ void compute_all(const lay_cuda_split_args &args)
{
    const int high = (args.m + side - 1) / side, wide = (args.n + side - 1) / side;
    const int64_t tiles = static_cast<int64_t>(high) * wide;
#pragma unroll 1
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int row = static_cast<int>(tile % high) * side, column = static_cast<int>(tile / high) * side;
        sums all;
        add_all(args, row, column, all);
#pragma unroll
        for (int y = 0; y < 4; y++)
#pragma unroll
            for (int x = 0; x < 4; x++) {
                const int i = row + threadIdx.x / 16 * 4 + y, j = column + threadIdx.x % 16 * 4 + x;
                if (i < args.m && j < args.n)
                    write(args, i, j, all.sum(4 * y + x));
            }
    }
}

__global__ void __launch_bounds__(LAY_SPLIT_THREADS, residents) patch(const __grid_constant__ lay_cuda_split_args args)
{
    extern __shared__ __align__(16) char shared[];
    const lay_cuda_split_path_kind path = begin_patch(args);
    if (path == LAY_SPLIT_STRICT)
        compute_all(args);
    else
        patch_all(args, path, shared);
}

} // namespace

extern "C" const lay_cuda_pass lay_cuda_split_patch_any = { "split: patch", reinterpret_cast<const void *>(&patch),
                                                            LAY_SPLIT_THREADS, LAY_SPLIT_PATCH_ROOM };
