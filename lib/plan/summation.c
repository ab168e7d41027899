/* The order of a sum. */
#include "plan/summation.h"

#include "base/arith.h"

lay_summation lay_summation_choose(lay_isa isa)
{
    return isa == LAY_ISA_C ? LAY_SUM_ROUNDED : LAY_SUM_FUSED;
}

int64_t lay_summation_kc(int64_t k)
{
    const int64_t blocks = ceil_div(k, LAY_KC);
    return min_of(k, round_up(ceil_div(k, blocks), 8));
}

int64_t lay_summation_slice(int64_t m, int64_t n, int64_t k)
{
    const int64_t kc = lay_summation_kc(max_of(k, 1)), blocks = ceil_div(max_of(k, 1), kc);
    if (m > LAY_SLICED_SIDE || n > LAY_SLICED_SIDE || blocks < LAY_SLICED_BLOCKS)
        return max_of(k, 1);
    return kc * max_of(LAY_SLICE_BLOCKS, ceil_div(blocks, LAY_MOST_SLICES));
}

int lay_summation_has_partial_sums(int64_t m, int64_t n, int64_t k)
{
    return (m == 1 || n == 1) && k >= LAY_PARTIAL_SUMS_STEPS;
}

lay_sum lay_sum_of(int64_t m, int64_t n, int64_t k)
{
    return (lay_sum){ .block = lay_summation_kc(max_of(k, 1)),
                      .slice = lay_summation_slice(m, n, k),
                      .has_partial_sums = lay_summation_has_partial_sums(m, n, k) };
}

lay_sum lay_sum_within(lay_sum whole, int64_t k)
{
    const int64_t most = max_of(k, 1);
    return (lay_sum){ .block = min_of(whole.block, most),
                      .slice = min_of(whole.slice, most),
                      .has_partial_sums = whole.has_partial_sums };
}
