/* Products on the 16-bit matrix units: who may have them, and which tiles they get. */
#include "cuda/split/split.h"

#include <math.h>

#include "base/arith.h"
#include "base/text.h"
#include "cuda/launch/executor.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/rates.h"
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

/* 9.0 has rows of its own, which are faster; rows of the two contracts differ in bits. */
static lay_cuda_contract contract_of(const lay_device *device, const char *wanted)
{
    const int is_named = wanted && lay_cuda_find_kernel(LAY_CUDA_SPLIT_MMA, wanted);
    return device->sm == 90 && LAY_CUDA_SM90 && !is_named ? LAY_CUDA_SPLIT : LAY_CUDA_SPLIT_MMA;
}

/* Seconds of a row on the path of usual data: both passes over the operands, tiles in turns, the rest by launches. */
static double cost(const lay_cuda_kernel *row, const lay_cuda_shape *of, const lay_device *device)
{
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const double m = (double)of->m, n = (double)of->n, k = (double)of->k;
    const double steps = (double)lay_cuda_split_up(ceil_div(of->k, of->slices), LAY_SPLIT_CHUNK);
    const int is_long = lay_cuda_split_strip_blocks((int)of->k) > LAY_SPLIT_MEETING, is_cut = of->slices > 1;
    const double limbs = 8 * k * (m + n) * (is_long ? rates->split_long : rates->split_read);
    const double sums = is_cut ? 12.0 * of->slices * m * n * rates->split_partials : 0;
    return lay_units_turns(row, of, device, steps) + (limbs + sums) / device->bytes_per_second + rates->split_launch +
           (is_cut ? rates->split_sum : 0);
}

/* The sizes of the product as it was asked for. */
static lay_cuda_shape cut(const lay_problem *problem, int slices)
{
    const int64_t m = (problem->is_transposed ? &problem->n : &problem->m)->extent;
    const int64_t n = (problem->is_transposed ? &problem->m : &problem->n)->extent, k = max_of(problem->k.extent, 1);
    return lay_units_cut(LAY_F32, m, n, k, slices);
}

/* The same of the whole product that it is a part of. */
static lay_cuda_shape cut_whole(const lay_problem *problem, int slices)
{
    int64_t m, n, k;
    lay_problem_whole(problem, &m, &n, &k);
    return lay_units_cut(LAY_F32, problem->is_transposed ? n : m, problem->is_transposed ? m : n, max_of(k, 1), slices);
}

/* The number of slices, which bits hang on, and seconds of the whole product; 0 where no row serves. */
static int choose_slices(const lay_problem *problem, const lay_device *device, const char *wanted, double *least)
{
    static const int tried[] = { 1, 2, 3, 4, 6, 8, 12, MOST_SLICES };
    int best = 0;
    *least = INFINITY;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        const lay_cuda_shape of = cut_whole(problem, tried[i]);
        double seconds;
        if (!of.slices || !lay_units_find(contract_of(device, wanted), &of, device, wanted, cost, &seconds) ||
            seconds >= *least)
            continue;
        *least = seconds;
        best = tried[i];
    }
    return best;
}

/* The cheapest tiles: rows differ in no bit. */
static double choose(const lay_problem *problem, const lay_device *device, const char *wanted, lay_launch *launch)
{
    double seconds;
    const int slices = choose_slices(problem, device, wanted, &seconds);
    if (!slices)
        return INFINITY;
    const lay_cuda_shape of = cut(problem, slices);
    lay_units_take(launch, lay_units_find(contract_of(device, wanted), &of, device, wanted, cost, &seconds), problem,
                   &of);
    return seconds;
}

lay_cuda_sum lay_split_strict_sum(int64_t m, int64_t n, int64_t k, const lay_device *device)
{
    return lay_cuda_sum_choose(LAY_F32, m, n, k, device, "gemm_f32_128x256x32_simt90");
}

/* Rows of 8.0 have path STRICT in their own order. */
static void choose_strict(const lay_problem *problem, const lay_device *device, lay_split_job *job)
{
    int64_t m, n, k;
    if (job->launch.kernel->contract != LAY_CUDA_SPLIT)
        return;
    lay_problem_whole(problem, &m, &n, &k);
    const lay_cuda_sum sum = lay_split_strict_sum(m, n, k, device);
    job->strict_slices = (int)max_of(sum.slices, 1);
    job->strict_slice_k = sum.slices > 1 ? sum.slice_k : (int)problem->k.extent;
}

/* Whatever the sizes. */
static const char *refuse_setting(const lay_problem *problem, const lay_setting *setting)
{
    if (problem->types.left != LAY_F32)
        return "only f32 operands are split";
    return lay_cuda_refuse_setting(setting);
}

const char *lay_split_refuse(const lay_problem *problem, const lay_setting *setting, const lay_device *device)
{
    const char *reason = refuse_setting(problem, setting);
    if (!reason && device->sm < 80)
        reason = "compute capability 8.0 or newer is needed";
    return reason ? reason : lay_units_refuse_sizes(problem, MOST_SLICES);
}

/* Where the plain product is done sooner, or more accurately. Predictions of either are good to some per cent; of 88
 * products none is slower so than the plain one would be (bench/LOG.md, 102). */
