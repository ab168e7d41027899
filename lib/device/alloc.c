/* lay_alloc: the kinds of memory. */
#include "base/status.h"
#include "device/blocks.h"
#include "layout/desc.h"

lay_status lay_alloc(lay_type type, const lay_desc *desc, lay_memory kind, void **out)
{
    const lay_block_source *const source[] = { [LAY_MEMORY_HOST] = &lay_block_host,
                                               [LAY_MEMORY_PINNED] = lay_devices->pinned,
                                               [LAY_MEMORY_DEVICE] = lay_devices->device };
    if (!desc || !out)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !desc ? "desc" : "out");
    if (lay_type_size(type) == 0)
        return lay_fail(LAY_ERR_TYPE, "%d is no lay_type", (int)type);
    if ((int)kind < 0 || (size_t)kind >= sizeof source / sizeof source[0])
        return lay_fail(LAY_ERR_OPTION, "%d is no lay_memory", (int)kind);
    const lay_status status = lay_desc_refuse_places(desc, "the layout");
    return status ? status : lay_alloc_from(source[kind], type, desc, out);
}
