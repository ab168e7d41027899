/* A row of the table. */
#include "storage/half.h"

#include <assert.h>
#include <stddef.h>

const lay_half_row *lay_half_find(lay_type type, lay_isa isa)
{
    const lay_half_row *found = NULL;
    for (int i = 0; i < lay_half_row_count; i++)
        if (lay_half_rows[i]->type == type && lay_isa_includes(isa, lay_half_rows[i]->isa))
            found = lay_half_rows[i];
    assert(found);
    return found;
}
