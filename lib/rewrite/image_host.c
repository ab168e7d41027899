/* Images in host memory: copied by the CPU's threads, into a run's workspace. */
#include "rewrite/image.h"

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cpu/cost/cost.h"
#include "cpu/strict.h"
#include "cpu/ways.h"
#include "machine/rates.h"
#include "plan/branch.h"
#include "rewrite/ways.h"
#include "storage/copy.h"
#include "threads/workspace.h"

enum { UNIT = 64 /* bytes: a copy's job lies behind the images, the child's workspace behind it */ };
static const size_t job_bytes = (sizeof(lay_copy_job) + UNIT - 1) / UNIT * UNIT;

static double predict_copy(const lay_branch *branch, lay_type type, const lay_desc *from, const lay_desc *to)
{
    static char nowhere; /* addresses are of no interest */
    lay_copy_job job;
    const lay_change change = lay_change_none(type);
    lay_copy_prepare(&change, from, &nowhere, to, &nowhere, &job);
    return lay_copy_predict(&job, branch->setting.threads);
}

/* An eighth of what the machine has. */
static size_t most_bytes(void)
{
    enum { SHARE = 8 };
    return (size_t)lay_machine_get()->memory / SHARE;
}

static const char *prepare(lay_branch *branch)
{
    enum { PIECES = 3, TRANSPOSED = 8 /* elements: from there on packers copy pieces, and turn in registers */ };
    const lay_rates *rates = lay_rates_get();
    const lay_kernel *kernel = lay_strict_find_plain(branch->problem.types.left, branch->setting.choice->isa, NULL);
    if (!kernel)
        return "there is no kernel";
    const lay_image_place place = { .line = kernel->nr,
                                    .across = PIECES,
                                    .along = TRANSPOSED,
                                    .others =
                                        branch->setting.limit > rates->image_sets * 1e-9 ? rates->image_others : 0,
                                    .may_lie_otherwise = 1,
                                    .most_bytes = most_bytes(),
                                    .kept_bytes = LAY_WORKSPACE_KEPT,
                                    .fresh_byte = rates->fresh_byte * 1e-9,
                                    .predict_copy = predict_copy,
                                    .least = lay_cost_least(&branch->problem, &branch->setting) };
    const char *reason = lay_image_prepare(branch, &place);
    if (reason)
        return reason;
    const lay_images *images = branch->job.data;
    branch->job.is_prompt = branch->child->job.is_prompt;
    branch->job.workspace = images->bytes + job_bytes + branch->child->job.workspace;
    return NULL;
}

static void copy(const lay_branch *branch, int operand, const lay_desc *from, const void *src, const lay_desc *to,
                 void *dst, lay_copy_job *job)
{
    const lay_change change = lay_change_none(lay_types_at(&branch->problem.types, operand));
    lay_copy_prepare(&change, from, src, to, dst, job);
    lay_copy_on_host(job, branch->setting.threads, branch->setting.choice->isa);
}

/* What a child does with the images, or to C's alone. */
typedef lay_status child_fn(lay_branch *child, const lay_call *call);

static lay_status run_child(lay_branch *child, const lay_call *call)
{
    return child->way->run(child, call);
}

static lay_status do_between_copies(lay_branch *branch, const lay_call *call, unsigned which, child_fn *one)
{
    const lay_images *images = branch->job.data;
    lay_branch *const child = branch->child;
    char *const block = lay_strict_take_workspace(branch, call, NULL);
    if (!block)
        return LAY_ERR_MEMORY;
    lay_copy_job *const job = (lay_copy_job *)(void *)(block + images->bytes);
    lay_call inner = lay_image_call(images, call, block);
    inner.workspace = block + images->bytes + job_bytes;
    const void *const own[] = { call->left, call->right, call->c };
    const int is_read = !lay_scalar_is(call->beta, branch->problem.types.sum, 0);
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (images->desc[i] && (which >> i & 1) && (i != LAY_RESULT || is_read))
            copy(branch, i, lay_image_of(branch, i), own[i], images->desc[i], block + images->at[i], job);
    const lay_status status = one(child, &inner);
    if (images->desc[LAY_RESULT] && status == LAY_OK)
        copy(branch, LAY_RESULT, images->desc[LAY_RESULT], inner.c, lay_image_of(branch, LAY_RESULT), call->c, job);
    lay_strict_give_workspace(call, NULL, block);
    return status;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    return do_between_copies(branch, call, LAY_IMAGE_OF_A | LAY_IMAGE_OF_B | LAY_IMAGE_OF_C, run_child);
}

/* The order's own, which knows one product; of a batch whose C has an image the child's. */
static lay_status scale(lay_branch *branch, const lay_call *call)
{
    const lay_images *images = branch->job.data;
    if (!branch->problem.is_batch)
        return branch->setting.order->scale(branch, call);
    if (!images->desc[LAY_RESULT])
        return lay_branch_scale(branch->child, call);
    return do_between_copies(branch, call, LAY_IMAGE_OF_C, lay_branch_scale);
}

const lay_way lay_way_image = {
    .name = "image",
    .order = &lay_order_cpu,
    .takes = LAY_TAKES_BATCH | LAY_TAKES_GRID | LAY_TAKES_NUMBERS,
    .tunes = 1 << LAY_TUNE_IMAGES,
    .tell = lay_image_tell,
    .data = sizeof(lay_images),
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = lay_image_explain,
    .release = lay_image_release,
};
