/* Blocks of C, each by pieces along k: A's and B's pieces are widened to dense FP32 matrices that lie as the operands
 * do, and handed to the executor of FP32 products, which knows every layout. C's block is FP32 until it is whole. */
#include "cpu/narrow.h"

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "base/text.h"
#include "base/workspace.h"
#include "cpu/executor.h"
#include "cpu/pieces.h"
#include "layout/desc.h"

static const char not_mine[] = "multiplies 16-bit types";

enum { SIDE = LAY_PIECE_SIDE }; /* of a block of C, and steps of a piece: fixed, for the order of the sum rests on it */

/* One size of a block's product, as FP32. */
typedef struct inner {
    int64_t m, n, k;
    lay_desc *a, *b, *c;
    lay_way *way;
} inner;
enum { SIZES = 8 }; /* whole pieces and the last ones, in three dimensions */

/* A product on its way. Matrices lie in memory by rows or by columns, as the operands do. */
typedef struct state {
    const lay_problem *problem;
    const lay_setting *setting;
    int threads;
    lay_piece left, right, c;
    int left_by_rows, right_by_rows, c_by_rows;
    inner size[SIZES];
    int sizes;
    void *workspace; /* of the block's product */
} state;

static lay_status describe(int64_t rows, int64_t columns, int is_by_rows, lay_desc **out)
{
    const int64_t extents[] = { rows, columns }, strides[] = { is_by_rows ? columns : 1, is_by_rows ? 1 : rows };
    return lay_desc_strided(2, extents, strides, out);
}

/* C^T = B^T A^T where C lies by columns: the vectors of the kernels go along n. *reason: set unless memory runs out. */
static lay_status make_way(const state *of, inner *size, const char **reason)
{
    lay_status status;
    if ((status = describe(size->m, size->k, of->left_by_rows, &size->a)) ||
        (status = describe(size->k, size->n, of->right_by_rows, &size->b)) ||
        (status = describe(size->m, size->n, of->c_by_rows, &size->c)))
        return status;
    if (!(size->way = calloc(1, sizeof *size->way)))
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    size->way->setting = *of->setting;
    size->way->job.executor = &lay_executor_cpu;
    lay_problem_make(LAY_F32, size->a, size->b, size->c, !of->c_by_rows, &size->way->problem);
    size->way->problem.is_stranded &= of->problem->is_stranded; /* the last row of many is no vector */
    *reason = lay_executor_cpu.prepare(&size->way->problem, of->setting, &size->way->job);
    return *reason ? LAY_ERR_UNSUPPORTED : LAY_OK;
}

static void drop(inner *size)
{
    free(size->way);
    lay_desc_destroy(size->a);
    lay_desc_destroy(size->b);
    lay_desc_destroy(size->c);
}

/* All sizes that the product has, before anything is written. */
static lay_status make_ways(state *of)
{
    const int64_t extent[] = { of->problem->m.extent, of->problem->n.extent, of->problem->k.extent };
    for (int number = 0; number < SIZES; number++) {
        int64_t size[3];
        for (int i = 0; i < 3; i++)
            size[i] = number >> i & 1 ? extent[i] % SIDE : extent[i] >= SIDE ? SIDE : 0;
        if (!size[0] || !size[1] || !size[2])
            continue;
        inner *made = &of->size[of->sizes++];
        *made = (inner){ .m = size[0], .n = size[1], .k = size[2] };
        const char *reason;
        const lay_status status = make_way(of, made, &reason);
        if (status != LAY_OK)
            return status == LAY_ERR_UNSUPPORTED ? lay_fail(status, "%s", reason) : status;
    }
    return LAY_OK;
}

static lay_way *find_way(const state *of, int64_t m, int64_t n, int64_t k)
{
    const inner *size = of->size;
    while (size->m != m || size->n != n || size->k != k)
        size++;
    return size->way;
}

