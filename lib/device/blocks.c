/* Storage that fits a descriptor, and the list of what was given, since the address of offset 0 may
 * lie anywhere: inside its block, or, for a slice, outside. */
#include "device/blocks.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/lock.h"
#include "base/status.h"

enum { ALIGNMENT = 64, BUCKETS = 1024 };

typedef struct entry {
    struct entry *next;
    void *given; /* the address of offset 0 */
    void *block;
    const lay_block_source *source;
} entry;

static lay_lock lock = LAY_LOCK_INIT;
static entry *bucket[BUCKETS];

__attribute__((constructor)) static void start(void)
{
    lay_lock_enlist(&lock);
}

static entry **find_bucket(const void *given)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)given * 0x9e3779b97f4a7c15u;
    return &bucket[mixed >> 54]; /* the top 10 bits */
}

static entry **find_link(const void *given)
{
    entry **link = find_bucket(given);
    while (*link && (*link)->given != given)
        link = &(*link)->next;
    return link;
}

/* 0 where another block's offset 0 has the very same address, so that lay_free could not tell. */
static int enter(entry *made)
{
    lay_lock_take(&lock);
    const int is_new = *find_link(made->given) == NULL;
    if (is_new) {
        entry **first = find_bucket(made->given);
        made->next = *first;
        *first = made;
    }
    lay_lock_release(&lock);
    return is_new;
}

static int count_bytes(const lay_desc *desc, size_t size, int64_t *lowest, int64_t *bytes)
{
    int64_t highest, elements;
    lay_desc_span(desc, lowest, &highest);
    if (highest < *lowest)
        highest = *lowest; /* nothing to store: one element, so that the address is one */
    return !__builtin_sub_overflow(highest, *lowest, &elements) && fits_add(elements, 1, &elements) &&
           fits_mul(elements, (int64_t)size, bytes) && fits_add(*bytes, ALIGNMENT - 1, bytes) &&
           fits_mul(*lowest, (int64_t)size, lowest);
}

static lay_status take_from_host(size_t bytes, void **block)
{
    *block = aligned_alloc(ALIGNMENT, bytes);
    return *block ? LAY_OK : lay_fail(LAY_ERR_MEMORY, "no memory for %zu bytes", bytes);
}

const lay_block_source lay_block_host = { .take = take_from_host, .give = free };

lay_status lay_alloc_from(const lay_block_source *source, lay_type type, const lay_desc *desc, void **out)
{
    int64_t lowest, bytes; /* of the lowest element, from offset 0; of the block */
    if (!count_bytes(desc, lay_type_size(type), &lowest, &bytes))
        return lay_fail(LAY_ERR_OVERFLOW, "the descriptor's span does not fit 63 bits in bytes");
    entry *made = malloc(sizeof *made);
    if (!made)
        return lay_fail(LAY_ERR_MEMORY, "no memory for %zu bytes", sizeof *made);
    void *block = NULL;
    lay_status status = source->take((size_t)bytes / ALIGNMENT * ALIGNMENT, &block);
    if (status != LAY_OK) {
        free(made);
        return status;
    }
    *made = (entry){ .given = (void *)((uintptr_t)block - (uintptr_t)lowest), .block = block, .source = source };
    if (!enter(made)) {
        /* While this block is held, a second try cannot get the same one. */
        status = lay_alloc_from(source, type, desc, out);
        source->give(block);
        free(made);
        return status;
    }
    *out = made->given;
    return LAY_OK;
}

void lay_free(void *memory)
{
    if (!memory)
        return;
    lay_lock_take(&lock);
    entry **link = find_link(memory), *gone = *link;
    if (gone)
        *link = gone->next;
    lay_lock_release(&lock);
    if (gone)
        gone->source->give(gone->block);
    free(gone);
}
