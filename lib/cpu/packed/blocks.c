/* Block sizes from caches, thread grid from shape, cost from both. */
#include "cpu/packed/blocks.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "cpu/packed/grid.h"
#include "cpu/strict.h"
#include "machine/rates.h"
#include "plan/summation.h"
#include "threads/workspace.h"

enum {
    MAX_PACKED = 12 << 20, /* bytes of one packed operand: beyond it nothing is gained */
    L2_SHARE = 3           /* of L2 for a task's block of A: B's panel and C's tiles pass through it too */
};

/* extent in equal parts of at most limit, each a multiple of unit. */
static int64_t balance(int64_t extent, int64_t limit, int64_t unit)
{
    const int64_t units = ceil_div(max_of(extent, 1), unit), most = max_of(limit / unit, 1);
    return ceil_div(units, ceil_div(units, most)) * unit;
}

static int64_t clamp_bytes(int64_t bytes, int64_t low, int64_t high)
{
    return max_of(low, min_of(bytes, high));
}

/* Cuts an mb x nb block into tasks of at most l2_rows rows. */
static void choose_grid(lay_blocked *blocks, const lay_area *all, int threads, int64_t l2_rows)
{
    enum { MORE_DOWN = 4, PARTS_PER_THREAD = 4 }; /* of more tasks none was ever faster (bench/LOG.md, 36) */
    const int64_t rows = max_of(1, min_of(l2_rows, LAY_MAX_MC) / blocks->kernel->mr);
    const int64_t tasks = (ceil_div(all->m_panels, rows) + MORE_DOWN) * threads;
    const lay_grid_limits limits = {
        .rows = rows, .most_down = tasks, .most_right = (int64_t)PARTS_PER_THREAD * threads, .tasks = tasks
    };
    const lay_grid best = lay_grid_choose(all, &limits, threads);
    blocks->mc = best.rows * blocks->kernel->mr;
    blocks->nc = best.columns * blocks->kernel->nr;
    blocks->is_by_columns = best.is_by_columns;
}

/* Columns of C, as many as have room in a share of the second cache with their packed right, that tiles follow each
 * other along; 0: they go down C's rows. Along rows that lie a page apart where so few steps are between two tiles that
 * C is what they wait for (bench/LOG.md, 108). */
static int64_t choose_stretch(const lay_problem *problem, const lay_kernel *kernel, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const lay_axis *const rows = &problem->result_m, *const columns = &problem->result_n;
    const int64_t size = lay_size_of(problem->types.result), k = max_of(problem->k.extent, 1);
    const int are_far =
        rows->class == LAY_AXIS_STRIDED && rows->count > 0 && llabs(rows->mode[0].stride) * size >= LAY_PAGE;
    if (!are_far || columns->class != LAY_AXIS_UNIT || problem->posed.is_of_numbers || (double)k > rates->along_steps ||
        (double)problem->m.extent * (double)problem->n.extent * (double)size <= (double)machine->l2)
        return 0;
    const int64_t fit = (int64_t)(rates->along_share * (double)machine->l2) / (k * size);
    return max_of(fit / kernel->nr, 1) * kernel->nr;
}

/* What is packed at once as tuning has it: of rows alone where several threads share them. NULL, or why not. */
static const char *follow_packing(const lay_problem *problem, const lay_setting *setting, lay_blocked *blocks)
{
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    const char *reason = lay_strict_size(setting, LAY_TUNE_MB, blocks->kernel->mr, m, &blocks->mb);
    return reason ? reason : lay_strict_size(setting, LAY_TUNE_NB, blocks->kernel->nr, n, &blocks->nb);
}

/* Tasks as tuning has them. NULL, or why not. */
static const char *follow_tasks(const lay_setting *setting, lay_blocked *blocks)
{
    const int64_t by_columns = lay_tuned(setting, LAY_TUNE_BY_COLUMNS);
    const char *reason =
        lay_strict_size(setting, LAY_TUNE_MC, blocks->kernel->mr, min_of(blocks->mb, LAY_MAX_MC), &blocks->mc);
    if (by_columns >= 0)
        blocks->is_by_columns = by_columns != 0;
    if (!reason && blocks->mc > LAY_MAX_MC)
        reason = "tuning has tasks of more rows than there may be";
    return reason ? reason : lay_strict_size(setting, LAY_TUNE_NC, blocks->kernel->nr, blocks->nb, &blocks->nc);
}

