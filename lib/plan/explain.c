/* A plan in words, for operands in host memory and on the device: the modes, the ways considered, and the
 * executor's own choices. */
#include <stdlib.h>

#include "base/scalar.h"
#include "base/status.h"
#include "base/text.h"
#include "cuda/device.h"
#include "plan/plan.h"
#include "plan/ways.h"

static void add_group(lay_text *text, const lay_problem *problem, char name, const lay_group *group, int first,
                      int second)
{
    lay_text_add(text, "  %c %-9lld ", name, (long long)group->extent);
    if (!group->is_plain)
        lay_text_add(text, "radices of %s and %s do not divide: offsets from tables",
                     lay_problem_operand(problem, first), lay_problem_operand(problem, second));
    for (int i = 0; i < group->count; i++) {
        const lay_mode *mode = &group->mode[i];
        lay_text_add(text, "[%lld %s:%lld %s:%lld]", (long long)mode->extent, lay_problem_operand(problem, first),
                     (long long)mode->stride[first], lay_problem_operand(problem, second),
                     (long long)mode->stride[second]);
    }
    lay_text_add(text, "%s\n", group->is_reordered ? "  (reordered)" : "");
}

/* Both ways round, with every executor. */
static void add_ways(lay_text *text, const lay_plan *plan, const lay_places *places, const lay_way *taken)
{
    lay_way *asked = calloc(1, sizeof *asked);
    for (int is_turned = 0; asked && is_turned <= 1; is_turned++)
        for (int i = 0; i < lay_executor_count; i++) {
            const lay_executor *executor = lay_executors[i];
            const char *round = is_turned ? "C^T = B^T A^T" : "C = A B";
            lay_job job = { .executor = executor };
            lay_way_pose(plan, places, is_turned, asked);
            const char *refusal = executor->prepare(&asked->problem, &asked->setting, &job);
            const int is_first = !taken || taken->job.executor == executor;
            const int is_taken = taken && is_first && taken->problem.is_turned == is_turned;
            if (refusal)
                lay_text_add(text, "  %-6s %-14s refused: %s\n", executor->name, round, refusal);
            else if (!is_first)
                lay_text_add(text, "  %-6s %-14s refused: %s comes before it\n", executor->name, round,
                             taken->job.executor->name);
            else
                lay_text_add(text, "  %-6s %-14s %s, predicted %.3g us\n", executor->name, round,
                             is_taken ? "taken" : "refused: not cheaper", job.seconds * 1e6);
        }
    free(asked);
}

static void add_problem(lay_text *text, const lay_problem *problem)
{
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double bytes = (m * k + k * n + 2 * m * n) * (double)lay_type_size(problem->type);
    lay_text_add(text, "product   %s, m n k as the kernel sees them%s\n", lay_type_name(problem->type),
                 problem->is_turned ? " (turned: C^T = B^T A^T)" : "");
    add_group(text, problem, 'm', &problem->m, LAY_LEFT, LAY_RESULT);
    add_group(text, problem, 'n', &problem->n, LAY_RIGHT, LAY_RESULT);
    add_group(text, problem, 'k', &problem->k, LAY_LEFT, LAY_RIGHT);
    lay_text_add(text, "  %.4g flops, %.3g flops a byte\n", lay_problem_flops(problem),
                 bytes > 0 ? lay_problem_flops(problem) / bytes : 0);
}

static void add_way(lay_text *text, lay_plan *plan, const lay_places *places)
{
    char why[8]; /* add_ways has the reasons */
    lay_text reasons = { .to = why, .size = sizeof why };
    const lay_way *way = lay_plan_try_way(plan, places, &reasons);
    if (way)
        add_problem(text, &way->problem);
    lay_text_add(text, "ways\n");
    add_ways(text, plan, places, way);
    if (!way)
        return;
    if (places->c != LAY_PLACE_DEVICE) {
        lay_text_add(text, "isa       %s (%s)\n", lay_isa_name(plan->choice.isa), plan->choice.isa_why);
        lay_text_add(text, "threads   %d of %d (%s)%s\n", way->job.threads, plan->choice.threads,
                     plan->choice.threads_why, plan->options.parallel ? ", lent by options.parallel" : "");
    }
    lay_text_add(text, "workspace %zu bytes\n", way->job.workspace);
    way->job.executor->explain(way, text);
}

/* The same operands in a device's memory. */
static void add_device(lay_text *text, lay_plan *plan)
{
    const char *reason;
    const int number = lay_plan_device(plan);
    const lay_device *device = lay_device_get(number, &reason);
    if (!device) {
        lay_text_add(text, "device    none: %s\n", reason);
        return;
    }
    const lay_places places = lay_places_all(LAY_PLACE_DEVICE, number);
    lay_text_add(text, "device    %d, %s: operands in its memory\n", number, device->name);
    add_way(text, plan, &places);
}

int lay_plan_explain(const lay_plan *plan, char *to, size_t size)
{
    if (!plan || (!to && size > 0)) {
        lay_fail(LAY_ERR_ARGUMENT, !plan ? "plan is NULL" : "text is NULL");
        return -1;
    }
    lay_plan *const remembering = (lay_plan *)plan; /* plans are made in memory that may be written */
    lay_text text = { .to = to, .size = size };
    const lay_places places = lay_places_all(LAY_PLACE_HOST, lay_plan_device(plan));
    add_way(&text, remembering, &places);
    if (plan->options.backend != LAY_BACKEND_CPU)
        add_device(&text, remembering);
    return (int)text.length;
}
