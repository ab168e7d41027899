/* A row of the table from its kind and tile. */
#ifndef LAY_KERNELS_CUDA_MMA_ROW_CUH
#define LAY_KERNELS_CUDA_MMA_ROW_CUH

#include "cuda/mma/multiply.cuh"
#include "cuda/narrow/passes.cuh"

namespace
{

template <class S, lay_mma_way left, lay_mma_way right> constexpr void set(lay_cuda_kernel &row)
{
    row.function[left][right] = reinterpret_cast<const void *>(&multiply<S, left, right>);
}

template <class S> constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    lay_cuda_kernel made = {};
    made.family = "mma";
    made.name = name;
    made.contract = LAY_CUDA_MMA;
    made.type = S::type == FP16 ? LAY_F16 : S::type == BF16 ? LAY_BF16 : LAY_F32;
    made.least_sm = 80;
    made.bm = S::bm;
    made.bn = S::bn;
    made.bk = S::steps;
    made.threads = S::threads;
    made.shared = S::shared;
    made.blocks_per_sm = S::blocks;
    made.can_slice = 1;
    made.band = S::band;
    made.rate = rate;
    made.start = start;
    made.passes = passes;
    set<S, LAY_MMA_ALONG, LAY_MMA_ALONG>(made);
    set<S, LAY_MMA_ALONG, LAY_MMA_ACROSS>(made);
    set<S, LAY_MMA_ACROSS, LAY_MMA_ALONG>(made);
    set<S, LAY_MMA_ACROSS, LAY_MMA_ACROSS>(made);
    set<S, LAY_MMA_ALONG_TABLE, LAY_MMA_ALONG_TABLE>(made);
    set<S, LAY_MMA_ALONG_TABLE, LAY_MMA_ACROSS_TABLE>(made);
    set<S, LAY_MMA_ACROSS_TABLE, LAY_MMA_ALONG_TABLE>(made);
    set<S, LAY_MMA_ACROSS_TABLE, LAY_MMA_ACROSS_TABLE>(made);
    return made;
}

} // namespace

#endif
