/* Each slice leaves an m x n matrix of sums, computed as a product of its own; a kernel adds these up, as a
 * product with a row of ones, and updates C: so all arithmetic stands in kernels, here too. */
#include <assert.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/packed/pack.h"
#include "cpu/packed/tiles.h"
#include "cpu/part.h"
#include "cpu/strict.h"
#include "cpu/ways.h"
#include "plan/branch.h"
#include "plan/summation.h"
#include "threads/parallel.h"
#include "threads/workspace.h"

/* What the way prepared. */
typedef struct slices {
    int64_t count, length, tasks;
    size_t workspace; /* bytes of a task; the rest of the job's workspace is the slices' sums */
} slices;

/* A product under way. */
typedef struct work {
    const lay_problem *problem;
    const slices *slices;
    const lay_job *job; /* of one slice */
    const lay_call *call;
    char *sums; /* [slices][m][n] */
    char *workspace;
} work;

static int64_t sums_bytes(const lay_problem *problem)
{
    return (int64_t)lay_workspace_part(
        (size_t)(problem->m.extent * problem->n.extent * lay_size_of(problem->types.sum)));
}

static lay_axis make_axis(int64_t extent, int64_t stride)
{
    lay_axis axis = { .class = stride == 1 ? LAY_AXIS_UNIT : LAY_AXIS_STRIDED, .extent = extent, .run = 1, .count = 1 };
    axis.mode[0] = (lay_leaf){ extent, stride };
    return axis;
}

/* A share of the slices. */
static void sum_slices(void *argument, int64_t number)
{
    const work *of = argument;
    const lay_problem *problem = of->problem;
    const lay_blocked *blocks = of->job->data;
    const int64_t n = problem->n.extent, length = of->slices->length;
    const lay_scalar one = lay_scalar_of(1, problem->types.sum), zero = lay_scalar_of(0, problem->types.sum);
    const lay_axis rows = make_axis(problem->m.extent, n), columns = make_axis(n, 1);
    lay_call call = *of->call;
    call.workspace = NULL;
    call.alpha = &one;
    call.beta = &zero;
    const int64_t from = of->slices->count * number / of->slices->tasks;
    const int64_t to = of->slices->count * (number + 1) / of->slices->tasks;
    const int64_t each = blocks->direct.joined > length ? to - from : 1;
    for (int64_t s = from; s < to; s += each) {
        const lay_part part = { .first = s * length,
                                .last = min_of((s + each) * length, problem->k.extent),
                                .rows = &rows,
                                .columns = &columns,
                                .row = n,
                                .slice = length,
                                .apart = sums_bytes(problem) };
        call.c = of->sums + s * part.apart;
        blocks->run_part(problem, of->job, &part, &call, of->workspace + (size_t)number * of->slices->workspace);
    }
}

/* C = alpha (1 .. 1) sums + beta C, row by row. */
static void add_slices(const work *of)
{
    const lay_problem *problem = of->problem;
    const lay_blocked *blocks = of->job->data;
    const lay_kernel *kernel = blocks->kernel;
    const int64_t n = problem->n.extent, size = lay_size_of(problem->types.sum);
    const lay_scalar one = lay_scalar_of(1, problem->types.sum);
    const lay_segment all = { .count = of->slices->count };
    int64_t column[LAY_MAX_NR];
    lay_strided tile = { .segment = &all,
                         .segments = 1,
                         .m = 1,
                         .a = &one,
                         .b_step = sums_bytes(problem) / size,
                         .alpha = of->call->alpha,
                         .beta = of->call->beta };
    for (int64_t i = 0; i < problem->m.extent; i++)
        for (int64_t j = 0; j < n; j += tile.n) {
            tile.n = (int)min_of(kernel->nr, n - j);
            tile.b = of->sums + (i * n + j) * size;
            lay_axis_offsets(&problem->result_n, j, tile.n, column);
            if (!lay_offsets_are_unit(column, tile.n)) {
                lay_multiply_staged(kernel, &tile, of->call->c, &problem->result_m, i, &problem->result_n, j);
                continue;
            }
            tile.c = (char *)of->call->c + (lay_axis_offset(&problem->result_m, i) + column[0]) * size;
            kernel->strided(&tile);
        }
}

/* A one-thread job for a slice, then the whole product's. */
static const char *prepare(lay_branch *branch)
{
    enum { PARTS_PER_THREAD = 4 };
    const lay_problem *problem = &branch->problem;
    const int threads = branch->setting.threads;
    const int64_t length = problem->sum.slice;
    lay_setting setting = branch->setting;
    slices *own = branch->job.data;
    const char *refusal;
    if (problem->sum.has_partial_sums || length >= problem->k.extent || setting.inside & LAY_INSIDE_SLICES)
        return "the sum has no slices";
    setting.inside |= LAY_INSIDE_SLICES | LAY_INSIDE_TRANSPOSED | LAY_INSIDE_IMAGE;
    setting.threads = 1;
    setting.limit = 0; /* the child's time is that of all threads */
    branch->child = lay_branch_find(problem, &setting, &refusal, NULL);
    if (!branch->child)
        return refusal;
    const lay_job *child = &branch->child->job;
    assert(!branch->child->child); /* a leaf of this order: it runs parts of k by run_part */
    own->length = length;
    own->count = ceil_div(problem->k.extent, length);
    own->workspace = lay_workspace_part(child->workspace);
    own->tasks = threads > 1 ? min_of(own->count, (int64_t)threads * PARTS_PER_THREAD) : 1;
    branch->job.kernel = child->kernel;
    branch->job.given = child->given;
    branch->job.is_prompt = 1;
    branch->job.threads = (int)min_of(threads, own->tasks);
    branch->job.seconds = child->seconds / branch->job.threads;
    branch->job.workspace = own->workspace * (size_t)own->tasks + (size_t)(sums_bytes(problem) * own->count);
    return NULL;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    _Alignas(64) char small[LAY_SMALL_WORKSPACE];
    const slices *own = branch->job.data;
    void *workspace = lay_strict_take_workspace(branch, call, small);
    if (!workspace)
        return LAY_ERR_MEMORY;
    char *const sums = (char *)workspace + own->workspace * (size_t)own->tasks;
    work of = { &branch->problem, own, &branch->child->job, call, sums, workspace };
    lay_parallel_for(branch->job.threads, own->tasks, sum_slices, &of);
    add_slices(&of);
    lay_strict_give_workspace(call, small, workspace);
    return LAY_OK;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const slices *own = branch->job.data;
    lay_text_add(text, "slices    %lld of %lld steps, since m and n are small and k is long; a grid each\n",
                 (long long)own->count, (long long)own->length);
}

const lay_way lay_way_slices = {
    .name = "slices",
    .order = &lay_order_cpu,
    .data = sizeof(slices),
    .prepare = prepare,
    .run = run,
    .explain = explain,
};
