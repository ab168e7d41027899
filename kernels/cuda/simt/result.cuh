/* A block's sums on their way out: to the partial sums or to C, and the last block's addition of the slices. */
#ifndef LAY_KERNELS_CUDA_SIMT_RESULT_CUH
#define LAY_KERNELS_CUDA_SIMT_RESULT_CUH

#include "cuda/element.cuh"
#include "cuda/simt/tile.cuh"

__device__ __forceinline__ float4 swapped(float4 of)
{
    return make_float4(of.y, of.x, of.w, of.z);
}

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

/* C's tile from the slices in ascending order. Two slices of as many vectors as registers hold come at a time:
 * the time is latency. */
template <typename shape> __device__ __forceinline__ void add_slices(const lay_cuda_args &args, int m, int n)
{
    constexpr int all = shape::bm * shape::bn / 4 / shape::threads, registers = 65536 / shape::threads / shape::groups;
    constexpr int batch = registers / shape::blocks < 224 ? 4 : 8;
    static_assert(all % batch == 0, "batches are equal");
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
#pragma unroll 1
    for (int first = 0; first < all; first += batch) {
        const auto vector = [&](int v) { return threadIdx.x + (first + v) * shape::threads; };
        const auto row = [&](int v) { return m + vector(v) / (shape::bn / 4); };
        const auto column = [&](int v) { return n + vector(v) % (shape::bn / 4) * 4; };
        float4 sum[batch], more[2][batch];
        const float *dense = static_cast<const float *>(args.partial);
#pragma unroll
        for (int v = 0; v < batch; v++)
            sum[v] = read_dense(args, dense, row(v), column(v));
#pragma unroll 1
        for (int slice = 1; slice < args.slices; slice += 2) {
#pragma unroll
            for (int ahead = 0; ahead < 2; ahead++) {
                dense += size;
#pragma unroll
                for (int v = 0; v < batch; v++)
                    if (slice + ahead < args.slices)
                        more[ahead][v] = read_dense(args, dense, row(v), column(v));
            }
#pragma unroll
            for (int ahead = 0; ahead < 2; ahead++)
#pragma unroll
                for (int v = 0; v < batch; v++)
                    if (slice + ahead < args.slices)
                        sum[v] = make_float4(sum[v].x + more[ahead][v].x, sum[v].y + more[ahead][v].y,
                                             sum[v].z + more[ahead][v].z, sum[v].w + more[ahead][v].w);
        }
#pragma unroll
        for (int v = 0; v < batch; v++)
            write_c(args, row(v), column(v), sum[v]);
    }
}

/* Sums change neighbours on their way through shared memory. ptxas lets the sums of one vector access lie side by
 * side, as it lets the elements of fragments; so swapped, the sum of a column and the right operand's element of
 * that column have register numbers of different parity, hence banks, and a multiplication reads both at once:
 * 50 TFLOP/s instead of 45 (bench/LOG.md). */
__device__ __forceinline__ float4 swapped_vector(const float *sums)
{
    return make_float4(sums[1], sums[0], sums[3], sums[2]);
}

/* Row i of every thread's sums to or from shared memory: [bm / tm][right_pitch]. */
template <typename shape> struct rows_of_threads {
    static constexpr int rows = shape::bm / shape::tm, vectors = rows * shape::bn / 4;
    static_assert(rows * shape::right_pitch <= shape::stages * shape::stage, "a row of every thread fits");

    /* This thread's. */
    static __device__ __forceinline__ float *mine(float *shared)
    {
        const typename shape::place own = shape::of_thread(threadIdx.x);
        const int row = own.m / (shape::lanes_m * shape::tm) * shape::lanes_m + own.m / 4 % shape::lanes_m;
        return shared + row * shape::right_pitch + own.n;
    }
    /* Of vector at: its place, and the row and column of the tile. */
    static __device__ __forceinline__ float4 *vector(float *shared, int at)
    {
        return reinterpret_cast<float4 *>(shared + at / (shape::bn / 4) * shape::right_pitch) + at % (shape::bn / 4);
    }
    static __device__ __forceinline__ int row(int at, int i)
    {
        const int row = at / (shape::bn / 4);
        return row / shape::lanes_m * shape::lanes_m * shape::tm + row % shape::lanes_m * 4 + shape::row(i);
    }
    static __device__ __forceinline__ int column(int at) { return at % (shape::bn / 4) * 4; }
};

