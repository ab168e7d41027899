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
#include "plan/branch.h"
#include "rewrite/batch.h"
#include "rewrite/ways.h"

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

/* Whether rows without boxes have room for a product's offsets. */
static int fits_unboxed(const lay_problem *problem)
{
    return lay_cuda_batch_offsets(problem->m.extent, problem->n.extent, problem->k.extent) <=
           LAY_CUDA_BATCH_MOST_OFFSETS;
}

/* NULL, or why no row is asked. */
static const char *refuse_sizes(const lay_problem *problem)
{
    enum { MOST_UNITS = 1 << 30 };
    const int64_t least_tile = 16;
    if (problem->m.extent > LAY_CUDA_MAX_EXTENT || problem->n.extent > LAY_CUDA_MAX_EXTENT ||
        problem->k.extent > LAY_CUDA_MAX_EXTENT ||
        lay_cuda_batch_boxed_offsets(problem->m.extent, problem->n.extent) > LAY_CUDA_BATCH_MOST_OFFSETS)
        return "is for products whose offsets fit a block's shared memory";
    if (problem->batch.extent > MOST_UNITS / (ceil_div(max_of(problem->m.extent, 1), least_tile) *
                                              ceil_div(max_of(problem->n.extent, 1), least_tile)))
        return "more tiles than a launch counts";
    return lay_batch_is_near(problem) ? NULL : "a product's elements lie more than 2 GiB apart";
}

static const char *refuse_row(const lay_cuda_kernel *row, const lay_problem *problem, const lay_cuda_shape *of,
                              const lay_device *device, const char *wanted)
{
    lay_batch_boxes left, right;
    const char *reason = lay_cuda_refuse(row, of, device, wanted);
    if (!reason && !row->boxes && !fits_unboxed(problem))
        reason = "a product's offsets do not fit a block's shared memory";
    if (!reason && lay_batch_blocks(row, problem, device) == 0)
        reason = "needs more shared memory than a block may have";
    if (!reason && row->most_steps && of->slice_k > row->most_steps)
        reason = "has slices side by side, which are too long for that";
    return !reason && row->boxes ? lay_batch_boxes_find(row, problem, &left, &right) : reason;
}

/* The cheapest row, or the cheapest that can do without boxes; NULL, and why. */
static const lay_cuda_kernel *find_row(const lay_problem *problem, const lay_cuda_shape *of, const lay_device *device,
                                       const char *wanted, int may_be_boxed, double *seconds, const char **reason)
{
    const lay_cuda_kernel *best = NULL;
    const lay_batch_lines lines = lay_batch_lines_of(problem);
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_BATCH);
    *reason = "no kernel of batches serves the type";
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (row->type != of->type || (row->boxes && !may_be_boxed))
            continue;
        const char *refusal = refuse_row(row, problem, of, device, wanted);
        const double own = refusal ? 0 : lay_batch_cost(row, problem, &lines, device);
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

static lay_batch_grid grid_of(const lay_cuda_kernel *row, const lay_problem *problem, const lay_cuda_shape *of,
                              const lay_device *device)
{
    const int together = lay_batch_together(row);
    lay_batch_grid grid = { .kernel = row,
                            .tiles_m = (int)ceil_div(of->m, row->bm * together),
                            .tiles_n = (int)ceil_div(of->n, row->bn),
                            .shared = lay_batch_shared(row, problem) };
    const int64_t units = (int64_t)grid.tiles_m * grid.tiles_n * problem->batch.extent;
    const int64_t most = (int64_t)lay_batch_blocks(row, problem, device) * device->multiprocessors / together;
    grid.blocks = (int)min_of(units, most) * together;
    return grid;
}

static void fill(lay_batch_launch *launch, const lay_problem *problem, const lay_cuda_shape *of)
{
    const lay_type type = problem->types.left;
    launch->left = lay_batch_fetch_of(&problem->left_m, &problem->left_k, &problem->left_batch, type, 1);
    launch->right = lay_batch_fetch_of(&problem->right_n, &problem->right_k, &problem->right_batch, type, 0);
    launch->c_bytes = lay_batch_written(problem);
    launch->slices = of->slices;
    launch->slice_k = of->slice_k;
}

