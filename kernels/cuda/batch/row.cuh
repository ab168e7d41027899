/* A row of the table from its shape. */
#ifndef LAY_KERNELS_CUDA_BATCH_ROW_CUH
#define LAY_KERNELS_CUDA_BATCH_ROW_CUH

#include "cuda/batch/multiply.cuh"

namespace batch
{

template <class S>
__global__ void __launch_bounds__(S::threads, S::blocks) multiply(const __grid_constant__ lay_cuda_batch_args args)
{
    extern __shared__ __align__(128) char shared[];
    multiply_units<S>(args, shared);
}

template <class S> constexpr lay_cuda_kernel row(const char *name, lay_type type)
{
    lay_cuda_kernel made = {};
    made.family = "batch";
    made.name = name;
    made.contract = LAY_CUDA_BATCH;
    made.type = type;
    made.order = LAY_CUDA_CHAIN;
    made.least_sm = 80;
    made.bm = S::bm;
    made.bn = S::bn;
    made.bk = S::bk;
    made.threads = S::threads;
    made.shared = S::slots * S::turn_size + (S::alignment > 128 ? S::alignment : 0);
    made.blocks_per_sm = S::blocks;
    made.can_slice = 1;
    made.function[0][0] = reinterpret_cast<const void *>(&multiply<S>);
    return made;
}

} // namespace batch

#endif
