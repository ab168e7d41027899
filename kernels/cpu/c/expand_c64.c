/* Complex numbers of two double, portable C. */
#define REAL double
enum { LANES = 2 };
#include "cpu/c/vec.h"
#define WIDTH 2
#include "cpu/simd/pairs.h"
#define WORD uint64_t
#include "cpu/simd/expand.h"

const lay_expand_row lay_expand_c64_c = {
    .name = "lay_expand_c64_c", .type = LAY_C64, .isa = LAY_ISA_C, .expand = expand
};
