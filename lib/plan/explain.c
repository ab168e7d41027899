/* A plan in words: the modes, their classes, what was taken, and why not the others. */
#include "base/status.h"
#include "base/text.h"
#include "plan/plan.h"

static const char *operand_name(const lay_plan *plan, int operand)
{
    if (operand == LAY_RESULT)
        return "C";
    return (operand == LAY_LEFT) != plan->problem.is_turned ? "A" : "B";
}

static void add_group(lay_text *text, const lay_plan *plan, char name, const lay_group *group, int first, int second)
{
    lay_text_add(text, "  %c %-9lld ", name, (long long)group->extent);
    if (!group->is_plain)
        lay_text_add(text, "radices of %s and %s do not divide: offsets from tables", operand_name(plan, first),
                     operand_name(plan, second));
    for (int i = 0; i < group->count; i++) {
        const lay_mode *mode = &group->mode[i];
        lay_text_add(text, "[%lld %s:%lld %s:%lld]", (long long)mode->extent, operand_name(plan, first),
                     (long long)mode->stride[first], operand_name(plan, second), (long long)mode->stride[second]);
    }
    lay_text_add(text, "%s\n", group->is_reordered ? "  (reordered)" : "");
}

static void add_packing(lay_text *text, const char *name, const lay_axis *across, const lay_axis *along, int width)
{
    const int copied = across->run >= (across->extent < width ? across->extent : width);
    const int turned = along->run >= (along->extent < 8 ? along->extent : 8);
    lay_text_add(text, "  %s packed in panels of %d: across %s, along k %s: %s\n", name, width,
                 lay_axis_class_name(across->class), lay_axis_class_name(along->class),
                 copied            ? "copied, unit stride across the panel"
                 : turned          ? "turned in registers, unit stride along k"
                 : across->run > 2 ? "copied in pieces"
                                   : "gathered element by element");
}

static void add_rows(lay_text *text, const lay_plan *plan)
{
    for (int i = 0; i < lay_kernel_count; i++) {
        const lay_kernel *kernel = lay_kernels[i];
        const char *refusal = lay_plan_refusal(kernel, plan->problem.type, &plan->choice);
        if (refusal) {
            lay_text_add(text, "  %-28s refused: %s\n", kernel->name, refusal);
            continue;
        }
        lay_blocks blocks;
        const double seconds = lay_plan_weigh(&plan->problem, kernel, &plan->choice, &blocks);
        lay_text_add(text, "  %-28s %s, predicted %.3g us\n", kernel->name,
                     kernel == plan->kernel ? "taken" : "refused: dearer", seconds * 1e6);
    }
}

int lay_plan_explain(const lay_plan *plan, char *to, size_t size)
{
    if (!plan || (!to && size > 0)) {
        lay_fail(LAY_ERR_ARGUMENT, !plan ? "plan is NULL" : "text is NULL");
        return -1;
    }
    const lay_problem *problem = &plan->problem;
    const lay_blocks *blocks = &plan->blocks;
    const lay_kernel *kernel = plan->kernel;
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

    lay_text_add(&text, "data\n");
    add_packing(&text, operand_name(plan, LAY_LEFT), &problem->left_m, &problem->left_k, kernel->mr);
    add_packing(&text, operand_name(plan, LAY_RIGHT), &problem->right_n, &problem->right_k, kernel->nr);
    const int direct = problem->result_n.run >= (problem->n.extent < kernel->nr ? problem->n.extent : kernel->nr);
    lay_text_add(&text, "  C rows %s, columns %s: %s\n", lay_axis_class_name(problem->result_m.class),
                 lay_axis_class_name(problem->result_n.class),
                 direct ? "tiles written in place" : "tiles not contiguous go through a buffer");

    lay_text_add(&text, "executor  cpu\nisa       %s (%s)\n", lay_isa_name(plan->choice.isa), plan->choice.isa_why);
    lay_text_add(&text, "threads   %d of %d (%s), grid %lld x %lld tasks of C\n", blocks->threads, plan->choice.threads,
                 plan->choice.threads_why, (long long)blocks->grid_m, (long long)blocks->grid_n);
    lay_text_add(&text, "blocks    mc %lld nc %lld kc %lld, packed at once: %lld rows, %lld columns\n",
                 (long long)blocks->mc, (long long)blocks->nc, (long long)blocks->kc, (long long)blocks->mb,
                 (long long)blocks->nb);
    lay_text_add(&text, "workspace %zu bytes\nkernels\n", lay_plan_workspace(plan));
    add_rows(&text, plan);
    return (int)text.length;
}
