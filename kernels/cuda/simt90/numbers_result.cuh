/* From the sums of complex numbers to C: through shared memory, where the turns were, so that lanes write along C's
 * rows or columns, a number each. */
#ifndef LAY_KERNELS_CUDA_SIMT90_NUMBERS_RESULT_CUH
#define LAY_KERNELS_CUDA_SIMT90_NUMBERS_RESULT_CUH

#include "cuda/simt90/numbers.cuh"

namespace numbers
{

/* [groups][bm][pitch_n]: of numbers 2 q and 2 q + 1 the real parts in reverse order, then the imaginary ones. Sums that
 * are stored as one vector get neighbouring registers in the vector's order, as parts of right do, so a sum lies in the
 * other bank than both parts of its number of right. */
template <typename S> __device__ __forceinline__ void put_sums(float *whole, int group, const sums<S> &sums)
{
    meet<consumers>(); /* all turns are read */
    float *const to = whole + group * S::bm * S::pitch_n;
#pragma unroll
    for (int i = 0; i < S::m; i++)
#pragma unroll
        for (int j = 0; j < S::n; j += 4)
            *reinterpret_cast<float4 *>(to + (sums.i0 + sums.row(i)) * S::pitch_n + sums.j0 + sums.column(j)) =
                make_float4(sums.at[i][j + 1], sums.at[i][j], sums.at[i][j + 3], sums.at[i][j + 2]);
    meet<consumers>();
}

/* The groups' sums in ascending order: re, im. */
template <typename S> __device__ __forceinline__ float2 sum_at(const float *whole, int groups, int i, int number)
{
    const float *at = whole + i * S::pitch_n + number / 2 * 4 + 1 - number % 2;
    float2 sum = make_float2(at[0], at[2]);
#pragma unroll
    for (int group = 1; group < S::groups; group++)
        if (group < groups) {
            at += S::bm * S::pitch_n;
            sum.x += at[0];
            sum.y += at[2];
        }
    return sum;
}

/* Calls with the row and the number in the tile that are this thread's: lanes along the rows, or sixteen down the
 * columns. */
template <typename S, typename Do>
__device__ __forceinline__ void for_own(const lay_cuda_args &args, place tile, bool is_down, Do act)
{
    constexpr int width = S::bn / 2;
#pragma unroll 4
    for (int e = threadIdx.x - producers; e < S::bm * width; e += consumers) {
        const int i = is_down ? e / (width * 16) * 16 + e % 16 : e / width;
        const int j = is_down ? e / 16 % width : e % width;
        if (tile.i + i < args.m && tile.j + 2 * j < args.n)
            act(i, j);
    }
}

template <typename S>
__device__ __forceinline__ void write_partial(const lay_cuda_args &args, const float *whole, place tile)
{
    float *const partial = static_cast<float *>(args.partial) + static_cast<int64_t>(blockIdx.z) * args.m * args.n;
    for_own<S>(args, tile, false, [&](int i, int j) {
        *reinterpret_cast<float2 *>(partial + static_cast<int64_t>(tile.i + i) * args.n + tile.j + 2 * j) =
            sum_at<S>(whole, 1, i, j);
    });
}

template <typename S>
__device__ __forceinline__ void write_c(const lay_cuda_args &args, const float *whole, place tile, int groups)
{
    const bool is_down = args.m > 1 && offset_now(args.result_m, 1) - offset_now(args.result_m, 0) == 1;
    const float alpha = args.alpha.f32, beta = args.beta.f32;
    for_own<S>(args, tile, is_down, [&](int i, int j) {
        float *const c = static_cast<float *>(args.c) +
                         2 * (offset_now(args.result_m, tile.i + i) + offset_now(args.result_n, tile.j / 2 + j));
        const float2 sum = sum_at<S>(whole, groups, i, j);
        if (!args.is_c_vector) {
            c[0] = blend(alpha, sum.x, beta, c);
            c[1] = blend(alpha, sum.y, beta, c + 1);
            return;
        }
        const float2 old = beta == 0 ? sum : *reinterpret_cast<const float2 *>(c);
        *reinterpret_cast<float2 *>(c) =
            make_float2(blend(alpha, sum.x, beta, &old.x), blend(alpha, sum.y, beta, &old.y));
    });
}

} // namespace numbers

#endif
