/* Many runs of one plan, each at addresses of its own. */
#include "base/scalar.h"
#include "base/status.h"
#include "many_shared.h"

/* An array of addresses, if the runs need it. */
typedef struct addresses {
    char name;
    int is_needed;
    const void *const *of;
} addresses;

static lay_status check_all(const addresses *each, int64_t count, size_t alignment)
{
    if (!each->is_needed)
        return LAY_OK;
    if (!each->of)
        return lay_fail(LAY_ERR_ARGUMENT, "%c is NULL", each->name);
    for (int64_t number = 0; number < count; number++) {
        if (!each->of[number])
            return lay_fail(LAY_ERR_ARGUMENT, "%c[%lld] is NULL", each->name, (long long)number);
        if (alignment && ((uintptr_t)each->of[number] & (alignment - 1)))
            return lay_fail(LAY_ERR_ARGUMENT, "%c[%lld] is no multiple of %zu bytes, as options.alignment promises",
                            each->name, (long long)number, alignment);
    }
    return LAY_OK;
}

/* Before anything is written: all that the runs will read and write. */
static lay_status check(const lay_plan *plan, int64_t count, const void *alpha, const void *const a[],
                        const void *const b[], const void *beta, void *const c[], void *const d[])
{
    if (!plan || !alpha || !beta)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !plan ? "plan" : !alpha ? "alpha" : "beta");
    if (count < 0)
        return lay_fail(LAY_ERR_ARGUMENT, "count is %lld", (long long)count);
    if (!plan->addend && d && d != c)
        return lay_fail(LAY_ERR_ARGUMENT, "the plan writes to C, but d is not c");
    const int has_product = plan->k > 0 && !lay_scalar_is(alpha, plan->types.sum, 0);
    const int is_idle = !has_product && !plan->addend && lay_scalar_is(beta, plan->types.sum, 1);
    const int needs_c = plan->addend ? !lay_scalar_is(beta, plan->types.sum, 0) : !is_idle;
    const addresses all[] = { { 'a', has_product, a },
                              { 'b', has_product, b },
                              { 'c', needs_c, (const void *const *)c },
                              { 'd', plan->addend != NULL, (const void *const *)d } };
    lay_status status = LAY_OK;
    for (int i = 0; i < 4 && !plan->is_empty && count > 0 && status == LAY_OK; i++)
        status = check_all(&all[i], count, plan->options.alignment);
    return status;
}

lay_status lay_plan_run_many(const lay_plan *plan, int64_t count, const void *alpha, const void *const a[],
                             const void *const b[], const void *beta, void *const c[], void *const d[])
{
    lay_status status = check(plan, count, alpha, a, b, beta, c, d);
    if (status == LAY_OK &&
        lay_many_share((lay_plan *)plan, &(lay_many){ count, alpha, beta, a, b, c, d })) /* plans may be written */
        return LAY_OK;
    for (int64_t i = 0; i < count && status == LAY_OK; i++)
        status = lay_plan_run_product(plan, alpha, a ? a[i] : NULL, b ? b[i] : NULL, beta, c ? c[i] : NULL,
                                      plan->addend && d ? d[i] : NULL);
    return status;
}
