/* Products on the 16-bit matrix units: who may have them, and which tiles they get. */
#include "cuda/split/split.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/text.h"
#include "cuda/launch/executor.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/units.h"
#include "cuda/memory/device.h"
#include "cuda/split/split_pack.h"
#include "cuda/split/split_run.h"
#include "cuda/ways.h"
#include "cuda_split.h"
#include "plan/options.h"

static const char not_mine[] = "options.compute does not ask for split operands";

enum {
    LEAST_K = 64, /* from it on the bound is no worse than the plain sum's (docs/numerics.md) */
    MOST_SLICES = 16
};

/* Seconds of a row on the path of usual data: both passes over the operands, tiles in turns, the rest by launches. */
static double cost(const lay_cuda_split_row *row, int64_t m, int64_t n, int64_t k, int slices, const lay_device *device)
{
    static const double launches = 12e-6; /* of five or six */
    static const double left = 2.1e12, right = 2.45e12,
                        sums = 2.45e12; /* bytes a second; operands lie by rows, mostly */
    const double tiles = (double)ceil_div(m, row->bm) * (double)ceil_div(n, row->bn) * slices;
    const double steps = (double)lay_cuda_split_up(ceil_div(k, slices), LAY_SPLIT_CHUNK);
    const double each = 2.0 * row->bm * row->bn * steps / row->rate[LAY_SPLIT_FP16X3] + row->start[LAY_SPLIT_FP16X3];
    const double turns = ceil(tiles / device->multiprocessors);
    const double moved = 8 * (double)k * ((double)m / left + (double)n / right) +
                         (slices > 1 ? 12.0 * slices * (double)m * (double)n / sums : 0);
    return turns * each / (device->ghz * 1e9) + moved + launches + (slices > 1 ? 2e-6 : 0);
}

/* The cheapest tiles and slices, from the sizes of the product as it was asked for; rows differ in no bit, slices do.
 */
static double choose(const lay_problem *problem, const lay_device *device, const char *wanted, lay_split *split)
{
    static const int tried[] = { 1, 2, 3, 4, 6, 8, 12, 16 };
    const int64_t m = (problem->is_transposed ? &problem->n : &problem->m)->extent;
    const int64_t n = (problem->is_transposed ? &problem->m : &problem->n)->extent, k = max_of(problem->k.extent, 1);
    double least = INFINITY;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        const int64_t slice_k = tried[i] > 1 ? lay_cuda_split_up(ceil_div(k, tried[i]), LAY_SPLIT_CHUNK) : k;
        if (tried[i] > 1 && (ceil_div(k, slice_k) != tried[i] || slice_k < 256))
            continue;
        for (const lay_cuda_split_row *row = lay_cuda_split_rows; row->name; row++) {
            const double seconds = cost(row, m, n, k, tried[i], device);
            if ((wanted && strcmp(wanted, row->name) != 0) || seconds >= least)
                continue;
            least = seconds;
            split->row = row;
            split->slices = tried[i];
            split->slice_k = (int)slice_k;
        }
    }
    return least;
}

/* Whatever the sizes. */
static const char *refuse_setting(const lay_problem *problem, const lay_setting *setting)
{
    if (problem->type != LAY_F32)
        return "only f32 operands are split";
    return lay_cuda_refuse_setting(setting);
}

const char *lay_split_refuse(const lay_problem *problem, const lay_setting *setting, const lay_device *device)
{
    const char *reason = refuse_setting(problem, setting);
    return reason ? reason : lay_units_refuse(problem, device, MOST_SLICES);
}

/* Where the plain product is done sooner, or more accurately. Predictions of either are good to some per cent. */
static const char *refuse_sizes(const lay_problem *problem, const lay_device *device, double seconds)
{
    static const double worth = 1.05;
    if (problem->k.extent < LEAST_K)
        return "k is so short that the plain sum is more accurate";
    const lay_cuda_sum plain =
        lay_cuda_sum_choose(problem->type, problem->m.extent, problem->n.extent, problem->k.extent, device, NULL);
    return plain.slices && plain.seconds <= worth * seconds ? "the plain product is predicted to be done as soon"
                                                            : NULL;
}

