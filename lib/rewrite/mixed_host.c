/* Products of several types whose images lie in host memory: made by the CPU's threads, in a run's workspace. */
#include "rewrite/mixed.h"

#include "base/scalar.h"
#include "base/status.h"
#include "cpu/strict.h"
#include "rewrite/ways.h"

static double predict(const lay_branch *branch, const lay_change *change, const lay_desc *from, const lay_desc *to)
{
    static char nowhere; /* addresses are of no interest */
    lay_copy_job job;
    lay_copy_prepare(change, from, &nowhere, to, &nowhere, &job);
    return lay_copy_predict(&job, branch->setting.threads);
}

/* An eighth of what the machine has. */
static size_t most_bytes(void)
{
    enum { SHARE = 8 };
    return (size_t)lay_machine_get()->memory / SHARE;
}

/* What caches hold beside the rest, where blocks of rows or columns have the bits of the whole: of plain products,
 * but those of two complex operands, whose terms have an order by the sizes. */
static size_t near_bytes(const lay_branch *branch)
{
    enum { SHARE = 4 };
    const lay_types *types = &branch->problem.types;
    if (branch->problem.compute > LAY_COMPUTE_STRICT ||
        (lay_type_is_complex(types->left) && lay_type_is_complex(types->right)))
        return 0;
    return (size_t)lay_machine_get()->l2 / SHARE * (size_t)branch->setting.threads;
}

static const char *prepare(lay_branch *branch)
{
    const lay_mixed_place place = {
        .where = LAY_PLACE_HOST, .most_bytes = most_bytes(), .near_bytes = near_bytes(branch), .predict = predict
    };
    if (branch->setting.order->backend != LAY_BACKEND_CPU)
        return "images are made in device memory";
    const char *reason = lay_mixed_prepare(branch, &place);
    if (reason)
        return reason;
    const lay_mixed *own = branch->job.data;
    size_t most = 0;
    for (int i = 0; i < own->count; i++) {
        const size_t of_block = lay_mixed_child(branch, i)->job.workspace;
        most = of_block > most ? of_block : most;
    }
    branch->job.workspace = own->bytes + most;
    return NULL;
}

static void copy(const lay_branch *branch, const lay_mixed_copy *of, lay_copy_job *job)
{
    lay_copy_prepare(&of->change, of->from, of->src, of->to, of->dst, job);
    lay_copy_on_host(job, branch->setting.threads, branch->setting.choice->isa);
}

static lay_status run_block(lay_branch *branch, int number, const lay_call *call, char *block)
{
    lay_copy_job job;
    lay_mixed_copy next;
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (lay_mixed_copy_in(branch, number, i, call, block, &next))
            copy(branch, &next, &job);
    lay_branch *const child = lay_mixed_child(branch, number);
    lay_call inner = lay_mixed_call(branch, number, call, block);
    inner.workspace = block + ((const lay_mixed *)branch->job.data)->bytes;
    const lay_status status = child->way->run(child, &inner);
    if (status == LAY_OK && lay_mixed_copy_out(branch, number, call, block, &next))
        copy(branch, &next, &job);
    return status;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    const lay_mixed *own = branch->job.data;
    lay_status status = lay_mixed_check_addend(branch, call);
    if (status != LAY_OK)
        return status;
    _Alignas(64) char small[LAY_SMALL_WORKSPACE];
    char *const block = lay_strict_take_workspace(branch, call, small); /* images, then the child's */
    if (!block)
        return LAY_ERR_MEMORY;
    for (int i = 0; i < own->count && status == LAY_OK; i++) {
        status = run_block(branch, i, call, block);
        if (status != LAY_OK && i > 0)
            status = lay_fail_spoilt(status);
    }
    lay_strict_give_workspace(call, small, block);
    return status;
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    lay_copy_job job;
    const lay_mixed_copy of = lay_mixed_scale(branch, call);
    const lay_status status = lay_mixed_check_addend(branch, call);
    if (status == LAY_OK)
        copy(branch, &of, &job);
    return status;
}

const lay_way lay_way_mixed = {
    .name = "mixed",
    .takes = LAY_TAKES_MIXED | LAY_TAKES_ADDEND | LAY_TAKES_BATCH | LAY_TAKES_COMPLEX | LAY_TAKES_GRID,
    .only = LAY_TAKES_MIXED,
    .data = sizeof(lay_mixed),
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = lay_mixed_explain,
    .release = lay_mixed_release,
};
