/* Whether a product may read its operands in place, and how: strides and boundaries, what is packed, tasks and their
 * cost.
 */
#include "cpu/in_place/direct.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/in_place/sweep.h"
#include "cpu/packed/blocks.h"
#include "cpu/packed/grid.h"
#include "cpu/strict.h"
#include "cpu/ways.h"
#include "plan/summation.h"

enum { SHORT = 32 /* steps */, FEW = 4 /* panels of rows */ };

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

/* Whether the first cache has no room for a line of each step of k: steps a multiple of some lines apart fall into few
 * of its sets. */
static int has_set_conflicts(const lay_problem *problem, int64_t step)
{
    enum { LINE = 64, PAGE = 4096 }; /* a way of the first cache */
    const int64_t bytes = step * lay_size_of(problem->types.right), apart = bytes & -bytes;
    return apart >= LINE && problem->k.extent * min_of(apart, PAGE) >= lay_machine_get()->l1;
}

/* Whether so many rows share a panel of right that a packed one, near in the first cache, pays. Few steps stay there as
 * they lie. Has_conflicts ones that would be read by rows (is_by_rows) come from the second cache for each panel of
 * rows; where they take a third of it and more there may be no room even there, as their pages happen to meet in its
 * sets, and the product takes twice the time (bench/LOG.md, 38). */
static int is_worth_packing(const lay_problem *problem, const lay_kernel *kernel, int64_t step)
{
    enum { LINE = 64, FEW_STEPS = 4, L2_SHARE = 8 };
    const int64_t k = problem->k.extent, n = problem->n.extent, size = lay_size_of(problem->types.right);
    const int64_t panels = ceil_div(problem->m.extent, kernel->mr), l2 = lay_machine_get()->l2;
    const int has_conflicts = has_set_conflicts(problem, step), is_near = n * k * size <= l2 / L2_SHARE;
    const int64_t bytes = n * problem->sum.block * size;
    const int is_beyond_l2_share = k > SHORT && bytes > l2 / 16 * 5 && 2 * bytes <= l2;
    if (k <= FEW_STEPS || step * size <= LINE || (k <= SHORT && (!has_conflicts || is_near)))
        return 0; /* narrow rows of right lie as near to each other as a panel's */
    return panels >= kernel->packs_from_panels ||
           ((is_beyond_l2_share ? 12 : 2) * panels >= kernel->packs_from_panels && has_conflicts);
}

