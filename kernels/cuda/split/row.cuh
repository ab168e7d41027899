/* A row of the table from its shape. */
#ifndef LAY_KERNELS_CUDA_SPLIT_ROW_CUH
#define LAY_KERNELS_CUDA_SPLIT_ROW_CUH

#include "cuda/split/multiply.cuh"

extern "C" const lay_cuda_pass lay_cuda_split_clear, lay_cuda_split_prepare, lay_cuda_split_other, lay_cuda_split_add,
    lay_cuda_split_patch;

namespace
{

/* As enum lay_cuda_split_pass. */
constexpr const lay_cuda_pass *passes[] = { &lay_cuda_split_clear, &lay_cuda_split_prepare, &lay_cuda_split_other,
                                            &lay_cuda_split_add,   &lay_cuda_split_patch,   nullptr };

template <typename S> constexpr lay_cuda_kernel row_of(const char *name)
{
    lay_cuda_kernel made = {};
    made.family = "split";
    made.name = name;
    made.contract = LAY_CUDA_SPLIT;
    made.type = LAY_F32;
    made.least_sm = 90;
    made.bm = S::bm;
    made.bn = S::bn;
    made.bk = LAY_SPLIT_CHUNK;
    made.threads = producers + consumers;
    made.shared = S::shared;
    made.blocks_per_sm = 1;
    made.can_slice = 1;
    made.function[0][0] = reinterpret_cast<const void *>(&multiply<S, false>);
    made.passes = passes;
    return made;
}

/* rate: of FP16X3; BF16X6 has half of it. */
template <typename S> constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    lay_cuda_kernel made = row_of<S>(name);
    made.rate = rate;
    made.start = start;
    made.function[1][0] = reinterpret_cast<const void *>(&multiply<S, true>);
    return made;
}

} // namespace

#endif
