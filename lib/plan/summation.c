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
    return min_of(k, ceil_div(ceil_div(k, blocks), 8) * 8);
}
