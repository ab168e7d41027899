/* Which kernels convert 16-bit numbers. */
#ifndef LAY_STORAGE_HALF_H
#define LAY_STORAGE_HALF_H

#include "cpu_half.h"

/* The row of the highest level up to isa. type: LAY_F16 or LAY_BF16. */
const lay_half_row *lay_half_find(lay_type type, lay_isa isa);

#endif
