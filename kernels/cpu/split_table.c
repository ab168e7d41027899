/* Every kernel of this build that splits its operands. */
#include "cpu/split_rows.h"

const lay_cpu_split_row *const lay_cpu_split_rows[] = {
#if LAY_HIGHEST_ISA >= 4 /* LAY_ISA_AMX */
    &lay_split_f32_32x32_amx,
#endif
    &lay_split_f32_32x32_c,
};
const int lay_cpu_split_row_count = sizeof lay_cpu_split_rows / sizeof lay_cpu_split_rows[0];
