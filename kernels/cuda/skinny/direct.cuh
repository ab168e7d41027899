/* The skinny product that reads left straight into registers, for one to four columns: nothing is used twice, so
 * nothing is gained by keeping it. Order of the sum, lanes and groups of v steps as in product.cuh.
 *
 * A thread has one lane and tm rows. What the class of left decides is who has which:
 *
 *     along:  threads side by side have the lanes of one row: a warp reads whole lines of several rows
 *     across: threads side by side have rows side by side: a warp reads whole lines of a step */
#ifndef LAY_KERNELS_CUDA_SKINNY_DIRECT_CUH
#define LAY_KERNELS_CUDA_SKINNY_DIRECT_CUH

#include "cuda/skinny/feed.cuh"
#include "cuda/skinny/result.cuh"

namespace skinny
{

template <typename Element, int block_m, int block_n, int thread_m, int lane_count, int stages_ahead, int resident>
struct direct_shape {
    using T = Element;
    static constexpr int v = of_type<T>::vector;
    static constexpr int bm = block_m, bn = block_n, tm = thread_m, lanes = lane_count, ahead = stages_ahead;
    static constexpr int turn = v * lanes;           /* steps */
    static constexpr int bk = turn < 64 ? turn : 64; /* where slices may begin; at any chunk, in truth */
    static constexpr int threads_m = bm / tm, threads = threads_m * lanes;
    static constexpr int sums = lanes * bm * bn, panels = 2 * ahead * turn * (bn + v);
    static constexpr int shared = static_cast<int>(sizeof(T)) * (sums > panels ? sums : panels);
    static constexpr int blocks_per_sm = resident; /* registers are dealt so that so many fit */
};

/* Lines of 128 bytes come into L2 whole: what this block leaves of one its neighbours read at about the same time. */
__device__ __forceinline__ chunk<float> read_chunk(const float *from)
{
    chunk<float> to;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to.element[0]), "=f"(to.element[1]), "=f"(to.element[2]), "=f"(to.element[3])
                 : "l"(from));
    return to;
}

__device__ __forceinline__ chunk<double> read_chunk(const double *from)
{
    chunk<double> to;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v2.f64 {%0, %1}, [%2];"
                 : "=d"(to.element[0]), "=d"(to.element[1])
                 : "l"(from));
    return to;
}

/* What one thread reads of left: the v steps of a chunk in tm rows. */
template <typename S, bool along> struct rows {
    using T = typename S::T;
    static constexpr int v = S::v;
    const T *base;
    const lay_cuda_offsets *steps;
    int64_t offset[S::tm];
    bool is_wide;

    /* The thread's row i: in chunks v of them are side by side if the operand runs across. */
    static __device__ __forceinline__ int row(int thread, int i, bool is_wide)
    {
        return is_wide && !along ? (i / v * S::threads_m + thread) * v + i % v : i * S::threads_m + thread;
    }

    __device__ __forceinline__ rows(const lay_cuda_args &args, int thread, int first, bool is_vector)
        : base(static_cast<const T *>(args.left)), steps(&args.left_k),
          is_wide(is_vector && (along || first + S::bm <= args.m))
    {
#pragma unroll
        for (int i = 0; i < S::tm; i++) /* a row past the edge is another time the last */
            offset[i] = offset_at(args.left_m, min(first + row(thread, i, is_wide), args.m - 1));
    }

    __device__ __forceinline__ void read_wide(T (&a)[S::tm][v], int p) const
    {
        if constexpr (along) {
            const T *from = base + offset_at(*steps, p);
#pragma unroll
            for (int i = 0; i < S::tm; i++)
                *reinterpret_cast<chunk<T> *>(a[i]) = read_chunk(from + offset[i]);
        } else {
#pragma unroll
            for (int step = 0; step < v; step++) {
                const T *from = base + offset_at(*steps, p + step);
#pragma unroll
                for (int i = 0; i < S::tm; i += v) {
                    const chunk<T> some = read_chunk(from + offset[i]);
#pragma unroll
                    for (int e = 0; e < v; e++)
                        a[i + e][step] = some.element[e];
                }
            }
        }
    }

    /* Steps from last on are zeros: copies of the step before, thrown away. */
    template <bool is_whole = false>
    __device__ __forceinline__ void read_elements(T (&a)[S::tm][v], int p, int last) const
    {
#pragma unroll
        for (int step = 0; step < v; step++) {
            const T *from = base + offset_at(*steps, is_whole ? p + step : min(p + step, last - 1));
#pragma unroll
            for (int i = 0; i < S::tm; i++)
                a[i][step] = __ldg(from + offset[i]);
        }
        if constexpr (!is_whole) {
#pragma unroll
            for (int step = 0; step < v; step++)
#pragma unroll
                for (int i = 0; i < S::tm; i++)
                    a[i][step] = p + step < last ? a[i][step] : T(0);
        }
    }
};

