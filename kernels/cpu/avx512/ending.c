/* What becomes of sums, AVX-512. */
#include "cpu/simd/ending.h"

ENDING_ROW(avx512, LAY_ISA_AVX512)
