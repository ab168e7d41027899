/* Elements of operands on the device: offsets, scalars by type, and how C is written. */
#ifndef LAY_KERNELS_CUDA_ELEMENT_CUH
#define LAY_KERNELS_CUDA_ELEMENT_CUH

#include "cuda_strict.h"

__device__ __forceinline__ int64_t offset_at(const lay_cuda_offsets &offsets, int64_t i)
{
    return offsets.table ? __ldg(offsets.table + i) : i * offsets.stride;
}

/* x / by, from by's inverse: lay_cuda_args_tile. */
__device__ __forceinline__ unsigned quotient(unsigned x, unsigned by, unsigned inverse)
{
    const unsigned low = __umulhi(x, inverse);
    return low + (x - low * by >= by);
}

/* The same without waiting for a table where its segments are known: what a block begins and ends with. */
__device__ __forceinline__ int64_t offset_now(const lay_cuda_offsets &offsets, int i)
{
    if (!offsets.run)
        return offset_at(offsets, i);
    return offsets.base + i * offsets.stride + quotient(i, offsets.run, offsets.inverse) * offsets.jump;
}

/* Whether lanes side by side go along k where an operand of this class is fetched, else across. */
__host__ __device__ constexpr bool goes_along(int way)
{
    return way == LAY_CUDA_ALONG || way == LAY_CUDA_ALONG_VECTOR;
}

template <typename T> struct of_type;
template <> struct of_type<float> {
    using pair = float2;
    using vec = float4; /* 16 bytes */
    static constexpr lay_type type = LAY_F32;
    static constexpr int vector = 4;
    static __device__ __forceinline__ float read(const lay_cuda_scalar &scalar)
    {
        return scalar.f32;
    }
};
template <> struct of_type<double> {
    using pair = double2;
    using vec = double2;
    static constexpr lay_type type = LAY_F64;
    static constexpr int vector = 2;
    static __device__ __forceinline__ double read(const lay_cuda_scalar &scalar)
    {
        return scalar.f64;
    }
};

/* Two launches of one product overlap where the row says so: all blocks of the first say at their start that the second
 * may begin, which happens when the last of them has begun; the last block of the second, at its end, waits until the
 * first has ended, so that what comes behind the second comes behind both. Neither reads what the other writes. */
__device__ __forceinline__ void let_next_begin()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ __forceinline__ void await_previous()
{
#if __CUDA_ARCH__ >= 900
    if (blockIdx.x == gridDim.x - 1 && blockIdx.z == gridDim.z - 1)
        asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Which tile is the block's. */
struct tile_index {
    int m, n;
};
template <unsigned band> __device__ __forceinline__ tile_index tile_of_block(const lay_cuda_args &args)
{
    const unsigned block = blockIdx.x, columns = args.tiles_n, all = args.tiles_m;
    const unsigned first = all <= band ? 0 : quotient(block / band, columns, args.column_inverse) * band;
    const unsigned rows = min(band, all - first), within = block - first * columns;
    const unsigned n = rows == band ? within / band : quotient(within, rows, args.rest_inverse);
    return { static_cast<int>(first + within - n * rows), static_cast<int>(n) };
}

/* Lanes down columns of a tile of so many rows, as lay_cuda_down says: how many lanes, and the row of a rank, whose
 * lowest bits are the lane's. Each rank below rows has a row of its own. */
template <int rows> struct lanes_down {
    static constexpr int most = rows & -rows;
    int apart, lanes; /* logarithms */

    __device__ __forceinline__ explicit lanes_down(unsigned down)
    {
        constexpr int log = most >= 128 ? 7 : most >= 64 ? 6 : most >= 32 ? 5 : most >= 16 ? 4 : most >= 8 ? 3 : 0;
        apart = min(static_cast<int>(down >> 4 & 15), log);
        lanes = min(static_cast<int>(down & 15), log - apart);
    }
    __device__ __forceinline__ int row(int rank) const
    {
        const int inner = (1 << lanes) - 1, outer = (1 << apart) - 1, both = apart + lanes;
        return rank >> both << both | (rank & inner) << apart | (rank >> lanes & outer);
    }
};

/* What C's element becomes. */
template <typename T> __device__ __forceinline__ T blend(T alpha, T sum, T beta, const T *c)
{
    return beta == T(0) ? alpha * sum : fma(alpha, sum, beta * *c);
}

/* The steps of block slice: first and one behind the last. */
struct steps {
    int first, last;
};
__device__ __forceinline__ steps steps_of(const lay_cuda_args &args, int slice)
{
    const int first = slice * args.slice_k; /* fits: at most k */
    return { first, args.slice_k < args.k - first ? first + args.slice_k : args.k };
}

/* Element (i, j) of sums over one slice: to the partial sums, or to C. */
template <typename T> __device__ __forceinline__ void finish(const lay_cuda_args &args, int slice, int i, int j, T sum)
{
    if (args.partial) {
        static_cast<T *>(args.partial)[(static_cast<int64_t>(slice) * args.m + i) * args.n + j] = sum;
        return;
    }
    T *c = static_cast<T *>(args.c) + offset_at(args.result_m, i) + offset_at(args.result_n, j);
    *c = blend(of_type<T>::read(args.alpha), sum, of_type<T>::read(args.beta), c);
}

/* Element (i, j) by itself: the chain of the contract, as it stands there. */
template <typename T> __device__ __forceinline__ void add_chain(const lay_cuda_args &args, int slice, int i, int j)
{
    const T *left = static_cast<const T *>(args.left) + offset_at(args.left_m, i);
    const T *right = static_cast<const T *>(args.right) + offset_at(args.right_n, j);
    T sum = args.resume ? static_cast<const T *>(args.resume)[static_cast<int64_t>(i) * args.n + j] : T(0);
    const steps own = steps_of(args, slice);
    for (int p = own.first; p < own.last; p++)
        sum = fma(left[offset_at(args.left_k, p)], right[offset_at(args.right_k, p)], sum);
    finish(args, slice, i, j, sum);
}

/* For those threads of a block that have written partial sums: whether all slices of the block's tile are there now, so
 * that this block is to add them. meet is a barrier of theirs, one of them is first. Needs counters; leaves zero in
 * the block's own. */
template <class Meet> __device__ __forceinline__ bool is_last_slice(const lay_cuda_args &args, bool is_first, Meet meet)
{
    __shared__ bool is_last;
    __threadfence();
    meet();
    if (is_first)
        is_last = atomicInc(args.counters + blockIdx.x, args.slices - 1) == args.slices - 1u;
    meet();
    __threadfence();
    return is_last;
}
__device__ __forceinline__ bool is_last_slice(const lay_cuda_args &args)
{
    return is_last_slice(args, threadIdx.x == 0, [] { __syncthreads(); });
}

/* Element (i, j) of C from all slices, in ascending order. */
template <typename T> __device__ __forceinline__ void add_slices_at(const lay_cuda_args &args, int64_t i, int64_t j)
{
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
    const T *partial = static_cast<const T *>(args.partial) + i * args.n + j;
    T sum = __ldcg(partial); /* other multiprocessors wrote some: L1 knows nothing of that */
    for (int slice = 1; slice < args.slices; slice++)
        sum += __ldcg(partial + slice * size);
    T *c = static_cast<T *>(args.c) + offset_at(args.result_m, i) + offset_at(args.result_n, j);
    *c = blend(of_type<T>::read(args.alpha), sum, of_type<T>::read(args.beta), c);
}

#endif
