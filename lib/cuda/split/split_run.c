/* The launches of a split product, one after the other in the caller's stream: nothing goes through the host. */
#include "cuda/split/split_run.h"

#include <cuda_runtime_api.h>
#include <stdatomic.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/put.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"
#include "cuda_split.h"
#include "plan/options.h"

enum { IMAGE_ALIGNMENT = 1024 };

/* What a workspace begins with: zeros, before operands are prepared. */
typedef struct head {
    lay_cuda_split_summary left, right;
    unsigned path, spare[7];
} head;

/* Bytes of workspace, whose parts these are, in order: its head and the lines of left and of right; tiny elements of
 * both; both images; partial sums. Those of path STRICT lie where images do. */
typedef struct room {
    size_t left_lines, records, left_tiny, right_tiny, left_image, right_image, partial;
} room;

static size_t rounded(size_t bytes)
{
    return (bytes + IMAGE_ALIGNMENT - 1) / IMAGE_ALIGNMENT * IMAGE_ALIGNMENT;
}

static size_t tiny_size(int lines)
{
    return rounded((size_t)lines * LAY_SPLIT_TINY * sizeof(lay_cuda_split_tiny));
}

static size_t partial_size(int m, int n, int slices)
{
    return slices > 1 ? (size_t)slices * (size_t)m * (size_t)n * sizeof(float) : 0;
}

static room room_of(const lay_problem *problem, const lay_split_job *job)
{
    const int m = (int)problem->m.extent, n = (int)problem->n.extent, k = (int)problem->k.extent;
    room of = { .left_lines = (size_t)m * sizeof(lay_cuda_split_line),
                .left_tiny = tiny_size(m),
                .right_tiny = tiny_size(n),
                .left_image = rounded(lay_cuda_split_image_size(m, k)) };
    of.records = rounded(sizeof(head) + of.left_lines + (size_t)n * sizeof(lay_cuda_split_line));
    of.right_image = rounded(lay_cuda_split_image_size(n, k));
    of.partial = partial_size(m, n, job->launch.slices);
    return of;
}

lay_needs lay_split_needs(const lay_problem *problem, const lay_split_job *job)
{
    const room of = room_of(problem, job);
    const size_t strict = partial_size((int)problem->m.extent, (int)problem->n.extent, job->strict_slices);
    const size_t images = of.left_image + of.right_image + of.partial;
    return (lay_needs){ .tables = lay_offsets_bytes(problem),
                        .partial = IMAGE_ALIGNMENT + of.records + of.left_tiny + of.right_tiny +
                                   (images > strict ? images : strict) };
}

/* In workspace, an operand's image. */
static void place_operand(lay_cuda_split_operand *operand, const void *from, lay_cuda_class at_best, int extent,
                          char *image)
{
    operand->from = from;
    operand->as = lay_launch_fall_back(at_best, from);
    operand->extent = extent;
    operand->fp16 = operand->bf16 = image;
}

/* In limbs: the summary, the lines, tiny elements, the image. */
static size_t records_size(int lines)
{
    return rounded(sizeof(head) + (size_t)lines * sizeof(lay_cuda_split_line));
}

size_t lay_split_limbs_size(int lines, int k)
{
    return records_size(lines) + tiny_size(lines) + lay_cuda_split_fp16_size(lines, k);
}

void lay_split_use_limbs(lay_cuda_split_operand *operand, char *limbs)
{
    operand->summary = (lay_cuda_split_summary *)limbs;
    operand->lines = (lay_cuda_split_line *)(limbs + sizeof(head));
    operand->tiny = (lay_cuda_split_tiny *)(limbs + records_size(operand->extent));
    operand->fp16 = (char *)operand->tiny + tiny_size(operand->extent);
    operand->is_kept = LAY_SPLIT_KEPT_FP16;
}

static void use_packed(lay_cuda_split_operand *operand, const lay_branch *branch, const lay_packed *packed)
{
    if (packed && packed->order == branch->setting.order)
        lay_split_use_limbs(operand, packed->limbs);
}

static char *begin(void *workspace)
{
    return (char *)rounded((size_t)workspace);
}

