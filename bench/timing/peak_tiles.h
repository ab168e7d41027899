/* The peak of one core's matrix unit, measured. */
#ifndef PEAK_TILES_H
#define PEAK_TILES_H

#include <stddef.h>
#include <stdint.h>

/* GFLOP/s of products of bfloat16 (two operations a product and sum) of this thread, all tiles in registers; the best
 * of several bursts, about 5 ms in all. Of random numbers: of zeros the unit does up to twice as many, since what it
 * is allowed to take of power is then enough for its highest clock. NaN where the system does not lend it. */
double lay_bench_peak_tiles(void);

/* Random bfloat16 numbers of either sign, 2^-7 to 2. */
void lay_bench_fill_tiles(uint16_t numbers[], size_t count, uint64_t seed);

#endif
