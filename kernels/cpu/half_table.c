/* Every kernel of this build that converts 16-bit numbers. */
#include "cpu/half_rows.h"

const lay_half_row *const lay_half_rows[] = {
    &lay_half_f16_c,      &lay_half_bf16_c,
#if LAY_HIGHEST_ISA >= 2 /* LAY_ISA_AVX2 */
    &lay_half_f16_avx2,   &lay_half_bf16_avx2,
#endif
#if LAY_HIGHEST_ISA >= 3 /* LAY_ISA_AVX512 */
    &lay_half_f16_avx512, &lay_half_bf16_avx512,
#endif
};
const int lay_half_row_count = sizeof lay_half_rows / sizeof lay_half_rows[0];
