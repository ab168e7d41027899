/* A list of idle things under a lock. */
#include "threads/pool.h"

static int serves(const lay_pooled *thing, int device, size_t bytes)
{
    return thing->device == device && thing->bytes >= bytes;
}

/* Of those of equal size the one given last: it is still in caches. */
static lay_pooled *reuse(lay_pool *pool, int device, size_t bytes)
{
    lay_pooled **best = NULL;
    lay_lock_take(&pool->lock);
    for (lay_pooled **link = &pool->idle; *link; link = &(*link)->next)
        if (serves(*link, device, bytes) && (!best || (*link)->bytes < (*best)->bytes))
            best = link;
    lay_pooled *found = best ? *best : NULL;
    if (found)
        *best = found->next;
    lay_lock_release(&pool->lock);
    return found;
}

static int unmake_all(lay_pool *pool, lay_pooled *list)
{
    int count = 0;
    for (; list; count++) {
        lay_pooled *next = list->next;
        pool->unmake(list);
        list = next;
    }
    return count;
}

lay_status lay_pool_take(lay_pool *pool, int device, size_t bytes, lay_pooled **taken)
{
    if ((*taken = reuse(pool, device, bytes)))
        return LAY_OK;
    lay_status status = pool->make(device, bytes, taken);
    if (status == LAY_ERR_MEMORY && lay_pool_clear(pool) > 0)
        status = pool->make(device, bytes, taken);
    return status;
}

/* NULL, or the device's smallest idle thing when it has too much, the oldest of those: the larger ones serve its
 * callers too. */
static lay_pooled *take_excess(lay_pool *pool, int device)
{
    lay_pooled **smallest = NULL;
    size_t bytes = 0;
    int things = 0;
    for (lay_pooled **link = &pool->idle; *link; link = &(*link)->next) {
        if ((*link)->device != device)
            continue;
        things++;
        bytes += (*link)->bytes;
        if (!smallest || (*link)->bytes <= (*smallest)->bytes)
            smallest = link;
    }
    if (things <= pool->most_things && bytes <= pool->most_bytes)
        return NULL;
    lay_pooled *excess = *smallest;
    *smallest = excess->next;
    return excess;
}

void lay_pool_give(lay_pool *pool, lay_pooled *given)
{
    lay_pooled *gone = NULL, *excess;
    if (!given)
        return;
    if (given->bytes > pool->most_bytes) { /* would push out all others first */
        pool->unmake(given);
        return;
    }
    lay_lock_take(&pool->lock);
    given->next = pool->idle;
    pool->idle = given;
    while ((excess = take_excess(pool, given->device))) {
        excess->next = gone;
        gone = excess;
    }
    lay_lock_release(&pool->lock);
    unmake_all(pool, gone);
}

int lay_pool_clear(lay_pool *pool)
{
    lay_lock_take(&pool->lock);
    lay_pooled *gone = pool->idle;
    pool->idle = NULL;
    lay_lock_release(&pool->lock);
    return unmake_all(pool, gone);
}