/* Which part of the matrix the piece is. */
static void choose(lay_piece *piece, int is_by_rows, int64_t row, int64_t rows, int64_t column, int64_t columns)
{
    piece->first_outer = is_by_rows ? row : column;
    piece->outers = is_by_rows ? rows : columns;
    piece->first_inner = is_by_rows ? column : row;
    piece->inners = is_by_rows ? columns : rows;
}

static int is_same(const lay_piece *x, const lay_piece *y)
{
    return x->first_outer == y->first_outer && x->outers == y->outers && x->first_inner == y->first_inner &&
           x->inners == y->inners;
}

/* Unless it is there from before. */
static void widen(lay_piece *piece, const lay_piece *before, int threads)
{
    if (!is_same(piece, before))
        lay_piece_widen(piece, threads);
}

/* Rows i .. i + m - 1, columns j .. j + n - 1. */
static void multiply_block(state *of, int64_t i, int64_t m, int64_t j, int64_t n)
{
    static const float zero = 0, one = 1;
    for (int64_t p = 0; p < of->problem->k.extent; p += SIDE) {
        const int64_t k = min_of(SIDE, of->problem->k.extent - p);
        const lay_piece left = of->left, right = of->right;
        choose(&of->left, of->left_by_rows, i, m, p, k);
        choose(&of->right, of->right_by_rows, p, k, j, n);
        widen(&of->left, &left, of->threads);
        widen(&of->right, &right, of->threads);
        const float *const a = of->c_by_rows ? of->left.dense : of->right.dense;
        const float *const b = of->c_by_rows ? of->right.dense : of->left.dense;
        const lay_call call = { .alpha = &one, .left = a, .right = b, .beta = p ? &one : &zero, .c = of->c.dense };
        lay_cpu_multiply(find_way(of, m, n, k), &call, of->workspace);
    }
}

static void multiply_blocks(state *of, const lay_call *call)
{
    const float alpha = *(const float *)call->alpha, beta = *(const float *)call->beta;
    for (int64_t j = 0; j < of->problem->n.extent; j += SIDE)
        for (int64_t i = 0; i < of->problem->m.extent; i += SIDE) {
            const int64_t m = min_of(SIDE, of->problem->m.extent - i), n = min_of(SIDE, of->problem->n.extent - j);
            multiply_block(of, i, m, j, n);
            choose(&of->c, of->c_by_rows, i, m, j, n);
            lay_piece_round(&of->c, alpha, beta, of->threads);
        }
}

/* Elements of the three dense pieces, each begun where a cache line is. */
typedef struct room {
    size_t left, right, c;
} room;

static room room_of(const lay_problem *problem)
{
    const int64_t m = min_of(SIDE, problem->m.extent), n = min_of(SIDE, problem->n.extent),
                  k = min_of(SIDE, problem->k.extent);
    return (room){ (size_t)ceil_div(m * k, 16) * 16, (size_t)ceil_div(k * n, 16) * 16,
                   (size_t)ceil_div(m * n, 16) * 16 };
}

/* All memory is there before anything is written. */
static lay_status multiply_with_ways(state *now, const lay_call *call)
{
    const room of = room_of(now->problem);
    size_t largest = 0;
    for (int i = 0; i < now->sizes; i++)
        if (now->size[i].way->job.workspace > largest)
            largest = now->size[i].way->job.workspace;
    const size_t bytes = (of.left + of.right + of.c) * sizeof(float) + largest;
    float *const dense = lay_workspace_take(bytes);
    if (!dense)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a workspace of %zu bytes", bytes);
    now->left.dense = dense;
    now->right.dense = now->left.dense + of.left;
    now->c.dense = now->right.dense + of.right;
    now->workspace = now->c.dense + of.c;
    multiply_blocks(now, call);
    lay_workspace_give(dense);
    return LAY_OK;
}

