/* Complex numbers of two float, AVX2. */
#include "cpu/avx2/vec_f32.h"
#define WORD uint32_t
#include "cpu/simd/expand.h"

const lay_expand_row lay_expand_c32_avx2 = {
    .name = "lay_expand_c32_avx2", .type = LAY_C32, .isa = LAY_ISA_AVX2, .expand = expand
};
