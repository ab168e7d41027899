/* Loads, stores and rounding of every type, by tests/oracle.h. */
#include "element.h"

#include <float.h>

const element elements[ELEMENTS] = {
    { LAY_F32, "f32", LAY_F32, 1, 0x1p-24, 0x1p-149, 0, 0, FLT_MAX },
    { LAY_F64, "f64", LAY_F64, 1, 0x1p-53, 0x1p-1074, 0, 0, DBL_MAX },
    { LAY_F16, "f16", LAY_F16, 1, 0x1p-24, 0x1p-149, 0x1p-11, 0x1p-25, 65504 },
    { LAY_BF16, "bf16", LAY_BF16, 1, 0x1p-24, 0x1p-149, 0x1p-8, 0x1p-134, 0x1.fep127 },
    { LAY_C32, "c32", LAY_F32, 2, 0x1p-24, 0x1p-149, 0, 0, FLT_MAX },
    { LAY_C64, "c64", LAY_F64, 2, 0x1p-53, 0x1p-1074, 0, 0, DBL_MAX },
};

number element_load(const element *of, const void *zero, int64_t offset)
{
    return (number){ oracle_load(of->part, zero, offset * of->parts),
                     of->parts == 2 ? oracle_load(of->part, zero, offset * 2 + 1) : 0 };
}

void element_store(const element *of, void *zero, int64_t offset, number value)
{
    oracle_store(of->part, zero, offset * of->parts, value.re);
    if (of->parts == 2)
        oracle_store(of->part, zero, offset * 2 + 1, value.im);
}

number element_round(const element *of, number value)
{
    return (number){ oracle_round(of->part, value.re), of->parts == 2 ? oracle_round(of->part, value.im) : 0 };
}

scalar scalar_of(const element *of, number value)
{
    scalar made = { { 0 } };
    if (of->part == LAY_F64) {
        made.f64[0] = value.re;
        made.f64[1] = value.im;
    } else {
        made.f32[0] = (float)value.re;
        made.f32[1] = (float)value.im;
    }
    return made;
}
