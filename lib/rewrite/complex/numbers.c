/* Complex products whose operands are packed by parts: steps of k are real and imaginary parts in turn, and kernels
 * make complex numbers of them (lay_kernel.numbers). Nothing is expanded; the bits are those of the real product that
 * complex.c makes. */
#include "rewrite/complex/complex.h"

#include <stdlib.h>

#include "base/status.h"
#include "cpu/scale.h"
#include "cpu/strict.h"
#include "cpu/ways.h"
#include "layout/desc.h"
#include "plan/branch.h"
#include "rewrite/ways.h"

typedef struct numbers {
    lay_desc *a, *b; /* views, with parts along k */
} numbers;

/* The child, whose C is of complex elements. NULL, or why there is none. */
static const char *find_child(lay_branch *branch, const numbers *own)
{
    lay_setting setting = branch->setting;
    const char *refusal;
    lay_problem *problem = malloc(sizeof *problem);
    if (!problem)
        return lay_no_memory;
    lay_problem_as_real(&branch->problem, problem);
    lay_posed posed = branch->problem.posed;
    posed.types = problem->types;
    posed.sum = problem->sum;
    posed.a = own->a;
    posed.b = own->b;
    posed.is_of_numbers = 1;
    posed.is_a_first = !lay_problem_expands(&branch->problem);
    setting.inside = 0;
    setting.panels[LAY_LEFT] = setting.panels[LAY_RIGHT] = (lay_panels){ .kernel = NULL };
    lay_problem_pose(&posed, problem);
    branch->child = lay_branch_find(problem, &setting, &refusal, NULL);
    free(problem);
    return branch->child ? NULL : refusal;
}

static const char *prepare(lay_branch *branch)
{
    numbers *own = branch->job.data;
    const char *reason;
    if (branch->setting.order != &lay_order_cpu)
        return "multiplies operands as they are, on the CPU";
    if ((reason = lay_complex_view(branch->problem.posed.a, 1, &own->a)) ||
        (reason = lay_complex_view(branch->problem.posed.b, 0, &own->b)) || (reason = find_child(branch, own)))
        return reason;
    branch->job = branch->child->job;
    branch->job.data = own;
    branch->job.at_once.multiply = NULL;
    return NULL;
}

/* The factor, if there is one, is for the operand that complex.c expands. All memory is taken before C is scaled. */
static lay_status run(lay_branch *branch, const lay_call *call)
{
    _Alignas(64) char small[LAY_SMALL_WORKSPACE];
    lay_complex_scalars scalars;
    char *const workspace = lay_strict_take_workspace(branch, call, small);
    if (!workspace)
        return LAY_ERR_MEMORY;
    lay_complex_part(call, branch->problem.types.sum, &scalars);
    const int side = lay_problem_expands(&branch->problem) ? LAY_RIGHT : LAY_LEFT;
    lay_call inner = { .alpha = &scalars.alpha,
                       .left = call->left,
                       .right = call->right,
                       .beta = &scalars.beta,
                       .c = call->c,
                       .workspace = workspace };
    if (scalars.expansion.has_factor)
        inner.factor[side] = scalars.expansion.factor;
    lay_complex_scale_first(branch, &scalars, call);
    const lay_status status = branch->child->way->run(branch->child, &inner);
    lay_strict_give_workspace(call, small, workspace);
    return status != LAY_OK && scalars.is_scaled_first ? lay_fail_spoilt(status) : status;
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    lay_scale(&branch->problem, branch->setting.threads, call->beta, call->c);
    return LAY_OK;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    (void)branch;
    lay_text_add(text, "numbers   complex, packed by parts: real and imaginary ones are steps in turn\n");
}

static void release(lay_branch *branch)
{
    numbers *own = branch->job.data;
    lay_desc_destroy(own->a);
    lay_desc_destroy(own->b);
}

const lay_way lay_way_numbers = {
    .name = "numbers",
    .takes = LAY_TAKES_COMPLEX | LAY_TAKES_GRID,
    .only = LAY_TAKES_COMPLEX,
    .data = sizeof(numbers),
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = explain,
    .release = release,
};
