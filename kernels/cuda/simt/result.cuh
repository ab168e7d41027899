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

/* Sums change neighbours on their way through shared memory. ptxas lets the sums of one vector access lie side by
 * side, as it lets the elements of fragments; so swapped, the sum of a column and the right operand's element of
 * that column have register numbers of different parity, hence banks, and a multiplication reads both at once:
 * 50 TFLOP/s instead of 45 (bench/LOG.md). */
__device__ __forceinline__ float4 swapped_vector(const float *sums)
{
    return make_float4(sums[1], sums[0], sums[3], sums[2]);
}

/* Sums on their way through shared memory: all rows of every thread at a time or, where these do not fit, 4 of
 * them, which is a part. Behind it the threads go along rows of the tile, lanes side by side. */
template <typename shape> struct passage {
    static constexpr int rows = shape::rows_at_once, parts = shape::tm / rows;
    static constexpr int band = shape::lanes_m * rows, height = shape::bm / shape::tm * rows;
    static constexpr int side = shape::bn % 32 == 0 ? 32 : shape::bn % 16 == 0 ? 16 : 8;
    static constexpr int pieces = shape::bn / side;

    static __device__ __forceinline__ int lane() { return threadIdx.x % side; }

    /* Row i of this thread's, which is of the part; columns from the thread's first on. */
    static __device__ __forceinline__ float *mine(float *shared, int i)
    {
        const typename shape::place own = shape::of_thread(threadIdx.x % shape::threads);
        const int warp = own.m / (shape::lanes_m * shape::tm), lane = own.m % (shape::lanes_m * shape::tm);
        return shared + (warp * band + lane + shape::row(i % rows)) * shape::right_pitch + own.n;
    }
    /* The tile's row that is row at of a part. */
    static __device__ __forceinline__ int row_of_tile(int at, int part)
    {
        return at / band * shape::lanes_m * shape::tm + part * band + at % band;
    }
    /* A part of the sums, from registers. */
    static __device__ __forceinline__ void put(const float (&sums)[shape::tm][shape::tn], float *shared, int part)
    {
#pragma unroll
        for (int i = 0; i < shape::tm; i++)
            if (parts == 1 || i / rows == part)
#pragma unroll
                for (int j = 0; j < shape::tn; j += 4)
                    *reinterpret_cast<float4 *>(mine(shared, i) + shape::column(j)) = swapped_vector(&sums[i][j]);
    }
    /* And back. */
    static __device__ __forceinline__ void take(float (&sums)[shape::tm][shape::tn], float *shared, int part)
    {
#pragma unroll
        for (int i = 0; i < shape::tm; i++)
            if (parts == 1 || i / rows == part)
#pragma unroll
                for (int j = 0; j < shape::tn; j += 4) {
                    const float4 from = *reinterpret_cast<float4 *>(mine(shared, i) + shape::column(j));
                    sums[i][j] = from.y;
                    sums[i][j + 1] = from.x;
                    sums[i][j + 2] = from.w;
                    sums[i][j + 3] = from.z;
                }
    }
    /* what(the place in shared memory, row, column) for this thread's share of the part's elements of an m x n
     * matrix; the first row and column of the tile are given. */
    template <typename What>
    static __device__ __forceinline__ void each(float *shared, int part, int m, int n, int first_m, int first_n,
                                                int threads, What what)
    {
#pragma unroll 2
        for (int at = threadIdx.x / side; at < height; at += threads / side) {
            const int i = first_m + row_of_tile(at, part);
            if (i >= m)
                break;
#pragma unroll
            for (int piece = 0; piece < pieces; piece++)
                if (first_n + lane() + piece * side < n)
                    what(shared + at * shape::right_pitch + ((lane() ^ 1) + piece * side), i, piece);
        }
    }
};

/* Where sums go: to C, or to a dense [m][n] array. */
struct aim {
    float *base;
    lay_cuda_walk m, n;
    float alpha, beta;
};
__device__ __forceinline__ aim aim_of(const lay_cuda_args &args, float *dense)
{
    if (dense)
        return { dense, { nullptr, args.n, 0, 0 }, { nullptr, 1, 0, 0 }, 1, 0 };
    return { static_cast<float *>(args.c), args.result_m, args.result_n, args.alpha.f32, args.beta.f32 };
}

/* A part element by element, each the sum of so many slices: for tiles that are not whole, and where rows of C are
 * not made of vectors. */
