/* Products of f32 in the lanes of a register, AVX2: 3 x 4 sums, 3 registers of A, 1 of B: 16 of 16. */
#include "cpu/avx2/vec_f32.h"
#define WIDTH                8
#define MR                   3
#define NR                   4
#define EACH_LANES_ROW(X, N) X(1, N) X(2, N) X(3, N)
#define EACH_LANES_COLUMN(X) X(1) X(2) X(3) X(4)
#include "cpu/simd/lanes.h"
#include "cpu/simd/turned.h"

const lay_lanes_row lay_lanes_f32_avx2 = {
    .name = "lay_lanes_f32_avx2", .type = LAY_F32, .isa = LAY_ISA_AVX2, .summation = LAY_SUM_FUSED, LAY_LANES_FUNCTIONS
};
