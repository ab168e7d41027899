/* The outer loops of a product (drawn in blocks.h): pack, join, multiply, join. */
#include "cpu/packed/product.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/cost.h"
#include "cpu/packed/lying.h"
#include "cpu/packed/pack.h"
#include "cpu/packed/packed.h"
#include "cpu/packed/streamed.h"
#include "cpu/packed/tiles.h"
#include "cpu/strict.h"
#include "cpu/ways.h"
#include "layout/desc.h"
#include "plan/plan.h"
#include "plan/summation.h"
#include "threads/parallel.h"

/* Parts of one packing phase for each thread. A part is a share of both operands, the rows in the order
 * in which they are multiplied: so a thread mostly packs what it will read, into its own cache. */
enum { PARTS_PER_THREAD = 4 };

/* Panels of one operand that are packed in one phase, or were long ago. */
typedef struct side {
    lay_packing packing;
    char *to;
    int64_t first, count; /* indices across */
    const char *packed;   /* NULL, or all panels of the next block of k, */
    size_t stride;        /* which is so far from the last one */
    int64_t lying;        /* lines of those that are no packed operand's: the first ones, in */
    size_t panel;         /* panels so far apart */
} side;

/* One phase's work, and the loops' place. */
typedef struct phase {
    side left, right;
    lay_multiplying multiplying;
    int64_t first_row, rows, first_column, columns;
    int64_t mc, nc;
    int64_t part_m, part_n, grid_n; /* 0, or a thread's part, of so many across; all rows are packed at once then */
    int is_by_columns;
    int64_t parts; /* of the packing */
} phase;

/* Panels part * all / parts up to the next part's. */
static void pack_share(const side *own, int64_t part, int64_t parts)
{
    const int64_t width = own->packing.width, panels = ceil_div(own->count, width);
    const int64_t from = panels * part / parts, to = panels * (part + 1) / parts;
    if (from < to)
        lay_pack_panels(&own->packing, own->first + from * width, min_of(own->count, to * width) - from * width,
                        own->to + (size_t)from * own->packing.panel);
}

static void pack_task(void *argument, int64_t number)
{
    const phase *now = argument;
    pack_share(&now->right, number, now->parts);
    pack_share(&now->left, number, now->parts);
}

static void multiply_task(void *argument, int64_t number)
{
    const phase *now = argument;
    const int64_t down = ceil_div(now->rows, now->mc), right = ceil_div(now->columns, now->nc);
    const int64_t i = (now->is_by_columns ? number % down : number / right) * now->mc;
    const int64_t j = (now->is_by_columns ? number / down : number % right) * now->nc;
    lay_multiply_block(&now->multiplying, now->first_row, now->first_row + i, min_of(now->mc, now->rows - i),
                       now->first_column, now->first_column + j, min_of(now->nc, now->columns - j));
    if (now->multiplying.is_streamed)
        lay_end_streams();
}

/* A part of the grid that options ask for, task by task down its rows. */
static void multiply_part(void *argument, int64_t number)
{
    const phase *now = argument;
    const int64_t i = number / now->grid_n * now->part_m, j = number % now->grid_n * now->part_n;
    const int64_t end = min_of(i + now->part_m, now->rows), columns = min_of(now->part_n, now->columns - j);
    for (int64_t row = i; row < end; row += now->mc)
        lay_multiply_block(&now->multiplying, 0, row, min_of(now->mc, end - row), 0, j, columns);
    if (now->multiplying.is_streamed)
        lay_end_streams();
}

/* Whether the panels of what comes from this index on are there already. */
static int are_there(const side *own, int64_t first)
{
    return own->packed && (own->lying == 0 || first < own->lying);
}

/* The panels of these indices, *panel bytes apart, to be packed if they are not yet. */
static const char *choose_range(side *own, int64_t first, int64_t count, size_t *panel)
{
    const int is_there = are_there(own, first);
    own->first = first;
    own->count = is_there ? 0 : count;
    *panel = is_there ? own->panel : own->packing.panel;
    return is_there ? own->packed + (size_t)(first / own->packing.width) * *panel : own->to;
}

