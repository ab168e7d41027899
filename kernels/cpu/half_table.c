/* Every kernel of this build that converts 16-bit numbers. The rows are listed in
 * kernels/meson.build, which makes LAY_HALF_ROWS of them: ROW(lay_...) ROW(lay_...) */
#include "cpu_half.h"

#define ROW(row) extern const lay_half_row row;
LAY_HALF_ROWS
#undef ROW

#define ROW(row) &row,
const lay_half_row *const lay_half_rows[] = { LAY_HALF_ROWS };
#undef ROW
const int lay_half_row_count = sizeof lay_half_rows / sizeof lay_half_rows[0];
