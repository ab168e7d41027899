/* The CPU's order of operands as they are: refusals, kernels, runs. */
#include "cpu/strict.h"

#include <stdatomic.h>
#include <string.h>

#include "base/arith.h"
#include "base/list.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cpu/packed/blocks.h"
#include "cpu/scale.h"
#include "cpu/split/split.h"
#include "cpu/ways.h"
#include "plan/branch.h"
#include "plan/options.h"
#include "plan/summation.h"
#include "threads/workspace.h"

/* NULL, or why the CPU cannot serve, as a phrase. */
static const char *refuse_setting(const lay_problem *problem, const lay_setting *setting)
{
    if (setting->options->backend == LAY_BACKEND_CUDA)
        return "options.backend is CUDA";
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (setting->place[i] == LAY_PLACE_DEVICE)
            return "an operand lies in device memory";
    if (lay_compute_rounds(problem->compute) && lay_compute_limbs(problem->compute) == 0)
        return "options.compute asks for rounded operands, which no kernel of the CPU takes";
    if (lay_compute_limbs(problem->compute) > 0)
        return setting->options->kernel ? "options.kernel names one that splits operands"
                                        : lay_cpu_split_refuse(problem, setting);
    return setting->named && setting->named->backend == LAY_BACKEND_CUDA ? "options.kernel names a CUDA kernel" : NULL;
}

static const char skipped[] = "options.skip names it";

/* NULL, or why kernel cannot serve, whatever the layouts. */
static const char *refuse_kernel(const lay_kernel *kernel, const lay_problem *problem, const lay_setting *setting)
{
    const lay_choice *choice = setting->choice;
    if (kernel->type != problem->types.left)
        return "multiplies another type";
    if (setting->options->kernel && setting->options->kernel != kernel->name)
        return "options.kernel names another";
    if (lay_list_has(setting->options->skip, kernel->name))
        return skipped;
    if (setting->step && setting->step->kernel && setting->step->kernel != kernel->name)
        return "tuning names another";
    const char *refusal = lay_machine_refuse(choice, kernel->isa);
    if (refusal)
        return refusal;
    if (kernel->summation != lay_summation_choose(choice->isa))
        return "rounds in another order than this ISA level: equal bits rest on it";
    return NULL;
}

static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const char *refusal = refuse_setting(problem, setting), *wanted = setting->options->kernel;
    if (refusal)
        return refusal;
    refusal = "the kernel table is empty";
    for (int i = 0; i < lay_kernel_count; i++) {
        const char *reason = refuse_kernel(lay_kernels[i], problem, setting);
        if (!reason)
            return NULL;
        if (wanted == lay_kernels[i]->name && lay_kernels[i]->type != problem->types.left)
            return "options.kernel names one of another type";
        if ((!wanted || wanted == lay_kernels[i]->name) && refusal != skipped)
            refusal = reason;
    }
    return refusal;
}

const char *lay_strict_refuse_sum(const lay_problem *problem, const lay_setting *setting)
{
    if (problem->sum.has_partial_sums)
        return "the sums of a product with a vector have an order of their own";
    if (!(setting->inside & LAY_INSIDE_SLICES) && problem->sum.slice < problem->k.extent)
        return "the sum is cut in slices first";
    return NULL;
}

const char *lay_strict_prepare(lay_branch *branch, lay_choose_fn *choose)
{
    const char *refusal = "no kernel serves";
    lay_blocked *const best = branch->job.data;
    for (int i = 0; i < lay_kernel_count; i++) {
        const lay_kernel *kernel = lay_kernels[i];
        lay_blocked blocks;
        lay_job job = { .data = &blocks, .is_prompt = 1 };
        if (refuse_kernel(kernel, &branch->problem, &branch->setting))
            continue;
        const char *reason = choose(&branch->problem, &branch->setting, kernel, &job);
        if (reason)
            refusal = reason;
        if (reason || (branch->job.kernel && !lay_job_is_better(&job, &branch->job)))
            continue;
        *best = blocks;
        branch->job = job;
        branch->job.data = best;
    }
    return branch->job.kernel ? NULL : refusal;
}

