/* A row of the table from its tiles: every way of fetching, each with the stages that suit it. */
#ifndef LAY_KERNELS_CUDA_SIMT_ROW_CUH
#define LAY_KERNELS_CUDA_SIMT_ROW_CUH

#include "cuda/simt/multiply.cuh"

namespace
{

constexpr int largest(int a, int b, int c)
{
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

template <typename shape> constexpr lay_cuda_kernel row_of(const char *name, double rate, double start, double fetch)
{
    lay_cuda_kernel made = {};
    made.family = "simt";
    made.name = name;
    made.type = LAY_F32;
    made.order = LAY_CUDA_CHAIN;
    made.can_resume = made.can_slice = 1;
    made.bm = shape::bm;
    made.bn = shape::bn;
    made.bk = shape::bk;
    made.band = band;
    made.threads = shape::threads * shape::groups;
    made.shared = shape::shared;
    made.blocks_per_sm = shape::blocks;
    made.groups = shape::groups > 1 ? shape::groups : 0;
    made.least_sm = shape::least_sm;
    made.can_overlap = 1;
    made.rate = rate;
    made.start = start;
    made.crowding = shape::groups > 1 ? 1 : 0.8;
    /* A warp alone on its scheduler waits for its fragments, the longer the fewer products it has a step: measured. */
    constexpr double products = shape::tm * shape::tn;
    made.lone = 1 + 150 / (products * products);
    for (int way = LAY_CUDA_ALONG_VECTOR; way < LAY_CUDA_CLASSES; way++)
        made.fetch[way] = fetch;
    return made;
}

template <typename shape, lay_cuda_class left, lay_cuda_class right> constexpr const void *function_of()
{
    return reinterpret_cast<const void *>(&multiply<shape, left, right>);
}

/* A row of a small tile: where only one operand has vectors, none is copied in vectors. ones: what single elements
 * cost, where that is more than vectors along k. */
template <typename shape>
constexpr lay_cuda_kernel small_row(const char *name, double rate, double start, double fetch, double ones = 0)
{
    lay_cuda_kernel made = row_of<shape>(name, rate, start, fetch);
    if (ones > 0)
        made.fetch[LAY_CUDA_ACROSS] = made.fetch[LAY_CUDA_ALONG] = ones;
    constexpr lay_cuda_class vector = LAY_CUDA_ACROSS_VECTOR, depth = LAY_CUDA_ALONG_VECTOR;
    constexpr lay_cuda_class across = LAY_CUDA_ACROSS, along = LAY_CUDA_ALONG;
    const void *const singles[2][2] = {
        { function_of<shape, across, across>(), function_of<shape, across, along>() },
        { function_of<shape, along, across>(), function_of<shape, along, along>() },
    };
    for (int left = 0; left < LAY_CUDA_CLASSES; left++)
        for (int right = 0; right < LAY_CUDA_CLASSES; right++)
            made.function[left][right] = singles[goes_along(left)][goes_along(right)];
    made.function[vector][vector] = function_of<shape, vector, vector>();
    made.function[vector][depth] = function_of<shape, vector, depth>();
    made.function[depth][vector] = function_of<shape, depth, vector>();
    made.function[depth][depth] = function_of<shape, depth, depth>();
    return made;
}

/* A row of a large tile, by its shapes: where both operands have vectors across, where one has, where both have them
 * along k or an operand has none. They differ in stages and in how these are filled, which decides about no bit. */
template <typename across, typename mixed, typename along>
constexpr lay_cuda_kernel row(const char *name, double rate, double start, double fetch)
{
    lay_cuda_kernel made = row_of<along>(name, rate, start, fetch);
    made.bk = largest(across::bk, mixed::bk, along::bk);
    made.shared = largest(across::shared, mixed::shared, along::shared);
    constexpr lay_cuda_class vector = LAY_CUDA_ACROSS_VECTOR, depth = LAY_CUDA_ALONG_VECTOR, any = LAY_CUDA_ACROSS;
    for (auto &left : made.function)
        for (auto &function : left)
            function = reinterpret_cast<const void *>(&multiply<along, any, any>);
    made.function[vector][vector] = reinterpret_cast<const void *>(&multiply<across, vector, vector>);
    made.function[vector][depth] = reinterpret_cast<const void *>(&multiply<mixed, vector, depth>);
    made.function[depth][vector] = reinterpret_cast<const void *>(&multiply<mixed, depth, vector>);
    made.function[depth][depth] = reinterpret_cast<const void *>(&multiply<along, depth, depth>);
    return made;
}

} // namespace

#endif
