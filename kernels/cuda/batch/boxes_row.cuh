/* A row of the table from its shape, whose operands come in boxes. */
#ifndef LAY_KERNELS_CUDA_BATCH_BOXES_ROW_CUH
#define LAY_KERNELS_CUDA_BATCH_BOXES_ROW_CUH

#include "cuda/batch/boxes_multiply.cuh"

namespace batch
{

template <class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    multiply_boxes(const __grid_constant__ lay_cuda_batch_boxed_args args)
{
    extern __shared__ __align__(128) char shared[];
    multiply_boxed<S>(args, shared);
}

/* Without functions. */
template <class S> constexpr lay_cuda_kernel boxed_row(const char *name, lay_type type)
{
    constexpr int apart = 8 * S::left_image::line_bytes; /* what copies swizzle begins at multiples of that */
    static_assert(S::turn_size % apart == 0 && S::left_image::bytes % apart == 0, "turns where copies may put them");
    lay_cuda_kernel made = {};
    made.family = "batch";
    made.name = name;
    made.contract = LAY_CUDA_BATCH;
    made.type = type;
    made.order = LAY_CUDA_CHAIN;
    made.boxes = S::left_image::boxes;
    made.pair = S::company::blocks > 1;
    made.least_sm = 90;
    made.bm = S::bm;
    made.bn = S::bn;
    made.bk = S::bk;
    made.threads = S::threads;
    made.shared = box_ring<S>::bytes + S::shared_sums + 1024;
    made.groups = S::groups > 1 ? S::groups : 0;
    made.most_steps = S::groups > 1 ? S::slots / S::groups * S::bk : 0;
    made.blocks_per_sm = S::blocks;
    made.can_slice = S::can_slice;
    return made;
}

/* f32 and f64: left along k, right across. */
template <class S> constexpr lay_cuda_kernel boxed_row_along_across(const char *name, lay_type type)
{
    lay_cuda_kernel made = boxed_row<S>(name, type);
    made.function[0][1] = reinterpret_cast<const void *>(&multiply_boxes<S>);
    return made;
}

} // namespace batch

#endif
