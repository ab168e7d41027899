/* D = alpha A B + beta C where D is another tensor than C: C is copied to D first, and the product adds to what is
 * there. The same bits as in place. */
#include "base/scalar.h"
#include "base/status.h"
#include "cpu/strict.h"
#include "plan/branch.h"
#include "rewrite/ways.h"
#include "storage/copy.h"
#include "threads/workspace.h"

#include <stdlib.h>

static const char *prepare(lay_branch *branch)
{
    const char *refusal;
    const lay_types *types = &branch->problem.types;
    if (types->result != types->sum && lay_types_are_mixed(types))
        return "C is not to be rounded to D's type before it is added to";
    lay_posed posed = branch->problem.posed;
    lay_problem *problem = malloc(sizeof *problem); /* large: callers' stacks may be small */
    if (!problem)
        return lay_no_memory;
    posed.addend = NULL;
    posed.types.addend = posed.types.result;
    lay_problem_pose(&posed, problem);
    branch->child = lay_branch_find(problem, &branch->setting, &refusal, NULL);
    free(problem);
    if (!branch->child)
        return refusal;
    const lay_job *child = &branch->child->job;
    branch->job.kernel = child->kernel;
    branch->job.threads = child->threads;
    branch->job.given = child->given;
    branch->job.seconds = child->seconds; /* of the product: whether C is copied is known when it runs */
    branch->job.workspace = child->workspace;
    return NULL;
}

/* What is done once D has C's elements. */
typedef lay_status after_fn(lay_branch *child, const lay_call *call);

static lay_status multiply(lay_branch *child, const lay_call *call)
{
    return child->way->run(child, call);
}

/* Nothing is written before the memory for all of it is there. */
static lay_status copy_and(lay_branch *branch, const lay_call *call, after_fn *after)
{
    _Alignas(64) char small[LAY_SMALL_WORKSPACE];
    const lay_posed *posed = &branch->problem.posed;
    const int is_on_cpu = branch->setting.order->backend == LAY_BACKEND_CPU;
    lay_call inner = *call;
    lay_status status = LAY_OK;
    inner.addend = NULL;
    inner.workspace = is_on_cpu ? lay_strict_take_workspace(branch, call, small) : NULL;
    if (is_on_cpu && !inner.workspace)
        return LAY_ERR_MEMORY;
    if (call->addend) {
        const lay_change change = { .from = posed->types.addend,
                                    .to = posed->types.result,
                                    .is_conjugated = posed->is_addend_conjugated };
        status = lay_copy_elements(&change, posed->addend, call->addend, posed->c, call->c, branch->setting.options,
                                   branch->setting.choice);
    }
    const int is_copied = status == LAY_OK && call->addend;
    if (status == LAY_OK)
        status = after(branch->child, &inner);
    if (status != LAY_OK && is_copied) /* on a device, which takes its memory as it goes */
        status = lay_fail_spoilt(status);
    if (is_on_cpu)
        lay_strict_give_workspace(call, small, inner.workspace);
    return status;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    return copy_and(branch, call, multiply);
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    return copy_and(branch, call, lay_branch_scale);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    (void)branch;
    lay_text_add(text, "addend    C is copied to D, unless beta is 0 or D is C; the product adds to it there\n");
}

const lay_way lay_way_addend = {
    .name = "addend",
    .takes = LAY_TAKES_ADDEND | LAY_TAKES_BATCH | LAY_TAKES_MIXED | LAY_TAKES_COMPLEX | LAY_TAKES_GRID,
    .only = LAY_TAKES_ADDEND,
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = explain,
};
