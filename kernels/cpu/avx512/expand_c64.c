/* Complex numbers of two double, AVX-512. */
#include "cpu/avx512/vec_f64.h"
#define WORD uint64_t
#include "cpu/simd/expand.h"

const lay_expand_row lay_expand_c64_avx512 = {
    .name = "lay_expand_c64_avx512", .type = LAY_C64, .isa = LAY_ISA_AVX512, .expand = expand
};
