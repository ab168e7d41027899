/* Scratch memory that is handed back and used again, so that a product does not pay for fresh pages. */
#ifndef LAY_BASE_WORKSPACE_H
#define LAY_BASE_WORKSPACE_H

#include <stddef.h>

/* At least bytes of scratch, 64-byte aligned, holding anything; NULL when there is no memory. */
void *lay_workspace_take(size_t bytes);

/* Scratch of more bytes is not kept when it is handed back: whoever takes as much again gets fresh pages. */
#define LAY_WORKSPACE_KEPT ((size_t)256 << 20)

/* Hands scratch back; NULL is fine. */
void lay_workspace_give(void *scratch);

/* Frees what is idle. */
void lay_workspace_clear(void);

#endif
