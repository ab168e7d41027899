/* Scratch memory kept between products in a pool of idle blocks. */
#include "threads/workspace.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "threads/pool.h"

enum {
    HEADER = 128,         /* before the scratch, the pool's head in it: keeps its alignment */
    HUGE_PAGE = 2 << 20,  /* from here on ask for huge pages: panels are walked with large strides */
    MAX_IDLE_BLOCKS = 16, /* more callers than this at once allocate anew each time */
};
_Static_assert(sizeof(lay_pooled) <= HEADER, "a head fits before the scratch");

static lay_status make(int device, size_t bytes, lay_pooled **out)
{
    const size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : LAY_WORKSPACE_ALIGNMENT;
    const size_t whole = (HEADER + bytes + alignment - 1) / alignment * alignment;
    lay_pooled *made = aligned_alloc(alignment, whole);
    if (!made)
        return LAY_ERR_MEMORY;
    if (alignment == HUGE_PAGE)
        (void)madvise(made, whole, MADV_HUGEPAGE); /* only a wish */
    *made = (lay_pooled){ .bytes = whole - HEADER, .device = device };
    *out = made;
    return LAY_OK;
}

static void unmake(lay_pooled *gone)
{
    free(gone);
}

static lay_pool blocks = { .make = make,
                           .unmake = unmake,
                           .most_bytes = LAY_WORKSPACE_KEPT,
                           .most_things = MAX_IDLE_BLOCKS,
                           .lock = LAY_LOCK_INIT };

__attribute__((constructor)) static void start(void)
{
    lay_lock_enlist(&blocks.lock);
}

void *lay_workspace_take(size_t bytes)
{
    lay_pooled *taken;
    if (bytes > SIZE_MAX / 2 || lay_pool_take(&blocks, 0, bytes, &taken) != LAY_OK)
        return NULL;
    return (char *)taken + HEADER;
}

void lay_workspace_give(void *scratch)
{
    if (scratch)
        lay_pool_give(&blocks, (lay_pooled *)((char *)scratch - HEADER));
}

__attribute__((destructor)) void lay_workspace_clear(void)
{
    lay_pool_clear(&blocks);
}
