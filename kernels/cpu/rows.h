/* The rows that cpu/table.c collects, each defined in the file of its name. */
#ifndef LAY_KERNELS_CPU_ROWS_H
#define LAY_KERNELS_CPU_ROWS_H

#include "kernel.h"

extern const lay_kernel lay_gemm_f32_4x8_c, lay_gemm_f64_4x4_c;
extern const lay_kernel lay_gemm_f32_6x16_avx2, lay_gemm_f64_6x8_avx2;
extern const lay_kernel lay_gemm_f32_12x32_avx512, lay_gemm_f64_12x16_avx512;

#endif
