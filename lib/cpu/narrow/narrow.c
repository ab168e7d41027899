/* Blocks of C, each by pieces along k: A's and B's pieces are widened to dense FP32 matrices that lie as the operands
 * do, and handed to the executor of FP32 products, which knows every layout. C's block is FP32 until it is whole.
 * Products with a vector have a way of their own. */

#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "base/text.h"
#include "cpu/narrow/pieces.h"
#include "cpu/scale.h"
#include "cpu/strict.h"
#include "cpu/ways.h"
#include "layout/desc.h"
#include "machine/rates.h"
#include "plan/branch.h"
#include "threads/workspace.h"

static const char not_mine[] = "multiplies 16-bit types";

enum { SIDE = LAY_PIECE_SIDE }; /* of a block of C, and steps of a piece: fixed, for the order of the sum rests on it */

/* One size of a block's product, as FP32. */
typedef struct inner {
    int64_t m, n, k, count; /* so many blocks of it */
    lay_desc *a, *b, *c;
    lay_branch *branch;
} inner;
enum { SIZES = 8 }; /* whole pieces and the last ones, in three dimensions */

/* What the way prepared. Matrices lie in memory by rows or by columns, as the operands do. */
typedef struct widened {
    int left_by_rows, right_by_rows, c_by_rows;
    inner size[SIZES];
    int sizes;
} widened;

/* A product on its way. */
typedef struct state {
    const lay_problem *problem;
    const widened *own;
    int threads;
    lay_piece left, right, c;
    void *workspace; /* of the block's product */
} state;

static lay_status describe(int64_t rows, int64_t columns, int is_by_rows, lay_desc **out)
{
    const int64_t extents[] = { rows, columns }, strides[] = { is_by_rows ? columns : 1, is_by_rows ? 1 : rows };
    return lay_desc_strided(2, extents, strides, out);
}

/* NULL, or why there is none. */
static const char *make_inner(const lay_branch *branch, inner *size)
{
    const widened *own = branch->job.data;
    lay_setting setting = branch->setting;
    const char *refusal;
    if (describe(size->m, size->k, own->left_by_rows, &size->a) ||
        describe(size->k, size->n, own->right_by_rows, &size->b) ||
        describe(size->m, size->n, own->c_by_rows, &size->c))
        return lay_no_memory;
    lay_problem *problem = malloc(sizeof *problem);
    if (!problem)
        return lay_no_memory;
    setting.order = &lay_order_cpu;
    setting.inside = 0;
    setting.step = NULL; /* products of several sizes are below */
    lay_posed posed = { .types = lay_types_of(LAY_F32),
                        .compute = branch->problem.compute,
                        .sum = lay_sum_of(size->m, size->n, size->k),
                        .a = size->a,
                        .b = size->b,
                        .c = size->c };
    posed.sum.has_partial_sums &= branch->problem.sum.has_partial_sums; /* the last row of many is no vector */
    lay_problem_pose(&posed, problem);
    size->branch = lay_branch_find(problem, &setting, &refusal, NULL);
    free(problem);
    return size->branch ? NULL : refusal;
}

/* All sizes that the product has. */
static const char *make_sizes(lay_branch *branch)
{
    widened *own = branch->job.data;
    const int64_t extent[] = { max_of(branch->problem.m.extent, 1), max_of(branch->problem.n.extent, 1),
                               max_of(branch->problem.k.extent, 1) };
    for (int number = 0; number < SIZES; number++) {
        int64_t size[3], count = 1;
        for (int i = 0; i < 3; i++) {
            size[i] = number >> i & 1 ? extent[i] % SIDE : extent[i] >= SIDE ? SIDE : 0;
            count *= number >> i & 1 ? 1 : extent[i] / SIDE;
        }
        if (!size[0] || !size[1] || !size[2])
            continue;
        inner *made = &own->size[own->sizes++];
        *made = (inner){ .m = size[0], .n = size[1], .k = size[2], .count = count };
        const char *reason = make_inner(branch, made);
        if (reason)
            return reason;
    }
    return NULL;
}

