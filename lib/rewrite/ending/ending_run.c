/* A product with an ending, run piece by piece. */
#include "rewrite/ending/pieces.h"

#include <assert.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "cpu/strict.h"
#include "layout/desc.h"
#include "plan/branch.h"
#include "storage/copy.h"
#include "threads/parallel.h"

/* A run under way. */
typedef struct work {
    lay_branch *branch;
    const lay_call *call;
    int is_scaling; /* there is no product: sums are beta C */
    char *workspace;
} work;

static const void *shift(const void *zero, const lay_desc *desc, int operand, int dimension, int64_t index,
                         lay_type type)
{
    const int root = zero && desc && index > 0 ? lay_end_root(desc, operand, dimension) : -1;
    if (root < 0)
        return zero;
    const lay_node *map = lay_desc_map(desc, root);
    return (const char *)zero + (lay_map_offset(map, index) - lay_map_offset(map, 0)) * lay_size_of(type);
}

/* Sums in workspace begin as C, times beta where there is no product. */
static void fill_sums(const work *of, const lay_end_piece *which, const void *c, void *sums)
{
    const lay_branch *branch = of->branch;
    const lay_desc *const desc = which->from ? which->from : lay_end_read(&branch->problem.posed);
    const lay_types *types = &branch->problem.types;
    const lay_desc *const to = which->c;
    const int is_read = !lay_scalar_is(of->call->beta, types->sum, 0);
    static const double zeros[2] = { 0, 0 }; /* of any type */
    lay_copy_job job;
    if (!is_read && !of->is_scaling)
        return;
    const lay_change change = { .from = is_read ? types->addend : types->sum,
                                .to = types->sum,
                                .is_conjugated = is_read && branch->problem.posed.is_addend_conjugated,
                                .alpha = !is_read         ? zeros
                                         : of->is_scaling ? of->call->beta
                                                          : NULL };
    lay_copy_prepare(&change, is_read ? desc : to, is_read ? c : sums, to, sums, &job);
    lay_copy_on_host(&job, which->child->setting.threads, branch->setting.choice->isa);
}

static lay_status do_piece(const work *of, int64_t number, char *workspace)
{
    lay_branch *branch = of->branch;
    const lay_ending_job *own = branch->job.data;
    const lay_end_plan *how = &own->plan;
    const lay_problem *problem = &branch->problem;
    const lay_posed *posed = &problem->posed;
    const lay_call *call = of->call;
    const int dimension = how->cut.dimension;
    const int64_t first = number * how->cut.each;
    const lay_end_piece *which = how->last.child && number == how->cut.count - 1 ? &how->last : &how->piece;
    lay_end_part part = { .by = &own->ender,
                          .terms = call->terms,
                          .d = call->c,
                          .sums = how->is_apart ? workspace : NULL,
                          .stride = { which->stride[0], which->stride[1], which->stride[2] },
                          .count = { problem->batch.extent, problem->m.extent, problem->n.extent } };
    if (dimension >= 0) {
        part.first[dimension] = first;
        part.count[dimension] = min_of(how->cut.each, part.count[dimension] - first);
    }
    lay_call inner = *call;
    inner.terms = NULL;
    inner.left = shift(call->left, posed->a, LAY_LEFT, dimension, first, problem->types.left);
    inner.right = shift(call->right, posed->b, LAY_RIGHT, dimension, first, problem->types.right);
    inner.workspace = workspace + how->sums;
    const void *const addend = shift(call->addend, posed->addend, LAY_RESULT, dimension, first, problem->types.addend);
    void *const d = (void *)(uintptr_t)shift(call->c, posed->c, LAY_RESULT, dimension, first, problem->types.result);
    inner.addend = how->is_apart ? NULL : addend;
    inner.c = how->is_apart ? workspace : d;
    if (how->is_apart)
        fill_sums(of, which, call->addend ? addend : d, workspace);
    lay_branch *const child = which->child;
    lay_status status = LAY_OK;
    if (!of->is_scaling)
        status = child->way->run(child, &inner);
    else if (!how->is_apart)
        status = lay_branch_scale(child, &inner);
    if (status == LAY_OK)
        lay_end_apply(&part, child->setting.threads);
    return status;
}

static void do_share(void *argument, int64_t number)
{
    const work *of = argument;
    const lay_end_plan *how = &((const lay_ending_job *)of->branch->job.data)->plan;
    const int64_t from = how->cut.count * number / how->shares, to = how->cut.count * (number + 1) / how->shares;
    for (int64_t i = from; i < to; i++) {
        const lay_status status = do_piece(of, i, of->workspace + (size_t)number * how->own);
        assert(status == LAY_OK); /* the CPU's ways lack nothing but memory, and here it is */
        (void)status;
    }
}

static lay_status do_all(lay_branch *branch, const lay_call *call, int is_scaling)
{
    _Alignas(LAY_WORKSPACE_ALIGNMENT) char small[LAY_SMALL_WORKSPACE];
    const lay_end_plan *how = &((const lay_ending_job *)branch->job.data)->plan;
    work of = { branch, call, is_scaling, lay_strict_take_workspace(branch, call, small) };
    lay_status status = LAY_OK;
    if (!of.workspace)
        return LAY_ERR_MEMORY;
    if (how->shares > 1)
        lay_parallel_for((int)how->shares, how->shares, do_share, &of);
    for (int64_t i = 0; how->shares == 1 && i < how->cut.count && status == LAY_OK; i++)
        status = do_piece(&of, i, of.workspace);
    lay_strict_give_workspace(call, small, of.workspace);
    return status;
}

lay_status lay_end_run(lay_branch *branch, const lay_call *call)
{
    return do_all(branch, call, 0);
}

lay_status lay_end_scale(lay_branch *branch, const lay_call *call)
{
    return do_all(branch, call, 1);
}
