/* A row of the table from its shape. */
#ifndef LAY_KERNELS_CUDA_DMMA_ROW_CUH
#define LAY_KERNELS_CUDA_DMMA_ROW_CUH

#include "cuda/dmma/product.cuh"

namespace dmma
{

template <class S, way left> constexpr void fill(const void *(&to)[LAY_CUDA_CLASSES])
{
    to[LAY_CUDA_ACROSS_VECTOR] = reinterpret_cast<const void *>(&multiply<S, left, ACROSS>);
    to[LAY_CUDA_ALONG_VECTOR] = reinterpret_cast<const void *>(&multiply<S, left, ALONG>);
    to[LAY_CUDA_ACROSS] = to[LAY_CUDA_ALONG] = reinterpret_cast<const void *>(&multiply<S, left, SINGLE>);
}

/* All but the functions. */
template <class S> constexpr lay_cuda_kernel row_by(const char *name, double rate, double start)
{
    lay_cuda_kernel made = {};
    made.family = "dmma";
    made.name = name;
    made.type = LAY_F64;
    made.order = LAY_CUDA_CHAIN;
    made.can_resume = made.can_slice = 1;
    made.bm = S::bm;
    made.bn = S::bn;
    made.bk = bk;
    made.band = band;
    made.threads = S::threads;
    made.groups = S::groups > 1 ? S::groups : 0;
    made.shared = S::shared;
    made.blocks_per_sm = S::blocks;
    made.least_sm = S::least_sm;
    made.can_overlap = 1;
    made.rate = rate;
    made.start = start;
    made.crowding = 0.5;
    constexpr bool is_small = S::bm * S::bn < 128 * 64;
    made.fetch[LAY_CUDA_ALONG_VECTOR] = is_small ? 4 : 2;
    made.fetch[LAY_CUDA_ACROSS] = made.fetch[LAY_CUDA_ALONG] = is_small ? 16 : 4;
    return made;
}

/* ones: what single elements cost, where that is not what they cost other tiles. */
template <class S> constexpr lay_cuda_kernel row(const char *name, double rate, double start, double ones = 0)
{
    lay_cuda_kernel made = row_by<S>(name, rate, start);
    if (ones > 0)
        made.fetch[LAY_CUDA_ACROSS] = made.fetch[LAY_CUDA_ALONG] = ones;
    fill<S, ACROSS>(made.function[LAY_CUDA_ACROSS_VECTOR]);
    fill<S, ALONG>(made.function[LAY_CUDA_ALONG_VECTOR]);
    fill<S, SINGLE>(made.function[LAY_CUDA_ACROSS]);
    fill<S, SINGLE>(made.function[LAY_CUDA_ALONG]);
    return made;
}

/* The same of one that has no say in how k is cut: nor has its cost from sizes alone, where it would have the rows of C
 * that full waves of another one leave. */
template <class S> constexpr lay_cuda_kernel following_row(const char *name, double rate)
{
    lay_cuda_kernel made = row<S>(name, rate, 1e9);
    made.follows = 1;
    return made;
}

} // namespace dmma

#endif