static lay_cuda_split_args fill_args(const lay_branch *branch, const lay_kept *own, const lay_call *call,
                                     const room *of, char *records)
{
    head *const first = (head *)records;
    char *const images = records + of->records + of->left_tiny + of->right_tiny;
    const lay_problem *problem = &branch->problem;
    const lay_split_job *job = branch->job.data;
    const lay_launch *launch = &job->launch;
    lay_cuda_args plain = { 0 };
    lay_offsets_fill(problem, &plain, own->block, NULL);
    lay_cuda_split_args args = { .m = (int)problem->m.extent,
                                 .n = (int)problem->n.extent,
                                 .k = (int)problem->k.extent,
                                 .alpha = lay_scalar_read(call->alpha, LAY_F32).f32,
                                 .beta = lay_scalar_read(call->beta, LAY_F32).f32,
                                 .result_m = plain.result_m,
                                 .result_n = plain.result_n,
                                 .slices = launch->slices,
                                 .slice_k = launch->slice_k,
                                 .tiles_m = launch->tiles_m,
                                 .tiles_n = launch->tiles_n,
                                 .strict_slices = job->strict_slices,
                                 .strict_slice_k = job->strict_slice_k,
                                 .strict_partial = (float *)images,
                                 .cleared = records,
                                 .cleared_size = (int64_t)of->records,
                                 .patience = LAY_SPLIT_PATIENCE };
    args.left.across = plain.left_m;
    args.left.along = plain.left_k;
    args.right.across = plain.right_n;
    args.right.along = plain.right_k;
    args.left.summary = &first->left;
    args.right.summary = &first->right;
    args.path = &first->path;
    args.left.lines = (lay_cuda_split_line *)(first + 1);
    args.right.lines = (lay_cuda_split_line *)((char *)args.left.lines + of->left_lines);
    args.left.tiny = (lay_cuda_split_tiny *)(records + of->records);
    args.right.tiny = (lay_cuda_split_tiny *)(records + of->records + of->left_tiny);
    place_operand(&args.left, lay_offsets_element(call->left, &problem->left_m, &problem->left_k, LAY_F32),
                  launch->left, args.m, images);
    place_operand(&args.right, lay_offsets_element(call->right, &problem->right_k, &problem->right_n, LAY_F32),
                  launch->right, args.n, images + of->left_image);
    use_packed(&args.left, branch, call->packed[LAY_LEFT]);
    use_packed(&args.right, branch, call->packed[LAY_RIGHT]);
    args.c = lay_offsets_element(call->c, &problem->result_m, &problem->result_n, LAY_F32);
    args.is_c_vector = launch->is_c_vector && (uintptr_t)args.c % 16 == 0;
    args.partial = of->partial ? (float *)(images + of->left_image + of->right_image) : NULL;
    return args;
}

lay_status lay_split_put_limbs(const lay_cuda_kernel *row, lay_cuda_split_operand *operand, int k, char *limbs,
                               void *stream)
{
    const cudaError_t error = cudaMemsetAsync(limbs, 0, records_size(operand->extent), stream);
    if (error != cudaSuccess)
        return lay_cuda_failed(error, "cudaMemsetAsync");
    lay_cuda_split_args args = {
        .m = operand->extent, .n = 1, .k = k, .left = *operand, .patience = LAY_SPLIT_PATIENCE
    };
    lay_split_use_limbs(&args.left, limbs);
    args.left.is_kept = LAY_SPLIT_KEPT_NONE;
    args.right.is_kept = LAY_SPLIT_KEPT_ALL;
    const lay_put prepare = lay_put_of_pass(row, LAY_SPLIT_PREPARE, lay_cuda_split_prepare_blocks(&args));
    return lay_put_kernel(&prepare, &args, 0, stream);
}

lay_status lay_split_put_own_limbs(const lay_branch *branch, lay_operand operand, const void *zero, char *limbs)
{
    const lay_problem *problem = &branch->problem;
    const lay_launch *launch = &((const lay_split_job *)branch->job.data)->launch;
    const lay_kept *own = atomic_load(&((lay_branch *)branch)->kept);
    const int is_left = (operand == LAY_OPERAND_A) == !problem->is_transposed;
    lay_cuda_args plain = { 0 };
    lay_cuda_split_operand side = { 0 };
    void *before;
    if (!own)
        return lay_fail(LAY_ERR_UNSUPPORTED, "the plan keeps nothing yet: lay_plan_reserve it");
    lay_offsets_fill(problem, &plain, own->block, NULL);
    side.across = is_left ? plain.left_m : plain.right_n;
    side.along = is_left ? plain.left_k : plain.right_k;
    place_operand(&side,
                  is_left ? lay_offsets_element(zero, &problem->left_m, &problem->left_k, LAY_F32)
                          : lay_offsets_element(zero, &problem->right_k, &problem->right_n, LAY_F32),
                  is_left ? launch->left : launch->right, (int)(is_left ? &problem->m : &problem->n)->extent, NULL);
    lay_status status = lay_device_enter(branch->setting.device, &before);
    if (status != LAY_OK)
        return status;
    status = lay_split_put_limbs(launch->kernel, &side, (int)problem->k.extent, limbs, branch->setting.options->stream);
    lay_device_leave(before);
    return status;
}

