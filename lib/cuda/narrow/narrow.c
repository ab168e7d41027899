/* Products on the matrix units as they are: who may have them, and which tiles they get. */
#include <math.h>

#include "base/arith.h"
#include "base/text.h"
#include "cuda/launch/executor.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/units.h"
#include "cuda/memory/device.h"
#include "cuda/narrow/narrow_cost.h"
#include "cuda/narrow/narrow_run.h"
#include "cuda/narrow/narrow_view.h"
#include "cuda/ways.h"

static const char named_another[] = "options.kernel names another";
static const char not_mine[] = "is for 16-bit types, or f32 where options.compute asks for rounded operands";

enum { MOST_PARTS = 64 }; /* slices, 32 at most, with room to spare */

static const lay_cuda_kernel *find_row(const lay_cuda_shape *of, const lay_device *device, const char *wanted,
                                       double *seconds)
{
    return lay_units_find(LAY_CUDA_NARROW, of, device, wanted, lay_narrow_cost, seconds);
}

/* Slices change bits, rows do not: they are a function of the sizes, the same for m x n as for n x m. */
static int choose_slices(lay_type units, int64_t m, int64_t n, int64_t k, const lay_device *device)
{
    static const int tried[] = { 1, 2, 3, 6, 8, 12, 16, 24, 32 };
    const int64_t most = max_of(m, n), least = m + n - most;
    double fewest = INFINITY;
    int best = 1;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        const lay_cuda_shape tall = lay_units_cut(units, most, least, k, tried[i]);
        const lay_cuda_shape wide = lay_units_cut(units, least, most, k, tried[i]);
        double one, other;
        if (!tall.slices)
            continue;
        find_row(&tall, device, NULL, &one);
        find_row(&wide, device, NULL, &other);
        if (fmin(one, other) >= fewest)
            continue;
        fewest = fmin(one, other);
        best = tried[i];
    }
    return best;
}

/* k cut in so many slices. */
static lay_cuda_shape cut(const lay_problem *problem, lay_type units, int slices)
{
    return lay_units_cut(units, max_of(problem->m.extent, 1), max_of(problem->n.extent, 1),
                         max_of(problem->k.extent, 1), slices);
}

/* The type that the matrix units are to multiply, LAY_F32 as TF32; negative where they are not asked. */
static int find_units(const lay_problem *problem)
{
    const lay_compute compute = problem->compute;
    const int is_plain = compute == LAY_COMPUTE_AUTO || compute == LAY_COMPUTE_STRICT;
    switch (problem->types.left) {
    case LAY_F16:
    case LAY_BF16:
        return is_plain ? (int)problem->types.left : -1;
    case LAY_F32:
        return compute == LAY_COMPUTE_TF32   ? (int)LAY_F32
               : compute == LAY_COMPUTE_BF16 ? (int)LAY_BF16
               : compute == LAY_COMPUTE_FP16 ? (int)LAY_F16
                                             : -1;
    default:
        return -1;
    }
}

int lay_narrow_mixes(const lay_problem *problem)
{
    const lay_types *types = &problem->types;
    return types->left == types->right && types->left != LAY_F32 && types->sum == LAY_F32 && find_units(problem) >= 0;
}

int lay_narrow_takes(const lay_problem *problem)
{
    return find_units(problem) >= 0;
}

lay_type lay_narrow_units(const lay_problem *problem)
{
    return (lay_type)find_units(problem);
}

int lay_narrow_slices(const lay_problem *problem, const lay_device *device)
{
    const lay_type units = (lay_type)find_units(problem);
    const lay_cuda_shape whole = cut(problem, units, 1);
    return choose_slices(units, whole.m, whole.n, whole.k, device);
}

/* Seconds that an image takes: vectors, or elements one by one (bench/LOG.md, 82). */
static double cost_image(const lay_narrow_view *view, lay_cuda_class as)
{
    static const double launch = 2e-6, bandwidth = 2e12, an_element = 25e-12;
    const int in_vectors = as == (view->is_across ? LAY_CUDA_ACROSS_VECTOR : LAY_CUDA_ALONG_VECTOR);
    const double bytes = (double)lay_narrow_image_size(view);
    return !view->is_image ? 0 : launch + (in_vectors ? 3 * bytes / bandwidth : bytes / 2 * an_element);
}

/* Seconds that C takes besides, where it is written element by element: each sector that lanes touch (bench/LOG.md,
 * 82). */
static double cost_scattered(const lay_problem *problem)
{
    enum { SECTOR = 32 };
    static const double a_sector = 0.04e-9;
    const lay_axis *rows = &problem->result_m, *columns = &problem->result_n;
    const int is_down = rows->class == LAY_AXIS_UNIT && rows->count <= 1;
    const int64_t run = is_down ? max_of(rows->run, columns->run) : columns->run;
    const double together = (double)max_of(1, min_of(run, SECTOR / lay_size_of(problem->types.result)));
    return (double)problem->m.extent * (double)problem->n.extent / together * a_sector;
}

