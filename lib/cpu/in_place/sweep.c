/* Sweeps: the right operand's rows as they lie, a few at a time, the sums in the near caches. */
#include "cpu/in_place/sweep.h"

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/cost.h"
#include "cpu/in_place/direct.h"
#include "cpu/packed/pack.h"
#include "cpu/strict.h"
#include "cpu/ways.h"
#include "machine/rates.h"
#include "plan/summation.h"
#include "threads/parallel.h"
#include "threads/workspace.h"

enum {
    UNIT = 64,       /* columns: blocks are so many wide */
    MOST_STEPS = 16, /* at a time */
    MIN_WIDTH = 512, /* columns of a segment: shorter ones lose the prefetcher's help */
    ALL_AT_ONCE = 64 /* columns: no more than one stop of the kernel, so that sums need not wait */
};

/* A product under way. */
typedef struct work {
    const lay_problem *problem;
    const lay_blocked *blocks;
    const lay_part *part;
    const lay_call *call;
    char *workspace;
} work;

/* Rows from first on that are swept together: equal parts of those up to the end, or to where a block of run ends. Two
 * thirds of a tile's at most: more were no faster (bench/LOG.md, 33). */
static int cut_rows(int64_t first, int64_t end, int64_t run, const lay_kernel *kernel)
{
    const int64_t most = ceil_div(2 * kernel->mr, 3);
    const int64_t rest = (run < end ? min_of(end, (first / run + 1) * run) : end) - first;
    return (int)ceil_div(rest, ceil_div(rest, most));
}

/* Bytes of a block of k of left, packed; a single row is read where it is. */
static size_t left_bytes(const lay_problem *problem, const lay_blocked *blocks)
{
    const int64_t m = problem->m.extent;
    size_t bytes = 0;
    for (int64_t i = 0; m > 1 && i < m; i += cut_rows(i, m, blocks->direct.run_m, blocks->kernel))
        bytes += blocks->left_panel;
    return bytes;
}

/* Steps p .. p + k of left: its rows side by side, panel after panel. */
static void pack_left(const work *of, int64_t p, int64_t k, char *to)
{
    const lay_problem *problem = of->problem;
    const lay_kernel *kernel = of->blocks->kernel;
    const int64_t m = problem->m.extent;
    int64_t across[LAY_MAX_MR], along[LAY_KC];
    lay_panel panel = { .k = k, .src = of->call->left, .across = across, .along = along, .dst = to };
    lay_axis_offsets(&problem->left_k, p, k, along);
    const int is_along = lay_offsets_are_unit(along, k);
    for (int64_t i = 0; i < m; i += panel.w, panel.dst = (char *)panel.dst + of->blocks->left_panel) {
        panel.w = cut_rows(i, m, of->blocks->direct.run_m, kernel);
        lay_axis_offsets(&problem->left_m, i, panel.w, across);
        kernel->pack_a[lay_offsets_are_unit(across, panel.w) ? LAY_PACK_ACROSS
                       : is_along                            ? LAY_PACK_ALONG
                                                             : LAY_PACK_ANY](&panel);
    }
}

