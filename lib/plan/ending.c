/* Endings: copied and given back. */
#include "plan/ending.h"

#include <stdlib.h>

const char *lay_end_name(int term)
{
    static const char *const names[LAY_END_TERMS] = { "scale[0]", "scale[1]", "bias" };
    return names[term];
}

lay_end *lay_end_clone(const lay_end *end)
{
    lay_end *made = malloc(sizeof *made);
    lay_status status = LAY_OK;
    if (!made)
        return NULL;
    *made = *end;
    for (int i = 0; i < LAY_END_TERMS; i++)
        made->term[i].desc = NULL;
    for (int i = 0; i < LAY_END_TERMS && status == LAY_OK; i++)
        if (end->term[i].desc)
            status = lay_desc_clone(end->term[i].desc, &made->term[i].desc);
    if (status == LAY_OK)
        return made;
    lay_end_destroy(made);
    return NULL;
}

void lay_end_free(lay_end *end)
{
    for (int i = 0; i < LAY_END_TERMS; i++)
        lay_desc_destroy(end->term[i].desc);
}

void lay_end_destroy(lay_end *clone)
{
    if (clone)
        lay_end_free(clone);
    free(clone);
}
