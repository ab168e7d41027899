/* Scratch memory that is handed back and used again, so that a product does not pay for fresh pages. */
#ifndef LAY_BASE_WORKSPACE_H
#define LAY_BASE_WORKSPACE_H

#include <stddef.h>

/* At least bytes of scratch, 64-byte aligned, holding anything; NULL when there is no memory. */
void *lay_workspace_take(size_t bytes);

/* Hands scratch back; NULL is fine. */
void lay_workspace_give(void *scratch);

/* Frees what is idle. */
void lay_workspace_clear(void);

#endif
