/* What is read how, by whom; the sums of blocks; and C. */
#include "cpu/vector/vector.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/cost/cost.h"
#include "cpu/packed/tiles.h"
#include "cpu/strict.h"
#include "cpu/vector/vector_read.h"
#include "cpu/ways.h"
#include "machine/rates.h"
#include "plan/summation.h"
#include "threads/parallel.h"
#include "threads/workspace.h"

static const lay_axis *lines_of(const lay_problem *problem, int matrix)
{
    return matrix == LAY_LEFT ? &problem->left_m : &problem->right_n;
}

static const lay_axis *steps_of(const lay_problem *problem, int side)
{
    return side == LAY_LEFT ? &problem->left_k : &problem->right_k;
}

/* Whether an axis has one stride, 1, throughout. */
static int is_dense(const lay_axis *axis)
{
    return axis->class == LAY_AXIS_UNIT;
}

/* Contiguous, and of one index. */
static const lay_axis dense = {
    .class = LAY_AXIS_UNIT, .extent = INT64_MAX, .run = INT64_MAX, .count = 1, .mode = { { INT64_MAX, 1 } }
};
static const lay_axis single = { .class = LAY_AXIS_UNIT, .extent = 1, .run = 1 };

static void copy_strided(const void *zero, int64_t at, int64_t stride, int64_t count, void *to, lay_type type)
{
    if (type == LAY_F32)
        for (int64_t p = 0; p < count; p++)
            ((float *)to)[p] = ((const float *)zero)[at + p * stride];
    else
        for (int64_t p = 0; p < count; p++)
            ((double *)to)[p] = ((const double *)zero)[at + p * stride];
}

/* count elements of an axis, from index first on, to where they are contiguous. */
static void copy_steps(const lay_axis *axis, const void *zero, int64_t first, int64_t count, void *to, lay_type type)
{
    enum { SOME = 512 };
    int64_t offset[SOME];
    if (axis->class != LAY_AXIS_TABLE && axis->count <= 1) {
        copy_strided(zero, lay_axis_offset(axis, first), axis->count ? axis->mode[0].stride : 0, count, to, type);
        return;
    }
    for (int64_t p = 0; p < count; p += SOME) {
        const int64_t n = min_of(SOME, count - p);
        lay_axis_offsets(axis, first + p, n, offset);
        if (type == LAY_F32)
            for (int64_t i = 0; i < n; i++)
                ((float *)to)[p + i] = ((const float *)zero)[offset[i]];
        else
            for (int64_t i = 0; i < n; i++)
                ((double *)to)[p + i] = ((const double *)zero)[offset[i]];
    }
}

/* Where sums go: C = alpha sums + beta C, or, while steps are still to come, to where they wait. */
typedef struct goal {
    void *c;
    const lay_axis *result, *across;
    const void *alpha, *beta;
} goal;

static goal goal_of(const lay_vector_work *of, const lay_scalar *one, const lay_scalar *zero)
{
    if (of->last == of->problem->k.extent)
        return (goal){ of->call->c, of->result, of->across, of->call->alpha, of->call->beta };
    return (goal){ of->waiting, &dense, &single, one, zero };
}

/* (1 .. 1) sums, for lines first .. first + n, which begin at sums[0]: count rows, and one to spare behind them. Where
 * lines lie side by side at the goal, */
static void update_row(const lay_vector_work *of, const goal *to, int64_t first, int64_t n, char *sums, int64_t row,
                       int64_t count, const lay_scalar *one)
{
    const int64_t size = lay_size_of(of->problem->types.sum);
    const lay_sweep sweep = { .k = count,
                              .m = 1,
                              .is_first = 1,
                              .is_last = 1,
                              .n = n,
                              .a = one,
                              .b = sums,
                              .b_step = row,
                              .sums = sums + count * row * size,
                              .c = (char *)to->c +
                                   (lay_axis_offset(to->across, 0) + lay_axis_offset(to->result, first)) * size,
                              .alpha = to->alpha,
                              .beta = to->beta };
    of->blocks->kernel->sweep(&sweep);
}

