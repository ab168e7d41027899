/* Triangular systems of floats, in registers of 512 bits: 8 rows by 2 are sums, 2 of right sides, 1 of M. */
#include "cpu/avx512/vec_f32.h"

enum { ROWS = 8, NV = 2 };

#define NAME layblas_solve_f32_avx512
#include "blas/solve/registers.h"