int lay_strict_busy(const lay_setting *setting, double share)
{
    const int64_t tuned = lay_tuned(setting, LAY_TUNE_THREADS);
    if (tuned >= 0)
        return (int)max_of(1, min_of(tuned, setting->threads));
    if (setting->options->grid_m)
        return (int)min_of((int64_t)setting->options->grid_m * setting->options->grid_n, setting->threads);
    if (setting->bench || share >= setting->threads)
        return setting->threads;
    return share > 1 ? (int)share : 1;
}

lay_parts lay_strict_parts(const lay_problem *problem, const lay_setting *setting)
{
    const int64_t m = setting->options->grid_m, n = setting->options->grid_n;
    return problem->is_transposed ? (lay_parts){ n, m } : (lay_parts){ m, n };
}

const char *lay_strict_size(const lay_setting *setting, lay_tunable which, int64_t unit, int64_t most, int64_t *size)
{
    const int64_t tuned = lay_tuned(setting, which);
    if (tuned < 0)
        return NULL;
    if (tuned == 0 || tuned > ceil_div(most, unit))
        return "tuning has a block size that the product has no room for";
    *size = tuned * unit;
    return NULL;
}

const char *lay_strict_check_workspace(const lay_setting *setting, const lay_job *job)
{
    static const size_t most = (size_t)1 << 30; /* bytes: of more and smaller tasks nothing was ever faster */
    if (job->workspace <= most || !(setting->step || setting->options->grid_m))
        return NULL;
    return setting->step ? "tuning has tasks that take too much workspace"
                         : "more would be packed at once, for the grid of options.grid_m and grid_n, than a GiB";
}

void lay_strict_tell(const lay_branch *branch, lay_step *step)
{
    const lay_blocked *blocks = branch->job.data;
    step->kernel = blocks->kernel->name;
    step->value[LAY_TUNE_THREADS] = branch->job.threads;
}

const lay_kernel *lay_strict_find_plain(lay_type type, lay_isa isa, const char *skip)
{
    const lay_kernel *found = NULL;
    for (int i = 0; i < lay_kernel_count; i++) {
        const lay_kernel *kernel = lay_kernels[i];
        if (kernel->type == type && lay_isa_includes(isa, kernel->isa) &&
            kernel->summation == lay_summation_choose(isa) && !lay_list_has(skip, kernel->name) &&
            (!found || lay_isa_includes(kernel->isa, found->isa)))
            found = kernel;
    }
    return found;
}

void *lay_strict_take_workspace(const lay_branch *branch, const lay_call *call, void *small)
{
    const size_t bytes = branch->job.workspace;
    if (call->workspace)
        return call->workspace;
    if (small && bytes <= LAY_SMALL_WORKSPACE)
        return small;
    void *taken = lay_workspace_take(bytes);
    if (!taken)
        lay_fail(LAY_ERR_MEMORY, "no memory for a workspace of %zu bytes", bytes);
    return taken;
}

void lay_strict_give_workspace(const lay_call *call, void *small, void *workspace)
{
    if (workspace != small && workspace != call->workspace)
        lay_workspace_give(workspace);
}

lay_status lay_strict_run(lay_branch *branch, const lay_call *call)
{
    _Alignas(64) char small[LAY_SMALL_WORKSPACE]; /* a tiny product needs no pool */
    const lay_problem *problem = &branch->problem;
    const lay_blocked *blocks = branch->job.data;
    const lay_part all = { .last = problem->k.extent,
                           .rows = &problem->result_m,
                           .columns = &problem->result_n,
                           .row = blocks->direct.result_row,
                           .is_staged = blocks->direct.is_staged };
    void *workspace = lay_strict_take_workspace(branch, call, small);
    if (!workspace)
        return LAY_ERR_MEMORY;
    blocks->run_part(problem, &branch->job, &all, call, workspace);
    lay_strict_give_workspace(call, small, workspace);
    return LAY_OK;
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    lay_scale(&branch->problem, branch->setting.threads, call->beta, call->c);
    return LAY_OK;
}