/* Who does what boxes cannot: one product after the other. NULL, or why nobody does. */
static const char *find_otherwise(lay_branch *branch)
{
    lay_batch_launch *launch = branch->job.data;
    lay_setting setting = branch->setting;
    const char *reason;
    if (setting.limit > 0 && branch->job.seconds >= setting.limit)
        return "another way is predicted to be done sooner";
    if (setting.options->kernel && !wanted_alone(setting.options->kernel)) {
        launch->unnamed = *setting.options;
        launch->unnamed.kernel = NULL;
        setting.options = &launch->unnamed;
        setting.named = NULL;
    }
    setting.limit = 0;
    launch->otherwise = lay_branch_make(&lay_way_batch, &branch->problem, &setting, setting.order, &reason);
    return reason;
}

/* Who does without boxes where the row's are of no use. NULL, or why nobody does. */
static const char *find_unboxed(lay_branch *branch, const lay_cuda_shape *of)
{
    const lay_problem *problem = &branch->problem;
    lay_batch_launch *launch = branch->job.data;
    const char *reason;
    double unused;
    if (!fits_unboxed(problem))
        return find_otherwise(branch);
    const lay_cuda_kernel *row = find_row(problem, of, launch->device, NULL, 0, &unused, &reason);
    if (!row)
        return reason;
    launch->unboxed = grid_of(row, problem, of, launch->device);
    return NULL;
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
    const lay_cuda_kernel *row = find_row(problem, &of, launch->device, wanted, 1, &branch->job.seconds, &reason);
    if (!row)
        return reason;
    fill(launch, problem, &of);
    launch->grid = launch->unboxed = grid_of(row, problem, &of, launch->device);
    if (row->boxes) {
        lay_batch_boxes_find(row, problem, &launch->left_boxes, &launch->right_boxes);
        launch->leaves_in_boxes = !lay_batch_boxes_find_result(row, problem, &launch->result_boxes);
        if ((reason = find_unboxed(branch, &of)))
            return reason;
    }
    branch->job.needs = (lay_needs){ .tables = lay_offsets_bytes(problem) };
    branch->job.workspace = branch->job.needs.tables;
    branch->job.kernel = row->name;
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
    const lay_batch_grid *grid = &launch->grid;
    lay_text_add(text, ": one launch of %d blocks, each takes tile after tile\nfetched\n", grid->blocks);
    if (grid->kernel->boxes)
        lay_text_add(text, "  in boxes by tensor copies; from addresses that are no multiples of 16 %s%s:\n",
                     launch->otherwise ? "one product after the other" : "by ",
                     launch->otherwise ? "" : launch->unboxed.kernel->name);
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), &launch->left);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), &launch->right);
    lay_text_add(text, "  C written %d bytes at a time%s\n", launch->c_bytes,
                 launch->leaves_in_boxes ? ", or by tensor copies where beta is 0" : "");
    lay_text_add(text, "tiles     %d x %d of %d x %d a product, k in %d slice%s of %d, %s\n", grid->tiles_m,
                 grid->tiles_n, grid->kernel->bm * lay_batch_together(grid->kernel), grid->kernel->bn, launch->slices,
                 launch->slices == 1 ? "" : "s", launch->slice_k,
                 grid->kernel->groups > 1 ? "side by side" : "one after the other");
    lay_text_add(text, "memory    tables %zu bytes\nkernels\n", branch->job.needs.tables);
    const lay_batch_lines lines = lay_batch_lines_of(problem);
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_BATCH);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (row->type != of.type)
            continue;
        const char *refusal = refuse_row(row, problem, &of, launch->device, wanted);
        lay_cuda_explain_row(text, row, refusal, row == grid->kernel,
                             refusal ? 0 : lay_batch_cost(row, problem, &lines, launch->device), "");
    }
}

static lay_status reserve(lay_branch *branch)
{
    const lay_batch_launch *launch = branch->job.data;
    const lay_status status = lay_kept_reserve(branch);
    return status == LAY_OK && launch->otherwise ? lay_branch_reserve(launch->otherwise) : status;
}

static void release(lay_branch *branch)
{
    lay_kept_release(branch);
    lay_branch_destroy(((lay_batch_launch *)branch->job.data)->otherwise);
}

#define LAY_WAY_BATCH(order_)                                                                                          \
    {                                                                                                                  \
        .name = "batch as one launch", .order = &order_, .takes = LAY_TAKES_BATCH, .only = LAY_TAKES_BATCH,            \
        .data = sizeof(lay_batch_launch), .prepare = prepare, .run = lay_batch_run, .scale = lay_batch_scale,          \
        .explain = explain, .load = lay_batch_load, .reserve = reserve, .release = release                             \
    }

const lay_way lay_way_device_batch = LAY_WAY_BATCH(lay_order_device);
const lay_way lay_way_device_batch_narrow = LAY_WAY_BATCH(lay_order_device_narrow);