/* Columns column .. column + n, steps p .. p + k of them: one stop of the sums in C. */
static void sweep_block(const work *of, lay_sweep *sweep, int64_t column, int64_t p, int64_t k, char *left, char *sums)
{
    const lay_problem *problem = of->problem;
    const lay_direct *direct = &of->blocks->direct;
    const lay_kernel *kernel = of->blocks->kernel;
    const int64_t size = (int64_t)lay_type_size(problem->types.right), m = problem->m.extent;
    const int64_t steps = sweep->n <= ALL_AT_ONCE ? k : of->blocks->swept_steps,
                  width = round_up(sweep->n, kernel->lanes);
    char *const c = (char *)of->call->c + lay_axis_offset(of->part->columns, column) * size;
    const char *const b = (const char *)of->call->right + lay_axis_offset(&problem->right_n, column) * size;
    if (m > 1)
        pack_left(of, p, k, left);
    for (int64_t q = p, end; q < p + k; q = end) {
        end = min_of(min_of(q + steps, p + k), (q / direct->run_k + 1) * direct->run_k);
        sweep->k = end - q;
        sweep->is_first = q == p;
        sweep->is_last = end == p + k;
        sweep->b = b + lay_axis_offset(&problem->right_k, q) * size;
        const char *a = left + (q - p) * sweep->a_step * size;
        if (m == 1)
            a = (const char *)of->call->left +
                (lay_axis_offset(&problem->left_m, 0) + lay_axis_offset(&problem->left_k, q)) * size;
        for (int64_t i = 0; i < m; i += sweep->m, a += of->blocks->left_panel) {
            sweep->m = cut_rows(i, m, direct->run_m, kernel);
            sweep->a = a;
            sweep->c = c + lay_axis_offset(of->part->rows, i) * size;
            sweep->sums = sums + i * width * size;
            kernel->sweep(sweep);
        }
    }
}

static void sweep_task(void *argument, int64_t number)
{
    const work *of = argument;
    const lay_problem *problem = of->problem;
    const lay_blocked *blocks = of->blocks;
    const lay_direct *direct = &blocks->direct;
    const int64_t first = number * blocks->nc, last = min_of(first + blocks->nc, problem->n.extent);
    const lay_scalar one = lay_scalar_of(1, problem->types.sum);
    char *const left = of->workspace + (size_t)number * (blocks->left_bytes + blocks->right_panel);
    lay_sweep sweep = { .a_step = problem->m.extent > 1 ? blocks->kernel->mr : direct->left_step,
                        .b_step = direct->right_step,
                        .c_row = of->part->row,
                        .alpha = of->call->alpha };
    for (int64_t j = first; j < last; j += sweep.n) {
        sweep.n = min_of(min_of(blocks->mc, last - j), (j / direct->run_n + 1) * direct->run_n - j);
        for (int64_t p = of->part->first; p < of->part->last; p += blocks->kc) {
            sweep.beta = p == of->part->first ? of->call->beta : &one;
            sweep_block(of, &sweep, j, p, min_of(blocks->kc, of->part->last - p), left, left + blocks->left_bytes);
        }
    }
}

void lay_sweep_run(const lay_problem *problem, const lay_job *job, const lay_part *part, const lay_call *call,
                   void *workspace)
{
    const lay_blocked *blocks = job->data;
    work of = { problem, blocks, part, call, workspace };
    lay_parallel_for(job->threads, blocks->grid_n, sweep_task, &of);
}