/* How many indices come next, of most at once: up to where panels are no longer there. */
static int64_t count_next(const side *own, int64_t first, int64_t extent, int64_t most)
{
    return min_of(most, (own->lying > 0 && first < own->lying ? own->lying : extent) - first);
}

static void pass_block(side *own)
{
    if (own->packed)
        own->packed += own->stride;
}

/* The k steps from p on, as offsets of one operand, if they are to be packed. */
static void choose_steps(side *own, const lay_axis *axis, int64_t p, int64_t k, int64_t along[])
{
    if (own->packed && own->lying == 0)
        return;
    lay_axis_offsets(axis, p, k, along);
    own->packing.k = k;
    own->packing.along = along;
    own->packing.is_along = lay_offsets_are_unit(along, k);
}

/* Whether panels of right are packed one by one, while the tiles of the one before ask for what they are packed of:
 * where one thread copies rows that are near each other. Lines of others fall into few sets of the second cache. */
static int is_packed_late(const lay_problem *problem, const lay_job *job, const side *right)
{
    enum { NEAR = 4096 /* bytes */ };
    const int64_t *const along = right->packing.along;
    const int each = problem->posed.is_of_numbers ? 2 : 1;
    return job->threads == 1 && right->count > 0 && right->packing.k > each &&
           llabs(along[each] - along[0]) * lay_size_of(problem->types.right) <= NEAR &&
           lay_packing_find(&problem->right_n, &problem->right_k, right->packing.width, problem->sum.block) ==
               (each == 2 ? LAY_PACKED_IN_PAIRS : LAY_PACKED_COPIED);
}

/* The panels in which the operand lies, from the block that begins with step first on. */
static void use_lying(side *own, const lay_lying *lying, int64_t first, int64_t kc)
{
    const int64_t size = lay_size_of(own->packing.type);
    own->lying = lying->lines;
    own->panel = (size_t)(lying->panel * size);
    own->stride = (size_t)(lying->block * size);
    own->packed = (const char *)own->packing.source + (lying->base + first / kc * lying->block) * size;
}

/* The panels that are given (NULL: none), from the block that begins with step first on. */
static void use_packed(side *own, const lay_packed *given, int64_t first)
{
    own->packed = NULL;
    own->lying = 0;
    own->panel = own->packing.panel;
    if (!given)
        return;
    const lay_panels_shape shape = lay_packed_shape(given);
    own->stride = (size_t)(shape.block * lay_size_of(given->type));
    own->packed = (const char *)given->elements + (size_t)(first / shape.steps) * own->stride;
}

/* What becomes of one side's numbers as they are packed. */
static void turn_numbers(const lay_problem *problem, const lay_call *call, int operand, lay_packing *packing)
{
    const double *const factor = call->factor[operand];
    packing->is_of_numbers = problem->posed.is_of_numbers;
    if (!problem->posed.is_of_numbers)
        return;
    packing->turned.is_conjugated = problem->posed.is_conjugated[operand ^ problem->is_transposed];
    packing->turned.has_factor = factor != NULL;
    if (factor)
        memcpy(packing->turned.factor, factor, sizeof packing->turned.factor);
    packing->is_turned = factor || packing->turned.is_conjugated;
}

