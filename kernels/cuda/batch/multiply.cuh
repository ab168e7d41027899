/* A block's loop: units of work one after the other, with the copies of the coming ones always on their way. */
#ifndef LAY_KERNELS_CUDA_BATCH_MULTIPLY_CUH
#define LAY_KERNELS_CUDA_BATCH_MULTIPLY_CUH

#include "cuda/batch/feed.cuh"

namespace batch
{

/* C's element from its sum; of no product where k is 0. */
template <typename T> __device__ __forceinline__ T result_of(const lay_cuda_batch_args &args, T sum, const T *old)
{
    const T alpha = of_type<T>::read(args.alpha), beta = of_type<T>::read(args.beta);
    if (args.k == 0)
        return beta == T(0) ? T(0) : beta * *old;
    return blend(alpha, sum, beta, old);
}

/* A thread's sums to C, in vectors of v columns: `rows` of them, whose places follow from their numbers, and `vectors`
 * in each. What is usual has few instructions, side by side: more would be waited for. */
template <class To, typename T, int rows, int vectors>
__device__ __forceinline__ void write_sums(const lay_cuda_batch_args &args, const result_offsets &at, place tile,
                                           const To &to, const T (&sum)[rows][vectors][of_type<T>::vector])
{
    constexpr int v = of_type<T>::vector;
    char *const c =
        static_cast<char *>(args.c) + static_cast<int64_t>(sizeof(T)) * offset_at(args.result_batch, tile.product);
    const T alpha = of_type<T>::read(args.alpha);
    if (args.c_bytes == 16 && args.n % v == 0 && of_type<T>::read(args.beta) == 0 && args.k > 0) {
#pragma unroll
        for (int i = 0; i < rows; i++) {
            const int m = tile.i + to.row(i);
            char *const line = c + (m < args.m ? at.result_m[m] : 0);
#pragma unroll
            for (int j = 0; j < vectors; j++) {
                const int n = tile.j + to.column(j);
                union {
                    typename of_type<T>::vec all;
                    T element[v];
                } out;
#pragma unroll
                for (int e = 0; e < v; e++)
                    out.element[e] = alpha * sum[i][j][e];
                if (m < args.m && n < args.n)
                    *reinterpret_cast<typename of_type<T>::vec *>(line + at.result_n[n]) = out.all;
            }
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < rows; i++)
#pragma unroll
        for (int j = 0; j < vectors; j++)
#pragma unroll
            for (int e = 0; e < v; e++) {
                const int m = tile.i + to.row(i), n = tile.j + to.column(j) + e;
                if (m < args.m && n < args.n) {
                    T *const one = reinterpret_cast<T *>(c + at.result_m[m] + at.result_n[n]);
                    *one = result_of(args, sum[i][j][e], one);
                }
            }
}

/* What S says:
 *
 *     T, bm, bn, bk, threads           a tile, and a turn's steps
 *     ahead, slots                     turns on their way, and in shared memory: those, and what is being multiplied
 *     left_size, turn_size, alignment  bytes of a turn
 *     left_image, right_image          how they lie there
 *     publish                          what a thread's own copies want before a barrier, when they are there
 *     is_asynchronous                  products go on while copies are begun, until they are awaited; all, until
 * finished sums                             a thread's: add (a turn, the first of a slice or not), fold (a slice),
 * write
 */
template <class S> __device__ __forceinline__ void multiply_units(const lay_cuda_batch_args &args, char *shared)
{
    shared += (S::alignment - address_of(shared) % S::alignment) % S::alignment;
    const offsets at(args, shared + S::slots * S::turn_size);
    at.fill<sizeof(typename S::T), S::threads>(args);
    begin_in_turn();
    __syncthreads();
    feed<S> coming(args, at, address_of(shared));
#pragma unroll 1
    for (int i = 0; i < S::ahead; i++)
        coming.next();
    uint32_t slot = coming.first;
    typename S::sums sums(args);
#pragma unroll 1
    for (int unit = blockIdx.x; unit < args.units; unit += gridDim.x) {
        int end = args.slice_k; /* of the slice */
        bool is_first = true, is_first_slice = true;
        if (args.k == 0)
            sums.clear();
#pragma unroll 1
        for (int step = 0; step < args.k; step += S::bk) {
            wait_groups<S::ahead - 1>();
            S::publish();
            __syncthreads(); /* this turn is there for all, and none reads the one before it any more */
            if constexpr (S::is_asynchronous) {
                sums.add(slot, args.k - step, is_first);
                coming.next();
                sums.await();
            } else {
                coming.next();
                sums.add(slot, args.k - step, is_first);
            }
            is_first = false;
            slot = slot == coming.first + (S::slots - 1) * S::turn_size ? coming.first : slot + S::turn_size;
            if (step + S::bk >= end && end < args.k) { /* another slice follows */
                sums.fold(is_first_slice);
                is_first_slice = false;
                is_first = true;
                end += args.slice_k;
            }
        }
        if constexpr (S::is_asynchronous)
            sums.finish();
        sums.fold(is_first_slice);
        sums.write(args, at, place::of<S>(args, unit));
    }
    wait_groups<0>();
}

} // namespace batch

#endif
