/* lay_copy: checks, and the elements of both sides. */
#include "storage/copy.h"
#include "base/parallel.h"
#include "base/status.h"
#include "layout/desc.h"
#include "machine/machine.h"
#include "plan/options.h"
#include "ways.h"

lay_status lay_copy(lay_type type, const lay_desc *from, const void *src, const lay_desc *to, void *dst,
                    const lay_options *options)
{
    lay_options complete;
    const lay_order *named;
    lay_choice choice;
    lay_status status;
    if ((status = lay_options_read(options, &lay_all_ways, &complete, &named)) ||
        (status = lay_machine_choose(complete.threads, complete.isa, &choice)) ||
        (status = lay_copy_check(type, from, to)))
        return status;
    if (lay_desc_extent(from, NULL) == 0)
        return LAY_OK;
    if (!src || !dst)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !src ? "src" : "dst");
    const int apart = lay_desc_is_apart(from, src, to, dst, lay_type_size(type));
    if (apart == 0)
        return lay_fail(LAY_ERR_OVERLAP, "the destination cannot be shown to stay clear of the source");
    if (apart < 0)
        return LAY_ERR_MEMORY;
    const lay_lent before = lay_parallel_lend((lay_lent){ complete.parallel, complete.parallel_context });
    status = lay_copy_elements(type, from, src, to, dst, &complete, choice.threads);
    lay_parallel_lend(before);
    return status;
}
