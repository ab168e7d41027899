/* Triangular systems of doubles, in registers of 256 bits: 4 rows by 2 are sums, 2 of right sides, 1 of M. */
#include "cpu/avx2/vec_f64.h"

enum { ROWS = 4, NV = 2 };

#define NAME layblas_solve_f64_avx2
#include "blas/solve/registers.h"
