/* The kernels that expand complex numbers, by type and level. */
#include "storage/expand.h"

#include <stddef.h>

lay_expand_fn *lay_expand_find(lay_type type, lay_isa isa)
{
    lay_expand_fn *found = NULL;
    for (int i = 0; i < lay_expand_row_count; i++)
        if (lay_expand_rows[i]->type == type && lay_isa_includes(isa, lay_expand_rows[i]->isa))
            found = lay_expand_rows[i]->expand;
    return found;
}
