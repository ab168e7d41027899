/* Complex products whose expanded operand lies in host memory: images are made by the CPU's threads, in a run's
 * workspace. */
#include "rewrite/complex/complex.h"

#include "base/arith.h"
#include "base/status.h"
#include "cpu/strict.h"
#include "layout/desc.h"
#include "machine/rates.h"
#include "plan/branch.h"
#include "rewrite/ways.h"
#include "storage/copy.h"
#include "storage/expand.h"
#include "threads/parallel.h"
#include "threads/workspace.h"

enum { UNIT = 64 /* bytes: a copy's job lies behind the image, the child's workspace behind it */ };
static const size_t job_bytes = (sizeof(lay_copy_job) + UNIT - 1) / UNIT * UNIT;
static const int64_t task_bytes = 1 << 16;

/* The operand's segments of unit stride are the image's. */
static int is_read_in_place(const lay_complex *own, const lay_complex_block *block)
{
    const lay_node *segment = lay_desc_map(block->source, own->is_along == (own->side == LAY_LEFT));
    return segment->parts == 0 && (segment->stride == 1 || segment->extent <= 1);
}

static int64_t bytes_of(const lay_branch *branch, const lay_complex *own, const lay_complex_block *block)
{
    return 2 * own->pitch * (own->is_along ? block->lines : branch->problem.k.extent) *
           lay_size_of(lay_type_real(branch->problem.types.left));
}

static int count_threads(int64_t bytes, int threads)
{
    const double share = (double)bytes / lay_rates_get()->expand_bytes_per_thread;
    return share >= threads ? threads : share > 1 ? (int)share : 1;
}

/* What the second caches of so many threads have room for, beside what else is there. */
static size_t near_bytes(int threads)
{
    enum { SHARE = 2 };
    return (size_t)lay_machine_get()->l2 / SHARE * (size_t)threads;
}

/* An image is written once; what is not read in place is copied to it before. */
static double predict(const lay_branch *branch, const lay_complex *own, const lay_complex_block *block)
{
    const lay_rates *rates = lay_rates_get();
    static char nowhere; /* addresses are of no interest */
    const int threads = branch->setting.threads;
    const int64_t bytes = bytes_of(branch, own, block);
    const double each = (size_t)bytes <= near_bytes(threads) ? rates->expand_near : rates->expand_byte;
    double seconds = (rates->call_expanded + (double)bytes * each / count_threads(bytes, threads)) * 1e-9;
    if (threads > 1) /* each reads what the others' caches have */
        seconds += (double)bytes * rates->expand_shared * 1e-9;
    if (bytes > 0 && !is_read_in_place(own, block)) {
        lay_copy_job job;
        const lay_change change = lay_change_none(branch->problem.types.left);
        lay_copy_prepare(&change, block->source, &nowhere, block->target, &nowhere, &job);
        seconds += lay_copy_predict(&job, threads);
    }
    return seconds;
}

static const char *prepare(lay_branch *branch)
{
    const lay_complex_place place = { .most_bytes = (size_t)64 << 20,
                                      .near_bytes = near_bytes(branch->setting.threads) / 2,
                                      .takes_thin_along = 1,
                                      .predict = predict };
    const int side = lay_problem_expands(&branch->problem) ? LAY_RIGHT : LAY_LEFT;
    if (branch->setting.place[side] == LAY_PLACE_DEVICE)
        return "what is to be expanded lies in device memory";
    const char *reason = lay_complex_prepare(branch, &place);
    if (reason)
        return reason;
    const lay_complex *own = branch->job.data;
    size_t most = branch->child->job.workspace;
    for (int i = 1; i < own->count; i++) {
        const size_t of_block = own->block[i].child->job.workspace;
        most = of_block > most ? of_block : most;
    }
    branch->job.workspace = lay_workspace_part(own->bytes) + job_bytes + most;
    return NULL;
}

/* An image on its way. */
typedef struct work {
    lay_expand_fn *expand;
    const lay_expansion *expansion;
    const lay_node *step; /* from segment to segment of the operand; NULL: the image has them */
    const char *source;
    char *image;
    int64_t segments, length, each; /* each: segments of a task */
    int64_t pitch, size;            /* bytes from segment to segment of the image; of a complex number */
} work;

