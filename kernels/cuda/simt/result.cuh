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
    /* what(place in shared memory, row and column of the tile, piece) for this thread's share of a part's elements, as
     * far as the tile has rows and columns; row by row, of which new_row(row) hears first. */
    template <typename Row, typename What>
    static __device__ __forceinline__ void each(float *shared, int part, int rows_there, int columns_there,
                                                int threads, Row new_row, What what)
    {
#pragma unroll 1
        for (int first = 0; first < height; first += band) {
            const int above = first / band * shape::lanes_m * shape::tm + part * band;
#pragma unroll 2
            for (int at = threadIdx.x / side; at < min(band, rows_there - above); at += threads / side) {
                new_row(above + at);
#pragma unroll
                for (int piece = 0; piece < pieces; piece++)
                    if (lane() + piece * side < columns_there)
                        what(shared + (first + at) * shape::right_pitch + ((lane() ^ 1) + piece * side), piece);
            }
        }
    }
};

/* Where sums go: to C, or to a dense array of its size. */
struct aim {
    float *base;
    lay_cuda_walk m, n;
    float alpha, beta;
    bool is_vector; /* 4 columns from each multiple of 4 on are one aligned vector */
};
__device__ __forceinline__ aim aim_at_c(const lay_cuda_args &args)
{
    return { static_cast<float *>(args.c), args.result_m,   args.result_n,
             args.alpha.f32,               args.beta.f32, args.is_c_vector != 0 };
}
__device__ __forceinline__ aim aim_of(const lay_cuda_args &args)
{
    float *dense = static_cast<float *>(args.partial);
    if (!dense)
        return aim_at_c(args);
    dense += static_cast<int64_t>(blockIdx.z) * args.m * args.n;
    return { dense, { nullptr, args.n, 0, 0 }, { nullptr, 1, 0, 0 }, 1, 0, args.n % 4 == 0 };
}

template <typename shape> __device__ __forceinline__ bool is_whole(const lay_cuda_args &args, int m, int n)
{
    return m + shape::bm <= args.m && n + shape::bn <= args.n;
}

/* A whole tile straight from registers. Partial sums go out as 1 * sum: a plain store of sums would bind them to
 * registers in the order of memory, where they collide with fragments. */
template <typename shape>
__device__ __forceinline__ void write_whole(const aim &to, const float (&sums)[shape::tm][shape::tn], int m, int n)
{
    const typename shape::place own = shape::of_thread(threadIdx.x % shape::threads);
    float *row = to.base + (m + own.m) * to.m.stride + (n + own.n) * to.n.stride;
#pragma unroll
    for (int i = 0; i < shape::tm; i++) {
#pragma unroll
        for (int j = 0; j < shape::tn; j += 4) {
            float *c = row + shape::column(j);
            const float4 sum = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
            *reinterpret_cast<float4 *>(c) = blend4(to.alpha, sum, to.beta, c);
        }
        if (i + 1 < shape::tm)
            row += (shape::row(i + 1) - shape::row(i)) * to.m.stride;
    }
}

/* A part of the tile from shared memory, each sum of so many slices: in vectors. */
template <typename shape>
__device__ __forceinline__ void write_vectors(const aim &to, float *shared, int part, int slices, int threads, int m,
                                              int n)
{
    using way = passage<shape>;
#pragma unroll 1
    for (int at = threadIdx.x; at < way::height * shape::bn / 4; at += threads) {
        const int row = at / (shape::bn / 4), column = at % (shape::bn / 4) * 4;
        const float4 *sums = reinterpret_cast<const float4 *>(shared + row * shape::right_pitch + column);
        float4 sum = sums[0];
#pragma unroll
        for (int slice = 1; slice < shape::groups; slice++)
            if (slice < slices) {
                const float4 more = sums[slice * (shape::sums / 4)];
                sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
            }
        float *c = to.base + offset_at(to.m, m + way::row_of_tile(row, part)) + offset_at(to.n, n + column);
        *reinterpret_cast<float4 *>(c) = blend4(to.alpha, swapped(sum), to.beta, c);
    }
}

