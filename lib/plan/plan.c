/* Planning: refuse what does not fit, cost the rest, keep the cheapest. */
#include "plan/plan.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/status.h"
#include "layout/desc.h"
#include "plan/options.h"

const char *lay_plan_refusal(const lay_kernel *kernel, lay_type type, const lay_choice *choice)
{
    const lay_machine *machine = lay_machine_get();
    if (kernel->type != type)
        return "multiplies another type";
    if (kernel->isa > machine->isa)
        return machine->isa_limit;
    if (kernel->isa > choice->isa)
        return choice->isa_why;
    /* Equal bits at one level: the fused levels share one order of roundings, portable C has its own. */
    if (kernel->isa == LAY_ISA_C && choice->isa != LAY_ISA_C)
        return "rounds products apart from sums, this ISA level fuses them";
    return NULL;
}

double lay_plan_weigh(const lay_problem *problem, const lay_kernel *kernel, const lay_choice *choice,
                      lay_blocks *blocks)
{
    const lay_machine *machine = lay_machine_get();
    lay_blocks_choose(problem, kernel, choice->threads, machine, blocks);
    return lay_blocks_cost(problem, kernel, blocks, machine);
}

size_t lay_plan_workspace(const lay_plan *plan)
{
    return plan->blocks.left_bytes + plan->blocks.right_bytes + 2 * 64;
}

/* The cheapest kernel for the problem as it stands in plan, if cheaper than what plan has. */
static void keep_cheapest(lay_plan *plan, const lay_problem *problem)
{
    for (int i = 0; i < lay_kernel_count; i++) {
        const lay_kernel *kernel = lay_kernels[i];
        if (lay_plan_refusal(kernel, problem->type, &plan->choice))
            continue;
        lay_blocks blocks;
        const double seconds = lay_plan_weigh(problem, kernel, &plan->choice, &blocks);
        if (plan->kernel && seconds >= plan->seconds)
            continue;
        plan->kernel = kernel;
        plan->blocks = blocks;
        plan->seconds = seconds;
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
    for (int is_turned = 0; is_turned <= 1; is_turned++) {
        lay_problem problem;
        lay_problem_make(type, plan->a, plan->b, plan->c, is_turned, &problem);
        keep_cheapest(plan, &problem);
    }
    if (!plan->kernel) {
        lay_plan_destroy(plan);
        return lay_fail(LAY_ERR_UNSUPPORTED, "no kernel of this build multiplies type %d at ISA level %s", (int)type,
                        lay_isa_name(choice.isa));
    }
    if (lay_log_is_on())
        lay_log_line("plan,%s,%s,%lld,%lld,%lld,%s,%d,%.9f", lay_status_name(LAY_OK), type == LAY_F32 ? "f32" : "f64",
                     (long long)plan->problem.m.extent, (long long)plan->problem.n.extent,
                     (long long)plan->problem.k.extent, plan->kernel->name, plan->blocks.threads, plan->seconds);
    *out = plan;
    return LAY_OK;
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
