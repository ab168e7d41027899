/* Blocks of memory behind the pointers that lay_alloc gave, whatever kind of memory they are of. */
#ifndef LAY_STORAGE_ALLOC_H
#define LAY_STORAGE_ALLOC_H

#include <stddef.h>

#include "layoutgemm.h"

/* How blocks of one kind are had and given back. */
typedef struct lay_block_source {
    lay_status (*take)(size_t bytes, void **block); /* aligned to 64 bytes at least */
    void (*give)(void *block);
} lay_block_source;

extern const lay_block_source lay_block_host;

/* lay_alloc with its arguments checked, from a source that lives as long as the process. */
lay_status lay_alloc_from(const lay_block_source *source, lay_type type, const lay_desc *desc, void **out);

#endif
