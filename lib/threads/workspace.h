/* Scratch memory that is handed back and used again, so that a product does not pay for fresh pages. */
#ifndef LAY_THREADS_WORKSPACE_H
#define LAY_THREADS_WORKSPACE_H

#include <stddef.h>

#include "layoutgemm.h"

/* Bytes of a part of a workspace that another part follows. */
static inline size_t lay_workspace_part(size_t bytes)
{
    return (bytes + LAY_WORKSPACE_ALIGNMENT - 1) / LAY_WORKSPACE_ALIGNMENT * LAY_WORKSPACE_ALIGNMENT;
}

/* At least bytes of scratch, aligned to LAY_WORKSPACE_ALIGNMENT, holding anything; NULL when there is no memory. */
void *lay_workspace_take(size_t bytes);

/* Scratch of more bytes is not kept when it is handed back: whoever takes as much again gets fresh pages. */
#define LAY_WORKSPACE_KEPT ((size_t)256 << 20)

/* Hands scratch back; NULL is fine. */
void lay_workspace_give(void *scratch);

/* Frees what is idle. */
void lay_workspace_clear(void);

#endif