/* By sizes, options and places. */
static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const char *reason;
    lay_split split = { .row = NULL };
    if (setting->options->compute != LAY_COMPUTE_F32_SPLIT)
        return not_mine;
    if ((reason = refuse_setting(problem, setting))) /* before CUDA is started */
        return reason;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device || (reason = lay_split_refuse(problem, setting, device)))
        return reason;
    const double seconds = choose(problem, device, setting->options->kernel, &split);
    if (!split.row)
        return "options.kernel names one that splits no operands";
    return setting->options->kernel ? NULL : refuse_sizes(problem, device, seconds);
}

static const char *prepare(lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    lay_job *job = &branch->job;
    lay_split *split = job->data;
    const char *reason;
    const lay_device *device = lay_device_get(branch->setting.device, &reason);
    if (!device)
        return reason;
    *split = (lay_split){ .device = device,
                          .left = lay_launch_classify(&problem->left_m, &problem->left_k, problem->type),
                          .right = lay_launch_classify(&problem->right_n, &problem->right_k, problem->type),
                          .is_c_vector = lay_axis_is_in_vectors(&problem->result_n, &problem->result_m, 4) };
    job->seconds = choose(problem, device, branch->setting.options->kernel, split);
    if (!split->is_c_vector) /* 33 of 667 us at 4096 */
        job->seconds += 2e-12 * (double)problem->m.extent * (double)problem->n.extent;
    job->needs = lay_split_needs(problem, split->slices);
    job->workspace = job->needs.tables + job->needs.partial;
    job->kernel = split->row->name;
    job->threads = 1;
    return NULL;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_split *split = branch->job.data;
    const lay_cuda_split_row *row = split->row;
    const int64_t m = problem->m.extent, n = problem->n.extent, k = problem->k.extent;
    lay_text_add(text, "split\n");
    lay_text_add(text, "  A read %s\n  B read %s\n", lay_launch_class_name(split->left),
                 lay_launch_class_name(split->right));
    lay_text_add(text,
                 "paths     chosen on the device, by the widest range of a row of A or column of B:\n"
                 "  up to 28 binades, but of one line in 128, and not mostly zeros\n"
                 "                                            three products of two FP16 limbs\n"
                 "  up to 150, and 190 of both together       six products of three BF16 limbs\n"
                 "  beyond, or one line in eight has Inf or NaN   the plain product\n"
                 "  lines with Inf or NaN, and those few too wide for FP16, are computed plainly on every path\n");
    lay_text_add(text, "grid      %lld x %lld tiles of %d x %d, k in %d slice%s of %d\n",
                 (long long)ceil_div(m, row->bm), (long long)ceil_div(n, row->bn), row->bm, row->bn, split->slices,
                 split->slices == 1 ? "" : "s", split->slice_k);
    lay_text_add(text, "memory    tables %zu bytes, limbs and sums %zu bytes\nkernels\n", branch->job.needs.tables,
                 branch->job.needs.partial);
    for (const lay_cuda_split_row *other = lay_cuda_split_rows; other->name; other++)
        lay_text_add(text, "  %-28s %s, predicted %.3g us\n", other->name,
                     other == row ? "taken" : "refused: not cheaper",
                     cost(other, m, n, k, split->slices, split->device) * 1e6);
}

static const char *find_kernel(const char *name)
{
    for (const lay_cuda_split_row *row = lay_cuda_split_rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row->name;
    return NULL;
}

const lay_order lay_order_device_split = {
    .name = "split",
    .backend = LAY_BACKEND_CUDA,
    .treatment = LAY_SPLIT_IN_LIMBS,
    .not_mine = not_mine,
    .refuse = refuse,
    .find_kernel = find_kernel,
    .scale = lay_cuda_put_scale,
};

const lay_way lay_way_device_split = {
    .name = "in limbs",
    .order = &lay_order_device_split,
    .data = sizeof(lay_split),
    .prepare = prepare,
    .run = lay_split_multiply,
    .explain = explain,
    .load = lay_split_load,
    .find_path = lay_split_find_path,
    .pack = lay_split_pack,
    .reserve = lay_kept_reserve,
    .release = lay_kept_release,
};
