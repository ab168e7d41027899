/* Elements of C in lines that the path leaves to this, or all where neither kind of pieces would do: the plain chain of
 * fused multiply-adds. Mostly there is nothing to do. Tiles are gathered from the lists of lines with flags:
 *
 *     listed rows, 64 at a time, by all columns; then all rows by listed columns, 64 at a time, but for those rows */
#include "cuda/element.cuh"
#include "cuda/split/source.cuh"

namespace
{

/* A tile is 64 x 64, a turn 16 steps, a thread has 4 x 4. */
enum { side = 64, turn = 16, pitch = side + 4, own = side * turn / LAY_SPLIT_THREADS };

/* Of one side of a tile. */
struct lines {
    int first, last; /* indices, or places in the list; one behind the last */
    bool is_listed;

    /* Behind the last: that once more. */
    __device__ __forceinline__ int at(const lay_cuda_split_operand &of, int i) const
    {
        const int place = min(first + i, last - 1);
        return is_listed ? static_cast<int>(of.lines[place].listed) : place;
    }
};

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
    __device__ __forceinline__ feed(const lay_cuda_split_operand &of, const lines &own_lines)
        : of(of), is_across(goes_across(of))
    {
#pragma unroll
        for (int e = 0; e < own; e++)
            line[e] = offset_at(of.across, own_lines.at(of, line_of(e)));
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

__device__ __forceinline__ void add_all(const lay_cuda_split_args &args, const lines &rows, const lines &columns,
                                        float (&sum)[4][4])
{
    __shared__ __align__(16) float left[turn][pitch], right[turn][pitch];
    feed a(args.left, rows), b(args.right, columns);
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

/* Element (y, x) of the thread's 4 x 4: patched ones alone, and those of listed columns where their rows are not. */
__device__ __forceinline__ void write_tile(const lay_cuda_split_args &args, const lines &rows, const lines &columns,
                                           unsigned patched, const float (&sum)[4][4])
{
    const int down = threadIdx.x / 16 * 4, across = threadIdx.x % 16 * 4;
#pragma unroll
    for (int y = 0; y < 4; y++) {
        if (rows.first + down + y >= rows.last)
            return;
        const int row = rows.at(args.left, down + y);
        const bool is_row = args.left.lines[row].flags & patched;
        if (rows.is_listed ? !is_row : columns.is_listed && is_row)
            continue;
#pragma unroll
        for (int x = 0; x < 4; x++) {
            if (columns.first + across + x >= columns.last)
                break;
            const int column = columns.at(args.right, across + x);
            if (columns.is_listed && !(args.right.lines[column].flags & patched))
                continue;
            float *c = args.c + offset_at(args.result_m, row) + offset_at(args.result_n, column);
            *c = blend(args.alpha, sum[y][x], args.beta, c);
        }
    }
}

__global__ void __launch_bounds__(LAY_SPLIT_THREADS) patch(const __grid_constant__ lay_cuda_split_args args)
{
    const lay_cuda_split_path_kind path = path_of(args);
    const unsigned patched = path == LAY_SPLIT_STRICT ? 0 : lay_cuda_split_patched(path);
#pragma unroll 1
    for (int turn_of_right = 0; turn_of_right < 2; turn_of_right++) {
        const lay_cuda_split_summary found = turn_of_right ? *args.right.summary : *args.left.summary;
        const bool is_all = path == LAY_SPLIT_STRICT && !turn_of_right;
        if (!is_all && !(patched & LAY_SPLIT_STRANGE && found.strange) && !(patched & LAY_SPLIT_WIDE && found.wide))
            continue;
        const int row_count = is_all || turn_of_right ? args.m : static_cast<int>(found.listed);
        const int column_count = is_all || !turn_of_right ? args.n : static_cast<int>(found.listed);
        const int high = (row_count + side - 1) / side, wide = (column_count + side - 1) / side;
        const int64_t tiles = static_cast<int64_t>(high) * wide;
#pragma unroll 1
        for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            const lines rows = { static_cast<int>(tile % high) * side, row_count, !is_all && !turn_of_right };
            const lines columns = { static_cast<int>(tile / high) * side, column_count, !is_all && turn_of_right };
            float sum[4][4] = {};
            add_all(args, rows, columns, sum);
            write_tile(args, rows, columns, patched, sum);
        }
    }
}

} // namespace

extern "C" const void *const lay_cuda_split_patch = reinterpret_cast<const void *>(&patch);
