/* The rows that cpu/split_table.c collects, each defined in the file of its name. */
#ifndef LAY_KERNELS_CPU_SPLIT_ROWS_H
#define LAY_KERNELS_CPU_SPLIT_ROWS_H

#include "cpu_split.h"

extern const lay_cpu_split_row lay_split_f32_32x32_c, lay_split_f32_32x32_amx;

#endif
