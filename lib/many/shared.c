/* Many runs by threads that share them. Runs promise an order, so it has to be shown that none can tell. */
#include "many/shared.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/ranges.h"
#include "base/scalar.h"
#include "base/status.h"
#include "device/place.h"
#include "layout/desc.h"
#include "many/apart.h"
#include "many/choice.h"
#include "plan/branch.h"
#include "threads/parallel.h"
#include "threads/workspace.h"

/* Whether C is not read, or is where the result goes. */
static int is_in_place(const lay_runs *group)
{
    const lay_plan *const plan = group->plan;
    if (!plan->addend || lay_scalar_is(group->beta, plan->types.sum, 0))
        return 1;
    if (plan->types.addend != plan->types.result || !lay_desc_equal(plan->addend, plan->c) ||
        plan->is_conjugated[LAY_RESULT])
        return 0;
    for (int64_t i = 0; i < group->count; i++)
        if (group->c[i] != group->d[i])
            return 0;
    return 1;
}

static int is_host(const lay_runs *group)
{
    const lay_plan *const plan = group->plan;
    int own;
    for (int64_t i = 0; i < group->count && lay_place_may_differ(); i++)
        if (lay_reach_place(&plan->reach_c, lay_runs_target(group)[i], &own) != LAY_PLACE_HOST ||
            lay_reach_place(&plan->reach_a, group->a[i], &own) != LAY_PLACE_HOST ||
            lay_reach_place(&plan->reach_b, group->b[i], &own) != LAY_PLACE_HOST)
            return 0;
    return 1;
}

static void run_one(lay_branch *root, const lay_call *call)
{
    const lay_status status = lay_branch_run(root, call);
    assert(status == LAY_OK); /* the CPU's ways lack nothing but memory, and here it is */
    (void)status;
}

static void do_share(void *argument, int64_t number)
{
    const lay_shares *of = argument;
    for (int64_t p = 0; p < of->shared; p++) {
        const lay_runs *const group = of->of[p].group;
        void *const *const target = lay_runs_target(group);
        const int64_t to = lay_shares_cut(of, &of->of[p], number + 1);
        lay_call call = { .alpha = group->alpha,
                          .beta = group->beta,
                          .workspace = of->workspace ? of->workspace + (size_t)number * of->each : NULL };
        for (int64_t i = lay_shares_cut(of, &of->of[p], number); i < to; i++) {
            call.left = group->a[i];
            call.right = group->b[i];
            call.c = target[i];
            run_one(of->of[p].alone->root, &call);
        }
    }
}

static int run_shares(lay_shares *of)
{
    for (int64_t p = 0; p < of->shared; p++) {
        const size_t needed = lay_workspace_part(of->of[p].alone->root->job.workspace);
        of->each = needed > of->each ? needed : of->each;
    }
    of->workspace = of->each ? lay_workspace_take(of->each * (size_t)of->shares) : NULL;
    if (of->each && !of->workspace)
        return 0;
    const lay_options *const options = &of->of->group->plan->options;
    const lay_lent own = { options->parallel, options->parallel_context };
    const lay_lent before = own.of ? lay_parallel_lend(own) : (lay_lent){ NULL, NULL };
    const int is_watched = lay_ranges_are_watched();
    if (is_watched)
        lay_plan_begin_range(of->of->group->plan, of->of->alone->root);
    lay_parallel_for((int)of->shares, of->shares, do_share, of);
    if (is_watched)
        lay_range_end();
    if (own.of)
        lay_parallel_lend(before);
    lay_workspace_give(of->workspace);
    for (int64_t p = 0; p < of->shared; p++)
        atomic_store_explicit(&((lay_plan *)of->of[p].group->plan)->last_run, of->of[p].alone, memory_order_release);
    return 1;
}

/* Of many runs, of many groups: which one failed, before what it said. */
static lay_status say_which(lay_status status, const lay_runs *of, int64_t run, int64_t group)
{
    char what[256], where[2][32] = { "", "" };
    if (group >= 0)
        snprintf(where[0], sizeof where[0], "group %lld: ", (long long)group);
    if (of->count > 1)
        snprintf(where[1], sizeof where[1], "run %lld: ", (long long)run);
    snprintf(what, sizeof what, "%s", lay_last_error());
    return lay_fail(status, "%s%s%s", where[0], where[1], what);
}

/* group: its number, -1 where there is but one. */
static lay_status run_in_turn(const lay_runs *of, int64_t group)
{
    for (int64_t i = 0; i < of->count; i++) {
        const lay_status status =
            lay_plan_run_product(of->plan, of->alpha, of->a ? of->a[i] : NULL, of->b ? of->b[i] : NULL, of->beta,
                                 of->c ? of->c[i] : NULL, of->plan->addend && of->d ? of->d[i] : NULL);
        if (status != LAY_OK)
            return say_which(status, of, i, group);
    }
    return LAY_OK;
}

static int may_share(int64_t count, const lay_runs groups[], int may_look)
{
    for (int64_t g = 0; g < count; g++)
        if (!lay_runs_are_idle(&groups[g]) && (!is_in_place(&groups[g]) || !is_host(&groups[g])))
            return 0;
    return lay_many_are_apart(count, groups, may_look);
}

/* Whether all runs are done, with *status: 0, and nothing is done, where they had better be one after the other.
 * *is_short: none of them is worth another thread. */
static int share(int64_t count, const lay_runs groups[], lay_status *status, int *is_short)
{
    lay_party single;
    lay_shares of = { .of = count > 1 ? malloc((size_t)count * sizeof single) : &single };
    int may_look = 0;
    const int is_done = of.of && !lay_log_tells(LAY_LOG_RUNS) && lay_shares_find(count, groups, &of, &may_look) &&
                        may_share(count, groups, may_look) && run_shares(&of);
    for (int64_t p = of.shared; p < of.parties && is_done && *status == LAY_OK; p++)
        *status = run_in_turn(of.of[p].group, count > 1 ? of.of[p].group - groups : -1);
    *is_short = of.is_short;
    if (of.of != &single)
        free(of.of);
    return is_done;
}

static lay_status run_all(int64_t count, const lay_runs groups[])
{
    lay_status status = LAY_OK;
    int is_short = 0, is_one_short;
    if (count > 1 && share(count, groups, &status, &is_short))
        return status;
    for (int64_t g = 0; g < count && status == LAY_OK; g++)
        if (is_short || !share(1, &groups[g], &status, &is_one_short))
            status = run_in_turn(&groups[g], count > 1 ? g : -1);
    return status;
}

lay_status lay_many_run(int64_t count, const lay_runs groups[])
{
    lay_sentence kept; /* what threads could not share is done by one */
    lay_sentence_keep(&kept);
    const lay_status status = run_all(count, groups);
    if (status == LAY_OK)
        lay_sentence_restore(&kept);
    return status;
}
