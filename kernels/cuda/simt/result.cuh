/* A block's sums on their way out: to the partial sums or to C, and the last block's addition of the slices. */
#ifndef LAY_KERNELS_CUDA_SIMT_RESULT_CUH
#define LAY_KERNELS_CUDA_SIMT_RESULT_CUH

#include "cuda/element.cuh"
#include "cuda/simt/tile.cuh"

__device__ __forceinline__ float4 blend4(float alpha, float4 sum, float beta, const float *c)
{
    const float4 old = beta == 0 ? make_float4(0, 0, 0, 0) : *reinterpret_cast<const float4 *>(c);
    return make_float4(blend(alpha, sum.x, beta, &old.x), blend(alpha, sum.y, beta, &old.y),
                       blend(alpha, sum.z, beta, &old.z), blend(alpha, sum.w, beta, &old.w));
}

/* C from the sums of row i, columns j .. j + 3, as far as they exist. */
__device__ __forceinline__ void write_c(const lay_cuda_args &args, int i, int j, float4 sum)
{
    if (i >= args.m || j >= args.n)
        return;
    float *c = static_cast<float *>(args.c) + offset_at(args.result_m, i);
    const float alpha = args.alpha.f32, beta = args.beta.f32;
    if (args.is_c_vector && j + 4 <= args.n) {
        c += offset_at(args.result_n, j);
        *reinterpret_cast<float4 *>(c) = blend4(alpha, sum, beta, c);
        return;
    }
    const float sums[] = { sum.x, sum.y, sum.z, sum.w };
#pragma unroll
    for (int e = 0; e < 4; e++)
        if (j + e < args.n) {
            float *one = c + offset_at(args.result_n, j + e);
            *one = blend(alpha, sums[e], beta, one);
        }
}

/* The same places in a dense [m][n] array: partial sums, or those to resume. */
__device__ __forceinline__ void write_dense(const lay_cuda_args &args, float *dense, int i, int j, float4 sum)
{
    if (i >= args.m || j >= args.n)
        return;
    float *at = dense + static_cast<int64_t>(i) * args.n + j;
    if (args.n % 4 == 0) {
        *reinterpret_cast<float4 *>(at) = sum;
        return;
    }
    const float sums[] = { sum.x, sum.y, sum.z, sum.w };
#pragma unroll
    for (int e = 0; e < 4; e++)
        if (j + e < args.n)
            at[e] = sums[e];
}

__device__ __forceinline__ float4 read_dense(const lay_cuda_args &args, const float *dense, int i, int j)
{
    if (i >= args.m || j >= args.n)
        return make_float4(0, 0, 0, 0);
    const float *at = dense + static_cast<int64_t>(i) * args.n + j;
    if (args.n % 4 == 0)
        return __ldcg(reinterpret_cast<const float4 *>(at));
    return make_float4(__ldcg(at), j + 1 < args.n ? __ldcg(at + 1) : 0, j + 2 < args.n ? __ldcg(at + 2) : 0,
                       j + 3 < args.n ? __ldcg(at + 3) : 0);
}

/* C's tile from the slices in ascending order. */
template <typename shape> __device__ __forceinline__ void add_slices(const lay_cuda_args &args, int m, int n)
{
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    for (int at = threadIdx.x; at < shape::bm * shape::bn / 4; at += shape::threads) {
        const int i = m + at / (shape::bn / 4), j = n + at % (shape::bn / 4) * 4;
        const float *dense = static_cast<const float *>(args.partial);
        float4 sum = read_dense(args, dense, i, j);
#pragma unroll 4
        for (int slice = 1; slice < args.slices; slice++) {
            const float4 more = read_dense(args, dense + slice * size, i, j);
            sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
        }
        write_c(args, i, j, sum);
    }
}

/* Runs visit(i, j, vector in shared memory) over the whole tile, by rows of threads' elements that fit into
 * shared memory at once; before and after are called for the thread's own row of elements around it. */
template <typename shape, typename Before, typename Visit, typename After>
__device__ __forceinline__ void through_shared(float *shared, int m, int n, Before before, Visit visit, After after)
{
    constexpr int pitch = shape::bn + 4, rows = shape::bm / shape::tm;
    static_assert(rows * pitch <= shape::stages * shape::stage, "a row of every thread fits");
    const typename shape::place own = shape::of_thread(threadIdx.x);
    /* Of the rows that threads have as their i-th, this thread's is number: */
    float *mine = shared + own.m / 4 % shape::lanes_m * pitch + own.m / (shape::lanes_m * shape::tm) * shape::lanes_m * pitch + own.n;
#pragma unroll 1
    for (int i = 0; i < shape::tm; i++) {
        __syncthreads();
        before(i, mine);
        __syncthreads();
        for (int at = threadIdx.x; at < rows * shape::bn / 4; at += shape::threads) {
            const int number = at / (shape::bn / 4), column = at % (shape::bn / 4) * 4;
            const int row = number / shape::lanes_m * shape::lanes_m * shape::tm + number % shape::lanes_m * 4 + shape::row(i);
            visit(m + row, n + column, reinterpret_cast<float4 *>(shared + number * pitch + column));
        }
        __syncthreads();
        after(i, mine);
    }
}

#endif
