/* Every kernel of this build whose lanes are products. The rows are listed in kernels/meson.build, which makes
 * LAY_LANES_ROWS of them: ROW(lay_...) ROW(lay_...) */
#include "cpu_lanes.h"

#define ROW(row) extern const lay_lanes_row row;
LAY_LANES_ROWS
#undef ROW

#define ROW(row) &row,
const lay_lanes_row *const lay_lanes_rows[] = { LAY_LANES_ROWS };
#undef ROW
const int lay_lanes_row_count = sizeof lay_lanes_rows / sizeof lay_lanes_rows[0];
