/* Each slice leaves an m x n matrix of sums, computed as a product of its own; a kernel adds these up, as a
 * product with a row of ones, and updates C: so all arithmetic stands in kernels, here too. */
#include "cpu/slices.h"

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/pack.h"
#include "cpu/parallel.h"
#include "cpu/tiles.h"
#include "plan/summation.h"

/* A product under way. */
typedef struct work {
    const lay_problem *problem;
    const lay_job *job;
    const lay_call *call;
    lay_run_part_fn *run;
    char *sums; /* [slices][m][n] */
    char *workspace;
} work;

static int64_t sums_bytes(const lay_problem *problem)
{
    return (problem->m.extent * problem->n.extent * lay_size_of(problem->type) + 63) / 64 * 64;
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
    const lay_blocked *blocks = &of->job->of.cpu;
    const int64_t n = problem->n.extent, length = blocks->slice_k;
    const lay_scalar one = lay_scalar_of(1, problem->type), zero = lay_scalar_of(0, problem->type);
    const lay_axis rows = make_axis(problem->m.extent, n), columns = make_axis(n, 1);
    lay_call call = *of->call;
    call.alpha = &one;
    call.beta = &zero;
    const int64_t from = blocks->slices * number / blocks->slice_tasks;
    const int64_t to = blocks->slices * (number + 1) / blocks->slice_tasks;
    for (int64_t s = from; s < to; s++) {
        const lay_part part = { s * length, min_of((s + 1) * length, problem->k.extent), &rows, &columns, n, 0 };
        call.c = of->sums + s * sums_bytes(problem);
        of->run(problem, of->job, &part, &call, of->workspace + (size_t)number * blocks->slice_workspace);
    }
}

/* C = alpha (1 .. 1) sums + beta C, row by row. */
static void add_slices(const work *of)
{
    const lay_problem *problem = of->problem;
    const lay_blocked *blocks = &of->job->of.cpu;
    const lay_kernel *kernel = blocks->kernel;
    const int64_t n = problem->n.extent, size = lay_size_of(problem->type);
    const lay_scalar one = lay_scalar_of(1, problem->type);
    const lay_stretch all = { .count = blocks->slices };
    int64_t column[LAY_MAX_NR];
    lay_strided tile = { .stretch = &all,
                         .stretches = 1,
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

void lay_slices_choose(const lay_problem *problem, int threads, lay_job *job)
{
    enum { PARTS_PER_THREAD = 4 };
    lay_blocked *blocks = &job->of.cpu;
    blocks->slice_k = lay_summation_slice(problem->m.extent, problem->n.extent, problem->k.extent);
    blocks->slices = ceil_div(problem->k.extent, blocks->slice_k);
    blocks->slice_workspace = (job->workspace + 63) / 64 * 64;
    blocks->slice_tasks = threads > 1 ? min_of(blocks->slices, (int64_t)threads * PARTS_PER_THREAD) : 1;
    job->threads = (int)min_of(threads, blocks->slice_tasks);
    job->seconds /= job->threads;
    job->workspace =
        blocks->slice_workspace * (size_t)blocks->slice_tasks + (size_t)(sums_bytes(problem) * blocks->slices);
}

void lay_slices_run(const lay_problem *problem, const lay_job *job, const lay_call *call, lay_run_part_fn *run,
                    void *workspace)
{
    const lay_blocked *blocks = &job->of.cpu;
    char *const sums = (char *)workspace + blocks->slice_workspace * (size_t)blocks->slice_tasks;
    work of = { problem, job, call, run, sums, workspace };
    lay_parallel_for(job->threads, blocks->slice_tasks, sum_slices, &of);
    add_slices(&of);
}
