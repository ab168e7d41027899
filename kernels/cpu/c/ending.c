/* What becomes of sums, in portable C. */
#include "cpu/simd/ending.h"

ENDING_ROW(c, LAY_ISA_C)