static void release(lay_branch *branch)
{
    widened *own = branch->job.data;
    for (int i = 0; i < own->sizes; i++) {
        lay_branch_destroy(own->size[i].branch);
        lay_desc_destroy(own->size[i].a);
        lay_desc_destroy(own->size[i].b);
        lay_desc_destroy(own->size[i].c);
    }
}

static lay_branch *find_inner(const state *of, int64_t m, int64_t n, int64_t k)
{
    const inner *size = of->own->size;
    while (size->m != m || size->n != n || size->k != k)
        size++;
    return size->branch;
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

/* Rows i .. i + m - 1, columns j .. j + n - 1. Cannot fail: the workspace is there. */
static void multiply_block(state *of, int64_t i, int64_t m, int64_t j, int64_t n)
{
    static const float zero = 0, one = 1;
    for (int64_t p = 0; p < of->problem->k.extent; p += SIDE) {
        const int64_t k = min_of(SIDE, of->problem->k.extent - p);
        const lay_piece left = of->left, right = of->right;
        choose(&of->left, of->own->left_by_rows, i, m, p, k);
        choose(&of->right, of->own->right_by_rows, p, k, j, n);
        widen(&of->left, &left, of->threads);
        widen(&of->right, &right, of->threads);
        const lay_call call = { .alpha = &one,
                                .left = of->left.dense,
                                .right = of->right.dense,
                                .beta = p ? &one : &zero,
                                .c = of->c.dense,
                                .workspace = of->workspace };
        lay_branch *const of_size = find_inner(of, m, n, k);
        of_size->way->run(of_size, &call);
    }
}

static void multiply_blocks(state *of, const lay_call *call)
{
    const float alpha = *(const float *)call->alpha, beta = *(const float *)call->beta;
    for (int64_t j = 0; j < of->problem->n.extent; j += SIDE)
        for (int64_t i = 0; i < of->problem->m.extent; i += SIDE) {
            const int64_t m = min_of(SIDE, of->problem->m.extent - i), n = min_of(SIDE, of->problem->n.extent - j);
            multiply_block(of, i, m, j, n);
            choose(&of->c, of->own->c_by_rows, i, m, j, n);
            lay_piece_round(&of->c, alpha, beta, of->threads);
        }
}

/* Elements of the three dense pieces, each of which begins where a cache line does. */
typedef struct room {
    size_t left, right, c;
} room;

static room room_of(const lay_problem *problem)
{
    const int64_t m = min_of(SIDE, problem->m.extent), n = min_of(SIDE, problem->n.extent),
                  k = min_of(SIDE, problem->k.extent);
    return (room){ (size_t)round_up(m * k, LAY_PIECE_LINE), (size_t)round_up(k * n, LAY_PIECE_LINE),
                   (size_t)round_up(m * n, LAY_PIECE_LINE) };
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    const lay_problem *problem = &branch->problem;
    const lay_half_row *const row = lay_half_find(problem->types.left, branch->setting.choice->isa);
    const room of = room_of(problem);
    int by_rows; /* known since it was prepared */
    state now = { .problem = problem, .own = branch->job.data, .threads = branch->job.threads };
    void *workspace = lay_strict_take_workspace(branch, call, NULL);
    if (!workspace)
        return LAY_ERR_MEMORY;
    now.left = lay_piece_of(row, &problem->left_m, &problem->left_k, (char *)(uintptr_t)call->left, NULL, &by_rows);
    now.right = lay_piece_of(row, &problem->right_k, &problem->right_n, (char *)(uintptr_t)call->right, NULL, &by_rows);
    now.c = lay_piece_of(row, &problem->result_m, &problem->result_n, call->c, NULL, &by_rows);
    now.left.dense = workspace;
    now.right.dense = now.left.dense + of.left;
    now.c.dense = now.right.dense + of.right;
    now.workspace = now.c.dense + of.c;
    multiply_blocks(&now, call);
    lay_strict_give_workspace(call, NULL, workspace);
    return LAY_OK;
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    const lay_problem *problem = &branch->problem;
    int is_by_rows;
    if (problem->types.result == LAY_F32) {
        lay_scale(problem, branch->setting.threads, call->beta, call->c);
        return LAY_OK;
    }
    const lay_half_row *const row = lay_half_find(problem->types.result, branch->setting.choice->isa);
    lay_piece c = lay_piece_of(row, &problem->result_m, &problem->result_n, call->c, NULL, &is_by_rows);
    for (int64_t j = 0; j < problem->n.extent; j += SIDE)
        for (int64_t i = 0; i < problem->m.extent; i += SIDE) {
            choose(&c, is_by_rows, i, min_of(SIDE, problem->m.extent - i), j, min_of(SIDE, problem->n.extent - j));
            lay_piece_round(&c, 0, *(const float *)call->beta, branch->setting.threads);
        }
    return LAY_OK;
}

/* A matrix that meets a vector is read as it lies, whatever the vector and C are. */
static int mixes(const lay_problem *problem)
{
    const lay_type matrix = problem->n.extent == 1 ? problem->types.left : problem->types.right;
    return problem->sum.has_partial_sums && problem->types.sum == LAY_F32 && lay_size_of(matrix) == 2;
}

static const char *refuse(const lay_problem *problem, const lay_setting *setting)
{
    if (!mixes(problem) && problem->types.left != LAY_F16 && problem->types.left != LAY_BF16)
        return not_mine;
    if (problem->compute > LAY_COMPUTE_STRICT)
        return "options.compute is for f32 operands";
    lay_problem as_f32 = *problem;
    as_f32.types = lay_types_of(LAY_F32);
    return lay_order_cpu.refuse(&as_f32, setting);
}

static const char *prepare(lay_branch *branch)
{
    const lay_rates *rates = lay_rates_get();
    const lay_problem *problem = &branch->problem;
    widened *own = branch->job.data;
    lay_job *job = &branch->job;
    if (problem->is_transposed)
        return "either way round is the same work";
    if (problem->sum.has_partial_sums)
        return "a matrix is read as it lies where it meets a vector";
    lay_piece_of(NULL, &problem->left_m, &problem->left_k, NULL, NULL, &own->left_by_rows);
    lay_piece_of(NULL, &problem->right_k, &problem->right_n, NULL, NULL, &own->right_by_rows);
    lay_piece_of(NULL, &problem->result_m, &problem->result_n, NULL, NULL, &own->c_by_rows);
    const char *reason = make_sizes(branch);
    if (reason)
        return reason;
    const room of = room_of(problem);
    const double m = (double)problem->m.extent, n = (double)problem->n.extent, k = (double)problem->k.extent;
    size_t largest = 0;
    job->threads = 1;
    for (int i = 0; i < own->sizes; i++) {
        const lay_job *of_size = &own->size[i].branch->job;
        largest = of_size->workspace > largest ? of_size->workspace : largest;
        job->threads = of_size->threads > job->threads ? of_size->threads : job->threads;
        job->seconds += (double)own->size[i].count * of_size->seconds;
    }
    job->kernel = own->size[0].branch->job.kernel;
    const double elements = m * k * ceil(n / SIDE) + k * n * ceil(m / SIDE) + m * n;
    const double lines = (own->left_by_rows ? m : k) + (own->right_by_rows ? k : n) + (own->c_by_rows ? m : n);
    job->seconds += (elements * rates->widen_element + lines * rates->widen_line + rates->call_widened) * 1e-9;
    job->workspace = (of.left + of.right + of.c) * sizeof(float) + largest;
    return NULL;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const room of = room_of(&branch->problem);
    lay_text_add(text,
                 "widened   pieces of %d steps to FP32, %zu bytes, multiplied by %s, C rounded once\n"
                 "  blocks of C %d x %d\n",
                 SIDE, (of.left + of.right + of.c) * sizeof(float), branch->job.kernel, SIDE, SIDE);
}

const lay_order lay_order_cpu_narrow = {
    .name = "cpu16",
    .backend = LAY_BACKEND_CPU,
    .treatment = LAY_AS_THEY_ARE,
    .not_mine = not_mine,
    .refuse = refuse,
    .mixes = mixes,
    .scale = scale,
};

const lay_way lay_way_widened = {
    .name = "widened",
    .order = &lay_order_cpu_narrow,
    .data = sizeof(widened),
    .prepare = prepare,
    .run = run,
    .explain = explain,
    .release = release,
};