template <typename shape>
__device__ __forceinline__ void write_part(const lay_cuda_args &args, const aim &to, float *shared, int part,
                                           int slices, int threads, int m, int n)
{
    using way = passage<shape>;
    float *column[way::pieces];
#pragma unroll
    for (int piece = 0; piece < way::pieces; piece++)
        column[piece] =
            to.base + offset_at(to.n, min(n + way::lane() + piece * way::side, args.n - 1));
    way::each(shared, part, args.m, args.n, m, n, threads, [&](const float *at, int i, int piece) {
        float sum = *at;
#pragma unroll
        for (int slice = 1; slice < shape::groups; slice++)
            if (slice < slices)
                sum += at[slice * shape::sums];
        float *c = column[piece] + offset_at(to.m, i);
        *c = blend(to.alpha, sum, to.beta, c);
    });
}

/* C's tile from the slices that blocks left, in ascending order. */
template <typename shape> __device__ __forceinline__ void add_slices(const lay_cuda_args &args, int m, int n)
{
    using way = passage<shape>;
    constexpr int batch = 4; /* on their way at a time */
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    const aim to = aim_of(args, nullptr);
#pragma unroll 1
    for (int part = 0; part < way::parts; part++)
        way::each(nullptr, part, args.m, args.n, m, n, shape::threads, [&](const float *, int i, int piece) {
            const int j = n + way::lane() + piece * way::side;
            const float *from = static_cast<const float *>(args.partial) + static_cast<int64_t>(i) * args.n + j;
            float sum = __ldcg(from), more[batch]; /* other multiprocessors wrote some: L1 knows nothing of that */
#pragma unroll 1
            for (int slice = 1; slice < args.slices; slice += batch) {
#pragma unroll
                for (int ahead = 0; ahead < batch; ahead++)
                    if (slice + ahead < args.slices)
                        more[ahead] = __ldcg(from + (slice + ahead) * size);
#pragma unroll
                for (int ahead = 0; ahead < batch; ahead++)
                    if (slice + ahead < args.slices)
                        sum += more[ahead];
            }
            float *c = to.base + offset_at(to.m, i) + offset_at(to.n, j);
            *c = blend(to.alpha, sum, to.beta, c);
        });
}

/* All sums of one slice. */
template <typename shape>
__device__ __forceinline__ void write_pieces(const lay_cuda_args &args, const float (&sums)[shape::tm][shape::tn],
                                             float *shared, float *dense, int m, int n)
{
    const aim to = aim_of(args, dense);
#pragma unroll 1
    for (int part = 0; part < passage<shape>::parts; part++) {
        __syncthreads();
        passage<shape>::put(sums, shared, part);
        __syncthreads();
        write_part<shape>(args, to, shared, part, 1, shape::threads, m, n);
    }
}

/* The other way: sums that another product left. */
template <typename shape>
__device__ __forceinline__ void resume_sums(const lay_cuda_args &args, float (&sums)[shape::tm][shape::tn],
                                            float *shared, int m, int n)
{
    const float *dense = static_cast<const float *>(args.resume) + n + passage<shape>::lane();
#pragma unroll 1
    for (int part = 0; part < passage<shape>::parts; part++) {
        passage<shape>::each(shared, part, args.m, args.n, m, n, shape::threads, [&](float *at, int i, int piece) {
            *at = __ldcg(dense + static_cast<int64_t>(i) * args.n + piece * passage<shape>::side);
        });
        __syncthreads();
        passage<shape>::take(sums, shared, part);
        __syncthreads();
    }
}

/* C's tile from what the groups put. */
template <typename shape>
__device__ __forceinline__ void add_groups(const lay_cuda_args &args, float *shared, int m, int n)
{
    constexpr int threads = shape::threads * shape::groups;
    if (!args.is_c_vector || m + shape::bm > args.m || n + shape::bn > args.n) {
        write_part<shape>(args, aim_of(args, nullptr), shared, 0, args.slices, threads, m, n);
        return;
    }
#pragma unroll 1
    for (int at = threadIdx.x; at < shape::bm * shape::bn / 4; at += threads) {
        const int row = at / (shape::bn / 4), column = at % (shape::bn / 4) * 4;
        const float4 *slices = reinterpret_cast<const float4 *>(shared + row * shape::right_pitch + column);
        float4 sum = slices[0];
#pragma unroll
        for (int slice = 1; slice < shape::groups; slice++)
            if (slice < args.slices) {
                const float4 more = slices[slice * (shape::sums / 4)];
                sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
            }
        float *c = static_cast<float *>(args.c) + offset_at(args.result_m, m + row) + offset_at(args.result_n, n + column);
        *reinterpret_cast<float4 *>(c) = blend4(args.alpha.f32, swapped(sum), args.beta.f32, c);
    }
}

#endif