const char *lay_direct_find_strides(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                                    lay_direct *out)
{
    enum { WORTH_STEPS = 8, WORTH_ROWS = 4 };
    const int64_t m = problem->m.extent, n = problem->n.extent, k = problem->k.extent;
    if (!problem->m.is_plain || problem->left_k.class == LAY_AXIS_TABLE)
        return "radices do not divide: rows or steps have no strides";
    const lay_mode rows = inner_mode(&problem->m), columns = inner_mode(&problem->n);
    const lay_mode steps = inner_mode(&problem->k);
    const lay_leaf left_steps = inner_leaf(&problem->left_k), result_columns = inner_leaf(&problem->result_n);
    const int is_packed_otherwise = !!(setting->bench & LAY_BENCH_OTHER_PACKING);
    const int is_in_place = problem->n.is_plain && problem->k.is_plain && (columns.stride[LAY_RIGHT] == 1 || n == 1) &&
                            columns.extent >= min_of(n, kernel->lanes) && steps.extent >= min_of(k, WORTH_STEPS) &&
                            is_worth_packing(problem, kernel, steps.stride[LAY_RIGHT]) == is_packed_otherwise;
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

/* Whether left is to be read once, and C written row by row: one of them is larger than the second cache, half of
 * which has room for right; or left is too large to be read often, and C so narrow that packing left would not pay; or
 * a panel of right, as it lies, would push itself out of the first cache. */
static int is_by_rows(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    enum { NARROW = 4 /* panels of columns */ };
    const lay_kernel *kernel = blocks->kernel;
    const double size = (double)lay_size_of(problem->types.left), m = (double)problem->m.extent,
                 l2 = (double)machine->l2;
    const int is_large = m * (double)max_of(problem->k.extent, problem->n.extent) * size > l2;
    const int is_narrow =
        problem->n.extent <= NARROW * kernel->nr && m * (double)blocks->kc * size > (double)kernel->in_place_bytes;
    const int is_near = 2 * (double)problem->n.extent * (double)blocks->kc * size <= l2;
    const int has_conflicts = !blocks->direct.is_right_packed && has_set_conflicts(problem, blocks->direct.right_step);
    return ((is_large || is_narrow || has_conflicts) && is_near) ||
           (has_conflicts && problem->m.extent <= FEW * kernel->mr);
}

/* NULL, or why left or right is too large to be read in place as often as it would be, or pays to be packed. */
static const char *refuse_size(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    enum { LINE = 64, MANY = 8 /* panels of rows */, SEVERAL = 4 /* of columns */ };
    const int64_t size = lay_size_of(problem->types.left), kc = blocks->kc;
    const int64_t m = problem->m.extent, n = problem->n.extent, mr = blocks->kernel->mr, nr = blocks->kernel->nr;
    const lay_direct *direct = &blocks->direct;
    if (2 * direct->run_n == nr && m >= MANY * mr && n >= SEVERAL * nr && kc > SHORT)
        return "columns come in blocks of half a panel, and packed they fill one";
    if (!direct->is_by_rows && m * kc * size > blocks->kernel->in_place_bytes)
        return "left is too large to be read in place for each panel of columns";
    if (direct->left_step * size > LINE && direct->left_row * size > LINE && m * kc * size > machine->l1 &&
        n > blocks->kernel->nr)
        return "no line of left serves two elements: only packing uses it up";
    const int64_t lines = direct->left_row * size > LINE ? kc * min_of(m, blocks->kernel->mr) : 2 * kc;
    if (direct->left_step * size > LINE && lines * LINE >= machine->l1 && n > blocks->kernel->nr)
        return "each step of left is another line: they do not fit the first cache";
    if (direct->is_right_packed && n * kc * size > machine->l1 && !direct->interleaved &&
        lay_packing_find(&problem->right_n, &problem->right_k, blocks->kernel->nr) == LAY_PACKED_GATHERED)
        return "right would be gathered one panel after the other, but several share its lines";
    if (!direct->is_right_packed && n * kc * size > machine->l2 && n > blocks->kernel->nr &&
        (!direct->is_by_rows || m > FEW * blocks->kernel->mr))
        return "right is too large to be read in place";
    return NULL;
}

/* As lay_blocks_cost has it, but for the panels of left. */
static double predict(const lay_problem *problem, const lay_job *job, const lay_machine *machine)
{
    static const double pack[] = { [LAY_PACKED_COPIED] = 0.15e-9,
                                   [LAY_PACKED_TRANSPOSED] = 0.25e-9,
                                   [LAY_PACKED_IN_PIECES] = 0.4e-9,
                                   [LAY_PACKED_BY_DIGITS] = 0.5e-9,
                                   [LAY_PACKED_GATHERED] = 1.2e-9 };
    static const double written = 0.15e-9, staged = 1.6e-9, a_tile = 8e-9, a_call = 20e-9, transposed = 0.08e-9;
    const lay_blocked *blocks = job->data;
    const lay_kernel *kernel = blocks->kernel;
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double passes = (double)ceil_div(problem->k.extent, blocks->kc);
    /* Panels end at boundaries: those of a short block are not full, and each segment of steps begins anew. */
    static const double a_segment = 6e-9;
    const int64_t run_m = max_of(1, min_of(blocks->direct.run_m, problem->m.extent));
    const int64_t run_n = max_of(1, min_of(blocks->direct.run_n, problem->n.extent));
    const double down = (double)ceil_div(problem->m.extent, run_m) * (double)ceil_div(run_m, kernel->mr);
    const double across = (double)ceil_div(problem->n.extent, run_n) * (double)ceil_div(run_n, kernel->nr);
    const double tiles = down * across, full = m / (down * kernel->mr);
    const double segments = (double)(problem->k.extent / max_of(1, blocks->direct.run_k));
    const double columns =
        (double)(ceil_div(problem->n.extent, run_n) * ceil_div(run_n, kernel->lanes) * kernel->lanes);
    const double multiply = 2 * m * columns * k / (kernel->flops_per_cycle * machine->ghz * 1e9) *
                                (run_m < problem->m.extent ? 1 + 0.5 * (1 - full) : 1) +
                            tiles * segments * a_segment;
    double seconds =
        multiply + m * n * passes * (blocks->direct.is_staged ? staged : written) + tiles * passes * a_tile;
    if (blocks->direct.is_dotted)
        seconds = fmax(transposed * n * k, 2 * m * n * k / (kernel->flops_per_cycle * machine->ghz * 1e9)) +
                  (blocks->direct.is_staged ? staged * m * n * passes : 0);
    else if (blocks->direct.is_right_packed)
        seconds +=
            n * k * (double)blocks->grid_m *
            pack[blocks->direct.interleaved ? LAY_PACKED_TRANSPOSED
                                            : lay_packing_find(&problem->right_n, &problem->right_k, kernel->nr)];
    return seconds / job->threads + a_call;
}

/* Panels of right that are packed together: more than one where its rows are copied from far away in memory, so that a
 * panel's own would be lines each in another page. */
static int choose_group(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    enum { MOST = 8, L2_SHARE = 2 };
    const int64_t size = lay_size_of(problem->types.right), n = problem->n.extent, kc = blocks->kc;
    const lay_direct *direct = &blocks->direct;
    if (!direct->is_right_packed || direct->is_by_rows || direct->is_staged || direct->run_n < n ||
        n * kc * size <= machine->l2 || problem->right_n.run < n)
        return 1;
    return (int)max_of(1, min_of(MOST, machine->l2 / L2_SHARE / (kc * blocks->kernel->nr * size)));
}

/* Whether right's columns, contiguous along k, are transposed in registers: where rows are few and columns a stride
 * apart.
 */
static void find_dots(const lay_problem *problem, lay_direct *direct)
{
    enum { WORTH_DOTS = 16 /* columns */ };
    const lay_mode columns = inner_mode(&problem->n);
    const int64_t m = max_of(problem->m.extent, 1);
    direct->dot_run = columns.extent;
    direct->dot_column = columns.stride[LAY_RIGHT];
    direct->is_dotted = direct->is_right_packed && m <= min_of(LAY_DOT_ROWS, direct->run_m) &&
                        problem->right_k.class == LAY_AXIS_UNIT && problem->left_k.count <= 1 && problem->n.is_plain &&
                        columns.extent >= WORTH_DOTS;
}

/* Panels of right that are transposed together: a mode of n other than the innermost has right's unit stride, so that
 * every line of right has something for several panels, and what lies inside that mode is one panel of each. As many as
 * use up whole lines, if the second cache has room for them. */
static void find_interleaved(const lay_problem *problem, lay_blocked *blocks, const lay_machine *machine)
{
    enum { LINE = 64 };
    lay_direct *direct = &blocks->direct;
    const lay_axis *n = &problem->right_n;
    const int64_t size = lay_size_of(problem->types.right), panel = blocks->kc * blocks->kernel->nr * size;
    if (!direct->is_right_packed || direct->is_staged || !problem->n.is_plain ||
        problem->right_k.class == LAY_AXIS_UNIT)
        return;
    int64_t step = 1;
    int i = n->count - 1;
    for (; i >= 0 && n->mode[i].stride != 1; i--)
        step *= n->mode[i].extent;
    if (i < 0 || i == n->count - 1)
        return;
    const int64_t whole = LINE / size, room = machine->l2 / panel;
    direct->interleaved = (int)max_of(whole / 2, room / whole * whole);
    direct->interleaved_step = step;
    direct->interleaved_run = n->mode[i].extent;
}

/* Whether tasks are to be so narrow that each goes through all of k with one tile's rows of left, or one block of
 * right's columns: what is contiguous along k comes from beyond the second cache, in long runs and few streams then. */
static int has_long_lines(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    const lay_direct *direct = &blocks->direct;
    const lay_axis *along = direct->is_dotted ? &problem->right_k : &problem->left_k;
    const int64_t lines = direct->is_dotted ? problem->n.extent : problem->m.extent, k = problem->k.extent;
    return k > blocks->kc && problem->sum.slice == k && along->class == LAY_AXIS_UNIT &&
           lines * problem->k.extent * lay_size_of(problem->types.left) > machine->l2 &&
           (direct->is_dotted || (direct->is_by_rows && !direct->is_right_packed));
}

/* Rows of tasks whose busiest thread has the least to do, of at most so many. Each of them packs right, where it is
 * packed, all over again. */
static int64_t choose_down(const lay_problem *problem, const lay_blocked *blocks, int threads, int64_t most,
                           const lay_machine *machine)
{
    static const double pack = 0.15e-9; /* seconds an element */
    const lay_kernel *kernel = blocks->kernel;
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    const lay_area all = { (double)m / kernel->mr, (double)(ceil_div(n, kernel->lanes) * kernel->lanes) / kernel->nr,
                           ceil_div(m, kernel->mr), ceil_div(n, kernel->nr) };
    const lay_grid_limits limits = { .rows = all.m_panels, .most_down = most, .most_right = n, .tasks = n * most };
    /* Of a panel of columns, in tiles' time. */
    const double packing =
        blocks->direct.is_right_packed ? pack * kernel->flops_per_cycle * machine->ghz * 1e9 / (2 * kernel->mr) : 0;
    int64_t best = 1;
    double least = INFINITY;
    for (int64_t down = 1; down <= min_of(most, all.m_panels); down++) {
        const lay_grid tasks = { ceil_div(all.m_panels, down), blocks->nc / kernel->nr, 0, 0 };
        const double cost = lay_grid_cost(&all, &limits, &tasks, threads) + packing * (double)down * all.n / threads;
        if (cost >= least)
            continue;
        least = cost;
        best = down;
    }
    return best;
}

/* Tasks of whole panels, a few for each thread. */
static void choose_grid(const lay_problem *problem, lay_blocked *blocks, int threads, const lay_machine *machine)
{
    enum { PARTS_PER_THREAD = 4, PANELS_PER_THREAD = 16, MOST_DOWN = 8 };
    const int64_t mr = blocks->kernel->mr, nr = blocks->kernel->nr, size = lay_size_of(problem->types.right);
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    const int64_t m_panels = ceil_div(m, mr), n_panels = ceil_div(n, nr);
    const int64_t parts = threads > 1 ? (int64_t)threads * PARTS_PER_THREAD : 1;
    const int64_t right = !blocks->direct.is_by_rows       ? min_of(n_panels, parts)
                          : blocks->direct.is_right_packed ? 1
                                                           : min_of(n_panels, ceil_div(parts, m_panels));
    blocks->nc = ceil_div(n_panels, right) * nr;
    if (blocks->direct.interleaved)
        blocks->nc = ceil_div(blocks->nc, blocks->direct.interleaved_step) * blocks->direct.interleaved_step;
    blocks->grid_n = ceil_div(n, blocks->nc);
    int64_t down = max_of(1, parts / blocks->grid_n);
    if (threads > 1 && blocks->direct.is_by_rows && !blocks->direct.is_right_packed)
        down = max_of(1, (int64_t)threads * PANELS_PER_THREAD / blocks->grid_n); /* the finer, the more even */
    else if (threads > 1 && !blocks->direct.is_by_rows && !blocks->direct.interleaved && !blocks->direct.is_dotted &&
             threads <= MOST_DOWN && blocks->grid_n % threads != 0)
        down = choose_down(problem, blocks, threads, max_of(down, MOST_DOWN), machine);
    blocks->mc = ceil_div(m_panels, min_of(m_panels, down)) * mr;
    if (has_long_lines(problem, blocks, machine)) {
        blocks->mc = blocks->direct.is_dotted ? blocks->mc : mr;
        blocks->nc = blocks->direct.is_dotted ? blocks->kernel->lanes : blocks->nc;
        blocks->grid_n = ceil_div(n, blocks->nc);
    }
    blocks->grid_m = ceil_div(m, blocks->mc);
    if (!blocks->direct.is_right_packed || blocks->direct.is_dotted)
        return;
    blocks->right_panel = ((size_t)(blocks->kc * nr * size) + 63) / 64 * 64;
    blocks->right_bytes = blocks->right_panel * (size_t)max_of(blocks->direct.group, blocks->direct.interleaved);
    if (blocks->direct.is_by_rows) /* and panels that end at a boundary */
        blocks->right_bytes *= (size_t)(n_panels + n / min_of(blocks->direct.run_n, n) + 1);
}

/* One stride each way, one task, one block of k: whether the kernel has a function for all of it, else whether
 * multiply_plain serves. */
static void find_plain(const lay_problem *problem, const lay_machine *machine, lay_job *job)
{
    enum { WORTH_ASKING = 64 /* steps: of fewer, the instructions show */ };
    lay_blocked *blocks = job->data;
    lay_direct *direct = &blocks->direct;
    const int64_t m = problem->m.extent, n = problem->n.extent, k = problem->k.extent;
    const int64_t size = lay_size_of(problem->types.left);
    const int is_plain = blocks->grid_m * blocks->grid_n == 1 && !direct->is_staged && problem->m.count <= 1 &&
                         problem->n.count <= 1 && problem->k.count <= 1 && 0 < k && k <= blocks->kc;
    direct->is_left_far = blocks->kc >= WORTH_ASKING && max_of(m, 1) * blocks->kc * size > machine->l2;
    direct->left_base = problem->left_m.base + problem->left_k.base;
    direct->right_base = problem->right_k.base + problem->right_n.base;
    direct->result_base = problem->result_m.base + problem->result_n.base;
    direct->is_plain = is_plain && direct->is_right_packed && direct->is_by_rows && !direct->is_dotted;
    if (!is_plain || direct->is_right_packed || m == 0 || n == 0)
        return;
    job->at_once = (lay_at_once){ .whole = { .m = m,
                                             .n = n,
                                             .k = k,
                                             .a_row = direct->left_row,
                                             .a_step = direct->left_step,
                                             .b_step = direct->right_step,
                                             .c_row = direct->result_row,
                                             .is_by_rows = direct->is_by_rows,
                                             .is_left_far = direct->is_left_far },
                                  .left = direct->left_base * size,
                                  .right = direct->right_base * size,
                                  .result = direct->result_base * size };
    job->at_once.multiply = blocks->kernel->choose_whole(&job->at_once.whole);
}

const char *lay_direct_choose(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                              const lay_machine *machine, lay_job *job)
{
    static const double flops_per_thread = 2e6, bytes_per_thread = 1e6;
    static const double flops_of_two = 1.5e6; /* a join takes 0.6 us while threads spin (bench/LOG.md, 40) */
    const int64_t size = lay_size_of(problem->types.left);
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    lay_blocked *blocks = job->data;
    *blocks = (lay_blocked){ .kernel = kernel, .run_part = lay_direct_run, .kc = problem->sum.block };
    job->at_once.multiply = NULL;
    const char *reason = lay_direct_find_strides(problem, setting, kernel, &blocks->direct);
    if (!reason)
        find_interleaved(problem, blocks, machine);
    const int has_other_loops = !!(setting->bench & LAY_BENCH_OTHER_LOOPS);
    blocks->direct.is_by_rows = !blocks->direct.interleaved && is_by_rows(problem, blocks, machine) != has_other_loops;
    if (!reason && !setting->bench)
        reason = refuse_size(problem, blocks, machine);
    if (reason)
        return reason;
    const double bytes = (double)size * ((double)m * (double)problem->k.extent + (double)n * (double)problem->k.extent +
                                         (double)m * (double)n);
    const double share = fmax(lay_problem_flops(problem) / flops_per_thread, bytes / bytes_per_thread);
    const int threads = setting->threads;
    const int least = threads > 1 && lay_problem_flops(problem) >= flops_of_two ? 2 : 1;
    const int busy = setting->bench || share >= threads ? threads : share > least ? (int)share : least;
    find_dots(problem, &blocks->direct);
    blocks->direct.group = choose_group(problem, blocks, machine);
    choose_grid(problem, blocks, busy, machine);
    job->kernel = kernel->name;
    job->threads = (int)min_of(busy, blocks->grid_m * blocks->grid_n);
    find_plain(problem, machine, job);
    blocks->direct.cut_bytes = blocks->direct.is_plain || job->at_once.multiply ? 0 : lay_direct_cut_bytes(blocks);
    job->workspace = (blocks->right_bytes + blocks->direct.cut_bytes) * (size_t)(blocks->grid_m * blocks->grid_n);
    job->seconds = predict(problem, job, machine);
    return NULL;
}

static const char *choose_way(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                              lay_job *job)
{
    const lay_machine *machine = lay_machine_get();
    const char *reason = lay_strict_refuse_sum(problem, setting);
    if (reason)
        return reason;
    if (!setting->bench && problem->k.extent > kernel->tiles_up_to_k &&
        !lay_sweep_choose(problem, setting, kernel, machine, job))
        return "few rows: swept they are done sooner";
    return lay_direct_choose(problem, setting, kernel, machine, job);
}

static const char *prepare(lay_branch *branch)
{
    return lay_strict_prepare(branch, choose_way);
}

/* What is read in place, and between which boundaries. */
static void add_direct(lay_text *text, const lay_problem *problem, const lay_blocked *blocks)
{
    const lay_direct *direct = &blocks->direct;
    lay_text_add(text, "packed\n  %s not at all: rows %lld apart, steps %lld, in blocks of %lld rows and %lld steps\n",
                 lay_problem_operand(problem, LAY_LEFT), (long long)direct->left_row, (long long)direct->left_step,
                 (long long)direct->run_m, (long long)direct->run_k);
    if (direct->is_dotted)
        lay_text_add(text, "  %s not at all: columns contiguous along k, transposed in registers and used at once\n",
                     lay_problem_operand(problem, LAY_RIGHT));
    else if (direct->interleaved)
        lay_text_add(
            text, "  %s in panels of %d, up to %d at once, whose elements lie side by side: transposed in registers\n",
            lay_problem_operand(problem, LAY_RIGHT), blocks->kernel->nr, direct->interleaved);
    else if (direct->is_right_packed)
        lay_strict_explain_packing(text, lay_problem_operand(problem, LAY_RIGHT), &problem->right_n, &problem->right_k,
                                   blocks->kernel->nr, ", each just before it is used");
    else
        lay_text_add(text, "  %s not at all: columns contiguous in blocks of %lld, steps %lld apart\n",
                     lay_problem_operand(problem, LAY_RIGHT), (long long)direct->run_n, (long long)direct->right_step);
    lay_strict_explain_result(text, problem, !direct->is_staged);
    lay_text_add(text, "blocks    mc %lld nc %lld kc %lld\n", (long long)blocks->mc, (long long)blocks->nc,
                 (long long)blocks->kc);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    add_direct(text, &branch->problem, branch->job.data);
    if (branch->job.at_once.multiply)
        lay_text_add(text, "at once   one function of the kernel does all of it, each panel of %s\n",
                     branch->job.at_once.whole.is_by_rows ? "rows with all columns" : "columns with all rows");
    lay_strict_explain(branch, choose_way, text);
}

const lay_way lay_way_in_place = {
    .name = "in place",
    .order = &lay_order_cpu,
    .data = sizeof(lay_blocked),
    .prepare = prepare,
    .run = lay_strict_run,
    .explain = explain,
};
