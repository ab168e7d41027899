/* Every kernel of this build that scales lines. The rows are listed in kernels/meson.build, which makes LAY_BLEND_ROWS
 * of them: ROW(lay_...) ROW(lay_...) */
#include "cpu_blend.h"

#define ROW(row) extern const lay_blend_row row;
LAY_BLEND_ROWS
#undef ROW

#define ROW(row) &row,
const lay_blend_row *const lay_blend_rows[] = { LAY_BLEND_ROWS };
#undef ROW
const int lay_blend_row_count = sizeof lay_blend_rows / sizeof lay_blend_rows[0];
