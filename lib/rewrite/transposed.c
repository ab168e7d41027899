/* C^T = B^T A^T: the same bits, with rows and columns, left and right in each other's place. */
#include "plan/branch.h"
#include "rewrite/ways.h"

#include <stdlib.h>

static void swap_setting(const lay_setting *setting, lay_setting *swapped)
{
    *swapped = *setting;
    swapped->inside |= LAY_INSIDE_TRANSPOSED;
    swapped->place[LAY_LEFT] = setting->place[LAY_RIGHT];
    swapped->place[LAY_RIGHT] = setting->place[LAY_LEFT];
    swapped->panels[LAY_LEFT] = setting->panels[LAY_RIGHT];
    swapped->panels[LAY_RIGHT] = setting->panels[LAY_LEFT];
}

static const char *prepare(lay_branch *branch)
{
    lay_setting setting;
    const char *refusal;
    if (branch->setting.inside & LAY_INSIDE_TRANSPOSED)
        return "is the other way round already";
    if (branch->problem.is_batch && branch->setting.order->backend == LAY_BACKEND_CPU)
        return "its products are transposed one by one";
    lay_problem *problem = malloc(sizeof *problem);
    if (!problem)
        return lay_no_memory;
    swap_setting(&branch->setting, &setting);
    lay_problem_transpose(&branch->problem, problem);
    branch->child = lay_branch_find(problem, &setting, &refusal, NULL);
    free(problem);
    if (!branch->child)
        return refusal;
    void *const own = branch->job.data;
    branch->job = branch->child->job;
    branch->job.data = own;
    branch->job.at_once.is_transposed ^= 1;
    return NULL;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    lay_branch *const child = branch->child;
    const lay_call swapped = { .alpha = call->alpha,
                               .left = call->right,
                               .right = call->left,
                               .beta = call->beta,
                               .c = call->c,
                               .packed = { call->packed[LAY_RIGHT], call->packed[LAY_LEFT] },
                               .factor = { call->factor[LAY_RIGHT], call->factor[LAY_LEFT] },
                               .workspace = call->workspace };
    return child->way->run(child, &swapped);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    (void)branch;
    lay_text_add(text, "transposed: C^T = B^T A^T\n");
}

const lay_way lay_way_transposed = {
    .name = "transposed",
    .takes = LAY_TAKES_BATCH | LAY_TAKES_MIXED | LAY_TAKES_GRID | LAY_TAKES_NUMBERS,
    .prepare = prepare,
    .run = run,
    .explain = explain,
};
