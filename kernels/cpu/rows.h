/* The rows that cpu/table.c collects, each defined in the file of its name. */
#ifndef LAY_KERNELS_CPU_ROWS_H
#define LAY_KERNELS_CPU_ROWS_H

#include "kernel.h"

extern const lay_kernel lay_gemm_f32_4x8_c, lay_gemm_f64_4x4_c;

#endif
