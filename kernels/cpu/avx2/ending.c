/* What becomes of sums, AVX2. */
#include "cpu/simd/ending.h"

ENDING_ROW(avx2, LAY_ISA_AVX2)