static const char *refuse_sizes(const lay_problem *problem, const lay_device *device, double seconds)
{
    const double worth = lay_cuda_rates_get(device)->split_worth;
    int64_t m, n, k;
    lay_problem_whole(problem, &m, &n, &k);
    if (k < LEAST_K)
        return "k is so short that the plain sum is more accurate";
    const lay_cuda_sum plain = lay_cuda_sum_choose(problem->types.left, m, n, k, device, NULL);
    return plain.slices && plain.seconds <= worth * seconds ? "the plain product is predicted to be done as soon"
                                                            : NULL;
}

/* By sizes, options and places. */
static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    const char *reason;
    double seconds;
    if (problem->compute != LAY_COMPUTE_F32_SPLIT)
        return not_mine;
    if ((reason = refuse_setting(problem, setting))) /* before CUDA is started */
        return reason;
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device || (reason = lay_split_refuse(problem, setting, device)))
        return reason;
    if (!choose_slices(problem, device, setting->options->kernel, &seconds))
        return "options.kernel names one that splits no operands";
    return setting->options->kernel ? NULL : refuse_sizes(problem, device, seconds);
}

static const char *prepare(lay_branch *branch)
{
    const lay_problem *problem = &branch->problem;
    lay_job *job = &branch->job;
    lay_split_job *own = job->data;
    lay_launch *launch = &own->launch;
    const char *reason;
    const lay_device *device = lay_device_get(branch->setting.device, &reason);
    if (!device)
        return reason;
    *launch = lay_launch_on(problem, device);
    job->seconds = choose(problem, device, branch->setting.options->kernel, launch);
    if (!launch->is_c_vector) /* 33 of 667 us at 4096 */
        job->seconds += 2e-12 * (double)problem->m.extent * (double)problem->n.extent;
    choose_strict(problem, device, own);
    job->needs = lay_split_needs(problem, own);
    job->workspace = job->needs.tables + job->needs.partial;
    job->kernel = launch->kernel->name;
    job->threads = 1;
    return NULL;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_launch *launch = &((const lay_split_job *)branch->job.data)->launch;
    const lay_cuda_shape of = cut(problem, launch->slices);
    lay_text_add(text, "split\n");
    lay_text_add(text, "  %s read %s\n  %s read %s\n", lay_problem_operand(problem, LAY_LEFT),
                 lay_launch_class_name(launch->left), lay_problem_operand(problem, LAY_RIGHT),
                 lay_launch_class_name(launch->right));
    lay_text_add(text, "paths     chosen on the device, by the widest range of a row of A or column of B:\n"
                       "  up to 28 binades, but for 16 elements of one line in 8, and not mostly zeros\n"
                       "                                            three products of two FP16 limbs\n"
                       "  up to 150, and 190 of both together       six products of three BF16 limbs\n"
                       "  beyond, or one line in eight has Inf or NaN   the plain product\n"
                       "  lines with Inf or NaN, and, of one in 128 of a large C, those too wide, are computed plainly "
                       "on every path\n");
    lay_launch_explain_grid(launch, text);
    lay_text_add(text, "\nmemory    tables %zu bytes, limbs and sums %zu bytes\nkernels\n", branch->job.needs.tables,
                 branch->job.needs.partial);
    lay_units_explain(launch, &of, branch->setting.options->kernel, cost, "", text);
}

static const char *find_kernel(const char *name)
{
    const char *found = lay_cuda_find_kernel(LAY_CUDA_SPLIT, name);
    return found ? found : lay_cuda_find_kernel(LAY_CUDA_SPLIT_MMA, name);
}

/* Both passes over one operand, as cost has them. */
static size_t limbs_size(const lay_branch *branch, lay_operand operand, double *seconds)
{
    const lay_problem *problem = &branch->problem;
    const lay_device *device = ((const lay_split_job *)branch->job.data)->launch.device;
    const lay_cuda_rates *rates = lay_cuda_rates_get(device);
    const int is_left = (operand == LAY_OPERAND_A) == !problem->is_transposed;
    const int64_t lines = (is_left ? &problem->m : &problem->n)->extent, k = problem->k.extent;
    const int is_long = lay_cuda_split_strip_blocks((int)k) > LAY_SPLIT_MEETING;
    *seconds =
        8.0 * (double)k * (double)lines * (is_long ? rates->split_long : rates->split_read) / device->bytes_per_second;
    return lay_split_limbs_size((int)lines, (int)k);
}

static void list_kernels(const lay_order *order, lay_text *text)
{
    lay_cuda_list_kernels(LAY_CUDA_SPLIT, order->name, text);
    lay_cuda_list_kernels(LAY_CUDA_SPLIT_MMA, order->name, text);
}

const lay_order lay_order_device_split = {
    .name = "split",
    .backend = LAY_BACKEND_CUDA,
    .treatment = LAY_SPLIT_IN_LIMBS,
    .not_mine = not_mine,
    .refuse = refuse,
    .find_kernel = find_kernel,
    .list_kernels = list_kernels,
    .scale = lay_cuda_put_scale,
};

const lay_way lay_way_device_split = {
    .name = "in limbs",
    .order = &lay_order_device_split,
    .data = sizeof(lay_split_job),
    .prepare = prepare,
    .run = lay_split_multiply,
    .explain = explain,
    .load = lay_split_load,
    .find_path = lay_split_find_path,
    .send_path = lay_split_send_path,
    .read_path = lay_split_read_path,
    .limbs_size = limbs_size,
    .put_limbs = lay_split_put_own_limbs,
    .pack = lay_split_pack,
    .reserve = lay_kept_reserve,
    .release = lay_kept_release,
};