/* or anywhere. */
static void update(const lay_vector_work *of, int64_t first, int64_t n, char *sums, int64_t row, int64_t count)
{
    const lay_kernel *kernel = of->blocks->kernel;
    const int64_t size = lay_size_of(of->problem->types.sum);
    const lay_scalar one = lay_scalar_of(1, of->problem->types.sum), zero = lay_scalar_of(0, of->problem->types.sum);
    const goal to = goal_of(of, &one, &zero);
    const lay_segment all = { .count = count };
    lay_strided tile = {
        .segment = &all, .segments = 1, .m = 1, .a = &one, .b_step = row, .alpha = to.alpha, .beta = to.beta
    };
    if (is_dense(to.result) && n > kernel->nr) {
        update_row(of, &to, first, n, sums, row, count, &one);
        return;
    }
    for (int64_t j = 0; j < n; j += tile.n) {
        tile.n = (int)min_of(kernel->nr, n - j);
        tile.b = sums + j * size;
        if (is_dense(to.result) || tile.n == 1) {
            tile.c = (char *)to.c + (lay_axis_offset(to.across, 0) + lay_axis_offset(to.result, first + j)) * size;
            kernel->strided(&tile);
        } else {
            lay_multiply_staged(kernel, &tile, to.c, to.across, 0, to.result, first + j);
        }
    }
}

/* What waited comes first: a sum from +0 that goes on where it was. 1 row, or none. */
static int64_t recall(const lay_vector_work *of, int64_t first, int64_t n, char *sums)
{
    const size_t size = lay_type_size(of->problem->types.sum);
    if (of->first == 0)
        return 0;
    memcpy(sums, of->waiting + (size_t)first * size, (size_t)n * size);
    return 1;
}

static int is_by_lines(const lay_vector *vector)
{
    return vector->task_blocks == vector->blocks;
}

/* What has to be copied of steps from .. to. */
static void copy(const lay_vector_work *of, int64_t from, int64_t to)
{
    const lay_problem *problem = of->problem;
    const lay_vector *vector = &of->blocks->vector;
    const int64_t at = (from - of->first) * lay_size_of(problem->types.left);
    if (vector->is_vector_copied)
        copy_steps(of->vector, of->from_x, from, to - from, (char *)(uintptr_t)of->x + at, problem->types.left);
    if (vector->is_line_copied)
        copy_steps(steps_of(problem, vector->matrix), of->from_line, from, to - from,
                   (char *)(uintptr_t)of->matrix + at, problem->types.left);
}

/* A task's share of the lines or of the blocks. */
static void sum_task(void *argument, int64_t number)
{
    const lay_vector_work *of = argument;
    const lay_vector *vector = &of->blocks->vector;
    const int64_t kc = of->blocks->kc, size = lay_size_of(of->problem->types.sum), lines = of->lines->extent;
    const int64_t begin = is_by_lines(vector) ? number * vector->lines : 0, end = min_of(begin + vector->lines, lines);
    const int64_t block = is_by_lines(vector) ? 0 : number * vector->task_blocks;
    const int64_t from = of->first + block * kc, to = min_of(of->last, from + vector->task_blocks * kc);
    char *const room = of->shared + vector->shared + (size_t)number * vector->task_bytes;
    char *const own = room + lay_vector_scratch(of->problem, of->blocks);
    if (!is_by_lines(vector) && from < to)
        copy(of, from, to);
    for (int64_t j = begin, n; j < end && from < to; j += n) {
        n = min_of(vector->width, end - j);
        if (is_by_lines(vector)) {
            const int64_t before = recall(of, j, n, own);
            lay_vector_sum(of, j, n, from, to, own + before * n * size, n, room);
            update(of, j, n, own, n, before + ceil_div(to - from, kc));
        } else {
            lay_vector_sum(of, j, n, from, to, of->shared + ((1 + block) * lines + j) * size, lines, room);
        }
    }
}

