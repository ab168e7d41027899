/* Scratch memory kept between products in a small list of idle blocks. */
#include "base/workspace.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/lock.h"

enum {
    HEADER = 128,         /* before the scratch: keeps its alignment */
    HUGE_PAGE = 2 << 20,  /* from here on ask for huge pages: panels are walked with large strides */
    MAX_IDLE_BLOCKS = 16, /* more callers than this at once allocate anew each time */
};
static const size_t max_idle_bytes = (size_t)256 << 20;

typedef struct block {
    struct block *next;
    size_t bytes;
} block;

static lay_lock lock = LAY_LOCK_INIT;
static block *idle;
static int idle_blocks;
static size_t idle_bytes;

__attribute__((constructor)) static void start(void)
{
    lay_lock_enlist(&lock);
}

static void free_all(block *list)
{
    while (list) {
        block *next = list->next;
        free(list);
        list = next;
    }
}

static void unlink_idle(block **link)
{
    block *found = *link;
    *link = found->next;
    idle_blocks--;
    idle_bytes -= found->bytes;
}

/* The smallest idle block that is large enough. */
static block *reuse(size_t bytes)
{
    block **best = NULL;
    lay_lock_take(&lock);
    for (block **link = &idle; *link; link = &(*link)->next)
        if ((*link)->bytes >= bytes && (!best || (*link)->bytes < (*best)->bytes))
            best = link;
    block *found = best ? *best : NULL;
    if (found)
        unlink_idle(best);
    lay_lock_release(&lock);
    return found;
}

void *lay_workspace_take(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    block *taken = reuse(bytes);
    if (!taken) {
        const size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : 64;
        const size_t whole = (HEADER + bytes + alignment - 1) / alignment * alignment;
        taken = aligned_alloc(alignment, whole);
        if (!taken)
            return NULL;
        if (alignment == HUGE_PAGE)
            (void)madvise(taken, whole, MADV_HUGEPAGE); /* only a wish */
        taken->bytes = whole - HEADER;
    }
    return (char *)taken + HEADER;
}

/* NULL, or the smallest idle block when there is too much: the larger ones serve its callers too. */
static block *take_excess(void)
{
    if (idle_blocks <= MAX_IDLE_BLOCKS && idle_bytes <= max_idle_bytes)
        return NULL;
    block **smallest = &idle;
    for (block **link = &idle; *link; link = &(*link)->next)
        if ((*link)->bytes < (*smallest)->bytes)
            smallest = link;
    block *excess = *smallest;
    unlink_idle(smallest);
    return excess;
}

void lay_workspace_give(void *scratch)
{
    if (!scratch)
        return;
    block *given = (block *)((char *)scratch - HEADER), *gone = NULL, *excess;
    if (given->bytes > max_idle_bytes) { /* would push out all others first */
        free(given);
        return;
    }
    lay_lock_take(&lock);
    given->next = idle;
    idle = given;
    idle_blocks++;
    idle_bytes += given->bytes;
    while ((excess = take_excess())) {
        excess->next = gone;
        gone = excess;
    }
    lay_lock_release(&lock);
    free_all(gone);
}

__attribute__((destructor)) void lay_workspace_clear(void)
{
    lay_lock_take(&lock);
    block *gone = idle;
    idle = NULL;
    idle_blocks = 0;
    idle_bytes = 0;
    lay_lock_release(&lock);
    free_all(gone);
}
