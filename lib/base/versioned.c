/* Structures of the API that begin with their own size. */
#include "base/versioned.h"

#include <string.h>

#include "base/status.h"

lay_status lay_versioned_read(const lay_versioned *of, const void *given, void *complete)
{
    static const size_t most = 4096; /* a larger one is no structure of ours, but a stray value */
    const unsigned char *bytes = given;
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < of->least || size > most)
        return lay_fail(LAY_ERR_OPTION, "%s.struct_size is %zu, not at least %zu: start from %s", of->name, size,
                        of->least, of->initial);
    if (size < of->known && size % sizeof(void *) != 0) /* it would cut a pointer */
        return lay_fail(LAY_ERR_OPTION, "%s.struct_size is %zu, which no version of it has: start from %s", of->name,
                        size, of->initial);
    for (size_t i = of->known; i < size; i++)
        if (bytes[i])
            return lay_fail(LAY_ERR_OPTION, "%s sets a field that version %s of the library does not know", of->name,
                            lay_version());
    memcpy(complete, given, size < of->known ? size : of->known);
    memcpy(complete, &of->known, sizeof of->known);
    return LAY_OK;
}