/* Element by element: tiles that are not whole, and where rows of C are not made of vectors. */
template <typename shape>
__device__ __forceinline__ void write_elements(const lay_cuda_args &args, const aim &to, float *shared, int part,
                                               int slices, int threads, int m, int n)
{
    using way = passage<shape>;
    float *row;
    way::each(
        shared, part, args.m - m, args.n - n, threads,
        [&](int i) { row = to.base + offset_at(to.m, m + i) + (to.n.table ? 0 : (n + way::lane()) * to.n.stride); },
        [&](const float *at, int piece) {
            float sum = *at;
#pragma unroll
            for (int slice = 1; slice < shape::groups; slice++)
                if (slice < slices)
                    sum += at[slice * shape::sums];
            float *c = row + (to.n.table ? __ldg(to.n.table + n + way::lane() + piece * way::side)
                                         : piece * way::side * to.n.stride);
            *c = blend(to.alpha, sum, to.beta, c);
        });
}

template <typename shape>
__device__ __forceinline__ void write_part(const lay_cuda_args &args, const aim &to, float *shared, int part,
                                           int slices, int threads, int m, int n)
{
    if (to.is_vector && is_whole<shape>(args, m, n))
        write_vectors<shape>(to, shared, part, slices, threads, m, n);
    else
        write_elements<shape>(args, to, shared, part, slices, threads, m, n);
}

/* The sums of one slice, through shared memory. */
template <typename shape>
__device__ __forceinline__ void write_parts(const lay_cuda_args &args, const aim &to,
                                            const float (&sums)[shape::tm][shape::tn], float *shared, int m, int n)
{
#pragma unroll 1
    for (int part = 0; part < passage<shape>::parts; part++) {
        __syncthreads();
        passage<shape>::put(sums, shared, part);
        __syncthreads();
        write_part<shape>(args, to, shared, part, 1, shape::threads, m, n);
    }
}

/* C's tile from the slices that blocks left, in ascending order. */
template <typename shape> __device__ __forceinline__ void add_slices(const lay_cuda_args &args, int m, int n)
{
    using way = passage<shape>;
    constexpr int batch = 4; /* on their way at a time */
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    const aim to = aim_at_c(args);
    const float *from;
    float *row;
#pragma unroll 1
    for (int part = 0; part < way::parts; part++)
        way::each(
            nullptr, part, args.m - m, args.n - n, shape::threads,
            [&](int i) {
                from = static_cast<const float *>(args.partial) + static_cast<int64_t>(m + i) * args.n + n + way::lane();
                row = to.base + offset_at(to.m, m + i);
            },
            [&](const float *, int piece) {
                const float *slices = from + piece * way::side;
                float sum = __ldcg(slices), more[batch]; /* other multiprocessors wrote some: L1 knows nothing of that */
#pragma unroll 1
                for (int slice = 1; slice < args.slices; slice += batch) {
#pragma unroll
                    for (int ahead = 0; ahead < batch; ahead++)
                        if (slice + ahead < args.slices)
                            more[ahead] = __ldcg(slices + (slice + ahead) * size);
#pragma unroll
                    for (int ahead = 0; ahead < batch; ahead++)
                        if (slice + ahead < args.slices)
                            sum += more[ahead];
                }
                float *c = row + offset_at(to.n, n + way::lane() + piece * way::side);
                *c = blend(to.alpha, sum, to.beta, c);
            });
}

/* The other way: sums that another product left. */
template <typename shape>
__device__ __forceinline__ void resume_sums(const lay_cuda_args &args, float (&sums)[shape::tm][shape::tn],
                                            float *shared, int m, int n)
{
    const float *dense = static_cast<const float *>(args.resume) + n + passage<shape>::lane(), *row;
#pragma unroll 1
    for (int part = 0; part < passage<shape>::parts; part++) {
        passage<shape>::each(
            shared, part, args.m - m, args.n - n, shape::threads,
            [&](int i) { row = dense + static_cast<int64_t>(m + i) * args.n; },
            [&](float *at, int piece) { *at = __ldcg(row + piece * passage<shape>::side); });
        __syncthreads();
        passage<shape>::take(sums, shared, part);
        __syncthreads();
    }
}

#endif
