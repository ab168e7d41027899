/* What a way keeps on its device from run to run: offset tables, counters, partial sums. */
#ifndef LAY_CUDA_KEPT_H
#define LAY_CUDA_KEPT_H

#include <pthread.h>
#include <stddef.h>

#include "plan/executor.h"

typedef struct lay_kept {
    int device;
    unsigned long long stream; /* its number (memory.h) */
    char *block; /* tables, counters, then partial sums if they are small; NULL where there is none of them */
    size_t bytes;
    unsigned *counters;      /* in the block, zeros between runs; NULL: a second launch adds the slices */
    _Atomic(void *) partial; /* in the block, or reserved; NULL: each run takes its own */
    void *reserved;
    size_t reserved_bytes;
    /* Held while both launches of one run go into the stream, where they use the kept partial sums: so that no
     * other run's come between them. */
    pthread_mutex_t order;
} lay_kept;

/* What way keeps, taken and filled now if it is the first to ask: in the order of its stream, on the current
 * device, which must be the way's. LAY_ERR_UNSUPPORTED while that stream is being captured. */
lay_status lay_kept_find(lay_way *way, lay_kept **own);

/* Takes the partial sums that are too large to be kept unasked. LAY_ERR_UNSUPPORTED for plans of a stream that is
 * another one in each thread: they cannot keep any. */
lay_status lay_kept_reserve(const lay_way *way, lay_kept *own);

/* Calls nothing of CUDA. NULL is fine. */
void lay_kept_drop(lay_kept *own);

#endif
