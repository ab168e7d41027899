/* The slices of a tile by blocks that are apart. Sums of each wait in the workspace as threads have them, and the block
 * that comes last to a tile adds them in ascending order:
 *
 *     partial [tile][slice][vector of a thread][thread]
 *
 * So who writes and who reads go along lines of memory, whatever C's layout is. */
#ifndef LAY_KERNELS_CUDA_NARROW_APART_CUH
#define LAY_KERNELS_CUDA_NARROW_APART_CUH

#include "cuda/narrow/together.cuh"

template <typename S> struct apart {
    using sums = float[S::parts][S::columns / 2];
    static constexpr int each = S::columns / 8, count = S::parts * each; /* vectors of a thread: of a part, of all */
    static constexpr int slice_size = count * S::multipliers;
    /* Vectors on their way at a time, in registers that nothing else needs by then: some of a slice, of some slices. */
    static constexpr int most = S::threads * S::residents <= 384 ? 16 : 8;
    static constexpr int at_once = count < most ? count : most, ahead = most / at_once;

    float4 *const own; /* the thread's first vector of slice 0 */

    static __device__ __forceinline__ float4 *first_of(const lay_narrow_args &args, int tile)
    {
        const int64_t before = static_cast<int64_t>(tile) * args.slices * slice_size;
        float4 *first = reinterpret_cast<float4 *>(args.partial) + before;
        asm volatile("" : "+l"(first)); /* before a thread's own is added, which would be kept in 64 bits */
        return first;
    }

    __device__ __forceinline__ apart(const lay_narrow_args &args, int tile, int thread)
        : own(first_of(args, tile) + thread)
    {
    }
    __device__ __forceinline__ void put(int slice, const sums &sum) const
    {
        float4 *const to = own + slice * slice_size;
#pragma unroll
        for (int number = 0; number < count; number++) {
            const float *const from = &sum[number / each][number % each * 4];
            __stcg(to + number * S::multipliers, make_float4(from[0], from[1], from[2], from[3]));
        }
    }
    /* Of all slices; other multiprocessors wrote some, of which L1 knows nothing. */
    __device__ __forceinline__ void add(int slices, sums &sum) const
    {
#pragma unroll
        for (int part = 0; part < S::parts; part++)
#pragma unroll
            for (int i = 0; i < S::columns / 2; i++)
                sum[part][i] = -0.0f; /* which any first number replaces */
#pragma unroll
        for (int first = 0; first < count; first += at_once) {
            const float4 *from = own + first * S::multipliers;
#pragma unroll ahead
            for (int slice = 0; slice < slices; slice++, from += slice_size)
#pragma unroll
                for (int number = first; number < first + at_once && number < count; number++) {
                    float *const to = &sum[number / each][number % each * 4];
                    const float4 more = __ldcg(from + (number - first) * S::multipliers);
                    to[0] += more.x, to[1] += more.y, to[2] += more.z, to[3] += more.w;
                }
        }
    }
};

/* Whether all slices of the tile are in the workspace now, so that this block is to add them. Leaves zero in the tile's
 * counter then. */
template <typename S> __device__ __forceinline__ bool is_last_of(const lay_narrow_args &args, int tile, int thread)
{
    const unsigned last = args.slices - 1;
    bool is_last = false;
    some_meet<S::multipliers>();
    if (thread == 0)
        is_last = count_up(args.counters + tile, last) == last;
    return some_ask<S::multipliers>(is_last);
}

/* A slice's sums become the tile's, for the block that comes last; of a cluster's tile that there is not, never. */
template <typename S>
__device__ __forceinline__ bool gather(const lay_narrow_args &args, const work &own,
                                       float (&sum)[S::parts][S::columns / 2])
{
    if (own.i >= args.m || own.j >= args.n)
        return false;
    int thread = threadIdx.x;
    asm volatile("" : "+r"(thread)); /* what follows from it is worked out here: registers are short elsewhere */
    const apart<S> of(args, own.tile, thread);
    of.put(own.slice, sum);
    const bool is_last = is_last_of<S>(args, own.tile, thread);
    if (is_last)
        of.add(args.slices, sum);
    return is_last;
}

#endif
