/* Short-lived memory of one call: taken piece by piece, freed at once, never more than a limit. */
#ifndef LAY_LAYOUT_ARENA_H
#define LAY_LAYOUT_ARENA_H

#include <stddef.h>

#include "layoutgemm.h"

/* The first failure of any function that builds in this arena stays in status, its sentence in
 * lay_last_error; every later step then returns NULL. */
typedef struct lay_arena {
    lay_status status;
    int quiet;         /* a failure is no mistake of the caller: it leaves no sentence */
    size_t used, room; /* of the newest block */
    size_t left;       /* bytes that may still be asked from malloc */
    struct lay_block *newest;
    const struct lay_grid *grid; /* that descriptors made here are over (places.h); NULL: one place */
} lay_arena;

enum { LAY_PARSE_BYTES = 64 << 10, LAY_VIEW_BYTES = 1 << 20 };

void lay_arena_start(lay_arena *arena, size_t limit);
void lay_arena_free(lay_arena *arena);

/* bytes of zeros, aligned to 16, or NULL with LAY_ERR_MEMORY or (past the limit) LAY_ERR_UNSUPPORTED. */
void *lay_arena_take(lay_arena *arena, size_t bytes);

/* Records the failure and returns NULL, so that a builder can return it. */
__attribute__((format(printf, 3, 4))) void *lay_arena_fail(lay_arena *arena, lay_status status, const char *format,
                                                           ...);

#endif
