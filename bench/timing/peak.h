/* The FMA peak of one core, measured: what every figure is a share of. */
#ifndef PEAK_H
#define PEAK_H

#include "layoutgemm.h"

/* GFLOP/s of this thread with its operands in registers, at the width of isa (LAY_ISA_C: 128 bits,
 * multiply and add apart); the best of several bursts, about 5 ms in all. Of a 16-bit type it is f32's: the CPU
 * multiplies such numbers as f32. */
double lay_bench_peak(lay_type type, lay_isa isa);

/* What cap comes to here: the last level with bursts of its own that it includes and the CPU has. LAY_ISA_AUTO caps
 * nothing. */
lay_isa lay_bench_peak_level(lay_isa cap);

/* Elements of a register there. */
int lay_bench_peak_lanes(lay_type type, lay_isa isa);

#endif