static lay_status multiply(lay_way *way, const lay_call *call)
{
    const lay_problem *problem = &way->problem;
    state now = { .problem = problem, .setting = &way->setting, .threads = way->job.threads };
    now.left = lay_piece_of(problem->type, &problem->left_m, &problem->left_k, (char *)(uintptr_t)call->left, NULL,
                            &now.left_by_rows);
    now.right = lay_piece_of(problem->type, &problem->right_k, &problem->right_n, (char *)(uintptr_t)call->right, NULL,
                             &now.right_by_rows);
    now.c = lay_piece_of(problem->type, &problem->result_m, &problem->result_n, call->c, NULL, &now.c_by_rows);
    lay_status status = make_ways(&now);
    if (status == LAY_OK)
        status = multiply_with_ways(&now, call);
    for (int i = 0; i < now.sizes; i++)
        drop(&now.size[i]);
    return status;
}

static lay_status scale(lay_way *way, const lay_call *call)
{
    const lay_problem *problem = &way->problem;
    int is_by_rows;
    lay_piece c = lay_piece_of(problem->type, &problem->result_m, &problem->result_n, call->c, NULL, &is_by_rows);
    for (int64_t j = 0; j < problem->n.extent; j += SIDE)
        for (int64_t i = 0; i < problem->m.extent; i += SIDE) {
            choose(&c, is_by_rows, i, min_of(SIDE, problem->m.extent - i), j, min_of(SIDE, problem->n.extent - j));
            lay_piece_round(&c, 0, *(const float *)call->beta, way->setting.choice->threads);
        }
    return LAY_OK;
}

/* A row-major FP32 product of the block's size, for what it takes. */
static const char *prepare_block(const lay_problem *problem, const lay_setting *setting, lay_job *job)
{
    state of = { .problem = problem, .setting = setting, .left_by_rows = 1, .right_by_rows = 1, .c_by_rows = 1 };
    inner block = { .m = min_of(SIDE, max_of(problem->m.extent, 1)),
                    .n = min_of(SIDE, max_of(problem->n.extent, 1)),
                    .k = min_of(SIDE, max_of(problem->k.extent, 1)) };
    const char *reason = lay_no_memory;
    if (make_way(&of, &block, &reason) == LAY_OK)
        *job = block.way->job;
    drop(&block);
    return reason;
}

static const char *prepare(const lay_problem *problem, const lay_setting *setting, lay_job *job)
{
    static const double an_element = 0.5e-9; /* seconds, to widen it or to round it */
    const lay_executor *const own = job->executor;
    if (problem->type != LAY_F16 && problem->type != LAY_BF16)
        return not_mine;
    if (setting->options->compute > LAY_COMPUTE_STRICT)
        return "options.compute is for f32 operands";
    if (problem->is_turned)
        return "either way round is the same work";
    const char *reason = prepare_block(problem, setting, job);
    if (reason)
        return reason;
    const room of = room_of(problem);
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    const double blocks = ceil(m / SIDE) * ceil(n / SIDE) * ceil(k / SIDE);
    job->executor = own;
    job->seconds = blocks * job->seconds + (m * k * ceil(n / SIDE) + k * n * ceil(m / SIDE) + m * n) * an_element;
    job->workspace += (of.left + of.right + of.c) * sizeof(float);
    return NULL;
}

static void explain(const lay_way *way, lay_text *text)
{
    const room of = room_of(&way->problem);
    lay_text_add(text,
                 "widened   pieces of %d steps to FP32, %zu bytes, multiplied by %s, C rounded once\n"
                 "  blocks of C %d x %d\n",
                 SIDE, (of.left + of.right + of.c) * sizeof(float), way->job.kernel, SIDE, SIDE);
}

const lay_executor lay_executor_narrow_cpu = {
    .name = "cpu16",
    .not_mine = not_mine,
    .prepare = prepare,
    .multiply = multiply,
    .scale = scale,
    .explain = explain,
};