/* Steps of->first .. of->last. copied has room for an axis, which is not filled where no line is copied: that would
 * show in a small product. */
static void run_steps(lay_vector_work *of, lay_axis *copied, int threads)
{
    const lay_vector *vector = &of->blocks->vector;
    const int64_t size = lay_size_of(of->problem->types.sum), count = of->last - of->first;
    const int64_t lines = of->result->extent;
    if (vector->is_vector_copied) {
        of->x = of->workspace;
        of->x_first = of->first;
    }
    if (vector->is_line_copied) {
        *copied = dense;
        copied->base = -of->first;
        of->matrix = of->workspace + (vector->is_vector_copied ? vector->copies / 2 : 0);
        of->steps = copied;
        of->lines = &single;
    }
    if (is_by_lines(vector))
        copy(of, of->first, of->last);
    lay_parallel_for(threads, vector->tasks, sum_task, of);
    if (is_by_lines(vector))
        return;
    char *const sums = of->shared + lines * size; /* the first row is for what waited */
    const int64_t before = recall(of, 0, lines, of->shared);
    update(of, 0, lines, sums - before * lines * size, lines, before + ceil_div(count, of->blocks->kc));
}

void lay_vector_run(const lay_problem *problem, const lay_job *job, const lay_call *call, void *workspace)
{
    const lay_blocked *blocks = job->data;
    const lay_vector *vector = &blocks->vector;
    const int is_left = vector->matrix == LAY_LEFT;
    const int64_t size = lay_size_of(problem->types.left), k = problem->k.extent, steps = vector->blocks * blocks->kc;
    const lay_axis *const other = lines_of(problem, is_left ? LAY_RIGHT : LAY_LEFT);
    const void *const matrix = is_left ? call->left : call->right;
    char *const waiting = (char *)workspace + vector->copies;
    lay_vector_work of = { .problem = problem,
                           .blocks = blocks,
                           .call = call,
                           .lines = lines_of(problem, vector->matrix),
                           .steps = steps_of(problem, vector->matrix),
                           .result = is_left ? &problem->result_m : &problem->result_n,
                           .across = is_left ? &problem->result_n : &problem->result_m,
                           .vector = steps_of(problem, is_left ? LAY_RIGHT : LAY_LEFT),
                           .matrix = matrix,
                           .from_x =
                               (const char *)(is_left ? call->right : call->left) + lay_axis_offset(other, 0) * size,
                           .packed = call->packed[vector->matrix],
                           .workspace = workspace,
                           .waiting = waiting,
                           .shared = waiting + vector->waiting };
    if (vector->is_line_copied)
        of.from_line = (const char *)matrix + lay_axis_offset(of.lines, 0) * size;
    of.x = (const char *)of.from_x + lay_axis_offset(of.vector, 0) * size;
    lay_axis copied;
    for (; of.last < k; of.first = of.last) {
        of.last = min_of(k, of.first + steps);
        run_steps(&of, &copied, job->threads);
    }
}

static lay_leaf inner_leaf(const lay_axis *axis)
{
    if (axis->count == 0)
        return (lay_leaf){ .extent = max_of(axis->extent, 1), .stride = 1 };
    return axis->mode[axis->count - 1];
}

/* Blocks and segments begin with a partial sum's first step: kc need not be a multiple of the partial sums. */
static lay_vector_reading find_reading(const lay_problem *problem, const lay_kernel *kernel, int64_t kc,
                                       lay_vector *vector)
{
    const lay_axis *lines = lines_of(problem, vector->matrix), *steps = steps_of(problem, vector->matrix);
    const int64_t partials = lay_partials(problem->types.sum), k = problem->k.extent, n = lines->extent;
    const lay_leaf line = inner_leaf(lines), step = inner_leaf(steps);
    const int are_aligned = step.extent % partials == 0 && (kc >= k || kc % partials == 0);
    const int has_segments = steps->class != LAY_AXIS_TABLE && (step.extent >= k || are_aligned);
    const int are_side_by_side = lines->class != LAY_AXIS_TABLE && (n == 1 || line.stride == 1);
    vector->run_lines = max_of(line.extent, 1);
    vector->run_k = max_of(step.extent, 1);
    vector->step = step.stride;
    if (vector->is_line_copied)
        vector->run_k = k;
    if (vector->is_line_copied || (has_segments && step.stride == 1))
        return LAY_VECTOR_ALONG;
    if (!has_segments || !are_side_by_side || line.extent < min_of(n, kernel->lanes))
        return LAY_VECTOR_PACKED;
    return LAY_VECTOR_ACROSS;
}

