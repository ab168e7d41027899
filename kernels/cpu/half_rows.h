/* The rows that cpu/half_table.c collects, each defined in the file of its name. */
#ifndef LAY_KERNELS_CPU_HALF_ROWS_H
#define LAY_KERNELS_CPU_HALF_ROWS_H

#include "cpu_half.h"

extern const lay_half_row lay_half_f16_c, lay_half_bf16_c;
extern const lay_half_row lay_half_f16_avx2, lay_half_bf16_avx2;
extern const lay_half_row lay_half_f16_avx512, lay_half_bf16_avx512;

#endif
