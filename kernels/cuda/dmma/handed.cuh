/* A warp's sums on their way to a warp of another block by way of memory: those of a unit that is cut, to be gone on
 * with, and those of a slice, to be added up. Each warp of a tile hands over to the one in its place. */
#ifndef LAY_KERNELS_CUDA_DMMA_HANDED_CUH
#define LAY_KERNELS_CUDA_DMMA_HANDED_CUH

#include "cuda/dmma/shares.cuh"

namespace dmma
{

/* What one warp has of C: a shape of its own, for whatever writes tiles. */
template <class S> struct of_warp : S {
    static constexpr int bm = S::wm, bn = S::wn, warps = 1, group_warps = 1, warps_m = 1;
};

/* In memory: [blocks], by roles, then [units]; of each [warps][pairs of a thread][lanes]. */
template <class S> struct sums_in_memory {
    double2 *first;

    __device__ __forceinline__ sums_in_memory(const lay_cuda_args &args, int number, int warp)
        : first(static_cast<double2 *>(args.partial) +
                (static_cast<int64_t>(number) * S::warps + warp) * (S::wm * S::wn / 2) + keep(threadIdx.x) % 32)
    {
    }
    template <class Sums> __device__ __forceinline__ void put(Sums &of) const
    {
        double2 *to = first;
        of.for_pairs([&](int, int, double a, double b) {
            *to = make_double2(a, b);
            to += 32;
        });
        __threadfence();
        __syncwarp();
    }
    /* __ldcg: L1 knows nothing of what others wrote. */
    template <class Sums> __device__ __forceinline__ void take(Sums &to) const
    {
        const double2 *from = first;
        to.for_pairs([&](int, int, double &a, double &b) {
            const double2 both = __ldcg(from);
            a = both.x;
            b = both.y;
            from += 32;
        });
    }
    template <class Sums> __device__ __forceinline__ void add(Sums &to) const
    {
        const double2 *from = first;
        to.for_pairs([&](int, int, double &a, double &b) {
            const double2 both = __ldcg(from);
            a += both.x;
            b += both.y;
            from += 32;
        });
    }
};

/* Counters, with which a launch's grid is (blocks, 1, 1) for all slices: a word for each role, a bit of it for each
 * warp; then so many roles as are drawn; then a word for each tile, in which a warp's place has four bits for the
 * slices that are there. All are zero before and after. */
__device__ __forceinline__ bool is_first_lane()
{
    return threadIdx.x % 32 == 0;
}
__device__ __forceinline__ void announce_sums(const lay_cuda_args &args, int role, int warp)
{
    if (is_first_lane())
        atomicOr(args.counters + role, 1u << warp);
}
__device__ __forceinline__ void await_sums(const lay_cuda_args &args, int role, int warp)
{
    if (is_first_lane()) {
        while ((atomicAnd(args.counters + role, ~(1u << warp)) >> warp & 1) == 0)
            __nanosleep(32);
        __threadfence();
    }
    __syncwarp();
}

/* Slices of the warp's part of a tile that are in memory. */
__device__ __forceinline__ int count_slices(unsigned word, int warp)
{
    return word >> 4 * warp & 15;
}

/* Whether the slice is the last one of these elements: then the sums become those of all slices, added in ascending
 * order; those of the first two are the same either way round. The last one's own stay where they are, if it is one of
 * these and the others are there by now. */
template <class S, class Sums>
__device__ __forceinline__ bool add_slices(Sums &sum, const lay_cuda_args &args, shares &own, const part &now, int warp)
{
    const int tile = now.unit % own.tiles, slice = now.unit / own.tiles, begun = slice < 2 ? slice : 0;
    const auto unit = [&](int of) { return sums_in_memory<S>(args, own.blocks + of * own.tiles + tile, warp); };
    unsigned *const word = args.counters + own.blocks + 1 + tile;
    if (is_first_lane())
        own.is_last[warp] = count_slices(atomicAdd(word, 0u), warp) == args.slices - 1;
    __syncwarp();
    if (!own.is_last[warp] || slice != begun)
        unit(slice).put(sum);
    if (is_first_lane()) {
        if (!own.is_last[warp])
            own.is_last[warp] = count_slices(atomicAdd(word, 1u << 4 * warp), warp) == args.slices - 1;
        if (own.is_last[warp])
            atomicAnd(word, ~(15u << 4 * warp));
        __threadfence();
    }
    __syncwarp();
    if (!own.is_last[warp])
        return false;
    if (slice != begun)
        unit(begun).take(sum);
#pragma unroll 1
    for (int other = 0; other < args.slices; other++)
        if (other != begun)
            unit(other).add(sum);
    return true;
}

} // namespace dmma

#endif
