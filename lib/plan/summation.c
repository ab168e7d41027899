/* The order of a sum. */
#include "plan/summation.h"

lay_summation lay_summation_choose(lay_isa isa)
{
    return isa == LAY_ISA_C ? LAY_SUM_ROUNDED : LAY_SUM_FUSED;
}

int64_t lay_summation_kc(lay_type type)
{
    return type == LAY_F32 ? LAY_KC_F32 : LAY_KC_F64;
}
