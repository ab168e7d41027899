/* A lane's sums by fused multiply-adds: each thread has tm x tn of them. */
#ifndef LAY_KERNELS_CUDA_SKINNY_SIMT_CUH
#define LAY_KERNELS_CUDA_SKINNY_SIMT_CUH

#include "cuda/skinny/feed.cuh"

namespace skinny
{

template <typename Element, int block_m, int block_n, int tm, int tn> struct simt {
    using T = Element;
    static constexpr int v = of_type<T>::vector, group = v;
    static constexpr int bm = block_m, bn = block_n, threads_m = bm / tm, threads_n = bn / tn,
                         threads = threads_m * threads_n;

    /* Chunk c of x at c ^ (x / v % 8): threads whose x differ by v meet no bank twice. */
    template <int extent_, int bk_, bool along, bool> struct image {
        using T = Element;
        static constexpr int extent = extent_, bk = bk_;
        static constexpr bool is_along = along;
        static_assert(!along || bk / v % 8 == 0, "room for the exclusive or");
        static __device__ __forceinline__ int place(int x, int p)
        {
            return along ? x * bk + (p / v ^ x / v % 8) * v + p % v : p * extent + x;
        }
    };

    T sum[tm][tn];
    int m, n; /* the thread's place in its lane */

    __device__ __forceinline__ explicit simt(int thread) : sum{}, m(thread % threads_m), n(thread / threads_m)
    {
    }

    /* A thread's x: v side by side, then as many for each other thread, and again. */
    template <int threads> static __device__ __forceinline__ int index_of(int thread, int own)
    {
        return (own / v * threads + thread) * v + own % v;
    }

    /* The thread's x in the v steps from p on, [own][step]. */
    template <typename Image, int threads, int own>
    static __device__ __forceinline__ void take(T (&to)[own][v], const T *from, int thread, int p)
    {
        if constexpr (Image::is_along) {
#pragma unroll
            for (int i = 0; i < own; i++)
                *reinterpret_cast<chunk<T> *>(to[i]) =
                    *reinterpret_cast<const chunk<T> *>(from + Image::place(index_of<threads>(thread, i), p));
        } else {
#pragma unroll
            for (int step = 0; step < v; step++)
#pragma unroll
                for (int i = 0; i < own; i += v) {
                    const chunk<T> some = *reinterpret_cast<const chunk<T> *>(
                        from + Image::place(index_of<threads>(thread, i), p + step));
#pragma unroll
                    for (int e = 0; e < v; e++)
                        to[i + e][step] = some.element[e];
                }
        }
    }

    template <typename Left, typename Right> __device__ __forceinline__ void add(const T *left, const T *right, int p)
    {
        T a[tm][v], b[tn][v];
        take<Left, threads_m>(a, left, m, p);
        take<Right, threads_n>(b, right, n, p);
#pragma unroll
        for (int step = 0; step < v; step++)
#pragma unroll
            for (int i = 0; i < tm; i++)
#pragma unroll
                for (int j = 0; j < tn; j++)
                    sum[i][j] = fma(a[i][step], b[j][step], sum[i][j]);
    }

    /* what(x, j, sums (x, j) to (x, j + v - 1)) */
    template <typename What> __device__ __forceinline__ void for_chunks(What what) const
    {
#pragma unroll
        for (int i = 0; i < tm; i++)
#pragma unroll
            for (int j = 0; j < tn; j += v)
                what(index_of<threads_m>(m, i), index_of<threads_n>(n, j),
                     *reinterpret_cast<const chunk<T> *>(&sum[i][j]));
    }
};

} // namespace skinny

#endif
