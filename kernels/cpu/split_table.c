/* Every kernel of this build that splits its operands. The rows are listed in
 * kernels/meson.build, which makes LAY_SPLIT_ROWS of them: ROW(lay_...) ROW(lay_...) */
#include "cpu_split.h"

#define ROW(row) extern const lay_cpu_split_row row;
LAY_SPLIT_ROWS
#undef ROW

#define ROW(row) &row,
const lay_cpu_split_row *const lay_cpu_split_rows[] = { LAY_SPLIT_ROWS };
#undef ROW
const int lay_cpu_split_row_count = sizeof lay_cpu_split_rows / sizeof lay_cpu_split_rows[0];
