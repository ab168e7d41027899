/* Every kernel of this build: the planner, the tests and the bench loop over this table. The rows are listed in
 * kernels/meson.build, which makes LAY_GEMM_ROWS of them: ROW(lay_...) ROW(lay_...) */
#include "kernel.h"

#define ROW(row) extern const lay_kernel row;
LAY_GEMM_ROWS
#undef ROW

#define ROW(row) &row,
const lay_kernel *const lay_kernels[] = { LAY_GEMM_ROWS };
#undef ROW
const int lay_kernel_count = sizeof lay_kernels / sizeof lay_kernels[0];
