/* Products on the matrix units as they are: who may have them, and which tiles they get. */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/text.h"
#include "cuda/launch/executor.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/units.h"
#include "cuda/memory/device.h"
#include "cuda/narrow/narrow_run.h"
#include "cuda/narrow/narrow_view.h"
#include "cuda/ways.h"

static const char not_mine[] = "is for 16-bit types, or f32 where options.compute asks for rounded operands";

enum { MOST_PARTS = 64 }; /* slices, 32 at most, with room to spare */

/* Seconds of a row: tiles in turns, slices written and added. */
static double cost(const lay_narrow_row *row, int64_t m, int64_t n, int64_t k, int slices, const lay_device *device)
{
    static const double launch = 2.5e-6, a_sum = 2e-6, bandwidth = 3e12;
    const double tiles = (double)ceil_div(m, row->bm) * (double)ceil_div(n, row->bn) * slices;
    const double each = 2.0 * row->bm * row->bn * (double)ceil_div(k, slices) / row->rate + row->start;
    const double turns = ceil(tiles / device->multiprocessors);
    return turns * each / (device->ghz * 1e9) + launch +
           (slices > 1 ? a_sum + 8.0 * slices * (double)m * (double)n / bandwidth : 0);
}

static int is_wanted(const lay_narrow_row *row, const char *wanted)
{
    return !wanted || strcmp(wanted, row->name) == 0;
}

/* The cheapest row for so many slices; NULL where none is wanted. */
static const lay_narrow_row *find_row(lay_narrow_kind kind, int64_t m, int64_t n, int64_t k, int slices,
                                      const lay_device *device, const char *wanted, double *seconds)
{
    const lay_narrow_row *best = NULL;
    *seconds = INFINITY;
    for (const lay_narrow_row *row = lay_narrow_rows[kind]; row->name; row++) {
        const double own = is_wanted(row, wanted) ? cost(row, m, n, k, slices, device) : INFINITY;
        if (own >= *seconds)
            continue;
        *seconds = own;
        best = row;
    }
    return best;
}

/* Slices change bits, rows do not: they are a function of the sizes, the same for m x n as for n x m. */
static void choose_slices(lay_narrow_kind kind, int64_t m, int64_t n, int64_t k, const lay_device *device,
                          lay_narrow *narrow)
{
    static const int tried[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 };
    const int64_t most = max_of(m, n), least = m + n - most, unit = 64;
    double fewest = INFINITY;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        const int64_t slice_k = tried[i] > 1 ? ceil_div(ceil_div(k, tried[i]), unit) * unit : k;
        double one, other;
        if (tried[i] > 1 && (ceil_div(k, slice_k) != tried[i] || slice_k < 256))
            continue;
        find_row(kind, most, least, k, tried[i], device, NULL, &one);
        find_row(kind, least, most, k, tried[i], device, NULL, &other);
        if (fmin(one, other) >= fewest)
            continue;
        fewest = fmin(one, other);
        narrow->slices = tried[i];
        narrow->slice_k = (int)slice_k;
    }
}

/* What the matrix units are to multiply; negative where they are not asked. */
static int find_kind(const lay_problem *problem, const lay_setting *setting)
{
    const lay_compute compute = setting->options->compute;
    const int is_plain = compute == LAY_COMPUTE_AUTO || compute == LAY_COMPUTE_STRICT;
    switch (problem->type) {
    case LAY_F16:
        return is_plain ? LAY_NARROW_F16 : -1;
    case LAY_BF16:
        return is_plain ? LAY_NARROW_BF16 : -1;
    case LAY_F32:
        return compute == LAY_COMPUTE_TF32   ? LAY_NARROW_TF32
               : compute == LAY_COMPUTE_BF16 ? LAY_NARROW_BF16
               : compute == LAY_COMPUTE_FP16 ? LAY_NARROW_F16
                                             : -1;
    default:
        return -1;
    }
}

/* Seconds that an image takes. */
static double cost_image(const lay_narrow_view *view)
{
    static const double launch = 2e-6, bandwidth = 2e12;
    return view->is_image ? launch + 3 * (double)lay_narrow_image_size(view) / bandwidth : 0;
}

static int is_any_wanted(lay_narrow_kind kind, const char *wanted)
{
    for (const lay_narrow_row *row = lay_narrow_rows[kind]; row->name; row++)
        if (is_wanted(row, wanted))
            return 1;
    return 0;
}