/* All of them, in order; no blocks: not needed. */
static lay_status put_all(const lay_branch *branch, lay_cuda_split_args *args, void *stream)
{
    const lay_launch *launch = &((const lay_split_job *)branch->job.data)->launch;
    const lay_cuda_kernel *row = launch->kernel;
    const int64_t all = launch->device->multiprocessors;
    const int can_follow = launch->device->sm >= 90; /* while the one before ends */
    const int64_t added = args->slices > 1 ? ceil_div((int64_t)args->m * args->n, LAY_SPLIT_ADD_ELEMENTS) : 0;
    const lay_put each[] = {
        lay_put_of_pass(row, LAY_SPLIT_CLEAR, lay_cuda_split_clear_blocks(args)),
        lay_put_of_pass(row, LAY_SPLIT_PREPARE, lay_cuda_split_prepare_blocks(args)),
        lay_put_of_pass(row, LAY_SPLIT_WIDEN, lay_cuda_split_widen_blocks(row->passes[LAY_SPLIT_WIDEN], all)),
        lay_put_of_row(row, branch->problem.is_transposed, 0, all),
        lay_put_of_pass(row, LAY_SPLIT_ADD, added),
        lay_put_of_pass(row, LAY_SPLIT_PATCH, all),
    };
    lay_status status = LAY_OK;
    for (size_t i = 0; i < sizeof each / sizeof each[0] && status == LAY_OK; i++)
        if (each[i].blocks)
            status = lay_put_kernel(&each[i], args, can_follow, stream);
    return status;
}

static lay_status put_run(const lay_branch *branch, lay_kept *own, const lay_call *call, void *workspace)
{
    const room of = room_of(&branch->problem, branch->job.data);
    char *const records = begin(workspace);
    lay_cuda_split_args args = fill_args(branch, own, call, &of, records);
    atomic_store(&own->has_run, 1);
    return put_all(branch, &args, branch->setting.options->stream);
}

lay_status lay_split_multiply(lay_branch *branch, const lay_call *call)
{
    return lay_kept_run(branch, call, put_run, 1);
}

lay_status lay_split_load(const lay_branch *branch)
{
    const lay_cuda_kernel *row = ((const lay_split_job *)branch->job.data)->launch.kernel;
    const lay_status status = lay_launch_load_function(row->function[branch->problem.is_transposed][0], row->shared);
    return status ? status : lay_launch_load_others(row, LAY_F32);
}

/* Where the path stands that the last run took. */
static lay_status find_word(const lay_kept *own, const unsigned **word)
{
    void *workspace = own ? atomic_load(&own->partial) : NULL;
    if (!workspace)
        return lay_fail(LAY_ERR_UNSUPPORTED, "the plan keeps no workspace to read this from: lay_plan_reserve it");
    *word = &((const head *)begin(workspace))->path;
    return LAY_OK;
}

lay_status lay_split_send_path(const lay_branch *branch, unsigned *to)
{
    const unsigned *word = NULL;
    void *before;
    lay_status status = find_word(atomic_load(&((lay_branch *)branch)->kept), &word);
    if (status != LAY_OK || (status = lay_device_enter(branch->setting.device, &before)))
        return status;
    const cudaError_t error =
        cudaMemcpyAsync(to, word, sizeof *to, cudaMemcpyDeviceToHost, branch->setting.options->stream);
    lay_device_leave(before);
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, "cudaMemcpyAsync");
}

lay_path lay_split_read_path(unsigned sent)
{
    static const lay_path named[] = {
        [LAY_SPLIT_FP16X3] = LAY_PATH_FP16X3, [LAY_SPLIT_BF16X6] = LAY_PATH_BF16X6, [LAY_SPLIT_STRICT] = LAY_PATH_STRICT
    };
    return named[sent];
}

static lay_status wait_for_path(const lay_kept *own, void *stream, unsigned *path)
{
    const unsigned *word = NULL;
    if (lay_stream_is_capturing(stream))
        return lay_fail(LAY_ERR_UNSUPPORTED, "the stream is being captured");
    const lay_status status = find_word(own, &word);
    if (status != LAY_OK)
        return status;
    cudaError_t error = cudaMemcpyAsync(path, word, sizeof *path, cudaMemcpyDeviceToHost, stream);
    if (error != cudaSuccess)
        return lay_cuda_failed(error, "cudaMemcpyAsync");
    error = cudaStreamSynchronize(stream);
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, "cudaStreamSynchronize");
}

lay_status lay_split_find_path(const lay_branch *branch, lay_path *path)
{
    const lay_kept *own = atomic_load(&((lay_branch *)branch)->kept);
    unsigned found = LAY_SPLIT_STRICT;
    void *before;
    if (!own || !atomic_load(&own->has_run)) {
        *path = LAY_PATH_NONE;
        return LAY_OK;
    }
    lay_status status = lay_device_enter(branch->setting.device, &before);
    if (status != LAY_OK)
        return status;
    status = wait_for_path(own, branch->setting.options->stream, &found);
    lay_device_leave(before);
    if (status == LAY_OK)
        *path = lay_split_read_path(found);
    return status;
}
