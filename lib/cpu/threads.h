/* Whether threads can be had. */
#ifndef LAY_CPU_THREADS_H
#define LAY_CPU_THREADS_H

/* How many threads, of those wanted and the caller's among them, this thread can lead: at least 1. The
 * OpenMP runtime ends the process when it cannot start one, so they are tried out before it needs them,
 * once for each caller and larger number. */
int lay_threads_grant(int wanted);

#endif