/* The grid that options ask for: everything is packed at once, so that each thread has its part from the start to the
 * end. */
static void follow_grid(const lay_problem *problem, const lay_parts *parts, int64_t l2_rows, lay_blocked *blocks)
{
    const int64_t mr = blocks->kernel->mr, nr = blocks->kernel->nr;
    blocks->part_m = ceil_div(blocks->mb / mr, parts->m) * mr;
    blocks->part_n = ceil_div(blocks->nb / nr, parts->n) * nr;
    blocks->mc = balance(blocks->part_m, min_of(l2_rows, LAY_MAX_MC), mr);
    blocks->nc = blocks->part_n;
    blocks->grid_m = ceil_div(max_of(problem->m.extent, 1), blocks->part_m);
    blocks->grid_n = ceil_div(max_of(problem->n.extent, 1), blocks->part_n);
}

const char *lay_blocks_choose(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                              const lay_machine *machine, lay_job *job)
{
    const int64_t size = (int64_t)lay_type_size(problem->types.left);
    const int64_t m = problem->m.extent, n = problem->n.extent;
    const lay_rates *rates = lay_rates_get();
    lay_blocked *blocks = job->data;

    *blocks = (lay_blocked){ .kernel = kernel };
    blocks->kc = problem->sum.block;
    const int64_t step_bytes = blocks->kc * size; /* of one row or column of a packed operand */
    const int64_t packed = clamp_bytes(machine->l3 / 3, machine->l2, MAX_PACKED);
    blocks->mb = balance(m, packed / step_bytes, kernel->mr);
    blocks->nb = balance(n, packed / step_bytes, kernel->nr);
    const lay_parts parts = lay_strict_parts(problem, setting);
    const int has_parts = parts.m * parts.n > 1 && setting->threads > 1;
    if (has_parts) {
        blocks->mb = round_up(max_of(m, 1), kernel->mr);
        blocks->nb = round_up(max_of(n, 1), kernel->nr);
    }
    const char *reason = follow_packing(problem, setting, blocks);
    if (reason)
        return reason;
    const int64_t rows = max_of(1, min_of(m, blocks->mb)), columns = max_of(1, min_of(n, blocks->nb));
    const double phase = 2.0 * (double)rows * (double)columns * (double)blocks->kc;
    const double share = fmin(lay_problem_flops(problem) / rates->flops_per_thread, phase / rates->flops_per_join);
    const int busy = lay_strict_busy(setting, share);
    const lay_area all = { (double)rows / kernel->mr, (double)round_up(columns, kernel->lanes) / kernel->nr,
                           blocks->mb / kernel->mr, blocks->nb / kernel->nr };
    choose_grid(blocks, &all, busy, machine->l2 / L2_SHARE / step_bytes);
    if ((reason = follow_tasks(setting, blocks)))
        return reason;
    if (busy == 1) /* rows are packed just before they are used, into what the second cache holds already */
        blocks->mb = blocks->mc;
    blocks->grid_m = ceil_div(min_of(max_of(m, 1), blocks->mb), blocks->mc);
    blocks->grid_n = ceil_div(min_of(max_of(n, 1), blocks->nb), blocks->nc);
    if (has_parts)
        follow_grid(problem, &parts, machine->l2 / L2_SHARE / step_bytes, blocks);
    blocks->stretch = choose_stretch(problem, kernel, machine);
    blocks->left_panel = lay_workspace_part((size_t)(blocks->kc * kernel->mr * size));
    blocks->right_panel = lay_workspace_part((size_t)(blocks->kc * kernel->nr * size));
    blocks->left_bytes = blocks->left_panel * (size_t)(blocks->mb / kernel->mr);
    blocks->right_bytes = blocks->right_panel * (size_t)(blocks->nb / kernel->nr);

    job->kernel = kernel->name;
    job->threads = busy;
    job->workspace = blocks->left_bytes + blocks->right_bytes;
    return lay_strict_check_workspace(setting, job);
}

/* The digit of unit stride and how many steps apart its values are. 0: there is none. */
static int64_t find_unit(const lay_axis *along, int64_t *inside)
{
    *inside = 1;
    for (int i = along->count - 1; i >= 0 && along->class == LAY_AXIS_NESTED; *inside *= along->mode[i--].extent)
        if (along->mode[i].stride == 1)
            return along->mode[i].extent;
    return 0;
}