/* A kernel of batches, which another way of the order has. */
static int names_batches(const char *wanted)
{
    return wanted && lay_cuda_find_kernel(LAY_CUDA_BATCH, wanted);
}

/* By types, sizes, options and places. */
static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const int units = find_units(problem);
    const char *reason;
    double seconds;
    if (units < 0)
        return not_mine;
    if ((reason = lay_cuda_refuse_setting(setting))) /* before CUDA is started */
        return reason;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device || (reason = lay_units_refuse(problem, device, MOST_PARTS)))
        return reason;
    const lay_cuda_shape of = cut(problem, (lay_type)units, 1);
    return names_batches(setting->options->kernel) || find_row(&of, device, setting->options->kernel, &seconds)
               ? NULL
               : named_another;
}

static const char *prepare(lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    const lay_setting *setting = &branch->setting;
    lay_job *job = &branch->job;
    const lay_type units = (lay_type)find_units(problem);
    const int is_converted = problem->types.left != units;
    const char *reason = NULL;
    lay_narrow *narrow = job->data;
    lay_launch *launch = &narrow->launch;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device)
        return reason;
    if (lay_types_are_mixed(&problem->types) && !lay_narrow_mixes(problem))
        return "takes operands of one type alone";
    if (names_batches(setting->options->kernel))
        return named_another;
    *narrow = (lay_narrow){ .launch = lay_launch_on(problem, device),
                            .units = units,
                            .left = lay_narrow_view_of(1, &problem->left_m, &problem->left_k, units, is_converted),
                            .right = lay_narrow_view_of(0, &problem->right_n, &problem->right_k, units, is_converted) };
    /* What is behind the last vector need not lie together. */
    launch->is_c_vector &= problem->n.extent % (16 / (int64_t)lay_type_size(problem->types.result)) == 0;
    const lay_cuda_shape whole = cut(problem, units, 1);
    const lay_cuda_shape of = cut(problem, units, choose_slices(units, whole.m, whole.n, whole.k, device));
    lay_units_take(launch, find_row(&of, device, setting->options->kernel, &job->seconds), problem, &of);
    narrow->cluster = lay_narrow_cluster_of(launch->kernel, &of, device);
    job->seconds += launch->is_c_vector ? 0 : cost_scattered(problem);
    job->seconds += cost_image(&narrow->left, launch->left) + cost_image(&narrow->right, launch->right);
    job->needs = lay_narrow_needs(problem, narrow);
    job->workspace = job->needs.tables + job->needs.partial;
    job->kernel = launch->kernel->name;
    job->threads = 1;
    return NULL;
}

static void add_operand(lay_text *text, const char *name, const lay_narrow_view *view)
{
    lay_text_add(text, "  %s %s, %s contiguous%s%s\n", name, view->is_image ? "from an image" : "in place",
                 view->is_across ? "rows or columns" : "steps of k", view->is_image ? ": " : "",
                 view->is_image ? view->why : "");
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_narrow *narrow = branch->job.data;
    const lay_cuda_shape of = cut(problem, narrow->units, narrow->launch.slices);
    lay_text_add(text, "read\n");
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), &narrow->left);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), &narrow->right);
    lay_text_add(text, "  C %s\n",
                 narrow->launch.is_c_vector ? "written in 16-byte vectors" : "written element by element");
    lay_launch_explain_grid(&narrow->launch, text);
    if (narrow->cluster.is_together)
        lay_text_add(text, ", added by clusters of %d blocks", narrow->cluster.blocks);
    else if (narrow->cluster.blocks > 1)
        lay_text_add(text, ", in pairs that share columns of %s", lay_problem_operand(problem, LAY_RIGHT));
    lay_text_add(text, "\nmemory    tables %zu bytes, images and sums %zu bytes\nkernels\n", branch->job.needs.tables,
                 branch->job.needs.partial);
    lay_units_explain(&narrow->launch, &of, branch->setting.options->kernel, lay_narrow_cost, " alone", text);
}

static const char *find_kernel(const char *name)
{
    return lay_cuda_find_kernel(LAY_CUDA_NARROW, name);
}

static void list_kernels(const lay_order *order, lay_text *text)
{
    lay_cuda_list_kernels(LAY_CUDA_NARROW, order->name, text);
}

const lay_order lay_order_device_narrow = {
    .name = "narrow",
    .backend = LAY_BACKEND_CUDA,
    .treatment = LAY_ROUNDED,
    .not_mine = not_mine,
    .refuse = refuse,
    .mixes = lay_narrow_mixes,
    .find_kernel = find_kernel,
    .list_kernels = list_kernels,
    .scale = lay_cuda_put_scale,
};

const lay_way lay_way_device_narrow = {
    .name = "matrix units",
    .order = &lay_order_device_narrow,
    .takes = LAY_TAKES_MIXED,
    .data = sizeof(lay_narrow),
    .prepare = prepare,
    .run = lay_narrow_multiply,
    .explain = explain,
    .load = lay_narrow_load,
    .reserve = lay_kept_reserve,
    .release = lay_kept_release,
};
