/* Every kernel of this build that ends lines of sums. The
 * rows are listed in kernels/meson.build, which makes LAY_ENDING_ROWS
 * of them: ROW(lay_...) ROW(lay_...) */
#include "cpu_ending.h"

#define ROW(row) extern const lay_ending_row row;
LAY_ENDING_ROWS
#undef ROW

#define ROW(row) &row,
const lay_ending_row *const lay_ending_rows[] = { LAY_ENDING_ROWS };
#undef ROW
const int lay_ending_row_count = sizeof lay_ending_rows / sizeof lay_ending_rows[0];