static phase begin_phase(const lay_problem *problem, const lay_job *job, const lay_part *part, const lay_call *call,
                         char *workspace)
{
    const lay_blocked *blocks = job->data;
    const lay_kernel *kernel = blocks->kernel;
    char *const packed_left = workspace, *const packed_right = packed_left + blocks->left_bytes;
    phase now = {
        .left = { .packing = { .type = problem->types.left,
                               .source = call->left,
                               .across = &problem->left_m,
                               .width = kernel->mr,
                               .pack = kernel->pack_a,
                               .panel = blocks->left_panel },
                  .to = packed_left },
        .right = { .packing = { .type = problem->types.right,
                                .source = call->right,
                                .across = &problem->right_n,
                                .width = kernel->nr,
                                .pack = kernel->pack_b,
                                .interleaved = kernel->interleaved,
                                .panel = blocks->right_panel },
                   .to = packed_right },
        .multiplying = { .kernel = kernel,
                         .is_of_numbers = problem->posed.is_of_numbers,
                         .is_left_first = problem->posed.is_a_first ^ problem->is_transposed,
                         .left_panel = blocks->left_panel,
                         .right_panel = blocks->right_panel,
                         .packed = packed_right,
                         .c = call->c,
                         .rows = part->rows,
                         .columns = part->columns,
                         .alpha = call->alpha,
                         .stretch = blocks->stretch,
                         .is_streamed = lay_is_streamed(problem, part, call, blocks->kc) },
        .mc = blocks->mc,
        .nc = blocks->nc,
        .part_m = blocks->part_m,
        .part_n = blocks->part_n,
        .grid_n = blocks->grid_n,
        .is_by_columns = blocks->is_by_columns,
        .parts = job->threads == 1 ? 1 : (int64_t)job->threads * PARTS_PER_THREAD,
    };
    if (now.multiplying.is_streamed) /* reads no C */
        now.multiplying.stretch = 0;
    turn_numbers(problem, call, LAY_LEFT, &now.left.packing);
    turn_numbers(problem, call, LAY_RIGHT, &now.right.packing);
    return now;
}

/* A run: what it is of, and the phase that it is in. */
typedef struct loops {
    const lay_problem *problem;
    const lay_job *job;
    const lay_blocked *blocks;
    const lay_part *part;
    const lay_call *call;
    int64_t *left_along, *right_along; /* [kc] */
    phase now;
} loops;

/* Rows from i on, up to mb, of a block of k: packs what is not there yet, and multiplies. */
static void multiply_rows(loops *of, int64_t i)
{
    const lay_problem *problem = of->problem;
    const lay_blocked *blocks = of->blocks;
    phase *now = &of->now;
    lay_multiplying *multiplying = &now->multiplying;
    now->first_row = i;
    now->rows = count_next(&now->left, i, problem->m.extent, blocks->mb);
    multiplying->left = choose_range(&now->left, i, now->rows, &multiplying->left_panel);
    multiplying->unpacked = NULL;
    if (!multiplying->stretch && is_packed_late(problem, of->job, &now->right)) {
        multiplying->unpacked = &now->right.packing;
        choose_range(&now->right, now->first_column, 0, &multiplying->right_panel);
        if (now->rows == problem->m.extent)
            multiplying->right_panel = 0; /* each panel is used once: all in one place, which caches keep */
    }
    if (now->left.count + now->right.count > 0)
        lay_parallel_for(of->job->threads, now->parts, pack_task, now);
    const int64_t tasks = ceil_div(now->rows, blocks->mc) * ceil_div(now->columns, blocks->nc);
    lay_parallel_for(of->job->threads, blocks->part_m ? blocks->grid_m * blocks->grid_n : tasks,
                     blocks->part_m ? multiply_part : multiply_task, now);
    choose_range(&now->right, now->first_column, 0, &multiplying->right_panel); /* packed for the other rows too */
}

/* Steps from p on, up to kc, of some columns: all rows. */
static void multiply_steps(loops *of, int64_t p)
{
    static const float one_f32 = 1;
    static const double one_f64 = 1;
    const lay_problem *problem = of->problem;
    const void *const one = problem->types.sum == LAY_F32 ? (const void *)&one_f32 : (const void *)&one_f64;
    phase *now = &of->now;
    const int64_t k = min_of(of->blocks->kc, of->part->last - p);
    choose_steps(&now->left, &problem->left_k, p, k, of->left_along);
    choose_steps(&now->right, &problem->right_k, p, k, of->right_along);
    now->multiplying.right = choose_range(&now->right, now->first_column, now->columns, &now->multiplying.right_panel);
    now->multiplying.k = k;
    now->multiplying.beta = p == of->part->first ? of->call->beta : one;
    for (int64_t i = 0; i < problem->m.extent; i += now->rows)
        multiply_rows(of, i);
    pass_block(&now->left);
    pass_block(&now->right);
}

