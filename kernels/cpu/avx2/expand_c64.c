/* Complex numbers of two double, AVX2. */
#include "cpu/avx2/vec_f64.h"
#define WORD uint64_t
#include "cpu/simd/expand.h"

const lay_expand_row lay_expand_c64_avx2 = {
    .name = "lay_expand_c64_avx2", .type = LAY_C64, .isa = LAY_ISA_AVX2, .expand = expand
};
