/* Complex numbers of two float, AVX-512. */
#include "cpu/avx512/vec_f32.h"
#define WORD uint32_t
#include "cpu/simd/expand.h"

const lay_expand_row lay_expand_c32_avx512 = {
    .name = "lay_expand_c32_avx512", .type = LAY_C32, .isa = LAY_ISA_AVX512, .expand = expand
};
