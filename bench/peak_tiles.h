/* The peak of one core's matrix unit, measured. */
#ifndef PEAK_TILES_H
#define PEAK_TILES_H

/* GFLOP/s of products of bfloat16 (two operations a product and sum) of this thread, all tiles in registers; the best
 * of several bursts, about 5 ms in all. Of random numbers: of zeros the unit does up to twice as many, since what it
 * is allowed to take of power is then enough for its highest clock. NaN where the system does not lend it. */
double lay_bench_peak_tiles(void);

#endif
