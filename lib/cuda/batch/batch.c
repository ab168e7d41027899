/* Ways that compute a batch in device memory as one launch, whose kernels take the batch's index in their grid: one for
 * f32 and f64, one for 16-bit types. A product's bits are those that it has alone. */
#include "cuda/batch/batch.h"

#include <limits.h>

#include "base/arith.h"
#include "base/text.h"
#include "cuda/launch/executor.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/rows.h"
#include "cuda/narrow/narrow_run.h"
#include "cuda/ways.h"
#include "rewrite/batch.h"

static const lay_cuda_shape no_shape;

/* How k is cut where a product is alone, and NULL; or why no block can do that. */
static const char *find_slices(const lay_problem *problem, const lay_device *device, const char *wanted,
                               lay_cuda_shape *of)
{
    const lay_type type = problem->types.left;
    *of = (lay_cuda_shape){
        type, max_of(problem->m.extent, 1), max_of(problem->n.extent, 1), max_of(problem->k.extent, 1), 1, 0
    };
    of->slice_k = (int)min_of(of->k, INT_MAX);
    if (type == LAY_F32 && lay_narrow_takes(problem))
        return "multiplies what f32 says: options.compute asks for rounded operands";
    if (type != LAY_F32 && type != LAY_F64)
        return lay_narrow_slices(problem, device) > 1 ? "k is cut in slices, which are added in another launch" : NULL;
    const lay_cuda_sum sum = lay_cuda_sum_choose(type, of->m, of->n, of->k, device, wanted);
    if (!sum.slices)
        return "no kernel serves the type, sizes and device";
    if (sum.order != LAY_CUDA_CHAIN)
        return "adds in another order than these sizes have: equal bits rest on it";
    of->slices = sum.slices;
    of->slice_k = sum.slice_k;
    return NULL;
}

/* NULL, or why no row is asked. */
static const char *refuse_sizes(const lay_problem *problem)
{
    enum { MOST_UNITS = 1 << 30 };
    const int64_t least_tile = 16;
    if (problem->m.extent > LAY_CUDA_MAX_EXTENT || problem->n.extent > LAY_CUDA_MAX_EXTENT ||
        problem->k.extent > LAY_CUDA_MAX_EXTENT ||
        lay_cuda_batch_offsets(problem->m.extent, problem->n.extent, problem->k.extent) > LAY_CUDA_BATCH_MOST_OFFSETS)
        return "is for products whose offsets fit a block's shared memory";
    if (problem->batch.extent > MOST_UNITS / (ceil_div(max_of(problem->m.extent, 1), least_tile) *
                                              ceil_div(max_of(problem->n.extent, 1), least_tile)))
        return "more tiles than a launch counts";
    return lay_batch_is_near(problem) ? NULL : "a product's elements lie more than 2 GiB apart";
}

static const char *refuse_row(const lay_cuda_kernel *row, const lay_problem *problem, const lay_cuda_shape *of,
                              const lay_device *device, const char *wanted)
{
    const char *reason = lay_cuda_refuse(row, of, device, wanted);
    if (!reason && lay_batch_blocks(row, problem, device) == 0)
        reason = "needs more shared memory than a block may have";
    return reason;
}

/* The cheapest row; NULL, and why. */
static const lay_cuda_kernel *find_row(const lay_problem *problem, const lay_cuda_shape *of, const lay_device *device,
                                       const char *wanted, double *seconds, const char **reason)
{
    const lay_cuda_kernel *best = NULL;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_BATCH);
    *reason = "no kernel of batches serves the type";
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (row->type != of->type)
            continue;
        const char *refusal = refuse_row(row, problem, of, device, wanted);
        const double own = refusal ? 0 : lay_batch_cost(row, problem, device);
        if (refusal)
            *reason = refusal;
        if (refusal || (best && own >= *seconds))
            continue;
        best = row;
        *seconds = own;
    }
    return best;
}

/* NULL wanted: any. */
static const char *wanted_alone(const char *wanted)
{
    return wanted && lay_cuda_find_kernel(LAY_CUDA_BATCH, wanted) ? NULL : wanted;
}