/* Columns from j on, up to nb: all steps. */
static void multiply_columns(loops *of, int64_t j)
{
    const lay_blocked *blocks = of->blocks;
    const lay_part *part = of->part;
    phase *now = &of->now;
    now->first_column = j;
    use_packed(&now->left, blocks->is_given[LAY_LEFT] ? of->call->packed[LAY_LEFT] : NULL, part->first);
    use_packed(&now->right, blocks->is_given[LAY_RIGHT] ? of->call->packed[LAY_RIGHT] : NULL, part->first);
    if (blocks->lying[LAY_LEFT].lines > 0)
        use_lying(&now->left, &blocks->lying[LAY_LEFT], part->first, blocks->kc);
    if (blocks->lying[LAY_RIGHT].lines > 0)
        use_lying(&now->right, &blocks->lying[LAY_RIGHT], part->first, blocks->kc);
    now->columns = count_next(&now->right, j, of->problem->n.extent, blocks->nb);
    for (int64_t p = part->first; p < part->last; p += blocks->kc)
        multiply_steps(of, p);
}

void lay_product_run(const lay_problem *problem, const lay_job *job, const lay_part *part, const lay_call *call,
                     void *workspace)
{
    int64_t left_along[LAY_KC], right_along[LAY_KC];
    loops of = { .problem = problem,
                 .job = job,
                 .blocks = job->data,
                 .part = part,
                 .call = call,
                 .left_along = left_along,
                 .right_along = right_along,
                 .now = begin_phase(problem, job, part, call, workspace) };
    for (int64_t j = 0; j < problem->n.extent; j += of.now.columns)
        multiply_columns(&of, j);
}

/* Whether the operands are the caller's, at the addresses that runs are given. */
static int are_the_callers(const lay_problem *problem, const lay_setting *setting)
{
    const lay_plan *const plan = setting->plan;
    return plan && problem->posed.a == plan->a && problem->posed.b == plan->b && !lay_operand_batch(plan->c);
}

/* Whether the kernel reads panels at any address, as those of registers do, or these by the caller's promise. */
static int is_aligned(const lay_lying *lying, const lay_problem *problem, const lay_setting *setting,
                      const lay_kernel *kernel)
{
    const int64_t unit = LAY_LINE / lay_size_of(kernel->type);
    return kernel->isa != LAY_ISA_C || (setting->options->alignment >= LAY_LINE && are_the_callers(problem, setting) &&
                                        (lying->base | lying->panel | lying->block) % unit == 0);
}

/* Whether panels are there already, in the operands' layouts. Of rows the last ones, which fill no panel, are a pass
 * over all of right: that is not to show. */
static void find_lying(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                       lay_blocked *blocks)
{
    enum { MANY = 16 /* panels */ };
    const int64_t m = problem->m.extent;
    const lay_axis *const across[] = { &problem->left_m, &problem->right_n };
    const lay_axis *const along[] = { &problem->left_k, &problem->right_k };
    const int width[] = { kernel->mr, kernel->nr };
    for (int which = LAY_LEFT; which <= LAY_RIGHT; which++) {
        const int is_worth_it = which == LAY_RIGHT || m % kernel->mr == 0 || m >= MANY * kernel->mr;
        lay_lying lying;
        if (is_worth_it && !problem->posed.is_of_numbers && !blocks->part_m && !blocks->is_given[which] &&
            lay_lying_find(across[which], along[which], width[which], blocks->kc, &lying) &&
            is_aligned(&lying, problem, setting, kernel))
            blocks->lying[which] = lying;
    }
}

