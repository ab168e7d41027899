/* Complex products in a device's memory without an image: a launch of a complex row, or two, on operands as they lie
 * (kernels/cuda_complex.h). The sum is that of the real product with an image, and so are the bits; what only an image
 * can do (a factor with an imaginary part, addresses between vectors) is left to that way. */
#include "base/arith.h"
#include "base/scalar.h"
#include "cuda/launch/executor.h"
#include "cuda/launch/kept.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/rows.h"
#include "cuda/memory/device.h"
#include "cuda/ways.h"
#include "cuda_complex.h"
#include "plan/branch.h"

#include <stdlib.h>

typedef struct numbers {
    lay_launch launch[2]; /* first: the explanation of launches reads them */
    int is_swapped;       /* the branch's problem is the one asked for, transposed: A is expanded */
    lay_branch *otherwise;
    lay_options unnamed; /* of the otherwise branch where options.kernel names a complex row */
} numbers;

/* The largest image that is made at once: what is more comes in blocks of C, whose sums are cut as theirs are. */
static int fits_one_image(const lay_problem *problem, const lay_device *device)
{
    enum { SHARE = 16 /* of the device's memory: cuda/complex.c */ };
    const int64_t lines = min_of(problem->m.extent, problem->n.extent), k = max_of(problem->k.extent, 1);
    return lines <= (int64_t)(device->memory / SHARE) / 4 / k / lay_size_of(lay_type_real(problem->types.left));
}

/* Whatever way does it with an image. */
static const char *find_otherwise(lay_branch *branch)
{
    const char *refusal;
    numbers *own = branch->job.data;
    lay_setting setting = branch->setting;
    const char *const wanted = setting.options->kernel;
    if (wanted && !lay_cuda_find_kernel(LAY_CUDA_STRICT, wanted)) {
        own->unnamed = *setting.options;
        own->unnamed.kernel = NULL;
        setting.options = &own->unnamed;
        setting.named = NULL;
    }
    own->otherwise = lay_branch_make(&lay_way_device_complex, &branch->problem, &setting, setting.order, &refusal);
    return refusal;
}

/* The right operand is the expanded one. */
static const char *turn(lay_branch *branch)
{
    numbers *own = branch->job.data;
    own->is_swapped = !lay_problem_expands(&branch->problem);
    if (!own->is_swapped)
        return NULL;
    lay_problem *asked = malloc(sizeof *asked); /* large: callers' stacks may be small */
    if (!asked)
        return lay_no_memory;
    *asked = branch->problem;
    lay_problem_transpose(asked, &branch->problem);
    free(asked);
    return NULL;
}

static const char *prepare(lay_branch *branch)
{
    const char *reason;
    const lay_device *device = lay_device_get(branch->setting.device, &reason);
    numbers *own = branch->job.data;
    if (!device)
        return reason;
    if (!fits_one_image(&branch->problem, device))
        return "an image would come in blocks, each with a sum of its own";
    if ((reason = find_otherwise(branch)) || (reason = turn(branch)))
        return reason;
    lay_job *job = &branch->job;
    job->seconds =
        lay_launch_choose(&branch->problem, device, branch->setting.options->kernel, 2, own->launch, &reason);
    if (job->seconds < 0)
        return reason;
    job->seconds = lay_launch_try_crossed(branch, device, job->seconds);
    job->needs = (lay_needs){ .tables = lay_offsets_bytes(&branch->problem),
                              .counters = lay_launch_counters(own->launch),
                              .partial = lay_launch_partial(own->launch) };
    job->kernel = own->launch->kernel->name;
    job->threads = 1;
    job->workspace = job->needs.tables + job->needs.counters + job->needs.partial;
    return NULL;
}

/* Bit 2 s + t: of step s and column t of the square that a number of the right operand is. */
static unsigned short find_negated(const lay_problem *problem)
{
    const int *const is_conjugated = problem->posed.is_conjugated;
    const unsigned left = is_conjugated[problem->is_transposed ? LAY_RIGHT : LAY_LEFT] != 0;
    const unsigned right = is_conjugated[problem->is_transposed ? LAY_LEFT : LAY_RIGHT] != 0;
    return (unsigned short)(right << 1 | (1 ^ left ^ right) << 2 | left << 3);
}

