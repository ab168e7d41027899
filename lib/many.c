/* Many runs of one plan, each at addresses of its own. */
#include "base/scalar.h"
#include "base/status.h"
#include "plan/plan.h"

/* Before anything is written: all that the runs will read and write. */
static lay_status check_addresses(const lay_plan *plan, int64_t count, int has_product, const void *const a[],
                                  const void *const b[], void *const c[], void *const d[])
{
    const void *const *const all[] = { has_product ? a : NULL, has_product ? b : NULL,
                                       (const void *const *)(d ? d : c) };
    const int is_needed[] = { has_product, has_product, 1 };
    const char name[] = { 'a', 'b', d ? 'd' : 'c' };
    for (int i = 0; i < 3; i++)
        if (is_needed[i] && !all[i])
            return lay_fail(LAY_ERR_ARGUMENT, "%c is NULL", name[i]);
    for (int64_t number = 0; number < count && !plan->is_empty; number++)
        for (int i = 0; i < 3; i++)
            if (is_needed[i] && !all[i][number])
                return lay_fail(LAY_ERR_ARGUMENT, "%c[%lld] is NULL", name[i], (long long)number);
    return LAY_OK;
}

static lay_status check(const lay_plan *plan, int64_t count, const void *alpha, const void *const a[],
                        const void *const b[], const void *beta, void *const c[], void *const d[])
{
    if (!plan || !alpha || !beta)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !plan ? "plan" : !alpha ? "alpha" : "beta");
    if (count < 0)
        return lay_fail(LAY_ERR_ARGUMENT, "count is %lld", (long long)count);
    if (count == 0)
        return LAY_OK;
    const int has_product = plan->k > 0 && !lay_scalar_is(alpha, plan->types.sum, 0);
    const int reads_c = plan->addend && !lay_scalar_is(beta, plan->types.sum, 0);
    const lay_status status = check_addresses(plan, count, has_product, a, b, c, plan->addend ? d : c);
    if (status != LAY_OK || !reads_c)
        return status;
    for (int64_t number = 0; number < count; number++)
        if (!c || !c[number])
            return lay_fail(LAY_ERR_ARGUMENT, "c[%lld] is NULL, but beta is not 0", (long long)number);
    return LAY_OK;
}

lay_status lay_plan_run_many(const lay_plan *plan, int64_t count, const void *alpha, const void *const a[],
                             const void *const b[], const void *beta, void *const c[], void *const d[])
{
    lay_status status = check(plan, count, alpha, a, b, beta, c, d);
    for (int64_t i = 0; i < count && status == LAY_OK; i++)
        status = lay_plan_run_product(plan, alpha, a ? a[i] : NULL, b ? b[i] : NULL, beta, c ? c[i] : NULL,
                                      plan->addend ? d[i] : NULL);
    return status;
}
