/* A row of the table from its tiles: every way of fetching, each with the stages that suit it. */
#ifndef LAY_KERNELS_CUDA_SIMT_ROW_CUH
#define LAY_KERNELS_CUDA_SIMT_ROW_CUH

#include "cuda/simt/multiply.cuh"

namespace {

constexpr int largest(int a, int b, int c)
{
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

/* A row's shapes: where both operands have vectors across, where one has, where both have them along k or an
 * operand has none. They differ in stages and in how these are filled, which decides about no bit. */
template <typename across, typename mixed, typename along>
constexpr lay_cuda_kernel row(const char *name, double rate, double start)
{
    using shape = along;
    lay_cuda_kernel made = {};
    made.family = "simt";
    made.name = name;
    made.type = LAY_F32;
    made.order = LAY_CUDA_CHAIN;
    made.can_resume = made.can_slice = 1;
    made.bm = shape::bm;
    made.bn = shape::bn;
    made.bk = largest(across::bk, mixed::bk, along::bk);
    made.threads = shape::threads * shape::groups;
    made.shared = largest(across::shared, mixed::shared, along::shared);
    made.blocks_per_sm = shape::blocks;
    made.groups = shape::groups > 1 ? shape::groups : 0;
    made.least_sm = 80;
    made.rate = rate;
    made.start = start;
    constexpr lay_cuda_class vector = LAY_CUDA_ACROSS_VECTOR, depth = LAY_CUDA_ALONG_VECTOR;
    constexpr lay_cuda_class a = LAY_CUDA_ACROSS, k = LAY_CUDA_ALONG;
    const void *const singles[2][2] = { { reinterpret_cast<const void *>(&multiply<shape, a, a>),
                                          reinterpret_cast<const void *>(&multiply<shape, a, k>) },
                                        { reinterpret_cast<const void *>(&multiply<shape, k, a>),
                                          reinterpret_cast<const void *>(&multiply<shape, k, k>) } };
    for (int left = 0; left < LAY_CUDA_CLASSES; left++)
        for (int right = 0; right < LAY_CUDA_CLASSES; right++)
            made.function[left][right] = singles[goes_along(static_cast<lay_cuda_class>(left))]
                                                [goes_along(static_cast<lay_cuda_class>(right))];
    made.function[vector][vector] = reinterpret_cast<const void *>(&multiply<across, vector, vector>);
    made.function[vector][depth] = reinterpret_cast<const void *>(&multiply<mixed, vector, depth>);
    made.function[depth][vector] = reinterpret_cast<const void *>(&multiply<mixed, depth, vector>);
    made.function[depth][depth] = reinterpret_cast<const void *>(&multiply<along, depth, depth>);
    return made;
}

} // namespace

#endif
