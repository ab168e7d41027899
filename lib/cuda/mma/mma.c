/* Products on the matrix units of any GPU from compute capability 8.0 on: who may have them, and which tiles they get.
 * 9.0 has kernels that are faster (lib/cuda/narrow), and these only where options.kernel names one. */
#include "cuda/mma/mma.h"

#include <math.h>

#include "base/arith.h"
#include "base/text.h"
#include "cuda/launch/executor.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/units.h"
#include "cuda/memory/device.h"
#include "cuda/narrow/narrow_run.h"
#include "cuda/ways.h"

static const char not_mine[] = "is for 16-bit types, or f32 where options.compute asks for rounded operands";

enum { MOST_SLICES = 16 };

lay_mma_view lay_mma_view_of(lay_cuda_class as, int64_t lines, int64_t steps, lay_type units, int is_converted)
{
    const int64_t v = 16 / (int64_t)lay_type_size(units);
    const int is_across = as == LAY_CUDA_ACROSS || as == LAY_CUDA_ACROSS_VECTOR;
    const int64_t near = is_across ? lines : steps, far = is_across ? steps : lines;
    lay_mma_view view = { .is_across = is_across, .pitch = round_up(near, v) };
    view.bytes = (size_t)(view.pitch * far) * lay_type_size(units);
    view.why = is_converted                                                  ? "elements are rounded first"
               : as != LAY_CUDA_ACROSS_VECTOR && as != LAY_CUDA_ALONG_VECTOR ? "no vectors of 16 bytes"
               : near % v != 0                                               ? "what is behind the last vector"
                                                                             : NULL;
    view.is_image = view.why != NULL;
    return view;
}

static const lay_cuda_kernel *find_row(const lay_cuda_shape *of, const lay_device *device, const char *wanted,
                                       double *seconds)
{
    return lay_units_find(LAY_CUDA_MMA, of, device, wanted, lay_mma_cost, seconds);
}

static int choose_slices(const lay_problem *problem, lay_type units, const lay_device *device)
{
    static const int tried[] = { 1, 2, 3, 4, 6, 8, 12, MOST_SLICES };
    const lay_units_slicing by = { tried, sizeof tried / sizeof tried[0], LAY_CUDA_MMA, lay_mma_cost, 0 };
    return lay_units_slices(problem, units, device, &by);
}

/* By types, sizes, options and places. */
static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const char *reason, *const wanted = setting->options->kernel;
    double seconds;
    if (!lay_narrow_takes(problem))
        return not_mine;
    if ((reason = lay_cuda_refuse_setting(setting))) /* before CUDA is started */
        return reason;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device || (reason = lay_units_refuse_sizes(problem, MOST_SLICES)))
        return reason;
    if (device->sm == 90 && LAY_CUDA_SM90 && !wanted)
        return "compute capability 9.0 has matrix units that are faster";
    const lay_cuda_shape of = lay_units_cut_of(problem, lay_narrow_units(problem), 1);
    return find_row(&of, device, wanted, &seconds) ? NULL
           : wanted                                ? "options.kernel names another"
                                                   : "compute capability 8.0 or newer is needed";
}

static const char *prepare(lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    lay_job *job = &branch->job;
    const lay_type units = lay_narrow_units(problem);
    const int is_converted = problem->types.left != units;
    const char *reason = NULL;
    lay_mma *mma = job->data;
    lay_launch *launch = &mma->launch;
    const lay_device *device = lay_device_get(branch->setting.device, &reason);
    if (!device)
        return reason;
    if (lay_types_are_mixed(&problem->types) && !lay_narrow_mixes(problem))
        return "takes operands of one type alone";
    *mma = (lay_mma){ .launch = lay_launch_on(problem, device), .units = units };
    const int64_t k = problem->k.extent;
    mma->left = lay_mma_view_of(launch->left, problem->m.extent, k, units, is_converted);
    mma->right = lay_mma_view_of(launch->right, problem->n.extent, k, units, is_converted);
    /* What is behind the last vector need not lie together. */
    launch->is_c_vector &= problem->n.extent % (16 / (int64_t)lay_type_size(problem->types.result)) == 0;
    const lay_cuda_shape of = lay_units_cut_of(problem, units, choose_slices(problem, units, device));
    lay_units_take(launch, find_row(&of, device, branch->setting.options->kernel, &job->seconds), problem, &of);
    job->seconds += lay_mma_cost_image(&mma->left, launch->left, units, device) +
                    lay_mma_cost_image(&mma->right, launch->right, units, device);
    job->needs = lay_mma_needs(problem, mma);
    job->workspace = job->needs.tables + job->needs.partial;
    job->kernel = launch->kernel->name;
    job->threads = 1;
    return NULL;
}

static void add_operand(lay_text *text, const char *name, const lay_mma_view *view)
{
    lay_text_add(text, "  %s %s, vectors of %s%s%s\n", name, view->is_image ? "from an image" : "in place",
                 view->is_across ? "rows or columns" : "steps of k", view->is_image ? ": " : "",
                 view->is_image ? view->why : "");
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_mma *mma = branch->job.data;
    const lay_cuda_shape of = lay_units_cut_of(problem, mma->units, mma->launch.slices);
    lay_text_add(text, "read\n");
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), &mma->left);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), &mma->right);
    lay_text_add(text, "  C %s\n",
                 mma->launch.is_c_vector ? "written in 16-byte vectors" : "written element by element");
    lay_launch_explain_grid(&mma->launch, text);
    lay_units_explain_memory(&branch->job.needs, text);
    lay_units_explain(&mma->launch, &of, branch->setting.options->kernel, lay_mma_cost, " alone", text);
}

static const char *find_kernel(const char *name)
{
    return lay_cuda_find_kernel(LAY_CUDA_MMA, name);
}

static void list_kernels(const lay_order *order, lay_text *text)
{
    lay_cuda_list_kernels(LAY_CUDA_MMA, order->name, text);
}

const lay_order lay_order_device_mma = {
    .name = "mma",
    .backend = LAY_BACKEND_CUDA,
    .treatment = LAY_ROUNDED,
    .not_mine = not_mine,
    .refuse = refuse,
    .mixes = lay_narrow_mixes,
    .find_kernel = find_kernel,
    .list_kernels = list_kernels,
    .scale = lay_cuda_put_scale,
};

const lay_way lay_way_device_mma = {
    .name = "warps' matrix units",
    .order = &lay_order_device_mma,
    .takes = LAY_TAKES_MIXED,
    .data = sizeof(lay_mma),
    .prepare = prepare,
    .run = lay_mma_multiply,
    .explain = explain,
    .load = lay_mma_load,
    .reserve = lay_kept_reserve,
    .release = lay_kept_release,
};