/* By types, sizes, options and places. */
static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const int kind = find_kind(problem, setting);
    const char *reason;
    if (kind < 0)
        return not_mine;
    if ((reason = lay_cuda_refuse_setting(setting))) /* before CUDA is started */
        return reason;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device || (reason = lay_units_refuse(problem, device, MOST_PARTS)))
        return reason;
    return is_any_wanted((lay_narrow_kind)kind, setting->options->kernel) ? NULL : "options.kernel names another";
}

static const char *prepare(lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    const lay_setting *setting = &branch->setting;
    lay_job *job = &branch->job;
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1), k = max_of(problem->k.extent, 1);
    const int kind = find_kind(problem, setting), is_converted = problem->type == LAY_F32 && kind != LAY_NARROW_TF32;
    const char *reason = NULL;
    const int v = 16 / (int)lay_type_size(problem->type); /* what is behind the last vector need not lie together */
    lay_narrow *narrow = job->data;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device)
        return reason;
    *narrow = (lay_narrow){
        .device = device,
        .kind = kind,
        .left = lay_narrow_view_of(&problem->left_m, &problem->left_k, (lay_narrow_kind)kind, is_converted),
        .right = lay_narrow_view_of(&problem->right_n, &problem->right_k, (lay_narrow_kind)kind, is_converted),
        .left_class = lay_launch_classify(&problem->left_m, &problem->left_k, problem->type),
        .right_class = lay_launch_classify(&problem->right_n, &problem->right_k, problem->type),
        .is_c_vector = problem->n.extent % v == 0 && lay_axis_is_in_vectors(&problem->result_n, &problem->result_m, v)
    };
    choose_slices((lay_narrow_kind)kind, m, n, k, device, narrow);
    narrow->row =
        find_row((lay_narrow_kind)kind, m, n, k, narrow->slices, device, setting->options->kernel, &job->seconds);
    job->seconds *= narrow->is_c_vector ? 1 : 1.05;
    job->seconds += cost_image(&narrow->left) + cost_image(&narrow->right);
    job->needs = lay_narrow_needs(problem, narrow);
    job->workspace = job->needs.tables + job->needs.partial;
    job->kernel = narrow->row->name;
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
    const lay_narrow_row *row = narrow->row;
    const int64_t m = problem->m.extent, n = problem->n.extent, k = problem->k.extent;
    lay_text_add(text, "read\n");
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), &narrow->left);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), &narrow->right);
    lay_text_add(text, "  C %s\n", narrow->is_c_vector ? "written in 16-byte vectors" : "written element by element");
    lay_text_add(text, "grid      %lld x %lld tiles of %d x %d, k in %d slice%s of %d\n",
                 (long long)ceil_div(m, row->bm), (long long)ceil_div(n, row->bn), row->bm, row->bn, narrow->slices,
                 narrow->slices == 1 ? "" : "s", narrow->slice_k);
    lay_text_add(text, "memory    tables %zu bytes, images and sums %zu bytes\nkernels\n", branch->job.needs.tables,
                 branch->job.needs.partial);
    for (const lay_narrow_row *other = lay_narrow_rows[narrow->kind]; other->name; other++)
        lay_text_add(text, "  %-28s %s, predicted %.3g us alone\n", other->name,
                     other == row ? "taken" : "refused: not cheaper",
                     cost(other, m, n, k, narrow->slices, narrow->device) * 1e6);
}

static const char *find_kernel(const char *name)
{
    for (int kind = 0; kind < LAY_NARROW_KINDS; kind++)
        for (const lay_narrow_row *row = lay_narrow_rows[kind]; row->name; row++)
            if (strcmp(row->name, name) == 0)
                return row->name;
    return NULL;
}

const lay_order lay_order_device_narrow = {
    .name = "narrow",
    .backend = LAY_BACKEND_CUDA,
    .treatment = LAY_ROUNDED,
    .not_mine = not_mine,
    .refuse = refuse,
    .find_kernel = find_kernel,
    .scale = lay_cuda_put_scale,
};

const lay_way lay_way_device_narrow = {
    .name = "matrix units",
    .order = &lay_order_device_narrow,
    .data = sizeof(lay_narrow),
    .prepare = prepare,
    .run = lay_narrow_multiply,
    .explain = explain,
    .load = lay_narrow_load,
    .reserve = lay_kept_reserve,
    .release = lay_kept_release,
};
