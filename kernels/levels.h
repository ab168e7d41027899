/* The ISA levels: the one list of them. A level is a set of capabilities, its own and those of levels that it includes;
 * a kernel that needs a level runs where all of them are there, so that levels of other CPUs stand beside these, not
 * above. */
#ifndef LAY_KERNELS_LEVELS_H
#define LAY_KERNELS_LEVELS_H

#include "layoutgemm.h"

/* LEVEL(name, its lay_isa, the capabilities it has), what includes others after them. */
#define LAY_ISA_LEVELS(LEVEL)                                                                                          \
    LEVEL("c", LAY_ISA_C, 0)                                                                                           \
    LEVEL("avx2", LAY_ISA_AVX2, LAY_CAN_AVX2)                                                                          \
    LEVEL("avx512", LAY_ISA_AVX512, LAY_CAN_AVX2 | LAY_CAN_AVX512)                                                     \
    LEVEL("amx", LAY_ISA_AMX, LAY_CAN_AVX2 | LAY_CAN_AVX512 | LAY_CAN_AMX)

/* What CPU and operating system can do, a bit each. */
enum { LAY_CAN_AVX2 = 1, LAY_CAN_AVX512 = 2, LAY_CAN_AMX = 4 };

/* The capabilities of a level. */
static inline unsigned lay_isa_set(lay_isa isa)
{
#define LAY_ISA_SET(name, level, set) [level] = (set),
    static const unsigned sets[] = { LAY_ISA_LEVELS(LAY_ISA_SET) };
#undef LAY_ISA_SET
    return sets[isa];
}

/* Whether a kernel that needs one level may run where there is the other. */
static inline int lay_isa_includes(lay_isa there, lay_isa needed)
{
    return (lay_isa_set(needed) & ~lay_isa_set(there)) == 0;
}

#endif