static const char *find_kernel(const char *name)
{
    for (int i = 0; i < lay_kernel_count; i++)
        if (strcmp(lay_kernels[i]->name, name) == 0)
            return lay_kernels[i]->name;
    return NULL;
}

static void list_kernels(const lay_order *order, lay_text *text)
{
    for (int i = 0; i < lay_kernel_count; i++)
        lay_text_add(text, "kernel,%s,%s,%s,%s\n", lay_kernels[i]->name, order->name,
                     lay_type_name(lay_kernels[i]->type), lay_isa_name(lay_kernels[i]->isa));
}

static void explain_kernels(const lay_branch *branch, lay_choose_fn *choose, lay_text *text)
{
    for (int i = 0; i < lay_kernel_count; i++) {
        const lay_kernel *kernel = lay_kernels[i];
        lay_blocked blocks;
        lay_job job = { .data = &blocks };
        const char *reason = refuse_kernel(kernel, &branch->problem, &branch->setting);
        if (!reason)
            reason = choose(&branch->problem, &branch->setting, kernel, &job);
        if (reason)
            lay_text_add(text, "  %-28s refused: %s\n", kernel->name, reason);
        else
            lay_text_add(text, "  %-28s %s, predicted %.3g us\n", kernel->name,
                         kernel->name == branch->job.kernel ? "taken" : lay_job_why_worse(&job, &branch->job),
                         job.seconds * 1e6);
    }
}

void lay_strict_explain(const lay_branch *branch, lay_choose_fn *choose, lay_text *text)
{
    const lay_blocked *blocks = branch->job.data;
    lay_text_add(text, "grid      %lld x %lld tasks of C for %d threads, dealt by %s\nkernels\n",
                 (long long)blocks->grid_m, (long long)blocks->grid_n, branch->job.threads,
                 blocks->is_by_columns ? "columns" : "rows");
    explain_kernels(branch, choose, text);
}

void lay_strict_explain_packing(lay_text *text, const char *name, const lay_axis *across, const lay_axis *along,
                                int width, int64_t steps, const char *when)
{
    static const char *const how[] = {
        [LAY_PACKED_COPIED] = "copied, unit stride across the panel",
        [LAY_PACKED_TRANSPOSED] = "transposed in registers, unit stride along k",
        [LAY_PACKED_IN_PIECES] = "copied in pieces, short runs across the panel",
        [LAY_PACKED_BY_DIGITS] = "transposed in registers, unit stride in an outer digit of k",
        [LAY_PACKED_IN_PAIRS] = "taken apart, two steps side by side",
        [LAY_PACKED_GATHERED] = "gathered element by element",
    };
    lay_text_add(text, "  %s in panels of %d%s: across %s, along k %s: %s\n", name, width, when,
                 lay_axis_class_name(across->class), lay_axis_class_name(along->class),
                 how[lay_packing_find(across, along, width, steps)]);
}

void lay_strict_explain_result(lay_text *text, const lay_problem *problem, int is_direct)
{
    lay_text_add(text, "  C rows %s, columns %s: %s\n", lay_axis_class_name(problem->result_m.class),
                 lay_axis_class_name(problem->result_n.class),
                 is_direct ? "tiles written in place" : "tiles that are not contiguous go through a buffer");
}

const lay_order lay_order_cpu = {
    .name = "cpu",
    .backend = LAY_BACKEND_CPU,
    .treatment = LAY_AS_THEY_ARE,
    .refuse = refuse,
    .find_kernel = find_kernel,
    .list_kernels = list_kernels,
    .scale = scale,
};