const char *lay_sweep_choose(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                             const lay_machine *machine, lay_job *job)
{
    enum { PARTS_PER_THREAD = 4, TASK_WIDTH = 2048 /* columns */ };
    enum { LEAST_STEPS = 4, FREE_STEPS = 12 };
    const int64_t size = (int64_t)lay_type_size(problem->types.right);
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    lay_blocked *blocks = job->data;
    *blocks = (lay_blocked){ .kernel = kernel, .run_part = lay_sweep_run, .kc = problem->sum.block };
    const char *reason = lay_direct_find_strides(problem, kernel, 0, &blocks->direct);
    if (reason)
        return reason;
    if (blocks->direct.is_staged)
        return "columns of C are not contiguous";
    if (m * MIN_WIDTH * size > machine->l2)
        return "the second cache has no room for the sums of so many rows";
    const double bytes = (double)n * (double)problem->k.extent * (double)size;
    const double share = bytes / lay_rates_get()->bytes_streamed;
    const int busy = lay_strict_busy(setting, share);
    const int64_t parts = busy > 1 ? min_of((int64_t)busy * PARTS_PER_THREAD, max_of(busy, n / TASK_WIDTH)) : 1;
    blocks->nc = ceil_div(ceil_div(n, UNIT), parts) * UNIT;
    const lay_parts asked = lay_strict_parts(problem, setting);
    if (asked.m > 1)
        return "each task of a sweep has all rows";
    if (asked.n > 0)
        blocks->nc = ceil_div(ceil_div(n, UNIT), asked.n) * UNIT;
    if ((reason = lay_strict_size(setting, LAY_TUNE_NC, UNIT, n, &blocks->nc)))
        return reason;
    blocks->grid_n = ceil_div(n, blocks->nc);
    blocks->grid_m = 1;
    /* Rows of right whole pages apart share the sets of the first cache, whose ways are its pages: 8 of 32 KiB, where
     * 12 rows take a tenth longer and 16 a third; 12 of 48 KiB, where 8 take a tenth longer. Else 12 are the fastest.
     */
    const int64_t ways = min_of(MOST_STEPS, max_of(LEAST_STEPS, machine->l1 / LAY_PAGE));
    blocks->swept_steps = (int)(blocks->direct.right_step * size % LAY_PAGE == 0 ? ways : max_of(ways, FREE_STEPS));
    int64_t steps = blocks->swept_steps;
    if ((reason = lay_strict_size(setting, LAY_TUNE_STEPS, 1, MOST_STEPS, &steps)))
        return reason;
    blocks->swept_steps = (int)steps;
    /* The sums and the rows of right under way, in three quarters of the second cache. */
    blocks->mc =
        min_of(blocks->nc, max_of(MIN_WIDTH, machine->l2 / 4 * 3 / ((m + blocks->swept_steps) * size) / UNIT * UNIT));
    if ((reason = lay_strict_size(setting, LAY_TUNE_MC, UNIT, blocks->nc, &blocks->mc)))
        return reason;
    blocks->left_panel = lay_workspace_part((size_t)(blocks->kc * kernel->mr * size));
    blocks->left_bytes = left_bytes(problem, blocks);
    blocks->right_panel = lay_workspace_part((size_t)(m * (blocks->mc + kernel->lanes) * size));
    job->kernel = kernel->name;
    job->threads = (int)min_of(busy, blocks->grid_n);
    job->workspace = (blocks->left_bytes + blocks->right_panel) * (size_t)blocks->grid_n;
    job->seconds = lay_cost_swept(problem, job, machine);
    return lay_strict_check_workspace(setting, job);
}

static const char *choose_way(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                              lay_job *job)
{
    const char *reason = lay_strict_refuse_sum(problem, setting);
    if (reason)
        return reason;
    return lay_sweep_choose(problem, setting, kernel, lay_machine_get(), job);
}

static const char *prepare(lay_branch *branch)
{
    return lay_strict_prepare(branch, choose_way);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const lay_problem *problem = &branch->problem;
    const lay_blocked *blocks = branch->job.data;
    lay_text_add(text, "swept     rows of %s as they lie, %d steps at a time, %lld columns whose sums wait\n",
                 lay_problem_operand(problem, LAY_RIGHT), blocks->swept_steps, (long long)blocks->mc);
    lay_strict_explain(branch, choose_way, text);
}

static void tell(const lay_branch *branch, lay_step *step)
{
    const lay_blocked *blocks = branch->job.data;
    lay_strict_tell(branch, step);
    step->value[LAY_TUNE_MC] = blocks->mc / UNIT;
    step->value[LAY_TUNE_NC] = blocks->nc / UNIT;
    step->value[LAY_TUNE_STEPS] = blocks->swept_steps;
}

const lay_way lay_way_swept = {
    .name = "swept",
    .order = &lay_order_cpu,
    .takes = LAY_TAKES_GRID,
    .tunes = LAY_STRICT_TUNES | 1 << LAY_TUNE_MC | 1 << LAY_TUNE_NC | 1 << LAY_TUNE_STEPS,
    .tell = tell,
    .data = sizeof(lay_blocked),
    .prepare = prepare,
    .run = lay_strict_run,
    .explain = explain,
};
