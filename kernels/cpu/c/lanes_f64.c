/* Products of f64 in the lanes of 128 bits, portable C: 2 x 4 sums, 2 registers of A, 1 of B. */
#define REAL double
enum { LANES = 2 };
#include "cpu/c/vec.h"
#define WIDTH                2
#define MR                   2
#define NR                   4
#define EACH_LANES_ROW(X, N) X(1, N) X(2, N)
#define EACH_LANES_COLUMN(X) X(1) X(2) X(3) X(4)
#include "cpu/simd/lanes.h"

#include "cpu/c/turned.h"

const lay_lanes_row lay_lanes_f64_c = {
    .name = "lay_lanes_f64_c", .type = LAY_F64, .isa = LAY_ISA_C, .summation = LAY_SUM_ROUNDED, LAY_LANES_FUNCTIONS
};
