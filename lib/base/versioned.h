/* Structures of the API that begin with their own size, so that callers and library may know different ones. */
#ifndef LAY_BASE_VERSIONED_H
#define LAY_BASE_VERSIONED_H

#include <stddef.h>

#include "layoutgemm.h"

typedef struct lay_versioned {
    const char *name;    /* as sentences have it */
    const char *initial; /* the macro that a caller starts from */
    size_t least, known; /* bytes: of the first one published, and of the library's */
} lay_versioned;

/* given, which may be shorter or longer, over what complete holds: its defaults. Fields behind those that are known
 * must be 0, their default. complete's own size is the library's. LAY_ERR_OPTION. */
lay_status lay_versioned_read(const lay_versioned *of, const void *given, void *complete);

#endif
