/* Many runs, of one plan or of several, each at addresses of its own. */
#include <stdarg.h>
#include <stdio.h>

#include "base/scalar.h"
#include "base/status.h"
#include "many/shared.h"
#include "plan/plan.h"

/* An array of addresses, if the runs need it. */
typedef struct addresses {
    char name;
    int is_needed;
    const void *const *of;
} addresses;

/* What is wrong with a call's only group (number -1), or with one of several. */
__attribute__((format(printf, 2, 3))) static lay_status refuse(int64_t number, const char *format, ...)
{
    char what[100], where[40] = "";
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    if (number >= 0)
        snprintf(where, sizeof where, "group %lld: ", (long long)number);
    return lay_fail(LAY_ERR_ARGUMENT, "%s%s", where, what);
}

static lay_status check_all(const addresses *each, int64_t count, size_t alignment, int64_t number)
{
    if (!each->is_needed)
        return LAY_OK;
    if (!each->of)
        return refuse(number, "%c is NULL", each->name);
    for (int64_t i = 0; i < count; i++) {
        if (!each->of[i])
            return refuse(number, "%c[%lld] is NULL", each->name, (long long)i);
        if (alignment && ((uintptr_t)each->of[i] & (alignment - 1)))
            return refuse(number, "%c[%lld] is no multiple of %zu bytes, as options.alignment promises", each->name,
                          (long long)i, alignment);
    }
    return LAY_OK;
}

/* Before anything is written: all that the runs will read and write. */
static lay_status check(const lay_runs *of, int64_t number)
{
    const lay_plan *const plan = of->plan;
    if (!plan || !of->alpha || !of->beta)
        return refuse(number, "%s is NULL", !plan ? "plan" : !of->alpha ? "alpha" : "beta");
    if (of->count < 0)
        return refuse(number, "count is %lld", (long long)of->count);
    if (!plan->addend && of->d && of->d != of->c)
        return refuse(number, "the plan writes to C, but d is not c");
    for (int i = 0; plan->end && of->count > 0 && i < LAY_END_TERMS; i++)
        if (plan->end->term[i].desc)
            return refuse(number, "the plan's ending has a %s: lay_plan_run_arguments takes it", lay_end_name(i));
    const int has_product = plan->k > 0 && !lay_scalar_is(of->alpha, plan->types.sum, 0);
    const int is_idle = !has_product && !plan->addend && !plan->end && lay_scalar_is(of->beta, plan->types.sum, 1);
    const int needs_c = plan->addend ? !lay_scalar_is(of->beta, plan->types.sum, 0) : !is_idle;
    const addresses all[] = { { 'a', has_product, of->a },
                              { 'b', has_product, of->b },
                              { 'c', needs_c, (const void *const *)of->c },
                              { 'd', plan->addend != NULL, (const void *const *)of->d } };
    lay_status status = LAY_OK;
    for (int i = 0; i < 4 && !plan->is_empty && of->count > 0 && status == LAY_OK; i++)
        status = check_all(&all[i], of->count, plan->options.alignment, number);
    return status;
}

lay_status lay_plan_run_many(const lay_plan *plan, int64_t count, const void *alpha, const void *const a[],
                             const void *const b[], const void *beta, void *const c[], void *const d[])
{
    const lay_runs one = { plan, count, alpha, a, b, beta, c, d };
    const lay_status status = check(&one, -1);
    return status == LAY_OK ? lay_many_run(1, &one) : status;
}

lay_status lay_plan_run_groups(int64_t count, const lay_runs groups[])
{
    lay_status status = LAY_OK;
    if (count < 0)
        return lay_fail(LAY_ERR_ARGUMENT, "count is %lld", (long long)count);
    if (count > 0 && !groups)
        return lay_fail(LAY_ERR_ARGUMENT, "groups is NULL");
    for (int64_t g = 0; g < count && status == LAY_OK; g++)
        status = check(&groups[g], g);
    return status == LAY_OK ? lay_many_run(count, groups) : status;
}
