/* Running a plan: special values, overlap, workspace, then the executor. */
#include "base/log.h"
#include "base/scalar.h"
#include "base/status.h"
#include "base/workspace.h"
#include "layout/desc.h"
#include "plan/plan.h"

#include <stdatomic.h>
#include <time.h>

/* Byte ranges as integers: pointers into different blocks may not be compared. */
static int ranges_meet(const lay_reach *x, const void *x_zero, const lay_reach *y, const void *y_zero, int64_t size)
{
    if (x->highest < x->lowest || y->highest < y->lowest)
        return 0;
    const intptr_t x_at = (intptr_t)x_zero, y_at = (intptr_t)y_zero;
    return x_at + x->lowest * size < y_at + (y->highest + 1) * size &&
           y_at + y->lowest * size < x_at + (x->highest + 1) * size;
}

static lay_status check_overlap(const lay_plan *plan, const lay_desc *desc, const lay_reach *reach, const void *data,
                                const char *name, const void *c, _Atomic uintptr_t *known_apart)
{
    const size_t size = lay_type_size(plan->problem.type);
    if (!ranges_meet(reach, data, &plan->reach_c, c, (int64_t)size))
        return LAY_OK;
    const uintptr_t distance = (uintptr_t)data - (uintptr_t)c + 1;
    if (distance != 0 && distance == atomic_load_explicit(known_apart, memory_order_relaxed))
        return LAY_OK;
    const int apart = lay_desc_is_apart(desc, data, plan->c, c, size);
    if (apart == 0)
        return lay_fail(LAY_ERR_OVERLAP, "C cannot be shown to stay clear of %s, whose elements lie in the same memory",
                        name);
    if (apart < 0)
        return LAY_ERR_MEMORY;
    atomic_store_explicit(known_apart, distance, memory_order_relaxed);
    return LAY_OK;
}

static lay_status multiply(const lay_plan *plan, const void *alpha, const void *a, const void *b, const void *beta,
                           void *c)
{
    enum { SMALL = 8192 }; /* bytes: a tiny product needs no pool */
    _Alignas(64) char small[SMALL];
    lay_status status;
    if (!a || !b)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL, but alpha and k are not 0", !a ? "a" : "b");
    lay_plan *const remembering = (lay_plan *)plan; /* plans are made in memory that may be written */
    if ((status = check_overlap(plan, plan->a, &plan->reach_a, a, "A", c, &remembering->apart_a)) ||
        (status = check_overlap(plan, plan->b, &plan->reach_b, b, "B", c, &remembering->apart_b)))
        return status;
    const size_t bytes = plan->job.workspace;
    void *taken = bytes > SMALL ? lay_workspace_take(bytes) : NULL;
    if (bytes > SMALL && !taken)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a workspace of %zu bytes", bytes);
    const int is_turned = plan->problem.is_turned;
    status = plan->job.executor->multiply(&plan->problem, &plan->job, alpha, is_turned ? b : a, is_turned ? a : b, beta,
                                          c, taken ? taken : small);
    lay_workspace_give(taken);
    return status;
}

static lay_status run(const lay_plan *plan, const void *alpha, const void *a, const void *b, const void *beta, void *c)
{
    const lay_problem *problem = &plan->problem;
    if (problem->m.extent == 0 || problem->n.extent == 0)
        return LAY_OK;
    const int has_product = problem->k.extent > 0 && !lay_scalar_is(alpha, problem->type, 0);
    if (!has_product && lay_scalar_is(beta, problem->type, 1))
        return LAY_OK;
    if (!c)
        return lay_fail(LAY_ERR_ARGUMENT, "c is NULL");
    if (has_product)
        return multiply(plan, alpha, a, b, beta, c);
    return plan->job.executor->scale(problem, &plan->job, &plan->choice, beta, c);
}

static double now_in_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

lay_status lay_plan_run(const lay_plan *plan, const void *alpha, const void *a, const void *b, const void *beta,
                        void *c)
{
    if (!plan || !alpha || !beta)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !plan ? "plan" : !alpha ? "alpha" : "beta");
    /* Copies: the caller's may be elements of C, which change on the way. */
    const lay_scalar own_alpha = lay_scalar_read(alpha, plan->problem.type);
    const lay_scalar own_beta = lay_scalar_read(beta, plan->problem.type);
    if (!lay_log_is_on())
        return run(plan, &own_alpha, a, b, &own_beta, c);
    const double start = now_in_seconds();
    const lay_status status = run(plan, &own_alpha, a, b, &own_beta, c);
    lay_plan_log(plan, status, "run", now_in_seconds() - start);
    return status;
}
