/* Products of f64 in the lanes of a register, AVX-512: 4 x 6 sums, 4 registers of A, 1 of B: 29 of 32. */
#include "cpu/avx512/lower_f64.h"
#define WIDTH                8
#define MR                   4
#define NR                   6
#define EACH_LANES_ROW(X, N) X(1, N) X(2, N) X(3, N) X(4, N)
#define EACH_LANES_COLUMN(X) X(1) X(2) X(3) X(4) X(5) X(6)
#include "cpu/simd/lanes.h"
#include "cpu/simd/turned.h"

const lay_lanes_row lay_lanes_f64_avx512 = { .name = "lay_lanes_f64_avx512",
                                             .type = LAY_F64,
                                             .isa = LAY_ISA_AVX512,
                                             .summation = LAY_SUM_FUSED,
                                             LAY_LANES_FUNCTIONS };
