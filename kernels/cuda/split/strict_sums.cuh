/* Path STRICT's slices -> C, added in ascending order: by a launch behind that of their sums, as a tile's last block
 * would add them alone while the others rest (bench/LOG.md, 144). */
#ifndef LAY_KERNELS_CUDA_SPLIT_STRICT_SUMS_CUH
#define LAY_KERNELS_CUDA_SPLIT_STRICT_SUMS_CUH

#include "cuda/element.cuh"
#include "cuda_split.h"

namespace strict_sums
{

template <int v> struct sums {
    float at[v];

    __device__ __forceinline__ void fetch(const float *from)
    {
        if constexpr (v == 4) {
            const float4 all = __ldcg(reinterpret_cast<const float4 *>(from));
            at[0] = all.x, at[1] = all.y, at[2] = all.z, at[3] = all.w;
        } else {
            at[0] = __ldcg(from);
        }
    }
    __device__ __forceinline__ void add(const sums &more)
    {
#pragma unroll
        for (int e = 0; e < v; e++)
            at[e] += more.at[e];
    }
    /* Vectors of C where there are some; at: in C's order. */
    __device__ __forceinline__ void write(const lay_cuda_split_args &args, int64_t place) const
    {
        const bool is_short = place <= UINT32_MAX; /* a short division is some times faster */
        const int64_t row = is_short ? static_cast<uint32_t>(place) / static_cast<uint32_t>(args.n) : place / args.n;
        const int column = static_cast<int>(place - row * args.n);
        float *const line = args.c + offset_at(args.result_m, row);
        if (v == 4 && args.is_c_vector) {
            float4 *const to = reinterpret_cast<float4 *>(line + offset_at(args.result_n, column));
            const float4 old = args.beta == 0 ? float4() : *to;
            *to = make_float4(
                blend(args.alpha, at[0], args.beta, &old.x), blend(args.alpha, at[v / 4], args.beta, &old.y),
                blend(args.alpha, at[v / 2], args.beta, &old.z), blend(args.alpha, at[v - 1], args.beta, &old.w));
            return;
        }
#pragma unroll
        for (int e = 0; e < v; e++) {
            float *const to = line + offset_at(args.result_n, column + e);
            *to = blend(args.alpha, at[e], args.beta, to);
        }
    }
};

/* By so many threads, of which this is one: of each slice it has some sums on their way at once. */
template <int v>
__device__ __forceinline__ void add_all(const lay_cuda_split_args &args, int64_t thread, int64_t threads)
{
    enum { at_once = 4 };
    const int64_t size = static_cast<int64_t>(args.m) * args.n;
#pragma unroll 1
    for (int64_t first = thread * v; first < size; first += threads * at_once * v) {
        const float *slice = args.strict_partial + first;
        sums<v> sum[at_once], more[at_once];
        const auto fetch = [&](sums<v>(&to)[at_once]) {
#pragma unroll
            for (int i = 0; i < at_once; i++)
                if (first + i * threads * v < size)
                    to[i].fetch(slice + i * threads * v);
            slice += size;
        };
        fetch(sum);
#pragma unroll 2
        for (int rest = args.strict_slices - 1; rest > 0; rest--) {
            fetch(more);
#pragma unroll
            for (int i = 0; i < at_once; i++)
                sum[i].add(more[i]);
        }
#pragma unroll
        for (int i = 0; i < at_once; i++)
            if (first + i * threads * v < size)
                sum[i].write(args, first + i * threads * v);
    }
}

__device__ __forceinline__ void add_all(const lay_cuda_split_args &args, int64_t thread, int64_t threads)
{
    if (args.n % 4 == 0)
        add_all<4>(args, thread, threads);
    else
        add_all<1>(args, thread, threads);
}

} // namespace strict_sums

#endif
