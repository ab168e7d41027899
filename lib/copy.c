/* lay_copy and lay_axpby: checks, and the elements of both sides. */
#include "storage/copy.h"
#include "base/status.h"
#include "layout/desc.h"
#include "machine/machine.h"
#include "plan/options.h"
#include "threads/parallel.h"
#include "ways.h"

/* A call: what it was given, and what its arguments are called. */
typedef struct call {
    lay_change change;
    const lay_desc *from, *to;
    const void *src;
    void *dst;
    const lay_options *options;
    const char *from_name, *to_name, *src_name, *dst_name;
} call;

/* Checked, with elements; src is not read where alpha is 0. */
static lay_status check_elements(const call *of, int is_read)
{
    if ((is_read && !of->src) || !of->dst)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", is_read && !of->src ? of->src_name : of->dst_name);
    const int apart = is_read ? lay_desc_is_clear(of->from, of->src, lay_type_size(of->change.from), of->to, of->dst,
                                                  lay_type_size(of->change.to))
                              : 1;
    if (apart == 0)
        return lay_fail(LAY_ERR_OVERLAP, "the destination cannot be shown to stay clear of the source");
    return apart < 0 ? LAY_ERR_MEMORY : LAY_OK;
}

static lay_status copy(const call *of)
{
    lay_options complete;
    const lay_order *named;
    lay_choice choice;
    lay_status status;
    if ((status = lay_options_read(of->options, &lay_all_ways, &complete, &named)) ||
        (status = lay_machine_choose(complete.threads, complete.isa, &choice)))
        return status;
    if (!of->from || !of->to)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !of->from ? of->from_name : of->to_name);
    if ((status = lay_copy_check(&of->change, of->from, of->to)))
        return status;
    if (lay_desc_extent(of->from, NULL) == 0)
        return LAY_OK;
    const lay_type sum = lay_type_sum(of->change.from, of->change.to);
    const int is_read = !of->change.alpha || !lay_scalar_is(of->change.alpha, sum, 0);
    if ((status = check_elements(of, is_read)) || (!is_read && lay_scalar_is(of->change.beta, sum, 1)))
        return status;
    lay_change change = of->change;
    lay_scalar alpha, beta; /* the caller's may lie in Y */
    if (change.alpha) {
        alpha = lay_scalar_read(change.alpha, sum);
        beta = lay_scalar_read(change.beta, sum);
        change.alpha = &alpha;
        change.beta = &beta;
    }
    const lay_lent before = lay_parallel_lend((lay_lent){ complete.parallel, complete.parallel_context });
    status = lay_copy_elements(&change, is_read ? of->from : of->to, is_read ? of->src : of->dst, of->to, of->dst,
                               &complete, &choice);
    lay_parallel_lend(before);
    return status;
}

lay_status lay_copy(lay_type type, const lay_desc *from, const void *src, const lay_desc *to, void *dst,
                    const lay_options *options)
{
    return copy(&(call){ .change = lay_change_none(type),
                         .from = from,
                         .to = to,
                         .src = src,
                         .dst = dst,
                         .options = options,
                         .from_name = "from",
                         .to_name = "to",
                         .src_name = "src",
                         .dst_name = "dst" });
}

lay_status lay_axpby(lay_type type_x, const lay_desc *desc_x, const void *alpha, const void *x, lay_type type_y,
                     const lay_desc *desc_y, const void *beta, void *y, int is_conjugated, const lay_options *options)
{
    if (!alpha || !beta)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !alpha ? "alpha" : "beta");
    return copy(&(call){ .change = { type_x, type_y, is_conjugated, alpha, beta, 0 },
                         .from = desc_x,
                         .to = desc_y,
                         .src = x,
                         .dst = y,
                         .options = options,
                         .from_name = "desc_x",
                         .to_name = "desc_y",
                         .src_name = "x",
                         .dst_name = "y" });
}