static void fill(lay_batch_launch *launch, const lay_problem *problem, const lay_cuda_shape *of)
{
    const lay_cuda_kernel *row = launch->kernel;
    const lay_type type = problem->types.left;
    launch->left = lay_batch_fetch_of(&problem->left_m, &problem->left_k, &problem->left_batch, type, 1);
    launch->right = lay_batch_fetch_of(&problem->right_n, &problem->right_k, &problem->right_batch, type, 0);
    launch->c_bytes = lay_batch_written(problem);
    launch->slices = of->slices;
    launch->slice_k = of->slice_k;
    launch->tiles_m = (int)ceil_div(of->m, row->bm);
    launch->tiles_n = (int)ceil_div(of->n, row->bn);
    launch->shared = row->shared + (int)lay_cuda_batch_offsets(problem->m.extent, problem->n.extent, problem->k.extent);
    const int64_t units = (int64_t)launch->tiles_m * launch->tiles_n * problem->batch.extent;
    launch->blocks =
        (int)min_of(units, (int64_t)lay_batch_blocks(row, problem, launch->device) * launch->device->multiprocessors);
}

static const char *prepare(lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    const char *const wanted = branch->setting.options->kernel, *reason;
    lay_batch_launch *launch = branch->job.data;
    lay_cuda_shape of = no_shape;
    launch->device = lay_device_get(branch->setting.device, &reason);
    if (!launch->device || (reason = refuse_sizes(problem)) ||
        (reason = find_slices(problem, launch->device, wanted_alone(wanted), &of)))
        return reason;
    launch->kernel = find_row(problem, &of, launch->device, wanted, &branch->job.seconds, &reason);
    if (!launch->kernel)
        return reason;
    fill(launch, problem, &of);
    branch->job.needs = (lay_needs){ .tables = lay_offsets_bytes(problem) };
    branch->job.workspace = branch->job.needs.tables;
    branch->job.kernel = launch->kernel->name;
    branch->job.threads = 1;
    return NULL;
}

static void add_operand(lay_text *text, const char *name, const lay_batch_fetch *fetch)
{
    lay_text_add(text, "  %s %s, %d bytes at a time\n", name, fetch->is_along ? "along k" : "across", fetch->bytes);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_batch_launch *launch = branch->job.data;
    const char *const wanted = branch->setting.options->kernel;
    lay_cuda_shape of;
    find_slices(problem, launch->device, wanted_alone(wanted), &of);
    lay_batch_explain_group(&problem->batch, text);
    lay_text_add(text, ": one launch of %d blocks, each takes tile after tile\nfetched\n", launch->blocks);
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), &launch->left);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), &launch->right);
    lay_text_add(text, "  C written %d bytes at a time\n", launch->c_bytes);
    lay_text_add(text, "tiles     %d x %d of %d x %d a product, k in %d slice%s of %d, one after the other\n",
                 launch->tiles_m, launch->tiles_n, launch->kernel->bm, launch->kernel->bn, launch->slices,
                 launch->slices == 1 ? "" : "s", launch->slice_k);
    lay_text_add(text, "memory    tables %zu bytes\nkernels\n", branch->job.needs.tables);
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_BATCH);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (row->type != of.type)
            continue;
        const char *refusal = refuse_row(row, problem, &of, launch->device, wanted);
        lay_cuda_explain_row(text, row, refusal, row == launch->kernel,
                             refusal ? 0 : lay_batch_cost(row, problem, launch->device), "");
    }
}

#define LAY_WAY_BATCH(order_)                                                                                          \
    {                                                                                                                  \
        .name = "batch as one launch", .order = &order_, .takes = LAY_TAKES_BATCH, .only = LAY_TAKES_BATCH,            \
        .data = sizeof(lay_batch_launch), .prepare = prepare, .run = lay_batch_run, .scale = lay_batch_scale,          \
        .explain = explain, .load = lay_batch_load, .reserve = lay_kept_reserve, .release = lay_kept_release           \
    }

const lay_way lay_way_device_batch = LAY_WAY_BATCH(lay_order_device);
const lay_way lay_way_device_batch_narrow = LAY_WAY_BATCH(lay_order_device_narrow);