static const char *choose_way(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                              lay_job *job)
{
    const lay_machine *machine = lay_machine_get();
    const char *reason = lay_strict_refuse_sum(problem, setting);
    if (reason)
        return reason;
    if (problem->posed.is_of_numbers && !kernel->numbers)
        return "has no function of complex numbers";
    const int is_given[] = { lay_panels_are_of(&setting->panels[LAY_LEFT], kernel, LAY_LEFT),
                             lay_panels_are_of(&setting->panels[LAY_RIGHT], kernel, LAY_RIGHT) };
    if ((reason = lay_blocks_choose(problem, setting, kernel, machine, job)))
        return reason;
    lay_blocked *blocks = job->data;
    blocks->run_part = lay_product_run;
    memcpy(blocks->is_given, is_given, sizeof is_given);
    job->given = is_given[LAY_LEFT] + is_given[LAY_RIGHT];
    find_lying(problem, setting, kernel, blocks);
    job->seconds = lay_cost_packed(problem, job, machine);
    return NULL;
}

static const char *prepare(lay_branch *branch)
{
    return lay_strict_prepare(branch, choose_way);
}

static void add_blocked(lay_text *text, const lay_problem *problem, const lay_blocked *blocks)
{
    const lay_kernel *kernel = blocks->kernel;
    const lay_axis *const across[] = { &problem->left_m, &problem->right_n };
    const lay_axis *const along[] = { &problem->left_k, &problem->right_k };
    const int width[] = { kernel->mr, kernel->nr };
    int as_it_is = 0;
    for (int operand = LAY_LEFT; operand <= LAY_RIGHT; operand++)
        as_it_is |= blocks->is_given[operand] || blocks->lying[operand].lines > 0;
    lay_text_add(text, "packed%s\n", as_it_is ? "" : "    both");
    for (int operand = LAY_LEFT; operand <= LAY_RIGHT; operand++) {
        const char *name = lay_problem_operand(problem, operand);
        if (blocks->is_given[operand])
            lay_text_add(text, "  %s not again: read as it was packed before\n", name);
        else if (blocks->lying[operand].lines > 0)
            lay_text_add(text, "  %s not at all: its layout is the kernel's panels of %d\n", name, width[operand]);
        else
            lay_strict_explain_packing(text, name, across[operand], along[operand], width[operand], blocks->kc, "");
    }
    lay_strict_explain_result(text, problem, lay_result_is_direct(problem, kernel));
    lay_text_add(text, "blocks    mc %lld nc %lld kc %lld, packed at once: %lld rows, %lld columns\n",
                 (long long)blocks->mc, (long long)blocks->nc, (long long)blocks->kc, (long long)blocks->mb,
                 (long long)blocks->nb);
    if (blocks->stretch)
        lay_text_add(text, "tiles     along C's rows, %lld columns at a time\n", (long long)blocks->stretch);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    add_blocked(text, &branch->problem, branch->job.data);
    lay_strict_explain(branch, choose_way, text);
}

/* One thread packs no more rows at once than a task has. */
static void tell(const lay_branch *branch, lay_step *step)
{
    const lay_blocked *blocks = branch->job.data;
    lay_strict_tell(branch, step);
    step->value[LAY_TUNE_MC] = blocks->mc / blocks->kernel->mr;
    step->value[LAY_TUNE_NC] = blocks->nc / blocks->kernel->nr;
    if (branch->job.threads > 1)
        step->value[LAY_TUNE_MB] = blocks->mb / blocks->kernel->mr;
    step->value[LAY_TUNE_NB] = blocks->nb / blocks->kernel->nr;
    step->value[LAY_TUNE_BY_COLUMNS] = blocks->is_by_columns;
}

const lay_way lay_way_packed = {
    .name = "packed",
    .order = &lay_order_cpu,
    .takes = LAY_TAKES_GRID | LAY_TAKES_NUMBERS,
    .tunes = LAY_STRICT_TUNES | 1 << LAY_TUNE_MC | 1 << LAY_TUNE_NC | 1 << LAY_TUNE_MB | 1 << LAY_TUNE_NB |
             1 << LAY_TUNE_BY_COLUMNS,
    .tell = tell,
    .data = sizeof(lay_blocked),
    .prepare = prepare,
    .run = lay_strict_run,
    .explain = explain,
    .pack = lay_cpu_pack,
};
