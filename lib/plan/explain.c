/* A plan in words: the modes, the ways considered, and the executor's own choices. */
#include "base/status.h"
#include "base/text.h"
#include "plan/plan.h"

static void add_group(lay_text *text, const lay_plan *plan, char name, const lay_group *group, int first, int second)
{
    lay_text_add(text, "  %c %-9lld ", name, (long long)group->extent);
    if (!group->is_plain)
        lay_text_add(text, "radices of %s and %s do not divide: offsets from tables",
                     lay_problem_operand(&plan->problem, first), lay_problem_operand(&plan->problem, second));
    for (int i = 0; i < group->count; i++) {
        const lay_mode *mode = &group->mode[i];
        lay_text_add(text, "[%lld %s:%lld %s:%lld]", (long long)mode->extent,
                     lay_problem_operand(&plan->problem, first), (long long)mode->stride[first],
                     lay_problem_operand(&plan->problem, second), (long long)mode->stride[second]);
    }
    lay_text_add(text, "%s\n", group->is_reordered ? "  (reordered)" : "");
}

/* Both ways round, with every executor. */
static void add_ways(lay_text *text, const lay_plan *plan)
{
    for (int is_turned = 0; is_turned <= 1; is_turned++)
        for (int i = 0; i < lay_executor_count; i++) {
            const lay_executor *executor = lay_executors[i];
            const char *way = is_turned ? "C^T = B^T A^T" : "C = A B";
            lay_job job = { .executor = executor };
            lay_problem problem;
            lay_problem_make(plan->problem.type, plan->a, plan->b, plan->c, is_turned, &problem);
            const char *refusal = executor->prepare(&problem, &plan->options, &plan->choice, &job);
            const int is_taken = plan->job.executor == executor && plan->problem.is_turned == is_turned;
            if (refusal)
                lay_text_add(text, "  %-4s %-14s refused: %s\n", executor->name, way, refusal);
            else
                lay_text_add(text, "  %-4s %-14s %s, predicted %.3g us\n", executor->name, way,
                             is_taken ? "taken" : "refused: not cheaper", job.seconds * 1e6);
        }
}

int lay_plan_explain(const lay_plan *plan, char *to, size_t size)
{
    if (!plan || (!to && size > 0)) {
        lay_fail(LAY_ERR_ARGUMENT, !plan ? "plan is NULL" : "text is NULL");
        return -1;
    }
    const lay_problem *problem = &plan->problem;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double bytes = (m * k + k * n + 2 * m * n) * (double)lay_type_size(problem->type);
    lay_text text = { .to = to, .size = size };

    lay_text_add(&text, "product   %s, m n k as the kernel sees them%s\n", problem->type == LAY_F32 ? "f32" : "f64",
                 problem->is_turned ? " (turned: C^T = B^T A^T, C is contiguous that way)" : "");
    add_group(&text, plan, 'm', &problem->m, LAY_LEFT, LAY_RESULT);
    add_group(&text, plan, 'n', &problem->n, LAY_RIGHT, LAY_RESULT);
    add_group(&text, plan, 'k', &problem->k, LAY_LEFT, LAY_RIGHT);
    lay_text_add(&text, "  %.4g flops, %.3g flops a byte\n", lay_problem_flops(problem),
                 bytes > 0 ? lay_problem_flops(problem) / bytes : 0);

    lay_text_add(&text, "ways\n");
    add_ways(&text, plan);
    lay_text_add(&text, "isa       %s (%s)\n", lay_isa_name(plan->choice.isa), plan->choice.isa_why);
    lay_text_add(&text, "threads   %d of %d (%s)\n", plan->job.threads, plan->choice.threads, plan->choice.threads_why);
    lay_text_add(&text, "workspace %zu bytes\n", plan->job.workspace);
    plan->job.executor->explain(problem, &plan->choice, &plan->job, &text);
    return (int)text.length;
}
