/* What a branch keeps on its device from run to run: offset tables, counters, workspace (partial sums). */
#ifndef LAY_CUDA_KEPT_H
#define LAY_CUDA_KEPT_H

#include <pthread.h>
#include <stddef.h>

#include "plan/way.h"

typedef struct lay_kept {
    int device;
    _Atomic unsigned long long stream; /* its number (memory.h) */
    char *block; /* tables, counters, then partial sums if they are small; NULL where there is none of them */
    size_t bytes;
    unsigned *counters;      /* in the block, zeros between runs; NULL: a second launch adds the slices */
    _Atomic(void *) partial; /* in the block, or reserved; NULL: each run takes its own */
    void *reserved;
    size_t reserved_bytes;
    struct lay_kept *lender; /* NULL, or whose reserved memory partial is: another branch's of the same plan */
    _Atomic int has_run;     /* the workspace holds what a run left: lay_split_find_path */
    /* Held while the launches of one run go into the stream, where they use the kept workspace: so that no other
     * run's come between them. */
    pthread_mutex_t order;
} lay_kept;

/* Puts a run's launches into the branch's stream. partial: job.needs.partial bytes, 256-byte aligned; NULL where the
 * job needs none and where there is no product to make. */
typedef lay_status lay_kept_put(const lay_branch *branch, lay_kept *own, const lay_call *call, void *partial);

/* On the branch's device, with what it keeps. LAY_ERR_UNSUPPORTED while the stream is being captured, if something is
 * still to be taken, or kept by a plan that the cache may drop. */
lay_status lay_kept_run(lay_branch *branch, const lay_call *call, lay_kept_put *put, int has_product);

/* A way's reserve and release. LAY_ERR_UNSUPPORTED for plans of a stream that is another one in each thread,
 * which cannot keep a workspace. */
lay_status lay_kept_reserve(lay_branch *branch);
void lay_kept_release(lay_branch *branch);

#endif
