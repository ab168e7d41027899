/* Whether a product may read its operands in place, and how: strides and boundaries, what is packed, tasks and their
 * cost.
 */
#include "cpu/in_place/direct.h"

#include <math.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/cost.h"
#include "cpu/packed/blocks.h"
#include "cpu/packed/grid.h"
#include "cpu/strict.h"
#include "cpu/ways.h"
#include "machine/rates.h"
#include "threads/workspace.h"

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

const char *lay_direct_find_strides(const lay_problem *problem, const lay_kernel *kernel, int is_right_packed,
                                    lay_direct *out)
{
    enum { WORTH_STEPS = 8, WORTH_ROWS = 4 };
    const int64_t m = problem->m.extent, n = problem->n.extent, k = problem->k.extent;
    if (!problem->m.is_plain || !problem->k.is_plain)
        return "radices do not divide: rows or steps have no strides";
    const lay_mode rows = inner_mode(&problem->m), columns = inner_mode(&problem->n);
    const lay_mode steps = inner_mode(&problem->k);
    const lay_leaf left_steps = inner_leaf(&problem->left_k), result_columns = inner_leaf(&problem->result_n);
    const int is_in_place = !is_right_packed && problem->n.is_plain && problem->k.is_plain &&
                            (columns.stride[LAY_RIGHT] == 1 || n == 1) && columns.extent >= min_of(n, kernel->lanes) &&
                            steps.extent >= min_of(k, WORTH_STEPS);
    *out = (lay_direct){ .is_right_packed = !is_in_place,
                         .run_m = rows.extent,
                         .run_n = is_in_place ? columns.extent : result_columns.extent,
                         .run_k = is_in_place ? steps.extent : left_steps.extent,
                         .left_row = rows.stride[LAY_LEFT],
                         .left_step = left_steps.stride,
                         .right_step = is_in_place ? steps.stride[LAY_RIGHT] : kernel->nr,
                         .result_row = rows.stride[LAY_RESULT] };
    if (!is_in_place && !is_right_packed)
        return "columns of right are not contiguous, or steps come in short blocks";
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

/* Blocks of k whose steps a panel of right has at once, beside left's rows of as many in the second cache. */
static void join_blocks(const lay_problem *problem, lay_blocked *blocks, const lay_machine *machine)
{
    const lay_direct *direct = &blocks->direct;
    const int64_t size = lay_size_of(problem->types.right), nr = blocks->kernel->nr;
    const int64_t most = (int64_t)(lay_rates_get()->near_share * (double)machine->l2) /
                         ((min_of(problem->m.extent, blocks->mc) + nr) * size);
    blocks->direct.joined = blocks->kc;
    if (!direct->is_right_packed || direct->is_by_rows || direct->is_dotted || direct->interleaved || direct->group > 1)
        return;
    const int64_t joined = lay_packing_join(&problem->right_n, &problem->right_k, blocks->kernel, blocks->kc, most);
    if (joined == blocks->kc)
        return;
    blocks->direct.joined = joined;
    blocks->right_panel = lay_workspace_part((size_t)(joined * blocks->kernel->nr * size));
    blocks->right_bytes = blocks->right_panel + lay_workspace_part((size_t)joined * sizeof(int64_t)); /* and offsets */
}

/* Whether right's columns, contiguous along k, are transposed in registers: where rows are few and columns a stride
 * apart.
 */
static int find_dots(const lay_problem *problem, lay_direct *direct)
{
    enum { WORTH_DOTS = 16 /* columns */ };
    const lay_mode columns = inner_mode(&problem->n);
    const int64_t m = max_of(problem->m.extent, 1);
    direct->dot_run = columns.extent;
    direct->dot_column = columns.stride[LAY_RIGHT];
    return direct->is_right_packed && m <= min_of(LAY_DOT_ROWS, direct->run_m) &&
           problem->right_k.class == LAY_AXIS_UNIT && problem->left_k.count <= 1 && problem->n.is_plain &&
           columns.extent >= WORTH_DOTS;
}

/* Panels of right that are transposed together: a mode of n other than the innermost has right's unit stride, so that
 * every line of right has something for several panels, and what lies inside that mode is one panel of each. As many as
 * use up whole lines, if the second cache has room for them. */
static void find_interleaved(const lay_problem *problem, lay_blocked *blocks, const lay_machine *machine)
{
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
    const int64_t whole = LAY_LINE / size, room = machine->l2 / panel;
    direct->interleaved = (int)max_of(whole / 2, room / whole * whole);
    direct->interleaved_step = step;
    direct->interleaved_run = n->mode[i].extent;
}

/* Whether tasks are to be so narrow that each goes through all of k with one tile's rows of left, or one block of
 * right's columns: what is contiguous along k comes from beyond the second cache, in long runs and few streams then.
 * Each task reads right again, which therefore has to fit that cache. */
static int has_long_lines(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    const lay_direct *direct = &blocks->direct;
    const lay_axis *along = direct->is_dotted ? &problem->right_k : &problem->left_k;
    const int64_t lines = direct->is_dotted ? problem->n.extent : problem->m.extent, k = problem->k.extent;
    return k > blocks->kc && problem->sum.slice == k && along->class == LAY_AXIS_UNIT &&
           lines * problem->k.extent * lay_size_of(problem->types.left) > machine->l2 &&
           (direct->is_dotted || (direct->is_by_rows && !direct->is_right_packed &&
                                  problem->n.extent * k * lay_size_of(problem->types.left) <= machine->l2));
}

/* Rows of tasks whose busiest thread has the least to do, of at most so many. Each of them packs right, where it is
 * packed, all over again. */
static int64_t choose_down(const lay_problem *problem, const lay_blocked *blocks, int threads, int64_t most,
                           const lay_machine *machine)
{
    const lay_kernel *kernel = blocks->kernel;
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    const lay_area all = { (double)m / kernel->mr, (double)round_up(n, kernel->lanes) / kernel->nr,
                           ceil_div(m, kernel->mr), ceil_div(n, kernel->nr) };
    const lay_grid_limits limits = { .rows = all.m_panels, .most_down = most, .most_right = n, .tasks = n * most };
    /* Of a panel of columns, in tiles' time. */
    const double packing = blocks->direct.is_right_packed
                               ? lay_rates_get()->pack_copied * 1e-9 * lay_cost_peak(kernel, machine) / kernel->mr
                               : 0;
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
    const int is_apart = lay_cost_is_left_beyond(problem, blocks, threads, machine); /* so that rows are shared out */
    const int is_once = !is_apart && !blocks->direct.is_by_rows && lay_cost_is_left_in_memory(problem, machine);
    const int64_t parts = threads > 1 ? (int64_t)threads * (is_once ? 1 : PARTS_PER_THREAD) : 1;
    const int64_t right = !blocks->direct.is_by_rows       ? min_of(n_panels, is_apart ? PARTS_PER_THREAD : parts)
                          : blocks->direct.is_right_packed ? 1
                                                           : min_of(n_panels, ceil_div(parts, m_panels));
    blocks->nc = ceil_div(n_panels, right) * nr;
    if (blocks->direct.interleaved)
        blocks->nc = round_up(blocks->nc, blocks->direct.interleaved_step);
    blocks->grid_n = ceil_div(n, blocks->nc);
    int64_t down = max_of(1, parts / blocks->grid_n);
    /* The finer, the more even; but each task reads all of its right. */
    const int is_right_near = n * problem->k.extent * size <= machine->l2;
    if (threads > 1 && blocks->direct.is_by_rows && !blocks->direct.is_right_packed)
        down = max_of(1, (int64_t)threads * (is_right_near ? PANELS_PER_THREAD : 1) / blocks->grid_n);
    else if (!is_apart && threads > 1 && !blocks->direct.is_by_rows && !lay_direct_has_own_width(&blocks->direct) &&
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
    blocks->right_panel = lay_workspace_part((size_t)(blocks->kc * nr * size));
    blocks->right_bytes = blocks->right_panel * (size_t)max_of(blocks->direct.group, blocks->direct.interleaved);
    if (blocks->direct.is_by_rows) /* and panels that end at a boundary */
        blocks->right_bytes *= (size_t)(n_panels + n / min_of(blocks->direct.run_n, n) + 1);
}

/* The grid that options ask for. NULL, or why there is none. */
static const char *follow_grid(const lay_problem *problem, const lay_setting *setting, lay_blocked *blocks)
{
    const lay_parts parts = lay_strict_parts(problem, setting);
    const int64_t mr = blocks->kernel->mr, nr = blocks->kernel->nr;
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    if (parts.m == 0)
        return NULL;
    if (lay_direct_has_own_width(&blocks->direct) && parts.n > 1)
        return "options ask for parts of columns where right's have a width of their own";
    blocks->mc = ceil_div(ceil_div(m, mr), parts.m) * mr;
    if (!lay_direct_has_own_width(&blocks->direct))
        blocks->nc = ceil_div(ceil_div(n, nr), parts.n) * nr;
    blocks->grid_m = ceil_div(m, blocks->mc);
    blocks->grid_n = ceil_div(n, blocks->nc);
    return NULL;
}

/* Tasks as tuning has them. NULL, or why there are none. */
static const char *follow_tuning(const lay_problem *problem, const lay_setting *setting, lay_blocked *blocks)
{
    const int64_t mr = blocks->kernel->mr, nr = blocks->kernel->nr;
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    const char *reason = lay_strict_size(setting, LAY_TUNE_MC, mr, m, &blocks->mc);
    if (!reason && lay_direct_has_own_width(&blocks->direct) && lay_tuned(setting, LAY_TUNE_NC) >= 0)
        reason = "tuning has a width where right's columns have one of their own";
    if (!reason)
        reason = lay_strict_size(setting, LAY_TUNE_NC, nr, n, &blocks->nc);
    blocks->grid_m = ceil_div(m, blocks->mc);
    blocks->grid_n = ceil_div(n, blocks->nc);
    return reason;
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
                         problem->n.is_plain && problem->n.count <= 1 && problem->k.count <= 1 && 0 < k &&
                         k <= blocks->kc;
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

/* Whether a panel of right, packed, is multiplied with all rows by one function of the kernel, whose tiles suit few
 * columns or rows better than panels'. What it reads and writes is asked for ahead by nobody, so it has to be near. */
static int is_done_by_panels(const lay_problem *problem, const lay_blocked *blocks, const lay_machine *machine)
{
    const lay_direct *direct = &blocks->direct;
    const int64_t size = lay_size_of(problem->types.result);
    if (problem->m.extent * problem->n.extent * size > machine->l2)
        return 0;
    return blocks->grid_m * blocks->grid_n == 1 && direct->is_right_packed && !direct->is_by_rows &&
           !direct->is_dotted && !direct->interleaved && direct->group == 1 && direct->joined == blocks->kc &&
           !direct->is_staged && !direct->is_left_far && direct->run_m >= problem->m.extent &&
           direct->run_n >= problem->n.extent && direct->run_k >= problem->k.extent;
}

/* What may be decided otherwise: each is one bit of a form. */
enum { RIGHT_PACKED = 1, BY_ROWS = 2, DOTTED = 4, FORMS = 8 };

/* Tasks for so many threads, and what they cost. NULL, or why there are none. */
static const char *choose_tasks(const lay_problem *problem, const lay_setting *setting, int busy,
                                const lay_machine *machine, lay_job *job)
{
    lay_blocked *blocks = job->data;
    choose_grid(problem, blocks, busy, machine);
    const char *reason = follow_grid(problem, setting, blocks);
    if (!reason)
        reason = follow_tuning(problem, setting, blocks);
    if (reason)
        return reason;
    join_blocks(problem, blocks, machine);
    job->threads = (int)min_of(busy, blocks->grid_m * blocks->grid_n);
    job->at_once.multiply = NULL;
    find_plain(problem, machine, job);
    blocks->direct.is_at_once = is_done_by_panels(problem, blocks, machine);
    blocks->direct.cut_bytes = blocks->direct.is_plain || job->at_once.multiply ? 0 : lay_direct_cut_bytes(blocks);
    job->workspace = (blocks->right_bytes + blocks->direct.cut_bytes) * (size_t)(blocks->grid_m * blocks->grid_n);
    job->seconds = lay_cost_in_place(problem, job, machine);
    return NULL;
}

/* Tasks for two threads, if these are predicted to take less time than one, even if the second has to be woken: what
 * that takes stays in their prediction. */
static void try_two(const lay_problem *problem, const lay_setting *setting, const lay_machine *machine, lay_job *job)
{
    const lay_job alone = *job;
    const lay_blocked blocks = *(const lay_blocked *)job->data;
    if (!choose_tasks(problem, setting, 2, machine, job)) {
        job->seconds += lay_rates_get()->wake * 1e-9;
        if (job->threads > 1 && job->seconds < alone.seconds)
            return;
    }
    *job = alone;
    *(lay_blocked *)job->data = blocks;
}

/* NULL and the job in this form, or why there is none. */
static const char *choose_form(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                               unsigned form, const lay_machine *machine, lay_job *job)
{
    const lay_rates *rates = lay_rates_get();
    const int64_t size = lay_size_of(problem->types.left);
    const int64_t m = max_of(problem->m.extent, 1), n = max_of(problem->n.extent, 1);
    lay_blocked *blocks = job->data;
    *blocks = (lay_blocked){ .kernel = kernel, .run_part = lay_direct_run, .kc = problem->sum.block };
    const char *reason = lay_direct_find_strides(problem, kernel, !!(form & RIGHT_PACKED), &blocks->direct);
    if (reason)
        return reason;
    if ((form & DOTTED) && !find_dots(problem, &blocks->direct))
        return "right's columns are not contiguous along k, or rows are many";
    blocks->direct.is_dotted = !!(form & DOTTED);
    find_interleaved(problem, blocks, machine);
    blocks->direct.is_by_rows = !!(form & BY_ROWS);
    if (blocks->direct.is_by_rows && (blocks->direct.interleaved || blocks->direct.is_dotted))
        return "right's panels are packed together, or not at all";
    if (blocks->direct.is_by_rows && blocks->direct.is_right_packed && n * blocks->kc * size > machine->l2)
        return "the second cache has no room for all of right's panels";
    const double bytes = (double)size * ((double)m * (double)problem->k.extent + (double)n * (double)problem->k.extent +
                                         (double)m * (double)n);
    const double share = fmax(lay_problem_flops(problem) / rates->flops_per_thread, bytes / rates->bytes_per_thread);
    const int least = setting->threads > 1 && lay_problem_flops(problem) >= rates->flops_of_two ? 2 : 1;
    const int busy = lay_strict_busy(setting, fmax(share, least));
    blocks->direct.group = choose_group(problem, blocks, machine);
    job->kernel = kernel->name;
    if ((reason = choose_tasks(problem, setting, busy, machine, job)))
        return reason;
    if (busy == 1 && lay_strict_busy(setting, 2) > 1 && job->seconds > rates->worth_two * 1e-9)
        try_two(problem, setting, machine, job);
    return lay_strict_check_workspace(setting, job);
}

/* Whether tuning has another form. */
static int is_ruled_out(const lay_setting *setting, unsigned form)
{
    const int64_t packed = lay_tuned(setting, LAY_TUNE_PACKED), by_rows = lay_tuned(setting, LAY_TUNE_BY_ROWS),
                  dots = lay_tuned(setting, LAY_TUNE_DOTS);
    return (packed >= 0 && packed != !!(form & RIGHT_PACKED)) || (by_rows >= 0 && by_rows != !!(form & BY_ROWS)) ||
           (dots >= 0 && dots != !!(form & DOTTED));
}

/* The cheapest form, or what a bench makes of it. */
const char *lay_direct_choose(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                              const lay_machine *machine, lay_job *job)
{
    const char *refusal = NULL;
    unsigned best = FORMS;
    double least = INFINITY;
    for (unsigned form = 0; form < FORMS; form++) {
        if (((form & DOTTED) && form != (DOTTED | RIGHT_PACKED)) || is_ruled_out(setting, form))
            continue;
        const char *reason = choose_form(problem, setting, kernel, form, machine, job);
        if (reason && (form == RIGHT_PACKED || !refusal))
            refusal = reason;
        /* Of equals by rows, which come later, where nothing is packed. */
        if (reason || (job->seconds >= least && (job->seconds > least || (form & RIGHT_PACKED))))
            continue;
        least = job->seconds;
        best = form;
    }
    if (best == FORMS)
        return refusal ? refusal : "tuning has a form that there is not";
    const unsigned other = (setting->bench & LAY_BENCH_OTHER_PACKING ? RIGHT_PACKED : 0) |
                           (setting->bench & LAY_BENCH_OTHER_LOOPS ? BY_ROWS : 0) |
                           (setting->bench & LAY_BENCH_OTHER_DOTS ? DOTTED : 0);
    if (choose_form(problem, setting, kernel, best ^ other, machine, job))
        choose_form(problem, setting, kernel, best, machine, job);
    return NULL;
}

static const char *choose_way(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                              lay_job *job)
{
    const lay_machine *machine = lay_machine_get();
    const char *reason = lay_strict_refuse_sum(problem, setting);
    if (reason)
        return reason;
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
                                   blocks->kernel->nr, direct->joined, ", each just before it is used");
    else
        lay_text_add(text, "  %s not at all: columns contiguous in blocks of %lld, steps %lld apart\n",
                     lay_problem_operand(problem, LAY_RIGHT), (long long)direct->run_n, (long long)direct->right_step);
    lay_strict_explain_result(text, problem, !direct->is_staged);
    lay_text_add(text, "blocks    mc %lld nc %lld kc %lld", (long long)blocks->mc, (long long)blocks->nc,
                 (long long)blocks->kc);
    if (direct->joined > blocks->kc)
        lay_text_add(text, ", %lld steps packed at once", (long long)direct->joined);
    lay_text_add(text, "\n");
}

static void explain(const lay_branch *branch, lay_text *text)
{
    add_direct(text, &branch->problem, branch->job.data);
    if (((const lay_blocked *)branch->job.data)->direct.is_at_once)
        lay_text_add(text, "at once   one function of the kernel does all rows of each panel of columns\n");
    if (branch->job.at_once.multiply)
        lay_text_add(text, "at once   one function of the kernel does all of it, each panel of %s\n",
                     branch->job.at_once.whole.is_by_rows ? "rows with all columns" : "columns with all rows");
    lay_strict_explain(branch, choose_way, text);
}

static void tell(const lay_branch *branch, lay_step *step)
{
    const lay_blocked *blocks = branch->job.data;
    lay_strict_tell(branch, step);
    step->value[LAY_TUNE_PACKED] = blocks->direct.is_right_packed;
    step->value[LAY_TUNE_BY_ROWS] = blocks->direct.is_by_rows;
    step->value[LAY_TUNE_DOTS] = blocks->direct.is_dotted;
    step->value[LAY_TUNE_MC] = blocks->mc / blocks->kernel->mr;
    if (!lay_direct_has_own_width(&blocks->direct))
        step->value[LAY_TUNE_NC] = blocks->nc / blocks->kernel->nr;
}

const lay_way lay_way_in_place = {
    .name = "in place",
    .order = &lay_order_cpu,
    .takes = LAY_TAKES_GRID,
    .tunes = LAY_STRICT_TUNES | 1 << LAY_TUNE_PACKED | 1 << LAY_TUNE_BY_ROWS | 1 << LAY_TUNE_DOTS | 1 << LAY_TUNE_MC |
             1 << LAY_TUNE_NC,
    .tell = tell,
    .data = sizeof(lay_blocked),
    .prepare = prepare,
    .run = lay_strict_run,
    .explain = explain,
};
