/* From a lane's sums to C: through shared memory, where the ring was, so that lanes write along C's rows or
 * columns and the code is a short loop. */
#ifndef LAY_KERNELS_CUDA_SIMT90_RESULT_CUH
#define LAY_KERNELS_CUDA_SIMT90_RESULT_CUH

#include "cuda/simt90/barrier.cuh"
#include "cuda/simt90/tile.cuh"

/* Columns j and j ^ 1 change places in shared memory. Sums that are stored as one vector get neighbouring registers
 * in the vector's order, as elements of b do: so a column's sum lies in the other bank than its element of b. */
__device__ __forceinline__ float4 swapped(float4 v)
{
    return make_float4(v.y, v.x, v.w, v.z);
}

/* [bm][pitch_n] */
template <typename S> __device__ __forceinline__ void share(float *whole, const sums &sums)
{
    meet<consumers>();
#pragma unroll
    for (int i = 0; i < sums::m; i++)
#pragma unroll
        for (int j = 0; j < sums::n; j += 4)
            *reinterpret_cast<float4 *>(whole + (sums.i0 + sums::row(i)) * S::pitch_n + sums.j0 + sums::column(j)) =
                swapped(make_float4(sums.at[i][j], sums.at[i][j + 1], sums.at[i][j + 2], sums.at[i][j + 3]));
    meet<consumers>();
}

template <typename S> __device__ __forceinline__ float shared_at(const float *whole, int i, int j)
{
    return whole[i * S::pitch_n + (j ^ 1)];
}
template <typename S> __device__ __forceinline__ float4 shared_vector(const float *whole, int i, int j)
{
    return swapped(*reinterpret_cast<const float4 *>(whole + i * S::pitch_n + j));
}

/* Calls with the rows and columns, in the tile and in C, that this thread writes, v columns at a time: lanes along
 * the rows, or where `by` says, unless it is 0. */
template <typename S, int v, typename Do>
__device__ __forceinline__ void for_own(const lay_cuda_args &args, place tile, unsigned by, Do act)
{
    const lanes_down<S::bm> go(by);
#pragma unroll 4
    for (int e = threadIdx.x - producers; e < S::bm * S::bn / v; e += consumers) {
        const int lane = e & ((1 << go.lanes) - 1), beside = e >> go.lanes;
        const int i = by ? go.row(beside / S::bn << go.lanes | lane) : e / (S::bn / v);
        const int j = by ? beside % S::bn : e % (S::bn / v) * v;
        if (tile.i + i < args.m && tile.j + j < args.n)
            act(i, j, tile.i + i, tile.j + j);
    }
}

template <typename S>
__device__ __forceinline__ void write_partial(const lay_cuda_args &args, const float *whole, place tile, int slice)
{
    float *partial = static_cast<float *>(args.partial) + static_cast<int64_t>(slice) * args.m * args.n;
    if (args.n % 4 == 0)
        for_own<S, 4>(args, tile, 0, [&](int i, int j, int row, int column) {
            *reinterpret_cast<float4 *>(partial + static_cast<int64_t>(row) * args.n + column) =
                shared_vector<S>(whole, i, j);
        });
    else
        for_own<S, 1>(args, tile, 0, [&](int i, int j, int row, int column) {
            partial[static_cast<int64_t>(row) * args.n + column] = shared_at<S>(whole, i, j);
        });
}

__device__ __forceinline__ void write_element(const lay_cuda_args &args, int row, int column, float sum)
{
    float *c = static_cast<float *>(args.c) + offset_at(args.result_m, row) + offset_at(args.result_n, column);
    *c = blend(args.alpha.f32, sum, args.beta.f32, c);
}

/* Element by element: a thread stays in its column or, where lanes go down, in its row, so that half of each place is
 * looked up once (bench/LOG.md, 107). */
template <typename S>
__device__ __forceinline__ void write_elements(const lay_cuda_args &args, const float *whole, place tile, unsigned by)
{
    static_assert(consumers % S::bm == 0 && consumers % S::bn == 0, "rows and columns are shared out evenly");
    const int own = threadIdx.x - producers;
    const int i = lanes_down<S::bm>(by).row(own % S::bm), j = own % S::bn, row = tile.i + i, column = tile.j + j;
    float *const c = static_cast<float *>(args.c);
    if (by) {
        if (row >= args.m)
            return;
        float *const line = c + offset_at(args.result_m, row);
#pragma unroll 8
        for (int other = own / S::bm; other < min(S::bn, args.n - tile.j); other += consumers / S::bm) {
            float *const at = line + offset_at(args.result_n, tile.j + other);
            *at = blend(args.alpha.f32, shared_at<S>(whole, i, other), args.beta.f32, at);
        }
        return;
    }
    if (column >= args.n)
        return;
    float *const line = c + offset_at(args.result_n, column);
#pragma unroll 8
    for (int other = own / S::bn; other < min(S::bm, args.m - tile.i); other += consumers / S::bn) {
        float *const at = line + offset_at(args.result_m, tile.i + other);
        *at = blend(args.alpha.f32, shared_at<S>(whole, other, j), args.beta.f32, at);
    }
}

template <typename S> __device__ __forceinline__ void write_c(const lay_cuda_args &args, const float *whole, place tile)
{
    if (!args.is_c_vector) {
        const bool is_down = args.m > 1 && offset_at(args.result_m, 1) - offset_at(args.result_m, 0) == 1;
        const unsigned usual = LAY_CUDA_DOWN | (S::is_roomy ? 5u : 3u), by = args.down ? args.down
                                                                             : is_down ? usual
                                                                                       : 0;
        if constexpr (S::is_roomy)
            return write_elements<S>(args, whole, tile, by);
        else
            return for_own<S, 1>(args, tile, by, [&](int i, int j, int row, int column) {
                write_element(args, row, column, shared_at<S>(whole, i, j));
            });
    }
    const float alpha = args.alpha.f32, beta = args.beta.f32;
    for_own<S, 4>(args, tile, 0, [&](int i, int j, int row, int column) {
        if (column + 4 > args.n) {
            for (int e = 0; column + e < args.n; e++)
                write_element(args, row, column + e, shared_at<S>(whole, i, j + e));
            return;
        }
        float4 *at = reinterpret_cast<float4 *>(static_cast<float *>(args.c) + offset_at(args.result_m, row) +
                                                offset_at(args.result_n, column));
        const float4 sum = shared_vector<S>(whole, i, j), old = beta == 0 ? sum : *at;
        *at = make_float4(blend(alpha, sum.x, beta, &old.x), blend(alpha, sum.y, beta, &old.y),
                          blend(alpha, sum.z, beta, &old.z), blend(alpha, sum.w, beta, &old.w));
    });
}

/* What the sums start from; indices behind the edge repeat the last. */
__device__ __forceinline__ void resume(const lay_cuda_args &args, sums &sums, place tile)
{
#pragma unroll
    for (int i = 0; i < sums::m; i++) {
        const int row = min(tile.i + sums.i0 + sums::row(i), args.m - 1), last = args.n - 1;
        const float *from = static_cast<const float *>(args.resume) + static_cast<int64_t>(row) * args.n;
        __syncwarp(); /* a row at a time: registers are short */
#pragma unroll
        for (int j = 0; j < sums::n; j++)
            sums.at[i][j] = from[min(tile.j + sums.j0 + sums::column(j), last)];
    }
}

#endif
