/* Every kernel of this build that expands complex numbers. The rows are listed in kernels/meson.build, which makes
 * LAY_EXPAND_ROWS of them: ROW(lay_...) ROW(lay_...) */
#include "cpu_expand.h"

#define ROW(row) extern const lay_expand_row row;
LAY_EXPAND_ROWS
#undef ROW

#define ROW(row) &row,
const lay_expand_row *const lay_expand_rows[] = { LAY_EXPAND_ROWS };
#undef ROW
const int lay_expand_row_count = sizeof lay_expand_rows / sizeof lay_expand_rows[0];