/* Lines at a time: so few that their sums lie near, and so many that there are streams to read. */
static int64_t choose_width(const lay_machine *machine, int64_t n, const lay_vector *vector)
{
    enum { TOGETHER = 48, UNIT = 64 };
    if (vector->reading == LAY_VECTOR_ALONG)
        return min_of(n, vector->blocks > 1 ? TOGETHER : LAY_VECTOR_LINES);
    return min_of(n, max_of(UNIT, machine->l2 / LAY_PARTIAL_BYTES / UNIT * UNIT));
}

/* Tasks of some lines or, where there are too few for that, of some blocks. */
static void choose_tasks(int64_t n, int threads, lay_vector *vector)
{
    enum { PARTS_PER_THREAD = 4, LEAST = 8, LEAST_ACROSS = 512, LONG_ACROSS = 2048 /* rows read well */ };
    const int is_across = vector->reading == LAY_VECTOR_ACROSS;
    const int64_t unit = is_across ? LEAST_ACROSS : LEAST, most = (int64_t)threads * PARTS_PER_THREAD;
    const int64_t parts = threads == 1 ? 1 : is_across ? min_of(most, max_of(threads, n / LONG_ACROSS)) : most;
    vector->lines = n;
    vector->task_blocks = vector->blocks;
    if (threads == 1 || n / unit >= threads) {
        vector->lines = ceil_div(ceil_div(n, unit), min_of(parts, ceil_div(n, unit))) * unit;
        vector->tasks = ceil_div(n, vector->lines);
    } else {
        vector->task_blocks = ceil_div(vector->blocks, min_of(parts, vector->blocks));
        vector->tasks = ceil_div(vector->blocks, vector->task_blocks);
    }
}

void lay_vector_choose(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                       const lay_machine *machine, lay_job *job)
{
    enum { LEAST_BLOCKS = 16, MOST_SUMS = 256 }; /* at a time: their sums, and copies of their steps, are held */
    const int64_t size = lay_size_of(problem->types.left), k = problem->k.extent;
    lay_blocked *blocks = job->data;
    lay_vector *vector = &blocks->vector;
    *blocks = (lay_blocked){ .kernel = kernel, .kc = problem->sum.block };
    blocks->left_panel = lay_workspace_part((size_t)(blocks->kc * kernel->mr * size));
    blocks->right_panel = lay_workspace_part((size_t)(blocks->kc * kernel->nr * size));
    vector->matrix = problem->n.extent == 1 ? LAY_LEFT : LAY_RIGHT;
    const int64_t n = max_of(lines_of(problem, vector->matrix)->extent, 1);
    vector->blocks = min_of(ceil_div(k, blocks->kc), max_of(LEAST_BLOCKS, MOST_SUMS / n));
    const lay_panels *panels = &setting->panels[vector->matrix];
    vector->is_vector_copied = !is_dense(steps_of(problem, vector->matrix == LAY_LEFT ? LAY_RIGHT : LAY_LEFT));
    vector->is_line_copied = n == 1 && !is_dense(steps_of(problem, vector->matrix));
    vector->reading = find_reading(problem, kernel, blocks->kc, vector);
    if (panels->kernel) {
        vector->reading = LAY_VECTOR_PANELS;
        vector->is_line_copied = 0;
    }
    const double share = (double)n * (double)k * (double)size / lay_rates_get()->bytes_streamed;
    const int busy = lay_strict_busy(setting, share);
    vector->width = choose_width(machine, n, vector);
    choose_tasks(n, busy, vector);
    const int64_t steps = min_of(k, vector->blocks * blocks->kc);
    vector->copies =
        (size_t)(vector->is_vector_copied + vector->is_line_copied) * lay_workspace_part((size_t)(steps * size));
    vector->waiting = steps < k ? lay_workspace_part((size_t)(n * size)) : 0;
    vector->shared = is_by_lines(vector) ? 0 : lay_workspace_part((size_t)((vector->blocks + 2) * n * size));
    vector->task_bytes =
        lay_vector_scratch(problem, blocks) +
        (is_by_lines(vector) ? lay_workspace_part((size_t)((vector->blocks + 2) * vector->width * size)) : 0);
    blocks->grid_m = vector->matrix == LAY_LEFT ? vector->tasks : 1;
    blocks->grid_n = vector->matrix == LAY_LEFT ? 1 : vector->tasks;
    job->kernel = kernel->name;
    job->threads = (int)min_of(busy, vector->tasks);
    job->workspace = vector->copies + vector->waiting + vector->shared + vector->task_bytes * (size_t)vector->tasks;
    job->seconds = lay_cost_vector(problem, job, machine);
}

