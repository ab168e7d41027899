/* Complex numbers of two float, portable C. */
#define REAL float
enum { LANES = 4 };
#include "cpu/c/vec.h"
#define WIDTH 4
#include "cpu/simd/pairs.h"
#define WORD uint32_t
#include "cpu/simd/expand.h"

const lay_expand_row lay_expand_c32_c = {
    .name = "lay_expand_c32_c", .type = LAY_C32, .isa = LAY_ISA_C, .expand = expand
};