/* The same of right: all columns. */
template <typename S> struct columns {
    using T = typename S::T;
    using vec = typename of_type<T>::vec;
    static constexpr int v = S::v;
    const T *base;
    const lay_cuda_offsets *steps;
    int64_t offset[S::bn];
    bool is_wide;

    __device__ __forceinline__ columns(const lay_cuda_args &args, int first)
        : base(static_cast<const T *>(args.right)), steps(&args.right_k),
          is_wide(!steps->table && steps->stride == 1 && reinterpret_cast<uintptr_t>(base) % 16 == 0)
    {
#pragma unroll
        for (int j = 0; j < S::bn; j++) {
            offset[j] = offset_at(args.right_n, min(first + j, args.n - 1));
            is_wide = is_wide && offset[j] % v == 0;
        }
    }

    __device__ __forceinline__ void read(T (&b)[S::bn][v], int p, int last) const
    {
        if (is_wide && p + v <= last) {
#pragma unroll
            for (int j = 0; j < S::bn; j++)
                *reinterpret_cast<vec *>(b[j]) = __ldg(reinterpret_cast<const vec *>(base + p + offset[j]));
            return;
        }
#pragma unroll
        for (int step = 0; step < v; step++) {
            const T *from = base + offset_at(*steps, min(p + step, last - 1));
#pragma unroll
            for (int j = 0; j < S::bn; j++) {
                const T some = __ldg(from + offset[j]);
                b[j][step] = p + step < last ? some : T(0);
            }
        }
    }
};

template <typename S, typename T>
__device__ __forceinline__ void add_chunk(T (&sum)[S::tm][S::bn], const T (&a)[S::tm][S::v], const T (&b)[S::bn][S::v])
{
#pragma unroll
    for (int step = 0; step < S::v; step++)
#pragma unroll
        for (int i = 0; i < S::tm; i++)
#pragma unroll
            for (int j = 0; j < S::bn; j++)
                sum[i][j] = fma(a[i][step], b[j][step], sum[i][j]);
}

/* From the threads' sums to C, by way of sums [lanes][bn][bm]. */
template <typename S, typename Rows, typename T>
__device__ __forceinline__ void finish_lanes(const lay_cuda_args &args, const Rows &left, const T (&sum)[S::tm][S::bn],
                                             T *sums, int lane, int thread)
{
#pragma unroll
    for (int i = 0; i < S::tm; i++)
#pragma unroll
        for (int j = 0; j < S::bn; j++)
            sums[(lane * S::bn + j) * S::bm + left.row(thread, i, left.is_wide)] = sum[i][j];
    __syncthreads();
    finish_tile<S>(
        args,
        [&](int x, int j) {
            T some[S::lanes];
#pragma unroll
            for (int l = 0; l < S::lanes; l++)
                some[l] = sums[(l * S::bn + j) * S::bm + x];
            return fold(some);
        },
        [&](int x, int j) -> T & { return sums[j * S::bm + x]; });
}

template <typename S, bool along, bool is_vector>
__global__ void __launch_bounds__(S::threads, S::blocks_per_sm)
    multiply_direct(const __grid_constant__ lay_cuda_args args)
{
    using T = typename S::T;
    constexpr int v = S::v;
    extern __shared__ unsigned char shared[] __attribute__((aligned(16)));
    T *const sums = reinterpret_cast<T *>(shared); /* [lanes][bn][bm] */

    const tile<S> at(args);
    const int lane = along ? threadIdx.x % S::lanes : threadIdx.x / S::threads_m;
    const int thread = along ? threadIdx.x / S::lanes : threadIdx.x % S::threads_m;
    const steps own = steps_of(args, blockIdx.z);
    const rows<S, along> left(args, thread, at.first_m, is_vector);
    const columns<S> right(args, at.first_n);
    T sum[S::tm][S::bn] = {};
    int p = own.first + lane * v;
    if (!is_vector || left.is_wide) /* several stages on their way; else an edge, which takes its time */
#pragma unroll 1
        for (; p + (S::ahead - 1) * S::turn + v <= own.last; p += S::ahead * S::turn) {
            T a[S::ahead][S::tm][v], b[S::bn][v];
#pragma unroll
            for (int stage = 0; stage < S::ahead; stage++)
                if constexpr (is_vector)
                    left.read_wide(a[stage], p + stage * S::turn);
                else
                    left.template read_elements<true>(a[stage], p + stage * S::turn, own.last);
#pragma unroll
            for (int stage = 0; stage < S::ahead; stage++) {
                right.read(b, p + stage * S::turn, own.last);
                add_chunk<S>(sum, a[stage], b);
            }
        }
#pragma unroll 1
    for (; p < own.last; p += S::turn) {
        T a[S::tm][v], b[S::bn][v];
        if (is_vector && left.is_wide && p + v <= own.last)
            left.read_wide(a, p);
        else
            left.read_elements(a, p, own.last);
        right.read(b, p, own.last);
        add_chunk<S>(sum, a, b);
    }

    finish_lanes<S>(args, left, sum, sums, lane, thread);
}

template <typename S>
constexpr lay_cuda_kernel with_functions(lay_cuda_kernel made, const void *across_vector, const void *along_vector,
                                         const void *across, const void *along)
{
    const void *const functions[LAY_CUDA_CLASSES] = { across_vector, along_vector, across, along };
    for (int left = 0; left < LAY_CUDA_CLASSES; left++)
        for (auto &function : made.function[left])
            function = functions[left];
    return made;
}

/* One to four columns. */
template <typename S> constexpr lay_cuda_kernel direct_row(const char *name, int max_n, double rate, double start)
{
    return with_functions<S>(row_of<S>(name, max_n, rate, start),
                             reinterpret_cast<const void *>(&multiply_direct<S, false, true>),
                             reinterpret_cast<const void *>(&multiply_direct<S, true, true>),
                             reinterpret_cast<const void *>(&multiply_direct<S, false, false>),
                             reinterpret_cast<const void *>(&multiply_direct<S, true, false>));
}

} // namespace skinny

#endif
