/* Direct products: the strided function of a kernel over panels that are cut where storage has a seam. */
#include "cpu/direct.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/blocks.h"
#include "cpu/pack.h"
#include "cpu/parallel.h"
#include "cpu/tiles.h"
#include "plan/summation.h"

/* A product under way. */
typedef struct work {
    const lay_problem *problem;
    const lay_blocked *blocks;
    const lay_call *call;
    char *workspace;
} work;

static int64_t offset_of(const lay_axis *axis, int64_t index)
{
    int64_t out;
    if (axis->class != LAY_AXIS_TABLE && axis->count <= 1)
        return axis->base + (axis->count ? axis->mode[0].stride * index : 0);
    lay_axis_offsets(axis, index, 1, &out);
    return out;
}

/* Indices from first on, to the end of the block of `run` that first lies in or to `end`, in equal parts of
 * at most `width`: how many the first part has. */
static int cut_panel(int64_t first, int64_t end, int64_t run, int width)
{
    const int64_t seam = run < end ? min_of(end, (first / run + 1) * run) : end, rest = seam - first;
    return rest <= width ? (int)rest : rest >= 2 * width ? width : (int)((rest + 1) / 2);
}

/* The steps p .. p + k, from where they begin in left and, if it is not packed, in right. */
static int find_stretches(const work *of, int64_t p, int64_t k, lay_stretch out[LAY_KC])
{
    const lay_problem *problem = of->problem;
    const lay_direct *direct = &of->blocks->direct;
    const int is_packed = direct->is_right_packed;
    int count = 0;
    for (int64_t at = p, end; at < p + k; at = end) {
        end = direct->run_k < p + k ? min_of(p + k, (at / direct->run_k + 1) * direct->run_k) : p + k;
        out[count++] = (lay_stretch){ .count = end - at,
                                      .from_a = offset_of(&problem->left_k, at),
                                      .from_b = is_packed ? (at - p) * of->blocks->kernel->nr
                                                          : offset_of(&problem->right_k, at) };
    }
    return count;
}

static void pack_right(const work *of, int64_t column, int n, int64_t p, int64_t k, char *to)
{
    const lay_problem *problem = of->problem;
    int64_t across[LAY_MAX_NR], along[LAY_KC];
    lay_axis_offsets(&problem->right_n, column, n, across);
    lay_axis_offsets(&problem->right_k, p, k, along);
    const lay_panel panel = { .k = k, .w = n, .src = of->call->right, .across = across, .along = along, .dst = to };
    const lay_pack_class class = lay_offsets_are_unit(across, n)  ? LAY_PACK_ACROSS
                                 : lay_offsets_are_unit(along, k) ? LAY_PACK_ALONG
                                                                  : LAY_PACK_ANY;
    of->blocks->kernel->pack_b[class](&panel);
}

/* One panel of columns with the rows first_row .. last_row. */
static void multiply_panel(const work *of, lay_strided *tile, int64_t first_row, int64_t last_row, int64_t column)
{
    const lay_problem *problem = of->problem;
    const lay_kernel *kernel = of->blocks->kernel;
    const lay_direct *direct = &of->blocks->direct;
    const int64_t size = (int64_t)lay_type_size(problem->type);
    char *const c = (char *)of->call->c + (direct->is_staged ? 0 : offset_of(&problem->result_n, column) * size);
    for (int64_t i = first_row; i < last_row; i += tile->m) {
        tile->m = cut_panel(i, last_row, direct->run_m, kernel->mr);
        tile->a = (const char *)of->call->left + offset_of(&problem->left_m, i) * size;
        if (direct->is_staged) {
            lay_multiply_staged(kernel, tile, c, &problem->result_m, i, &problem->result_n, column);
            continue;
        }
        tile->c = c + offset_of(&problem->result_m, i) * size;
        kernel->strided(tile);
    }
}

static void multiply_block(const work *of, int64_t row, int64_t m, int64_t column, int64_t n, char *scratch)
{
    const lay_problem *problem = of->problem;
    const lay_blocked *blocks = of->blocks;
    const lay_direct *direct = &blocks->direct;
    const int64_t size = (int64_t)lay_type_size(problem->type), all = problem->k.extent;
    const lay_scalar one = problem->type == LAY_F32 ? (lay_scalar){ .f32 = 1 } : (lay_scalar){ .f64 = 1 };
    lay_stretch stretch[LAY_KC];
    lay_strided tile; /* not cleared: in a tiny product that would show */
    tile.stretch = stretch;
    tile.a_row = direct->left_row;
    tile.a_step = direct->left_step;
    tile.b_step = direct->right_step;
    tile.c_row = direct->result_row;
    tile.alpha = of->call->alpha;
    for (int64_t j = column; j < column + n; j += tile.n) {
        tile.n = cut_panel(j, column + n, direct->run_n, blocks->kernel->nr);
        tile.b = direct->is_right_packed ? scratch
                                         : (const char *)of->call->right + offset_of(&problem->right_n, j) * size;
        for (int64_t p = 0; p < all; p += blocks->kc) {
            const int64_t k = min_of(blocks->kc, all - p);
            if (all > blocks->kc || j == column)
                tile.stretches = find_stretches(of, p, k, stretch);
            if (direct->is_right_packed)
                pack_right(of, j, tile.n, p, k, scratch);
            tile.beta = p == 0 ? of->call->beta : &one;
            multiply_panel(of, &tile, row, row + m, j);
        }
    }
}