static void expand_some(void *argument, int64_t number)
{
    const work *of = argument;
    const int64_t first = number * of->each, last = min_of(first + of->each, of->segments);
    char *const to = of->image + 2 * first * of->pitch;
    if (!of->step)
        of->expand(of->expansion, to, 2 * of->pitch, to, of->pitch, of->length, last - first);
    else if (of->step->parts == 0)
        of->expand(of->expansion, of->source + lay_map_offset(of->step, first) * of->size, of->step->stride * of->size,
                   to, of->pitch, of->length, last - first);
    for (int64_t i = first; of->step && of->step->parts > 0 && i < last; i++)
        of->expand(of->expansion, of->source + lay_map_offset(of->step, i) * of->size, 0, of->image + 2 * i * of->pitch,
                   of->pitch, of->length, 1);
}

static void make_image(const lay_branch *branch, const lay_complex_block *block, const lay_expansion *expansion,
                       const void *operand, char *image, lay_copy_job *job)
{
    const lay_complex *own = branch->job.data;
    const int is_in_place = is_read_in_place(own, block), segment = own->is_along == (own->side == LAY_LEFT);
    const int64_t size = lay_size_of(branch->problem.types.left), bytes = bytes_of(branch, own, block);
    if (!is_in_place) {
        const lay_change change = lay_change_none(branch->problem.types.left);
        lay_copy_prepare(&change, block->source, operand, block->target, image, job);
        lay_copy_on_host(job, branch->setting.threads, branch->setting.choice->isa);
    }
    work of = { .expand = lay_expand_find(branch->problem.types.left, branch->setting.choice->isa),
                .expansion = expansion,
                .step = is_in_place ? lay_desc_map(block->source, 1 - segment) : NULL,
                .source = (const char *)operand + (is_in_place ? lay_desc_map(block->source, segment)->base * size : 0),
                .image = image,
                .segments = lay_complex_segments(branch, block),
                .length = lay_complex_length(branch, block),
                .pitch = own->pitch * size / 2,
                .size = size };
    of.each = max_of(task_bytes / (2 * of.pitch), 1);
    lay_parallel_for(count_threads(bytes, branch->setting.threads), ceil_div(of.segments, of.each), expand_some, &of);
}

static lay_status run_blocks(lay_branch *branch, const lay_call *call, const lay_complex_scalars *scalars, char *image)
{
    const lay_complex *own = branch->job.data;
    char *const behind = image + lay_workspace_part(own->bytes);
    lay_call inner = lay_complex_call(branch, scalars, call, image);
    inner.workspace = behind + job_bytes;
    for (int i = 0; i < own->count; i++) {
        lay_branch *const child = i ? own->block[i].child : branch->child;
        make_image(branch, &own->block[i], &scalars->expansion, own->side == LAY_LEFT ? call->left : call->right, image,
                   (lay_copy_job *)(void *)behind);
        const lay_status status = lay_branch_run(child, &inner);
        if (status != LAY_OK)
            return i || scalars->is_scaled_first ? lay_fail_spoilt(status) : status;
    }
    return LAY_OK;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    lay_complex_scalars scalars;
    lay_complex_split(branch, call, &scalars);
    _Alignas(UNIT) char small[LAY_SMALL_WORKSPACE];
    if (scalars.is_scaled_first && branch->setting.place[LAY_RESULT] == LAY_PLACE_DEVICE)
        return lay_fail(LAY_ERR_UNSUPPORTED,
                        "C lies in device memory and is to be scaled by a complex beta, but what is multiplied lies in "
                        "host memory: scale it before, by a product with alpha 0");
    char *const block = lay_strict_take_workspace(branch, call, small);
    if (!block)
        return LAY_ERR_MEMORY;
    lay_complex_scale_first(branch, &scalars, call);
    const lay_status status = run_blocks(branch, call, &scalars, block);
    lay_strict_give_workspace(call, small, block);
    return status;
}

const lay_way lay_way_complex = {
    .name = "complex",
    .takes = LAY_TAKES_COMPLEX | LAY_TAKES_GRID,
    .only = LAY_TAKES_COMPLEX,
    .data = sizeof(lay_complex),
    .prepare = prepare,
    .run = run,
    .explain = lay_complex_explain,
    .release = lay_complex_release,
};
