/* From the sums of complex numbers in shared memory to C or to the partial sums: lanes write along C's rows or columns,
 * a number each. A shape S says bm, bn, pitch_n and groups. */
#ifndef LAY_KERNELS_CUDA_COMPLEX_RESULT_CUH
#define LAY_KERNELS_CUDA_COMPLEX_RESULT_CUH

#include "cuda/element.cuh"

namespace numbers
{

/* Of threads that write together, and the tile's first row and column of C. */
struct writer {
    int thread, threads;
    int i, j;
};

/* [groups][bm][pitch_n]: of numbers 2 q and 2 q + 1 the real parts in reverse order, then the imaginary ones. Sums that
 * are stored as one vector get neighbouring registers in the vector's order, as parts of right do, so a sum lies in the
 * other bank than both parts of its number of right. To what is there already, or in its place. */
__device__ __forceinline__ void put_two(float *to, const float (&sums)[4], bool is_first = true)
{
    float4 *const at = reinterpret_cast<float4 *>(to);
    const float4 more = make_float4(sums[1], sums[0], sums[3], sums[2]);
    if (is_first) {
        *at = more;
        return;
    }
    const float4 sum = *at;
    *at = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
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

/* Calls with the row and the number in the tile that are this thread's: lanes along the rows, or down the columns, as
 * lay_cuda_down says, sixteen at most. */
template <typename S, typename Do>
__device__ __forceinline__ void for_own(const lay_cuda_args &args, const writer &own, unsigned down, Do act)
{
    constexpr int width = S::bn / 2;
    lanes_down<S::bm> go(down);
    go.lanes = min(go.lanes, 4);
#pragma unroll 4
    for (int e = own.thread; e < S::bm * width; e += own.threads) {
        const int i = down ? go.row(e / (width * 16) * 16 + e % 16) : e / width;
        const int j = down ? e / 16 % width : e % width;
        if (own.i + i < args.m && own.j + 2 * j < args.n)
            act(i, j);
    }
}

template <typename S>
__device__ __forceinline__ void write_partial(const lay_cuda_args &args, const float *whole, const writer &own)
{
    float *const partial = static_cast<float *>(args.partial) + static_cast<int64_t>(blockIdx.z) * args.m * args.n;
    for_own<S>(args, own, 0, [&](int i, int j) {
        *reinterpret_cast<float2 *>(partial + static_cast<int64_t>(own.i + i) * args.n + own.j + 2 * j) =
            sum_at<S>(whole, 1, i, j);
    });
}

/* place: of C's number (i, j) of the tile, in numbers. */
template <typename S, typename Place>
__device__ __forceinline__ void write_c(const lay_cuda_args &args, const float *whole, const writer &own, int groups,
                                        Place place)
{
    const bool is_column = args.m > 1 && offset_now(args.result_m, 1) - offset_now(args.result_m, 0) == 1;
    const unsigned down = args.down ? args.down : is_column ? LAY_CUDA_DOWN | 4u : 0;
    const float alpha = args.alpha.f32, beta = args.beta.f32;
    for_own<S>(args, own, down, [&](int i, int j) {
        float *const c = static_cast<float *>(args.c) + 2 * place(i, j);
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

template <typename S>
__device__ __forceinline__ void write_c(const lay_cuda_args &args, const float *whole, const writer &own, int groups)
{
    write_c<S>(args, whole, own, groups, [&](int i, int j) {
        return offset_now(args.result_m, own.i + i) + offset_now(args.result_n, own.j / 2 + j);
    });
}

} // namespace numbers

#endif
