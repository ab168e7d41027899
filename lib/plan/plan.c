/* Planning: refuse what does not fit, cost the rest, keep the cheapest. */
#include "plan/plan.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/status.h"
#include "layout/desc.h"
#include "plan/options.h"

/* Asks every executor for problem; keeps the cheapest job if it is cheaper than plan's. reason gets
 * the last refusal. */
static void keep_cheapest(lay_plan *plan, const lay_problem *problem, const char **reason)
{
    for (int i = 0; i < lay_executor_count; i++) {
        lay_job job = { .executor = lay_executors[i] };
        const char *refusal = lay_executors[i]->prepare(problem, &plan->options, &plan->choice, &job);
        if (refusal)
            *reason = refusal;
        if (refusal || (plan->job.executor && job.seconds >= plan->job.seconds))
            continue;
        plan->job = job;
        plan->problem = *problem;
    }
}

static lay_status own(const lay_desc *desc, lay_desc **copy, lay_reach *reach)
{
    lay_desc_span(desc, &reach->lowest, &reach->highest);
    return lay_desc_permute(desc, (const int[]){ 0, 1 }, copy);
}

lay_status lay_plan_create(lay_type type, const lay_desc *desc_a, const lay_desc *desc_b, const lay_desc *desc_c,
                           const lay_options *options, lay_plan **out)
{
    lay_options complete;
    lay_choice choice;
    lay_status status;
    if (!out)
        return lay_fail(LAY_ERR_ARGUMENT, "out is NULL");
    if ((status = lay_options_read(options, &complete)) ||
        (status = lay_machine_choose(complete.threads, complete.isa, &choice)) ||
        (status = lay_problem_check(type, desc_a, desc_b, desc_c)))
        return status;

    lay_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    plan->options = complete;
    plan->choice = choice;
    if ((status = own(desc_a, &plan->a, &plan->reach_a)) || (status = own(desc_b, &plan->b, &plan->reach_b)) ||
        (status = own(desc_c, &plan->c, &plan->reach_c))) {
        lay_plan_destroy(plan);
        return status;
    }
    const char *reason = "there is no executor";
    for (int is_turned = 0; is_turned <= 1; is_turned++) {
        lay_problem problem;
        lay_problem_make(type, plan->a, plan->b, plan->c, is_turned, &problem);
        keep_cheapest(plan, &problem, &reason);
    }
    if (!plan->job.executor) {
        lay_plan_destroy(plan);
        return lay_fail(LAY_ERR_UNSUPPORTED, "this build has no kernel for the product: %s", reason);
    }
    lay_plan_log(plan, LAY_OK, "plan", plan->job.seconds);
    *out = plan;
    return LAY_OK;
}

void lay_plan_log(const lay_plan *plan, lay_status status, const char *event, double seconds)
{
    if (!lay_log_is_on())
        return;
    const lay_problem *problem = &plan->problem;
    const lay_group *m = problem->is_turned ? &problem->n : &problem->m;
    const lay_group *n = problem->is_turned ? &problem->m : &problem->n;
    lay_log_line("%s,%s,%s,%lld,%lld,%lld,%s,%s,%d,%.9f,%.3f", event, lay_status_name(status),
                 problem->type == LAY_F32 ? "f32" : "f64", (long long)m->extent, (long long)n->extent,
                 (long long)problem->k.extent, plan->job.executor->name, plan->job.kernel, plan->job.threads, seconds,
                 seconds > 0 ? lay_problem_flops(problem) / seconds * 1e-9 : 0);
}

void lay_plan_destroy(lay_plan *plan)
{
    if (!plan)
        return;
    lay_desc_destroy(plan->a);
    lay_desc_destroy(plan->b);
    lay_desc_destroy(plan->c);
    free(plan);
}
