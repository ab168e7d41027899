/* What memory gives: the slope of a roofline. */
#ifndef BANDWIDTH_H
#define BANDWIDTH_H

/* GB/s that so many threads read together (0: one a CPU), each its own part of a block twice the last cache's size, the
 * best of a few passes; measured once for each number of threads. NaN where there is no memory for it, or not that many
 * threads. */
double bandwidth_of_host(int threads);

#endif