const char *lay_vector_reading_name(lay_vector_reading reading)
{
    static const char *const name[] = {
        [LAY_VECTOR_ALONG] = "read where it is, lines contiguous along k",
        [LAY_VECTOR_ACROSS] = "read where it is, lines side by side",
        [LAY_VECTOR_PACKED] = "packed, a panel at a time",
        [LAY_VECTOR_PANELS] = "in panels, packed before",
    };
    return name[reading];
}

static const char *choose_way(const lay_problem *problem, const lay_setting *setting, const lay_kernel *kernel,
                              lay_job *job)
{
    if (!problem->sum.has_partial_sums)
        return "it is no product with a vector";
    lay_vector_choose(problem, setting, kernel, lay_machine_get(), job);
    return NULL;
}

static const char *prepare(lay_branch *branch)
{
    return lay_strict_prepare(branch, choose_way);
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    _Alignas(64) char small[LAY_SMALL_WORKSPACE]; /* a tiny product needs no pool */
    void *workspace = lay_strict_take_workspace(branch, call, small);
    if (!workspace)
        return LAY_ERR_MEMORY;
    lay_vector_run(&branch->problem, &branch->job, call, workspace);
    lay_strict_give_workspace(call, small, workspace);
    return LAY_OK;
}

/* A matrix and a vector, and the order of their sums. */
static void add_vector(lay_text *text, const lay_problem *problem, const lay_blocked *blocks)
{
    const lay_vector *vector = &blocks->vector;
    lay_text_add(text, "vector    %s is %s; %s is %s\n", lay_problem_operand(problem, vector->matrix),
                 vector->is_line_copied ? "one line, copied to where it is contiguous"
                                        : lay_vector_reading_name(vector->reading),
                 lay_problem_operand(problem, 1 - vector->matrix),
                 vector->is_vector_copied ? "copied to where it is contiguous" : "read where it is");
    lay_text_add(
        text, "sums      %lld blocks of k, %lld steps each, in %d partial sums each; their sums in ascending order\n",
        (long long)ceil_div(problem->k.extent, blocks->kc), (long long)blocks->kc,
        LAY_PARTIAL_BYTES / (int)lay_size_of(problem->types.sum));
}

static void explain(const lay_branch *branch, lay_text *text)
{
    add_vector(text, &branch->problem, branch->job.data);
    lay_strict_explain(branch, choose_way, text);
}

const lay_way lay_way_vector = {
    .name = "vector",
    .order = &lay_order_cpu,
    .tunes = LAY_STRICT_TUNES,
    .tell = lay_strict_tell,
    .data = sizeof(lay_blocked),
    .prepare = prepare,
    .run = run,
    .explain = explain,
};
