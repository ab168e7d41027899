/* Block sizes from caches, tasks from shape and threads. */
#include "cpu/split/split_blocks.h"

#include "base/arith.h"
#include "cpu/packed/blocks.h"
#include "cpu/packed/grid.h"
#include "cpu/split/split_lines.h"
#include "cpu/split/split_patch.h"
#include "cpu_split.h"
#include "machine/rates.h"
#include "plan/summation.h"

enum {
    MAX_PACKED = 24 << 20, /* bytes of one packed operand */
    L2_SHARE = 2           /* of L2 for a task's block of A: B's panels and C's tiles pass through it too */
};

/* Panels of rows and columns cut in tasks of at most l2_panels rows. Short panels cost as much as whole ones. */
static void choose_tasks(lay_cpu_split *split, int64_t rows, int64_t columns, int threads, int64_t l2_panels)
{
    enum { PARTS_PER_THREAD = 4 };
    const int64_t parts = (int64_t)PARTS_PER_THREAD * threads, down = ceil_div(rows, l2_panels) + parts;
    const lay_area all = { (double)rows, (double)columns, rows, columns };
    const lay_grid_limits limits = { .rows = l2_panels,
                                     .most_down = down,
                                     .most_right = parts,
                                     .tasks = down * parts,
                                     .is_by_columns = 1,
                                     .are_whole = 1 };
    const lay_grid best = lay_grid_choose(&all, &limits, threads);
    split->mc = best.rows * LAY_CPU_SPLIT_LINES;
    split->nc = best.columns * LAY_CPU_SPLIT_LINES;
}

static int64_t balance(int64_t extent, int64_t limit)
{
    const int64_t panels = ceil_div(max_of(extent, 1), LAY_CPU_SPLIT_LINES),
                  most = max_of(limit / LAY_CPU_SPLIT_LINES, 1);
    return ceil_div(panels, ceil_div(panels, most)) * LAY_CPU_SPLIT_LINES;
}

/* Seconds, for the order of the two ways round. */
static double cost(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    const lay_rates *rates = lay_rates_get();
    const double pack[] = {
        [LAY_PACKED_COPIED] = rates->limbs_near,       [LAY_PACKED_TRANSPOSED] = rates->limbs_near,
        [LAY_PACKED_IN_PIECES] = rates->limbs_pieces,  [LAY_PACKED_BY_DIGITS] = rates->limbs_gathered,
        [LAY_PACKED_IN_PAIRS] = rates->limbs_gathered, [LAY_PACKED_GATHERED] = rates->limbs_gathered
    };
    const lay_cpu_split *split = job->data;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double products = split->limbs * (split->limbs + 1) / 2.0;
    const double flops = 2 * (double)ceil_div(problem->m.extent, LAY_CPU_SPLIT_LINES) *
                         (double)ceil_div(problem->n.extent, LAY_CPU_SPLIT_LINES) * k * LAY_CPU_SPLIT_LINES *
                         LAY_CPU_SPLIT_LINES * products;
    const double passes = (double)ceil_div(problem->k.extent, split->kc);
    const double repacks = (double)ceil_div(problem->n.extent, split->nb);
    const int is_direct = problem->result_n.run >= min_of(LAY_CPU_SPLIT_LINES, problem->n.extent);
    /* What neighbours along k cost left costs them across to right: a word of left is two steps of one line. */
    const double left =
        m * k * repacks * pack[lay_packing_find(&problem->left_m, &problem->left_k, LAY_CPU_SPLIT_LINES, split->kc)];
    const double right =
        n * k * pack[lay_packing_find(&problem->right_n, &problem->right_k, LAY_CPU_SPLIT_LINES, split->kc)];
    const double packing = (split->is_given[LAY_LEFT] ? 0 : left) + (split->is_given[LAY_RIGHT] ? 0 : right);
    const double own = flops / (split->row->flops_per_cycle * machine->ghz) + packing +
                       m * n * passes * (is_direct ? rates->limbs_written : rates->limbs_staged);
    return (own / job->threads + rates->call_limbs) * 1e-9;
}

/* Bytes of so many lines' panels, first in limbs, then perhaps those of the plain kernel. */
static size_t room_of(const lay_cpu_split *split, int64_t lines, int width)
{
    const size_t limbs = (size_t)ceil_div(lines, LAY_CPU_SPLIT_LINES) * split->panel;
    const size_t plain = (size_t)ceil_div(lines, width) * lay_patch_panel(split->kc, width);
    return limbs > plain ? limbs : plain;
}

void lay_cpu_split_choose(const lay_problem *problem, int threads, const lay_machine *machine, lay_job *job)
{
    lay_cpu_split *split = job->data;
    split->kc = problem->sum.block;
    split->panel = (size_t)lay_cpu_split_leaves(split->kc) * lay_cpu_split_leaf(split->limbs);

    const int64_t packed = max_of(machine->l2, min_of(machine->l3 / 3, MAX_PACKED));
    const int64_t most = packed / (int64_t)split->panel * LAY_CPU_SPLIT_LINES;
    const double share = lay_problem_flops(problem) / lay_rates_get()->limbs_flops_per_thread;
    const int busy = share >= threads ? threads : share > 1 ? (int)share : 1;
    const int64_t l2_panels = max_of(1, machine->l2 / L2_SHARE / (int64_t)split->panel);
    /* No more rows than the threads' L2 hold: beyond it each would be written to L3 and read back. */
    split->mb = balance(problem->m.extent, min_of(most, l2_panels * LAY_CPU_SPLIT_LINES * busy));
    split->nb = balance(problem->n.extent, most);
    choose_tasks(split, split->mb / LAY_CPU_SPLIT_LINES, split->nb / LAY_CPU_SPLIT_LINES, busy, l2_panels);

    split->left_bytes = room_of(split, split->mb, split->strict->mr);
    split->right_bytes = room_of(split, split->nb, split->strict->nr);
    job->kernel = split->row->name;
    job->threads = busy;
    job->workspace =
        split->left_bytes + split->right_bytes + lay_split_lines_bytes(split->mb) + lay_split_lines_bytes(split->nb);
    job->seconds = cost(problem, job, machine);
}
