/* Short-lived memory of one call. */
#include "layout/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

struct lay_block {
    struct lay_block *older;
    _Alignas(16) char bytes[];
};

enum { BLOCK_BYTES = 4 << 10 };

void lay_arena_start(lay_arena *arena, size_t limit)
{
    *arena = (lay_arena){ .status = LAY_OK, .left = limit };
}

void lay_arena_free(lay_arena *arena)
{
    while (arena->newest) {
        struct lay_block *older = arena->newest->older;
        free(arena->newest);
        arena->newest = older;
    }
}

void *lay_arena_take(lay_arena *arena, size_t bytes)
{
    if (arena->status != LAY_OK)
        return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > arena->room - arena->used) {
        const size_t size = sizeof(struct lay_block) + (bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES);
        if (size > arena->left)
            return lay_arena_fail(arena, LAY_ERR_UNSUPPORTED, "the layout is more intricate than this library builds");
        struct lay_block *block = malloc(size);
        if (!block)
            return lay_arena_fail(arena, LAY_ERR_MEMORY, "out of memory for %zu bytes", size);
        block->older = arena->newest;
        arena->newest = block;
        arena->left -= size;
        arena->used = 0;
        arena->room = size - sizeof(struct lay_block);
    }
    char *const piece = arena->newest->bytes + arena->used;
    arena->used += bytes;
    return memset(piece, 0, bytes);
}

void *lay_arena_fail(lay_arena *arena, lay_status status, const char *format, ...)
{
    if (arena->status != LAY_OK)
        return NULL;
    arena->status = status;
    if (arena->quiet)
        return NULL;
    char sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    lay_fail(status, "%s", sentence);
    return NULL;
}
