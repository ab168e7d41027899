/* Many runs, of one plan or of several, each at addresses of its own. */
#include <stdio.h>

#include "base/scalar.h"
#include "base/status.h"
#include "many_shared.h"
#include "plan/plan.h"

/* An array of addresses, if the runs need it. */
typedef struct addresses {
    char name;
    int is_needed;
    const void *const *of;
} addresses;

static lay_status check_all(const addresses *each, int64_t count, const char *where)
{
    if (!each->is_needed)
        return LAY_OK;
    if (!each->of)
        return lay_fail(LAY_ERR_ARGUMENT, "%s%c is NULL", where, each->name);
    for (int64_t number = 0; number < count; number++)
        if (!each->of[number])
            return lay_fail(LAY_ERR_ARGUMENT, "%s%c[%lld] is NULL", where, each->name, (long long)number);
    return LAY_OK;
}

/* Before anything is written: all that the runs will read and write. where: what the sentence begins with. */
static lay_status check(const lay_runs *of, const char *where)
{
    const lay_plan *const plan = of->plan;
    if (!plan || !of->alpha || !of->beta)
        return lay_fail(LAY_ERR_ARGUMENT, "%s%s is NULL", where, !plan ? "plan" : !of->alpha ? "alpha" : "beta");
    if (of->count < 0)
        return lay_fail(LAY_ERR_ARGUMENT, "%scount is %lld", where, (long long)of->count);
    if (!plan->addend && of->d && of->d != of->c)
        return lay_fail(LAY_ERR_ARGUMENT, "%sthe plan writes to C, but d is not c", where);
    const int has_product = plan->k > 0 && !lay_scalar_is(of->alpha, plan->types.sum, 0);
    const int is_idle = !has_product && !plan->addend && lay_scalar_is(of->beta, plan->types.sum, 1);
    const int needs_c = plan->addend ? !lay_scalar_is(of->beta, plan->types.sum, 0) : !is_idle;
    const addresses all[] = { { 'a', has_product, of->a },
                              { 'b', has_product, of->b },
                              { 'c', needs_c, (const void *const *)of->c },
                              { 'd', plan->addend != NULL, (const void *const *)of->d } };
    lay_status status = LAY_OK;
    for (int i = 0; i < 4 && !plan->is_empty && of->count > 0 && status == LAY_OK; i++)
        status = check_all(&all[i], of->count, where);
    return status;
}

lay_status lay_plan_run_many(const lay_plan *plan, int64_t count, const void *alpha, const void *const a[],
                             const void *const b[], const void *beta, void *const c[], void *const d[])
{
    const lay_runs one = { plan, count, alpha, a, b, beta, c, d };
    const lay_status status = check(&one, "");
    return status == LAY_OK ? lay_many_run(1, &one) : status;
}

lay_status lay_plan_run_groups(int64_t count, const lay_runs groups[])
{
    char where[40];
    lay_status status = LAY_OK;
    if (count < 0)
        return lay_fail(LAY_ERR_ARGUMENT, "count is %lld", (long long)count);
    if (count > 0 && !groups)
        return lay_fail(LAY_ERR_ARGUMENT, "groups is NULL");
    for (int64_t g = 0; g < count && status == LAY_OK; g++) {
        snprintf(where, sizeof where, "group %lld: ", (long long)g);
        status = check(&groups[g], where);
    }
    return status == LAY_OK ? lay_many_run(count, groups) : status;
}