static lay_cuda_scalar real_of(const void *scalar, lay_type type)
{
    const double part = lay_scalar_real(scalar, type);
    return type == LAY_C64 ? (lay_cuda_scalar){ .f64 = part } : (lay_cuda_scalar){ .f32 = (float)part };
}

static lay_status put_product(const lay_branch *branch, lay_kept *kept, const lay_call *call, void *partial)
{
    const numbers *own = branch->job.data;
    const lay_problem *problem = &branch->problem;
    const lay_type type = problem->types.sum;
    lay_cuda_args args = { .m = (int)problem->m.extent,
                           .n = 2 * (int)problem->n.extent,
                           .k = 2 * (int)problem->k.extent,
                           .alpha = real_of(call->alpha, type),
                           .beta = real_of(call->beta, type),
                           .counters = kept->counters,
                           .partial = partial,
                           .negated = find_negated(problem) };
    const void *const left = own->is_swapped ? call->right : call->left;
    const void *const right = own->is_swapped ? call->left : call->right;
    args.left = lay_offsets_element(left, &problem->left_m, &problem->left_k, type);
    args.right = lay_offsets_element(right, &problem->right_k, &problem->right_n, type);
    args.c = lay_offsets_element(call->c, &problem->result_m, &problem->result_n, type);
    lay_offsets_fill(problem, &args, kept->block, NULL);
    return lay_launch_put_both(own->launch, &args, branch->setting.options->stream);
}

/* Offsets 0 lie where vectors begin, and nothing is to be multiplied into an image. */
static int is_for_rows(const lay_branch *branch, const lay_call *call)
{
    const lay_problem *problem = &branch->problem;
    const numbers *own = branch->job.data;
    const lay_type type = problem->types.sum;
    const void *const left = own->is_swapped ? call->right : call->left;
    const void *const right = own->is_swapped ? call->left : call->right;
    const uintptr_t begin = (uintptr_t)lay_offsets_element(left, &problem->left_m, &problem->left_k, type) |
                            (uintptr_t)lay_offsets_element(right, &problem->right_k, &problem->right_n, type);
    return begin % (uintptr_t)lay_size_of(type) == 0 && lay_scalar_imaginary(call->alpha, type) == 0 &&
           lay_scalar_imaginary(call->beta, type) == 0;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    lay_branch *const otherwise = ((const numbers *)branch->job.data)->otherwise;
    return is_for_rows(branch, call) ? lay_kept_run(branch, call, put_product, 1)
                                     : otherwise->way->run(otherwise, call);
}

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    lay_branch *const otherwise = ((const numbers *)branch->job.data)->otherwise;
    return otherwise->way->scale(otherwise, call);
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const numbers *own = branch->job.data;
    lay_text_add(text, "complex   %s expanded to real numbers in registers, twice as long and as wide\n",
                 lay_problem_operand(&branch->problem, LAY_RIGHT));
    lay_way_launch.explain(branch, text);
    lay_text_add(text, "an imaginary factor, or an address between vectors, goes by an image instead:\n");
    own->otherwise->way->explain(own->otherwise, text);
}

static lay_status load(const lay_branch *branch)
{
    return lay_way_launch.load(branch);
}

static lay_status reserve(lay_branch *branch)
{
    const lay_status status = lay_kept_reserve(branch);
    return status == LAY_OK ? lay_branch_reserve(((const numbers *)branch->job.data)->otherwise) : status;
}

static void release(lay_branch *branch)
{
    lay_kept_release(branch);
    lay_branch_destroy(((numbers *)branch->job.data)->otherwise);
}

const lay_way lay_way_complex_launch = {
    .name = "complex launch",
    .order = &lay_order_device,
    .takes = LAY_TAKES_COMPLEX,
    .only = LAY_TAKES_COMPLEX,
    .data = sizeof(numbers),
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = explain,
    .load = load,
    .reserve = reserve,
    .release = release,
};
