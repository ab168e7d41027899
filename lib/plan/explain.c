/* A plan in words, for operands in host memory and on the device, and for the packed ones that it has met: the modes,
 * the ways considered, and the choices of those taken. */
#include <stdlib.h>

#include "base/scalar.h"
#include "base/status.h"
#include "base/text.h"
#include "device/device.h"
#include "levels.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "plan/routes.h"
#include "plan/tuning/tuned.h"

static void add_group(lay_text *text, const lay_problem *problem, char name, const lay_group *group, int first,
                      int second)
{
    lay_text_add(text, "  %c %-9lld ", name, (long long)group->extent);
    if (!group->is_plain)
        lay_text_add(text, "radices of %s and %s do not divide: each has its own", lay_problem_operand(problem, first),
                     lay_problem_operand(problem, second));
    for (int i = 0; i < group->count; i++) {
        const lay_mode *mode = &group->mode[i];
        lay_text_add(text, "[%lld %s:%lld %s:%lld]", (long long)mode->extent, lay_problem_operand(problem, first),
                     (long long)mode->stride[first], lay_problem_operand(problem, second),
                     (long long)mode->stride[second]);
    }
    lay_text_add(text, "%s\n", group->is_reordered ? "  (reordered)" : "");
}

/* What was considered for operands in these places. */
static void add_ways(lay_text *text, const lay_plan *plan, const lay_places *places, const lay_route *taken)
{
    lay_desc *const none[2] = { NULL, NULL };
    lay_problem *problem = malloc(sizeof *problem);
    if (problem) {
        lay_setting setting;
        lay_route_pose(plan, places, taken ? taken->layout : none, problem, &setting);
        lay_branch_explain_ways(problem, &setting, taken ? taken->root : NULL, text);
    }
    free(problem);
}

/* How many of an operand's matrices a batch has: one, where the operand is the same for every index. */
static double count_matrices(const lay_axis *batch)
{
    const int is_same = batch->class != LAY_AXIS_TABLE && batch->count == 1 && batch->mode[0].stride == 0;
    return is_same ? 1 : (double)batch->extent;
}

static void add_problem(lay_text *text, const lay_problem *problem)
{
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double left = m * k * (double)lay_size_of(problem->types.left),
                 right = k * n * (double)lay_size_of(problem->types.right),
                 result = 2 * m * n * (double)lay_size_of(problem->types.result);
    const double bytes = left * count_matrices(&problem->left_batch) + right * count_matrices(&problem->right_batch) +
                         result * (double)problem->batch.extent;
    lay_text_add(text, "product   %s, m n k as the kernel sees them%s\n", lay_type_name(problem->types.result),
                 problem->is_transposed ? " (transposed: C^T = B^T A^T)" : "");
    add_group(text, problem, 'm', &problem->m, LAY_LEFT, LAY_RESULT);
    add_group(text, problem, 'n', &problem->n, LAY_RIGHT, LAY_RESULT);
    add_group(text, problem, 'k', &problem->k, LAY_LEFT, LAY_RIGHT);
    lay_text_add(text, "  %.4g flops, %.3g flops a byte\n", lay_problem_flops(problem),
                 bytes > 0 ? lay_problem_flops(problem) / bytes : 0);
}

/* Who computes it, and how. */
static void add_tree(lay_text *text, const lay_plan *plan, const lay_branch *root)
{
    const lay_job *job = &root->job;
    if (root->setting.place[LAY_RESULT] != LAY_PLACE_DEVICE) {
        lay_text_add(text, "isa       %s (%s)\n", lay_isa_name(plan->choice.isa), plan->choice.isa_why);
        lay_text_add(text, "threads   %d of %d (%s)%s\n", job->threads, plan->choice.threads, plan->choice.threads_why,
                     plan->options.parallel ? ", lent by options.parallel" : "");
    }
    lay_text_add(text, "workspace %zu bytes\n", job->workspace);
    for (const lay_branch *branch = root; branch; branch = branch->child)
        branch->way->explain(branch, text);
}

static void add_route(lay_text *text, lay_plan *plan, const lay_places *places)
{
    const char *refusal; /* add_ways has the reasons */
    const lay_route *route = lay_plan_try_route(plan, places, &refusal, NULL);
    if (route)
        add_problem(text, &lay_branch_leaf(route->root)->problem);
    if (route)
        lay_tuning_explain(plan, route, text);
    lay_text_add(text, "ways\n");
    add_ways(text, plan, places, route);
    if (route)
        add_tree(text, plan, route->root);
}

/* As what a route is given an operand that was packed before. */
static void add_given(lay_text *text, const lay_panels *panels, lay_operand which)
{
    const char *side = panels->is_right ? "right" : "left";
    lay_text_add(text, "given     %s packed before, ", which == LAY_OPERAND_A ? "A" : "B");
    if (panels->kernel)
        lay_text_add(text, "in panels of %d: what %s reads of its %s operand\n",
                     panels->is_right ? panels->kernel->nr : panels->kernel->mr, panels->kernel->name, side);
    else if (panels->split)
        lay_text_add(text, "row by row and in %d limbs: what %s reads of its %s operand\n", panels->limbs,
                     panels->split->name, side);
    else
        lay_text_add(text, "row by row\n");
}

/* Every set of packed operands that has come to a run, or that memory was reserved for. */
static void add_packed(lay_text *text, const lay_plan *plan)
{
    for (const lay_route *route = atomic_load(&plan->routes); route; route = route->next) {
        const lay_branch *root = route->root;
        if (!route->layout[0] && !route->layout[1])
            continue;
        for (int i = 0; i < 2; i++)
            if (route->layout[i])
                add_given(text, &route->panels[i], (lay_operand)i);
        add_problem(text, &lay_branch_leaf(root)->problem);
        lay_text_add(text, "ways\n");
        lay_branch_explain_ways(&root->problem, &root->setting, root, text);
        add_tree(text, plan, root);
    }
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
    add_route(text, plan, &places);
}

/* What labels became, and what the sum would cost in its other order. */
static void add_contraction(lay_text *text, const lay_plan *plan)
{
    const lay_contraction *of = plan->contraction;
    const lay_places places = lay_places_all(LAY_PLACE_HOST, lay_plan_device(plan));
    lay_plan *other;
    lay_route *route;
    lay_sentence kept;
    if (!of)
        return;
    lay_text_add(text, "%s", of->text);
    if (!of->other[0] || !of->other[1])
        return;
    const lay_asked asked = {
        .types = plan->types, .a = of->other[0], .b = of->other[1], .c = plan->c, .addend = plan->addend
    };
    lay_options options = plan->options;
    options.effort = LAY_EFFORT_ESTIMATE;
    lay_sentence_keep(&kept);
    const int is_made = lay_plan_make_asked(plan->table, &asked, &options, &other) == LAY_OK;
    if (is_made && lay_plan_find_route(other, &places, &route) == LAY_OK)
        lay_text_add(text, "          the other order, with other bits: predicted %.3g us\n",
                     route->root->job.seconds * 1e6);
    if (is_made)
        lay_plan_destroy(other);
    lay_sentence_restore(&kept);
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
    add_contraction(&text, plan);
    add_route(&text, remembering, &places);
    if (plan->options.backend != LAY_BACKEND_CPU)
        add_device(&text, remembering);
    add_packed(&text, plan);
    return (int)text.length;
}
