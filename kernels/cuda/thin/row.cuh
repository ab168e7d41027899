/* A row of the table from its shape, and its kernel. */
#ifndef LAY_KERNELS_CUDA_THIN_ROW_CUH
#define LAY_KERNELS_CUDA_THIN_ROW_CUH

#include "cuda/element.cuh"

namespace thin
{

/* Slices of a tile whose last block adds them. */
template <class S> __device__ __forceinline__ void add_counted(const lay_cuda_args &args)
{
    if (!args.counters || !is_last_slice(args))
        return;
    const tile_index tile = tile_of_block<1>(args);
#pragma unroll 1
    for (int e = threadIdx.x; e < S::bm * S::bn; e += S::threads) {
        const int i = tile.m * S::bm + e / S::bn, j = tile.n * S::bn + e % S::bn;
        if (i < args.m && j < args.n)
            add_slices_at<typename S::T>(args, i, j);
    }
}

/* All but the functions. */
template <class S> constexpr lay_cuda_kernel row_of(const char *name, double rate, double start)
{
    lay_cuda_kernel made = {};
    made.family = "thin";
    made.name = name;
    made.type = of_type<typename S::T>::type;
    made.order = LAY_CUDA_CHAIN;
    made.can_resume = made.can_slice = 1;
    made.bm = S::bm;
    made.bn = S::bn;
    made.bk = S::bk;
    made.max_n = S::bn < 32 ? S::bn : 0; /* narrow tiles read left too often */
    made.max_k = S::max_k;
    made.follows = 1;
    made.band = 1;
    made.threads = S::threads;
    made.shared = S::shared;
    made.blocks_per_sm = S::blocks;
    made.least_sm = 80;
    made.can_overlap = 1;
    made.rate = rate;
    made.start = start;
    made.crowding = 0.8;
    return made;
}

} // namespace thin

#endif
