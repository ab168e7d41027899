/* Fork and join: numbered tasks over threads. */
#ifndef LAY_BASE_PARALLEL_H
#define LAY_BASE_PARALLEL_H

#include "layoutgemm.h"

/* Whose threads a call uses: the caller's, or OpenMP's where of is NULL. */
typedef struct lay_lent {
    lay_parallel_fn *of;
    void *context;
} lay_lent;

/* From now on, for what the calling thread does; what was before, to be lent again at the end of the call. */
lay_lent lay_parallel_lend(lay_lent own);

/* Calls task(argument, 0 .. count - 1), each once and on up to threads threads, and returns when all
 * are done. Thread t begins with the t-th segment of equal length, the same in calls of equal count,
 * so what it left in its cache is there; who is done helps the others. Of OpenMP's, one thread inside a caller's own
 * parallel region and in a process forked after threads were started, where they do not exist. */
void lay_parallel_for(int threads, int64_t count, void (*task)(void *argument, int64_t number), void *argument);

#endif
