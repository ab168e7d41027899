/* The calls that run a plan, but for the one that has fast lanes (run.c). */
#include "base/status.h"
#include "base/versioned.h"
#include "plan/plan.h"
#include "run.h"

static lay_status check_scalars(const lay_plan *plan, const void *alpha, const void *beta)
{
    if (!plan || !alpha || !beta)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", !plan ? "plan" : !alpha ? "alpha" : "beta");
    return LAY_OK;
}

lay_status lay_plan_run_packed(const lay_plan *plan, const void *alpha, const void *a, const lay_packed *packed_a,
                               const void *b, const lay_packed *packed_b, const void *beta, void *c)
{
    const lay_status status = check_scalars(plan, alpha, beta);
    if (status != LAY_OK)
        return status;
    if (plan->addend)
        return lay_fail(LAY_ERR_ARGUMENT, "the plan has a D beside C: lay_plan_run_product takes both addresses");
    return lay_run_asked(
        plan, &(lay_asked_run){ .alpha = alpha,
                                .operand = { { .data = a, .packed = packed_a }, { .data = b, .packed = packed_b } },
                                .beta = beta,
                                .c = c });
}

lay_status lay_plan_run_product(const lay_plan *plan, const void *alpha, const void *a, const void *b, const void *beta,
                                const void *c, void *d)
{
    const lay_status status = check_scalars(plan, alpha, beta);
    if (status != LAY_OK)
        return status;
    if (plan->addend)
        return lay_run_asked(
            plan, &(lay_asked_run){
                      .alpha = alpha, .operand = { { .data = a }, { .data = b } }, .beta = beta, .addend = c, .c = d });
    if (c && d && c != d)
        return lay_fail(LAY_ERR_ARGUMENT, "the plan writes to C, but d is not c");
    return lay_plan_run(plan, alpha, a, b, beta, d ? d : (void *)(uintptr_t)c);
}

/* What a struct of arguments says, where the plan is known to be there. */
static lay_status run_arguments(const lay_plan *plan, const lay_arguments *of, int is_lent)
{
    if (!plan->addend && of->c && of->d && of->c != of->d)
        return lay_fail(LAY_ERR_ARGUMENT, "the plan writes to C, but d is not c");
    if ((uintptr_t)of->workspace % LAY_WORKSPACE_ALIGNMENT)
        return lay_fail(LAY_ERR_ARGUMENT, "the workspace's address is no multiple of %d", LAY_WORKSPACE_ALIGNMENT);
    return lay_run_asked(plan, &(lay_asked_run){ .alpha = of->alpha,
                                                 .operand = { { .data = of->a, .packed = of->packed_a },
                                                              { .data = of->b, .packed = of->packed_b } },
                                                 .beta = of->beta,
                                                 .addend = plan->addend ? of->c : NULL,
                                                 .term = { of->scale[0], of->scale[1], of->bias },
                                                 .c = plan->addend || of->d ? of->d : (void *)(uintptr_t)of->c,
                                                 .is_lent = is_lent,
                                                 .workspace = of->workspace,
                                                 .size = of->workspace ? of->workspace_size : 0 });
}

lay_status lay_plan_run_workspace(const lay_plan *plan, const void *alpha, const void *a, const void *b,
                                  const void *beta, const void *c, void *d, void *workspace, size_t size)
{
    const lay_status status = check_scalars(plan, alpha, beta);
    if (status != LAY_OK)
        return status;
    lay_arguments of = LAY_ARGUMENTS_INIT;
    of.alpha = alpha;
    of.a = a;
    of.b = b;
    of.beta = beta;
    of.c = c;
    of.d = d;
    of.workspace = workspace;
    of.workspace_size = size;
    return run_arguments(plan, &of, 1);
}

/* The caller's struct, which may be shorter or longer, and what it leaves out. */
lay_status lay_plan_run_arguments(const lay_plan *plan, const lay_arguments *arguments)
{
    static const lay_versioned structure = { "arguments", "LAY_ARGUMENTS_INIT", sizeof(lay_arguments),
                                             sizeof(lay_arguments) };
    lay_arguments of = LAY_ARGUMENTS_INIT;
    if (!arguments)
        return lay_fail(LAY_ERR_ARGUMENT, "arguments is NULL");
    lay_status status = lay_versioned_read(&structure, arguments, &of);
    if (status != LAY_OK || (status = check_scalars(plan, of.alpha, of.beta)))
        return status;
    return run_arguments(plan, &of, of.workspace != NULL);
}
