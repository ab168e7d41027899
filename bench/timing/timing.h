/* Clocks, medians, and the peaks of several threads. */
#ifndef TIMING_H
#define TIMING_H

#include "layoutgemm.h"

/* Seconds of a clock that only goes forward. */
double seconds_now(void);

void seconds_sleep(double seconds);

/* The middle value, or the mean of the two in the middle; count >= 1. The values stay as they are. */
double median(const double values[], int count);

double lowest(const double values[], int count);

/* From the first quartile to the third, those between two values interpolated, as a share of the median. */
double spread(const double values[], int count);

/* The median of a[i] / b[i]. */
double median_ratio(const double a[], const double b[], int count);

/* The level whose FMAs bound a product here: the best of this CPU up to cap, LAY_ISA_AUTO for what
 * LAY_ISA in the environment caps it to. */
lay_isa peak_level(lay_isa cap);

/* GFLOP/s that `threads` threads reach together in a loop of nothing but FMAs of a level
 * the CPU has; NaN when not that many threads can be started. */
double peak_together(lay_type type, lay_isa isa, int threads);

/* The same of their matrix units, in products of bfloat16 (peak_tiles.h). */
double tiles_together(int threads);

#endif
