/* The device's order of operands as they are: one launch of a row, or two, on operands in its memory, in the order of
 * the caller's stream. */
#include "cuda/launch/executor.h"

#include <stdlib.h>

#include "base/scalar.h"
#include "base/status.h"
#include "cuda/crossed.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/rows.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"
#include "cuda/split/split.h"
#include "cuda/ways.h"
#include "plan/options.h"
#include "plan/plan.h"

const char *lay_cuda_refuse_setting(const lay_setting *setting)
{
    if (setting->options->backend == LAY_BACKEND_CPU)
        return "options.backend is the CPU";
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (setting->place[i] != LAY_PLACE_DEVICE)
            return "an operand lies in host memory";
    return setting->named && setting->named->backend == LAY_BACKEND_CPU ? "options.kernel names a CPU kernel" : NULL;
}

/* By sizes, options and places. */
static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const char *reason = lay_cuda_refuse_setting(setting);
    if (reason)
        return reason;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device)
        return reason;
    if (lay_compute_rounds(problem->compute))
        return "options.compute asks for rounded operands";
    if (problem->compute == LAY_COMPUTE_BF16X3)
        return "options.compute is for the CPU's matrix unit";
    return problem->compute == LAY_COMPUTE_F32_SPLIT ? lay_split_refuse(problem, setting, device) : NULL;
}

/* The job of the launches in its data. */
static void fill_job(lay_branch *branch, double seconds)
{
    lay_job *job = &branch->job;
    const lay_launch *launch = job->data;
    job->seconds = seconds;
    job->needs = (lay_needs){ .tables = lay_offsets_bytes(&branch->problem),
                              .counters = lay_launch_counters(launch),
                              .partial = lay_launch_partial(launch),
                              .may_lack = launch->is_shared && launch->slices == 1 };
    job->kernel = launch->kernel->name;
    job->threads = 1;
    job->workspace = job->needs.tables + job->needs.counters + job->needs.partial;
}

double lay_launch_try_crossed(lay_branch *branch, const lay_device *device, double seconds)
{
    lay_launch *const own = branch->job.data;
    lay_problem *const both = malloc(2 * sizeof *both); /* large: callers' stacks may be small */
    const char *reason;
    if (!both)
        return seconds;
    both[0] = branch->problem;
    for (int times = 1; times <= LAY_CROSSED_MOST; times *= 2) {
        lay_launch launch[2] = { { .kernel = NULL }, { .kernel = NULL } };
        if (!lay_launch_cross(&both[0], times, &both[1]))
            continue;
        const double other = lay_launch_choose(&both[1], device, branch->setting.options->kernel, 2, launch, &reason);
        if (other < 0 || other >= seconds)
            continue;
        branch->problem = both[1];
        own[0] = launch[0];
        own[1] = launch[1];
        seconds = other;
    }
    free(both);
    return seconds;
}

static const char *prepare(lay_branch *branch)
{
    const char *reason;
    const lay_device *device = lay_device_get(branch->setting.device, &reason);
    if (!device)
        return reason;
    const double seconds =
        lay_launch_choose(&branch->problem, device, branch->setting.options->kernel, 2, branch->job.data, &reason);
    if (seconds < 0)
        return reason;
    fill_job(branch, lay_launch_try_crossed(branch, device, seconds));
    return NULL;
}

int lay_launch_prepare_by(lay_branch *branch, const lay_cuda_sum *sum, const lay_cuda_kernel *first_row, int most)
{
    lay_launch *const own = branch->job.data, launch[2] = { { .kernel = NULL }, { .kernel = NULL } };
    const double seconds = lay_launch_choose_by(&branch->problem, own->device, NULL, sum, first_row, most, launch);
    if (seconds < 0)
        return 0;
    own[0] = launch[0];
    own[1] = launch[1];
    fill_job(branch, seconds);
    return 1;
}

static lay_cuda_args fill_args(const lay_branch *branch, const lay_kept *own, const lay_call *call)
{
    const lay_problem *problem = &branch->problem;
    const lay_scalar alpha = lay_scalar_read(call->alpha, problem->types.sum);
    const lay_scalar beta = lay_scalar_read(call->beta, problem->types.sum);
    lay_cuda_args args = { .m = (int)problem->m.extent, .n = (int)problem->n.extent, .k = (int)problem->k.extent };
    if (problem->types.sum == LAY_F64) {
        args.alpha.f64 = alpha.f64;
        args.beta.f64 = beta.f64;
    } else {
        args.alpha.f32 = alpha.f32;
        args.beta.f32 = beta.f32;
    }
    if (call->left)
        args.left = lay_offsets_element(call->left, &problem->left_m, &problem->left_k, problem->types.left);
    if (call->right)
        args.right = lay_offsets_element(call->right, &problem->right_k, &problem->right_n, problem->types.right);
    args.c = lay_offsets_element(call->c, &problem->result_m, &problem->result_n, problem->types.result);
    lay_offsets_fill(problem, &args, own->block, NULL);
    return args;
}