static void multiply_task(void *argument, int64_t number)
{
    const work *of = argument;
    const lay_blocked *blocks = of->blocks;
    const int64_t i = number / blocks->grid_n * blocks->mc, j = number % blocks->grid_n * blocks->nc;
    multiply_block(of, i, min_of(blocks->mc, of->problem->m.extent - i), j,
                   min_of(blocks->nc, of->problem->n.extent - j), of->workspace + (size_t)number * blocks->right_panel);
}

void lay_direct_run(const lay_problem *problem, const lay_job *job, const lay_call *call, void *workspace)
{
    const lay_blocked *blocks = &job->of.cpu;
    work of = { .problem = problem, .blocks = blocks, .call = call, .workspace = workspace };
    const int64_t tasks = blocks->grid_m * blocks->grid_n;
    if (tasks == 1)
        multiply_block(&of, 0, problem->m.extent, 0, problem->n.extent, workspace);
    else
        lay_parallel_for(job->threads, tasks, multiply_task, &of);
}

/* The innermost mode of a group: all of it where there is but one. */
static lay_mode inner_mode(const lay_group *group)
{
    if (group->count == 0)
        return (lay_mode){ .extent = max_of(group->extent, 1) };
    return group->mode[group->count - 1];
}

static lay_leaf inner_leaf(const lay_axis *axis)
{
    if (axis->count == 0)
        return (lay_leaf){ .extent = max_of(axis->extent, 1) };
    return axis->mode[axis->count - 1];
}

/* Whether so many rows share a panel of right that a packed one, near in the first cache, pays. Steps that are
 * multiples of some lines apart fall into few sets of that cache. */
static int is_worth_packing(const lay_problem *problem, const lay_kernel *kernel, int64_t step)
{
    enum { MANY_PANELS = 20, SOME_PANELS = 8, ALIAS = 512 /* bytes */ };
    const int64_t panels = ceil_div(problem->m.extent, kernel->mr), bytes = step * (int64_t)lay_type_size(problem->type);
    return panels >= MANY_PANELS || (panels >= SOME_PANELS && bytes % ALIAS == 0);
}

/* Strides and seams; NULL or why left cannot be read in place. */
static const char *find_strides(const lay_problem *problem, const lay_kernel *kernel, lay_direct *out)
{
    enum { WORTH_STEPS = 8, WORTH_ROWS = 4 };
    const int64_t m = problem->m.extent, n = problem->n.extent, k = problem->k.extent;
    if (!problem->m.is_plain || problem->left_k.class == LAY_AXIS_TABLE)
        return "radices do not divide: rows or steps have no strides";
    const lay_mode rows = inner_mode(&problem->m), columns = inner_mode(&problem->n);
    const lay_mode steps = inner_mode(&problem->k);
    const lay_leaf left_steps = inner_leaf(&problem->left_k), result_columns = inner_leaf(&problem->result_n);
    const int is_in_place = problem->n.is_plain && problem->k.is_plain &&
                            (columns.stride[LAY_RIGHT] == 1 || n == 1) &&
                            columns.extent >= min_of(n, kernel->lanes) && steps.extent >= min_of(k, WORTH_STEPS) &&
                            !is_worth_packing(problem, kernel, steps.stride[LAY_RIGHT]);
    *out = (lay_direct){ .is_right_packed = !is_in_place,
                         .run_m = rows.extent,
                         .run_n = is_in_place ? columns.extent : result_columns.extent,
                         .run_k = is_in_place ? steps.extent : left_steps.extent,
                         .left_row = rows.stride[LAY_LEFT],
                         .left_step = left_steps.stride,
                         .right_step = is_in_place ? steps.stride[LAY_RIGHT] : kernel->nr,
                         .result_row = rows.stride[LAY_RESULT] };
    if (rows.extent < min_of(m, WORTH_ROWS))
        return "blocks of rows are short";
    if (left_steps.extent < min_of(k, WORTH_STEPS))
        return "blocks of steps are short";
    /* A single column is contiguous wherever the next would be. */
    out->is_staged = problem->result_n.class == LAY_AXIS_TABLE || (n > 1 && result_columns.stride != 1) ||
                     result_columns.extent < min_of(n, kernel->lanes);
    if (out->is_staged && !is_in_place)
        out->run_n = n;
    return NULL;
}

