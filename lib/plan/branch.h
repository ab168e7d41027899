/* Branches of a plan's tree: finding the cheapest, and giving them back. */
#ifndef LAY_PLAN_BRANCH_H
#define LAY_PLAN_BRANCH_H

#include "plan/way.h"

/* The cheapest branch for the problem, by predicted time, of the first order of the setting's table that does not
 * refuse it or, where the setting has an order, of that one. NULL where none serves: *refusal is the last reason
 * (lay_no_memory: there was none to find out), and why, unless it is NULL, has each order's. */
lay_branch *lay_branch_find(const lay_problem *problem, const lay_setting *setting, const char **refusal,
                            lay_text *why);

/* One way's branch, whatever others would cost; its order must not refuse. NULL, and *refusal (lay_no_memory: none was
 * there). */
lay_branch *lay_branch_make(const lay_way *way, const lay_problem *problem, const lay_setting *setting,
                            const lay_order *order, const char **refusal);

/* A call, by the job at once where there is one. */
static inline lay_status lay_branch_run(lay_branch *branch, const lay_call *call)
{
    const lay_at_once *job = &branch->job.at_once;
    if (!job->multiply)
        return branch->way->run(branch, call);
    const lay_at_once_operands at = lay_at_once_find(job, call->left, call->right, call->c);
    job->multiply(&job->whole, call->alpha, at.left, at.right, call->beta, at.result);
    return LAY_OK;
}

/* C = beta C by who would compute it; call->left and call->right are NULL. */
lay_status lay_branch_scale(lay_branch *branch, const lay_call *call);

/* What a chain of branches needs for runs that ask for no memory; NULL is fine. */
lay_status lay_branch_reserve(lay_branch *branch);

/* Whether a job is to be taken rather than another one, and why it is not, as a phrase. */
int lay_job_is_better(const lay_job *job, const lay_job *than);
const char *lay_job_why_worse(const lay_job *job, const lay_job *than);

/* With its children. NULL is fine. */
void lay_branch_destroy(lay_branch *branch);

/* The last of a chain of rewriters: who computes. */
const lay_branch *lay_branch_leaf(const lay_branch *branch);

/* "transposed, in place": the ways of a chain. */
void lay_branch_name(const lay_branch *branch, lay_text *text);

/* What was considered, in lines: each order's ways with their predictions, and which of them is taken (NULL: none). */
void lay_branch_explain_ways(const lay_problem *problem, const lay_setting *setting, const lay_branch *taken,
                             lay_text *text);

#endif