int64_t lay_packing_run(const lay_axis *along, int64_t steps)
{
    int64_t inside;
    const int64_t extent = find_unit(along, &inside);
    return min_of(extent, steps / inside);
}

/* Whether steps lie side by side that are the extent of what is inside another digit apart, several in so many. */
static int has_digits(const lay_axis *along, int64_t steps)
{
    enum { WORTH_TURNING = 4 };
    return lay_packing_run(along, steps) >= WORTH_TURNING;
}

int lay_packing_is_stretch(const lay_axis *along, int width, int64_t steps)
{
    enum { UNIT = 8 /* columns of right's panels: those of left's rows are no multiples of registers */, LEAST = 16 };
    return along->class == LAY_AXIS_NESTED && along->count == 2 && along->mode[0].stride == 1 &&
           along->mode[1].stride == along->mode[0].extent && steps >= along->extent && along->extent >= LEAST &&
           width % UNIT == 0;
}

int64_t lay_packing_period(const lay_axis *along)
{
    int64_t inside;
    const int64_t extent = find_unit(along, &inside);
    return extent * inside;
}

int64_t lay_packing_join(const lay_axis *across, const lay_axis *along, const lay_kernel *kernel, int64_t kc,
                         int64_t most)
{
    enum { WORTH_JOINING = 2 /* lines */, FEW = 8 };
    int64_t inside;
    const int64_t extent = find_unit(along, &inside), line = LAY_LINE / lay_size_of(kernel->type);
    const int64_t joined = min_of(most, along->extent) / kc * kc;
    const int64_t steps = along->extent <= most ? along->extent : joined;
    const int is_page_apart = inside * kernel->nr * lay_size_of(kernel->type) % LAY_PAGE == 0; /* as they are packed */
    if (is_page_apart || min_of(extent, kc / inside) >= WORTH_JOINING * line || steps <= kc ||
        lay_packing_find(across, along, kernel->nr, steps) != LAY_PACKED_BY_DIGITS)
        return kc;
    /* Whole registers are transposed: rather a few steps less than a part of one more. */
    const int64_t fewer = steps / inside / kernel->lanes * kernel->lanes * inside / kc * kc;
    return fewer > kc && fewer >= steps - steps / FEW ? fewer : steps;
}

lay_packing_way lay_packing_find(const lay_axis *across, const lay_axis *along, int width, int64_t steps)
{
    enum { WORTH_TURNING = 8, WORTH_COPYING = 3 }; /* as the packers decide, by mean length of a run */
    if (across->run >= min_of(width, across->extent))
        return LAY_PACKED_COPIED;
    if (across->run >= WORTH_COPYING)
        return LAY_PACKED_IN_PIECES;
    if (along->run >= min_of(WORTH_TURNING, along->extent))
        return LAY_PACKED_TRANSPOSED;
    if (has_digits(along, steps) || lay_packing_is_stretch(along, width, steps))
        return LAY_PACKED_BY_DIGITS;
    return along->run == 2 && along->extent % 2 == 0 ? LAY_PACKED_IN_PAIRS : LAY_PACKED_GATHERED;
}

/* Columns in a segment where two rows alternate, as parts of complex numbers do; 0: they do not. */
static int64_t run_of_pairs(const lay_problem *problem, const lay_kernel *kernel)
{
    const lay_axis *rows = &problem->result_m, *columns = &problem->result_n;
    const int has_pairs = kernel->mr % 2 == 0 && rows->count > 0 && rows->class != LAY_AXIS_TABLE &&
                          rows->mode[rows->count - 1].stride == 1 && rows->mode[rows->count - 1].extent % 2 == 0;
    if (!has_pairs || columns->class == LAY_AXIS_TABLE || columns->count == 0)
        return 0;
    return columns->mode[columns->count - 1].stride == 2 ? columns->mode[columns->count - 1].extent : 0;
}

int lay_result_is_direct(const lay_problem *problem, const lay_kernel *kernel)
{
    const int64_t half = kernel->nr / 2, paired = run_of_pairs(problem, kernel);
    const int64_t run = max_of(problem->result_n.run, paired);
    return run >= min_of(kernel->nr, problem->n.extent) || (run >= half && run % half == 0);
}
