/* Every kernel of this build: the planner, the tests and the bench loop over this table. */
#include "cpu/rows.h"

const lay_kernel *const lay_kernels[] = {
    &lay_gemm_f32_4x8_c,        &lay_gemm_f64_4x4_c,
#if LAY_HIGHEST_ISA >= 2 /* LAY_ISA_AVX2 */
    &lay_gemm_f32_6x16_avx2,    &lay_gemm_f64_6x8_avx2,
#endif
#if LAY_HIGHEST_ISA >= 3 /* LAY_ISA_AVX512 */
    &lay_gemm_f32_12x32_avx512, &lay_gemm_f64_12x16_avx512,
#endif
};
const int lay_kernel_count = sizeof lay_kernels / sizeof lay_kernels[0];
