/* Block sizes from caches, thread grid from shape, cost from both. */
#include "plan/blocks.h"

#include "base/arith.h"
#include "plan/summation.h"

enum {
    MAX_PACKED = 12 << 20, /* bytes of one packed operand: beyond it nothing is gained */
    TASKS_PER_THREAD = 4,  /* slack that evens out threads of unequal speed */
    MIN_TASK_TILES = 16,   /* below, starting a task shows */
    MAX_MC = 1024,         /* the executor keeps that many row offsets on its stack */
};
static const double flops_per_thread = 2e6; /* less is done before a second thread has woken up */

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

static size_t align_panel(int64_t bytes)
{
    return ((size_t)bytes + 63) / 64 * 64;
}

/* Cuts an mb x nb block into tasks: rows by L2 first, then finer until every thread has its share. */
static void choose_grid(lay_blocks *blocks, const lay_kernel *kernel, int64_t l2_rows)
{
    const int64_t mr = kernel->mr, nr = kernel->nr;
    blocks->mc = balance(blocks->mb, min_of(l2_rows, MAX_MC), mr);
    blocks->nc = blocks->nb;
    if (blocks->threads == 1)
        return;
    const int64_t wanted = (int64_t)blocks->threads * TASKS_PER_THREAD;
    for (;;) {
        const int64_t tasks = ceil_div(blocks->mb, blocks->mc) * ceil_div(blocks->nb, blocks->nc);
        const int64_t tiles = (blocks->mc / mr) * (blocks->nc / nr);
        if (tasks >= wanted || tiles < 2 * MIN_TASK_TILES)
            break;
        /* Halve the longer side, counted in tiles. */
        if (blocks->nc / nr >= blocks->mc / mr)
            blocks->nc = balance(blocks->nc, max_of(blocks->nc / 2, nr), nr);
        else
            blocks->mc = balance(blocks->mc, max_of(blocks->mc / 2, mr), mr);
    }
}

void lay_blocks_choose(const lay_problem *problem, const lay_kernel *kernel, int threads, const lay_machine *machine,
                       lay_blocks *blocks)
{
    const int64_t size = (int64_t)lay_type_size(problem->type);
    const int64_t m = problem->m.extent, n = problem->n.extent, k = max_of(problem->k.extent, 1);
    const double share = lay_problem_flops(problem) / flops_per_thread;
    blocks->threads = share >= threads ? threads : share > 1 ? (int)share : 1;

    blocks->kc = min_of(k, problem->type == LAY_F32 ? LAY_KC_F32 : LAY_KC_F64);
    const int64_t step_bytes = blocks->kc * size; /* of one row or column of a packed operand */
    const int64_t packed = clamp_bytes(machine->l3 / 3, machine->l2, MAX_PACKED);
    blocks->mb = balance(m, packed / step_bytes, kernel->mr);
    blocks->nb = balance(n, packed / step_bytes, kernel->nr);
    choose_grid(blocks, kernel, machine->l2 / 2 / step_bytes);
    blocks->grid_m = ceil_div(min_of(max_of(m, 1), blocks->mb), blocks->mc);
    blocks->grid_n = ceil_div(min_of(max_of(n, 1), blocks->nb), blocks->nc);
    blocks->threads = (int)min_of(blocks->threads, max_of(1, blocks->grid_m * blocks->grid_n));
    blocks->left_panel = align_panel(blocks->kc * kernel->mr * size);
    blocks->right_panel = align_panel(blocks->kc * kernel->nr * size);
    blocks->left_bytes = blocks->left_panel * (size_t)(blocks->mb / kernel->mr);
    blocks->right_bytes = blocks->right_panel * (size_t)(blocks->nb / kernel->nr);
}

/* Seconds to pack one element, by what is contiguous. */
static double pack_cost(const lay_axis *across, const lay_axis *along, int width)
{
    static const double copied = 0.15e-9, turned = 0.25e-9, gathered = 1.2e-9;
    if (across->run >= min_of(width, across->extent))
        return copied;
    return along->run >= min_of(8, along->extent) ? turned : across->run > 2 ? 2 * turned : gathered;
}

double lay_blocks_cost(const lay_problem *problem, const lay_kernel *kernel, const lay_blocks *blocks,
                       const lay_machine *machine)
{
    static const double written = 0.15e-9, staged = 1.0e-9, per_tile = 15e-9, per_call = 60e-9;
    const double m = (double)(ceil_div(problem->m.extent, kernel->mr) * kernel->mr);
    const double n = (double)(ceil_div(problem->n.extent, kernel->nr) * kernel->nr);
    const double k = (double)problem->k.extent;
    const double passes = (double)ceil_div(problem->k.extent, blocks->kc);
    const double repacks = (double)ceil_div(problem->n.extent, blocks->nb);
    const int is_direct = problem->result_n.run >= min_of(kernel->nr, problem->n.extent);

    const double multiply = 2 * m * n * k / (kernel->flops_per_cycle * machine->ghz * 1e9);
    const double pack = m * k * repacks * pack_cost(&problem->left_m, &problem->left_k, kernel->mr) +
                        n * k * pack_cost(&problem->right_n, &problem->right_k, kernel->nr);
    const double update = m * n * passes * (is_direct ? written : staged);
    const double tiles = m / kernel->mr * (n / kernel->nr) * passes * per_tile;
    return (multiply + pack + update + tiles) / blocks->threads + per_call;
}
