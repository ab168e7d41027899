/* A block's sums in shared memory: in which order they lie there, and how threads share them. */
#ifndef LAY_KERNELS_CUDA_SIMT_PASSAGE_CUH
#define LAY_KERNELS_CUDA_SIMT_PASSAGE_CUH

#include "cuda/simt/tile.cuh"

__device__ __forceinline__ float4 swapped(float4 of)
{
    return make_float4(of.y, of.x, of.w, of.z);
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
 * them, which is a part: [height][right_pitch], bands of rows that are neighbours in the tile. */
template <typename shape> struct passage {
    static constexpr int rows = shape::rows_at_once, parts = shape::tm / rows;
    static constexpr int height = shape::bm / shape::tm * rows, band = parts == 1 ? height : shape::lanes_m * rows;

    /* Row i of this thread's, which is of the part; columns from the thread's first on. */
    static __device__ __forceinline__ float *mine(float *shared, int i)
    {
        const typename shape::place own = shape::of_thread(threadIdx.x % shape::threads);
        const int warp = own.m / (shape::lanes_m * shape::tm), lane = own.m % (shape::lanes_m * shape::tm);
        return shared + (warp * shape::lanes_m * rows + lane + shape::row(i % rows)) * shape::right_pitch + own.n;
    }
    /* Of a band: the tile's row that is its first. */
    static __device__ __forceinline__ int first_of(int band_first, int part)
    {
        return parts == 1 ? 0 : band_first * parts + part * band;
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
};

/* How so many threads share a part in accesses of `wide` elements: lanes side by side go along rows, and each thread
 * has some rows at a time, so that their waiting is one. */
template <typename shape, int wide, int threads> struct share {
    static constexpr int copies = shape::bn / wide, side = copies % 32 == 0 ? 32 : copies & -copies;
    static constexpr int pieces = copies / side, apart = threads / side;
    static constexpr int band = passage<shape>::band, most = 8 / wide / pieces;
    static constexpr bool fits(int rows)
    {
        return rows <= most && band % (apart * rows) == 0;
    }
    static constexpr int batch = fits(8) ? 8 : fits(4) ? 4 : fits(2) ? 2 : 1;
    static_assert(threads % side == 0, "lanes stay at their columns");

    static __device__ __forceinline__ int column()
    {
        return threadIdx.x % side * wide;
    }
    static __device__ __forceinline__ int row()
    {
        return threadIdx.x / side;
    }
    /* In shared memory, from the thread's first. */
    static constexpr __device__ int place(int b, int piece)
    {
        return b * apart * shape::right_pitch + piece * side * wide;
    }

    template <typename What> static __device__ __forceinline__ void each(What what)
    {
#pragma unroll
        for (int b = 0; b < batch; b++)
#pragma unroll
            for (int piece = 0; piece < pieces; piece++)
                what(b, piece);
    }
};

#endif
