/* What products that pass through a device borrow: page-locked buffers, streams and events. They stay with the process
 * for the next product, be it of another plan or thread, and are freed by lay_cache_clear: page-locking costs more than
 * many a product. */
#ifndef LAY_CUDA_STAGING_H
#define LAY_CUDA_STAGING_H

#include <stddef.h>

#include "layoutgemm.h"
#include "threads/pool.h"

enum {
    LAY_STAGING_BYTES = 8 << 20, /* of a buffer at most: 160 us of the link, well over what a join of threads costs */
    LAY_STAGING_BUFFERS = 4,     /* each way: one is filled, one travels, two make up for delays */
    LAY_STAGING_COMPUTE = 4,     /* streams of launches: where one ends, the next has blocks for idle multiprocessors */
    LAY_STAGING_CALLERS = 16,    /* at once and a device that find streams and buffers again: as many as workspaces */
    LAY_STAGING_IDLE = 256 << 20 /* bytes of page-locked memory a device that lie idle at most: four callers' all */
};

/* One buffer. NULL until it is first wanted. */
typedef struct lay_staging_buffer {
    void *at;
    lay_pooled *block; /* at's, which goes back with lay_staging_give */
    void *done;        /* event: its copy has ended */
    int is_in_use;     /* done is to be waited for */
} lay_staging_buffer;

typedef struct lay_staging {
    lay_pooled head;
    void *in, *out, *compute[LAY_STAGING_COMPUTE]; /* streams */
    lay_staging_buffer in_buffer[LAY_STAGING_BUFFERS], out_buffer[LAY_STAGING_BUFFERS];
    void **event;
    int events, events_in_use;
} lay_staging;

/* One for the current device, which must be device. LAY_ERR_MEMORY, LAY_ERR_DEVICE. */
lay_status lay_staging_take(int device, lay_staging **staging);

/* Hands it back with all its work done; is_sound 0: something failed, nothing of it is used again. NULL is fine. */
void lay_staging_give(lay_staging *staging, int is_sound);

/* Gives one of its buffers, whose copy has ended, at least bytes of page-locked memory, LAY_STAGING_BYTES at most: the
 * memory that it has, idle memory or new. LAY_ERR_MEMORY, LAY_ERR_DEVICE. */
lay_status lay_staging_fill(lay_staging *staging, lay_staging_buffer *buffer, size_t bytes);

/* An event that is the borrower's until lay_staging_give. LAY_ERR_MEMORY, LAY_ERR_DEVICE. */
lay_status lay_staging_event(lay_staging *staging, void **event);

/* Frees all that are idle. */
void lay_staging_clear(void);

#endif
