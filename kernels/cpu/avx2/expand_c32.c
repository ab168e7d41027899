/* Complex numbers of two float, AVX2. */
#define REAL  float
#define WORD  uint32_t
#define LANES 8
#include "cpu/simd/expand.h"

const lay_expand_row lay_expand_c32_avx2 = {
    .name = "lay_expand_c32_avx2", .type = LAY_C32, .isa = LAY_ISA_AVX2, .expand = expand
};
