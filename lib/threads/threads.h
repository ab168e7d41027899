/* Whether threads can be had. */
#ifndef LAY_BASE_THREADS_H
#define LAY_BASE_THREADS_H

/* How many threads, of those wanted and the caller's among them, this thread can lead: at least 1. The OpenMP runtime
 * ends the process when it cannot start one or gets no memory. So threads are tried out before it needs them, once for
 * each caller and larger number, and memory whenever the number is another than that of this caller's last region. To
 * be followed by a region of so many. */
int lay_threads_grant(int wanted);

#endif