/* NULL, or why left or right is too large to be read in place as often as it would be. */
static const char *refuse_size(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    enum { FEW_PANELS = 4, LINE = 64, L2_TIMES = 2 };
    const int64_t size = (int64_t)lay_type_size(problem->type), kc = blocks->kc;
    const int64_t m = problem->m.extent, n = problem->n.extent;
    const lay_direct *direct = &blocks->direct;
    if (m * kc * size > L2_TIMES * machine->l2 && ceil_div(n, blocks->kernel->nr) > FEW_PANELS)
        return "left is too large to be read in place for each panel of columns";
    if (direct->left_step * size > LINE && 2 * kc * LINE >= machine->l1 && m > blocks->kernel->mr)
        return "each step of left is another line: they do not fit the first cache";
    if (!direct->is_right_packed && n * kc * size > machine->l2 && n > blocks->kernel->nr)
        return "right is too large to be read in place";
    return NULL;
}

/* As lay_blocks_cost has it, but for the panels of left. */
static double predict(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    static const double pack[] = { [LAY_PACKED_COPIED] = 0.15e-9,
                                   [LAY_PACKED_TURNED] = 0.25e-9,
                                   [LAY_PACKED_IN_PIECES] = 0.4e-9,
                                   [LAY_PACKED_GATHERED] = 1.2e-9 };
    static const double written = 0.15e-9, staged = 4e-9, a_tile = 8e-9, a_call = 20e-9;
    const lay_blocked *blocks = &job->of.cpu;
    const lay_kernel *kernel = blocks->kernel;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double passes = (double)ceil_div(problem->k.extent, blocks->kc);
    const double tiles =
        (double)ceil_div(problem->m.extent, kernel->mr) * (double)ceil_div(problem->n.extent, kernel->nr);
    const double columns = (double)(ceil_div(problem->n.extent, kernel->lanes) * kernel->lanes);
    const double multiply = 2 * m * columns * k / (kernel->flops_per_cycle * machine->ghz * 1e9);
    double seconds = multiply + m * n * passes * (blocks->direct.is_staged ? staged : written) + tiles * passes * a_tile;
    if (blocks->direct.is_right_packed)
        seconds += n * k * (double)blocks->grid_m *
                   pack[lay_packing_find(&problem->right_n, &problem->right_k, kernel->nr)];
    return seconds / job->threads + a_call;
}

const char *lay_direct_choose(const lay_problem *problem, const lay_kernel *kernel, int threads,
                              const lay_machine *machine, lay_job *job)
{
    static const double flops_per_thread = 2e6, bytes_per_thread = 1e6;
    enum { PARTS_PER_THREAD = 4 };
    const int64_t size = (int64_t)lay_type_size(problem->type);
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    lay_blocked *blocks = &job->of.cpu;
    *blocks = (lay_blocked){ .kernel = kernel, .is_direct = 1, .kc = lay_summation_kc(max_of(problem->k.extent, 1)) };
    const char *reason = find_strides(problem, kernel, &blocks->direct);
    if (!reason)
        reason = refuse_size(problem, blocks, machine);
    if (reason)
        return reason;
    const double bytes = (double)size * ((double)m * (double)problem->k.extent +
                                         (double)n * (double)problem->k.extent + (double)m * (double)n);
    const double share = fmax(lay_problem_flops(problem) / flops_per_thread, bytes / bytes_per_thread);
    const int busy = share >= threads ? threads : share > 1 ? (int)share : 1;
    const int64_t m_panels = ceil_div(m, kernel->mr), n_panels = ceil_div(n, kernel->nr);
    const int64_t parts = busy > 1 ? busy * PARTS_PER_THREAD : 1;
    blocks->nc = ceil_div(n_panels, min_of(n_panels, parts)) * kernel->nr;
    blocks->grid_n = ceil_div(n, blocks->nc);
    const int64_t down = max_of(1, parts / blocks->grid_n);
    blocks->mc = ceil_div(m_panels, min_of(m_panels, down)) * kernel->mr;
    blocks->grid_m = ceil_div(m, blocks->mc);
    blocks->right_panel = blocks->direct.is_right_packed ? ((size_t)(blocks->kc * kernel->nr * size) + 63) / 64 * 64 : 0;
    job->kernel = kernel->name;
    job->threads = (int)min_of(busy, blocks->grid_m * blocks->grid_n);
    job->workspace = blocks->right_panel * (size_t)(blocks->grid_m * blocks->grid_n);
    job->seconds = predict(problem, job, machine);
    return NULL;
}
