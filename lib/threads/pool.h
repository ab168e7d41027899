/* Things that are dear to make (large blocks, page-locked memory, streams): handed back, they lie idle until somebody
 * takes them again. */
#ifndef LAY_BASE_POOL_H
#define LAY_BASE_POOL_H

#include <stddef.h>

#include "base/lock.h"
#include "layoutgemm.h"

/* The head of each thing: its maker fills in the device and bytes, at least those asked for. */
typedef struct lay_pooled {
    struct lay_pooled *next;
    size_t bytes;
    int device; /* things of one device serve no other; 0 for those of none */
} lay_pooled;

/* A static one needs make, unmake, the limits and LAY_LOCK_INIT; lay_lock_enlist for its lock. */
typedef struct lay_pool {
    lay_status (*make)(int device, size_t bytes, lay_pooled **made); /* both are called without the lock */
    void (*unmake)(lay_pooled *gone);
    size_t most_bytes; /* of a device's that lie idle */
    int most_things;
    lay_lock lock;
    lay_pooled *idle; /* the last given first */
} lay_pool;

/* The smallest idle thing of the device with so many bytes, or else a new one; where there is no memory for that, all
 * idle things are unmade and it is tried again. The maker's failures. */
lay_status lay_pool_take(lay_pool *pool, int device, size_t bytes, lay_pooled **taken);

/* Hands it back: it lies idle, unless it is larger than all that may. Beyond the limits the device's smallest are
 * unmade. NULL is fine. */
void lay_pool_give(lay_pool *pool, lay_pooled *given);

/* Unmakes what is idle; how many things that were. */
int lay_pool_clear(lay_pool *pool);

#endif