/* The sums of a tile that is not whole, or whose rows are not made of vectors: to dense, or else to C. */
template <typename shape>
__device__ __forceinline__ void write_pieces(const lay_cuda_args &args, const float (&sums)[shape::tm][shape::tn],
                                             float *shared, float *dense, int m, int n)
{
    using part = rows_of_threads<shape>;
#pragma unroll 1
    for (int row = 0; row < shape::tm; row++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < shape::tm; i++)
            if (i == row)
#pragma unroll
                for (int j = 0; j < shape::tn; j += 4)
                    *reinterpret_cast<float4 *>(part::mine(shared) + shape::column(j)) = swapped_vector(&sums[i][j]);
        __syncthreads();
#pragma unroll 1
        for (int at = threadIdx.x; at < part::vectors; at += shape::threads) {
            const float4 sum = swapped(*part::vector(shared, at));
            if (dense)
                write_dense(args, dense, m + part::row(at, row), n + part::column(at), sum);
            else
                write_c(args, m + part::row(at, row), n + part::column(at), sum);
        }
    }
}

/* The other way: sums that another product left. */
template <typename shape>
__device__ __forceinline__ void resume_sums(const lay_cuda_args &args, float (&sums)[shape::tm][shape::tn],
                                            float *shared, int m, int n)
{
    using part = rows_of_threads<shape>;
    const float *dense = static_cast<const float *>(args.resume);
#pragma unroll 1
    for (int row = 0; row < shape::tm; row++) {
#pragma unroll 1
        for (int at = threadIdx.x; at < part::vectors; at += shape::threads)
            *part::vector(shared, at) = swapped(read_dense(args, dense, m + part::row(at, row), n + part::column(at)));
        __syncthreads();
#pragma unroll
        for (int i = 0; i < shape::tm; i++)
            if (i == row)
#pragma unroll
                for (int j = 0; j < shape::tn; j += 4) {
                    const float4 from = *reinterpret_cast<float4 *>(part::mine(shared) + shape::column(j));
                    sums[i][j] = from.y;
                    sums[i][j + 1] = from.x;
                    sums[i][j + 2] = from.w;
                    sums[i][j + 3] = from.z;
                }
        __syncthreads();
    }
}

/* All of a group's sums: [bm][right_pitch]. */
template <typename shape>
__device__ __forceinline__ void put_sums(const float (&sums)[shape::tm][shape::tn], float *shared)
{
    const typename shape::place own = shape::of_thread(threadIdx.x % shape::threads);
#pragma unroll
    for (int i = 0; i < shape::tm; i++) {
        float *row = shared + (own.m + shape::row(i)) * shape::right_pitch + own.n;
#pragma unroll
        for (int j = 0; j < shape::tn; j += 4)
            *reinterpret_cast<float4 *>(row + shape::column(j)) = swapped_vector(&sums[i][j]);
    }
}

/* C's tile from what the groups put. */
template <typename shape>
__device__ __forceinline__ void add_groups(const lay_cuda_args &args, const float *shared, int m, int n)
{
#pragma unroll 1
    for (int at = threadIdx.x; at < shape::bm * shape::bn / 4; at += shape::threads * shape::groups) {
        const int row = at / (shape::bn / 4), column = at % (shape::bn / 4) * 4;
        const float4 *slices = reinterpret_cast<const float4 *>(shared + row * shape::right_pitch + column);
        float4 sum = slices[0];
#pragma unroll
        for (int slice = 1; slice < shape::groups; slice++)
            if (slice < args.slices) {
                const float4 more = slices[slice * (shape::sums / 4)];
                sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
            }
        write_c(args, m + row, n + column, swapped(sum));
    }
}

#endif