static lay_status put_product(const lay_branch *branch, lay_kept *own, const lay_call *call, void *partial)
{
    lay_cuda_args args = fill_args(branch, own, call);
    args.counters = partial ? own->counters : NULL;
    args.partial = partial;
    return lay_launch_put_both(branch->job.data, &args, branch->setting.options->stream);
}

static lay_status put_scale(const lay_branch *branch, lay_kept *own, const lay_call *call, void *partial)
{
    (void)partial;
    lay_cuda_args args = fill_args(branch, own, call);
    return lay_launch_put_scale(branch->problem.types.result, &args, branch->setting.options->stream);
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    return lay_kept_run(branch, call, put_product, 1);
}

lay_status lay_cuda_put_scale(lay_branch *branch, const lay_call *call)
{
    return lay_kept_run(branch, call, put_scale, 0);
}

static lay_status load(const lay_branch *branch)
{
    const lay_launch *launch = branch->job.data;
    const lay_status status = lay_launch_load(launch);
    return status == LAY_OK && launch[1].kernel ? lay_launch_load(&launch[1]) : status;
}

static const char *say_offsets(const lay_axis *axis)
{
    return lay_axis_is_even(axis) ? "by a stride" : "from a table";
}

static void add_operand(lay_text *text, const char *name, lay_cuda_class class, const lay_axis *across,
                        const lay_axis *along)
{
    lay_text_add(text, "  %s across %s (%s), along k %s (%s): fetched %s\n", name, lay_axis_class_name(across->class),
                 say_offsets(across), lay_axis_class_name(along->class), say_offsets(along),
                 lay_launch_class_name(class));
}

static void add_launch(lay_text *text, const lay_launch *launch)
{
    const lay_cuda_kernel *kernel = launch->kernel;
    const long long blocks = (long long)launch->tiles_m * launch->tiles_n * (launch->is_together ? 1 : launch->slices);
    lay_launch_explain_grid(launch, text);
    if (launch->is_shared) {
        lay_text_add(text, ": %.2f each of %d blocks, which share the last ones evenly\n",
                     (double)blocks / ((double)kernel->blocks_per_sm * launch->device->multiprocessors),
                     kernel->blocks_per_sm * launch->device->multiprocessors);
        return;
    }
    lay_text_add(text, ": %lld blocks, %.2f waves\n", blocks,
                 (double)blocks / ((double)kernel->blocks_per_sm * launch->device->multiprocessors));
    if (launch->slices > 1)
        lay_text_add(text, "          partial sums %zu bytes, added by %s\n", launch->partial,
                     launch->is_together ? "each tile's block"
                     : launch->counters  ? "each tile's last block"
                                         : "a launch of their own");
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_launch *launch = branch->job.data;
    lay_text_add(text, "fetched\n");
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), launch->left, &problem->left_m, &problem->left_k);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), launch->right, &problem->right_n, &problem->right_k);
    lay_text_add(text, "  C rows %s (%s), columns %s (%s): %s\n", lay_axis_class_name(problem->result_m.class),
                 say_offsets(&problem->result_m), lay_axis_class_name(problem->result_n.class),
                 say_offsets(&problem->result_n),
                 launch->is_c_vector ? "written in 16-byte vectors"
                 : launch->down      ? "written down columns, element by element"
                                     : "written element by element");
    add_launch(text, launch);
    if (launch[1].kernel) {
        lay_text_add(text, "rest      rows from %d on, which are no full wave of those, by %s\n", launch[1].first,
                     launch[1].kernel->name);
        add_launch(text, &launch[1]);
    }
    lay_text_add(text, "memory    tables %zu bytes, partial sums %zu bytes\nkernels\n", branch->job.needs.tables,
                 branch->job.needs.partial);
    lay_launch_explain_rows(problem, launch, branch->setting.options->kernel, text);
}

/* Kernels of batches, too, whatever their type, and of complex numbers. */
static const lay_cuda_contract contracts[] = { LAY_CUDA_STRICT, LAY_CUDA_BATCH, LAY_CUDA_COMPLEX };
enum { CONTRACTS = sizeof contracts / sizeof contracts[0] };

static const char *find_kernel(const char *name)
{
    const char *found = NULL;
    for (int i = 0; i < CONTRACTS && !found; i++)
        found = lay_cuda_find_kernel(contracts[i], name);
    return found;
}

static void list_kernels(const lay_order *order, lay_text *text)
{
    for (int i = 0; i < CONTRACTS; i++)
        lay_cuda_list_kernels(contracts[i], order->name, text);
}

const lay_order lay_order_device = {
    .name = "cuda",
    .backend = LAY_BACKEND_CUDA,
    .treatment = LAY_AS_THEY_ARE,
    .refuse = refuse,
    .find_kernel = find_kernel,
    .list_kernels = list_kernels,
    .list_families = lay_cuda_list_families,
    .scale = lay_cuda_put_scale,
};

const lay_way lay_way_launch = {
    .name = "launch",
    .order = &lay_order_device,
    .data = 2 * sizeof(lay_launch),
    .prepare = prepare,
    .run = run,
    .explain = explain,
    .load = load,
    .reserve = lay_kept_reserve,
    .release = lay_kept_release,
};
