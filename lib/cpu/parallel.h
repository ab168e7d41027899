/* Fork and join: numbered tasks over threads. */
#ifndef LAY_CPU_PARALLEL_H
#define LAY_CPU_PARALLEL_H

#include <stdint.h>

/* Calls task(argument, 0 .. count - 1), each once and on up to threads threads, and returns when all
 * are done. Thread t begins with the t-th stretch of equal length, the same in calls of equal count,
 * so what it left in its cache is there; who is done helps the others. One thread inside a caller's own
 * parallel region and in a process forked after threads were started, where OpenMP's do not exist. */
void lay_parallel_for(int threads, int64_t count, void (*task)(void *argument, int64_t number), void *argument);

#endif
