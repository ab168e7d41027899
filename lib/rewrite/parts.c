/* Real times complex: the parts of the complex operand and of C are rows or columns of their own, and the product is a
 * real one, of views alone. */
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "cpu/strict.h"
#include "device/device.h"
#include "device/memory.h"
#include "layout/build.h"
#include "plan/branch.h"
#include "rewrite/ways.h"
#include "storage/copy.h"
#include "threads/workspace.h"

enum { UNIT = 64 /* bytes: the child's workspace lies behind C's elements */ };

/* What the way prepared. */
typedef struct parts {
    int side;         /* LAY_LEFT or LAY_RIGHT: which is complex */
    lay_desc *of, *c; /* the views of it and of C, in real elements */
    lay_desc *dense;  /* C's elements side by side: where they go while C is what is to be scaled */
    size_t bytes;     /* of these */
} parts;

/* The parts of complex numbers as indices, the imaginary one behind the real one. */
static lay_dim append_parts(lay_arena *arena, lay_dim dim)
{
    const lay_func *const both[] = { dim.func, lay_func_leaf(arena, 2, 0, 1) };
    int64_t extent;
    if (!dim.shape || !fits_mul(dim.shape->extent, 2, &extent))
        return (lay_dim){ NULL, lay_arena_fail(arena, LAY_ERR_OVERFLOW, "the number of indices does not fit 63 bits") };
    return (lay_dim){ lay_shape_leaf(arena, extent), lay_func_list(arena, 2, both) };
}

/* Complex matrices, perhaps a batch of them, as real ones with twice as many rows (dimension 0) or columns (1). NULL,
 * or why there is no such view. */
static const char *view(const lay_desc *desc, int dimension, lay_desc **out)
{
    const int rank = lay_desc_rank(desc);
    lay_arena arena;
    lay_dim dims[3];
    lay_arena_start(&arena, LAY_VIEW_BYTES);
    arena.quiet = 1;
    for (int i = 0; i < rank; i++) {
        dims[i] = lay_dim_load(&arena, desc, i);
        dims[i].func = lay_func_scale(&arena, dims[i].func, 2);
        if (i == rank - 2 + dimension)
            dims[i] = append_parts(&arena, dims[i]);
    }
    const lay_status status = lay_desc_finish(&arena, rank, dims, out);
    return status == LAY_OK           ? NULL
           : status == LAY_ERR_MEMORY ? lay_no_memory
                                      : "a layout is more intricate than views of its parts can be";
}

static const char *describe_dense(const lay_desc *c, lay_type type, parts *own)
{
    int64_t extents[3], elements = 1;
    const int rank = lay_desc_rank(c);
    for (int i = 0; i < rank; i++) {
        extents[i] = lay_desc_map(c, i)->extent;
        if (!fits_mul(elements, extents[i], &elements))
            return "C has more elements than fit 63 bits";
    }
    if (!fits_mul(elements, lay_size_of(type), &elements))
        return "C has more bytes than fit 63 bits";
    own->bytes = lay_workspace_part((size_t)elements);
    return lay_desc_natural(rank, extents, &own->dense) == LAY_OK ? NULL : lay_no_memory;
}

static const char *refuse(const lay_branch *branch)
{
    const lay_types *types = &branch->problem.types;
    if (branch->problem.is_transposed)
        return "either way round is the same work";
    if (!lay_types_are_half_complex(types))
        return "both operands are complex";
    for (int i = LAY_LEFT; i <= LAY_RIGHT; i++) {
        if (lay_types_at(types, i) != lay_types_widened(types, i))
            return "an operand is to be converted first";
        if (lay_type_is_complex(lay_types_at(types, i)) && branch->problem.posed.is_conjugated[i])
            return "an operand is to be conjugated first";
    }
    return types->result != types->sum ? "D is rounded from what is computed first" : NULL;
}

static const char *find_child(lay_branch *branch)
{
    const parts *own = branch->job.data;
    const char *refusal;
    lay_problem *problem = malloc(sizeof *problem); /* large: callers' stacks may be small */
    if (!problem)
        return lay_no_memory;
    lay_posed posed = branch->problem.posed;
    posed.types = lay_types_of(lay_type_real(posed.types.sum));
    posed.is_conjugated[LAY_LEFT] = posed.is_conjugated[LAY_RIGHT] = 0;
    posed.a = own->side == LAY_LEFT ? own->of : posed.a;
    posed.b = own->side == LAY_RIGHT ? own->of : posed.b;
    posed.c = own->c;
    lay_setting setting = branch->setting;
    setting.panels[LAY_LEFT] = setting.panels[LAY_RIGHT] = (lay_panels){ .kernel = NULL };
    lay_problem_pose(&posed, problem);
    branch->child = lay_branch_find(problem, &setting, &refusal, NULL);
    free(problem);
    return branch->child ? NULL : refusal;
}

static const char *prepare(lay_branch *branch)
{
    parts *const own = branch->job.data;
    const lay_posed *posed = &branch->problem.posed;
    const char *reason = refuse(branch);
    if (reason)
        return reason;
    own->side = lay_type_is_complex(branch->problem.types.left) ? LAY_LEFT : LAY_RIGHT;
    const int dimension = own->side == LAY_LEFT ? 0 : 1;
    if ((reason = view(own->side == LAY_LEFT ? posed->a : posed->b, dimension, &own->of)) ||
        (reason = view(posed->c, dimension, &own->c)) ||
        (reason = describe_dense(posed->c, branch->problem.types.result, own)) || (reason = find_child(branch)))
        return reason;
    const lay_job *child = &branch->child->job;
    lay_job *const job = &branch->job;
    job->kernel = child->kernel;
    job->threads = child->threads;
    job->seconds = child->seconds;
    job->workspace = own->bytes + child->workspace; /* all that a run takes: nothing fails once C is written */
    job->is_prompt = child->is_prompt;
    return NULL;
}

static int is_on_cpu(const lay_branch *branch)
{
    return branch->setting.order->backend == LAY_BACKEND_CPU;
}

static lay_status copy(const lay_branch *branch, const lay_change *how, const lay_desc *from, const void *src,
                       const lay_desc *to, void *dst)
{
    lay_copy_job job;
    lay_copy_prepare(how, from, src, to, dst, &job);
    if (!is_on_cpu(branch))
        return lay_copy_on_device(&job, branch->setting.device, branch->setting.options->stream);
    lay_copy_on_host(&job, branch->setting.threads, branch->setting.choice->isa);
    return LAY_OK;
}

/* C = alpha X + beta C; x NULL: C = beta C. */
static lay_status change(const lay_branch *branch, const lay_desc *from, const void *x, const void *alpha,
                         const void *beta, void *c)
{
    const lay_type type = branch->problem.types.result;
    const lay_change how = { .from = type, .to = type, .alpha = alpha, .beta = beta };
    const lay_desc *to = branch->problem.posed.c;
    return copy(branch, &how, x ? from : to, x ? x : c, to, c);
}

static const double zeros[2] = { 0, 0 }; /* of any type */

static lay_status scale(lay_branch *branch, const lay_call *call)
{
    return change(branch, NULL, NULL, zeros, call->beta, call->c);
}

static lay_scalar real_of(const void *scalar, lay_type type)
{
    return lay_scalar_read(scalar, lay_type_real(type));
}

/* With scalars without an imaginary part. On a device the child takes its own workspace. */
static lay_status multiply(lay_branch *branch, const lay_call *call, const lay_scalar *alpha, const lay_scalar *beta,
                           char *room)
{
    lay_call inner = *call;
    inner.alpha = alpha;
    inner.beta = beta;
    inner.packed[LAY_LEFT] = inner.packed[LAY_RIGHT] = NULL;
    inner.workspace = is_on_cpu(branch) ? room + ((const parts *)branch->job.data)->bytes : NULL;
    return branch->child->way->run(branch->child, &inner);
}

/* Whether C is the sum before it is scaled, so that what it was has to wait in room. */
static int is_scaled_behind(const lay_branch *branch, const lay_call *call)
{
    return !(lay_scalar_imaginary(call->alpha, branch->problem.types.sum) == 0);
}

/* C becomes the sum, then alpha times that; what it was waits in room, and is added at last. */
static lay_status run_scaled(lay_branch *branch, const lay_call *call, char *room)
{
    const parts *own = branch->job.data;
    const lay_type type = branch->problem.types.result, part = lay_type_real(type);
    const lay_scalar one = lay_scalar_of(1, part), zero = lay_scalar_of(0, part);
    const int is_read = !lay_scalar_is(call->beta, type, 0);
    const lay_scalar unit = type == LAY_C64 ? (lay_scalar){ .c64 = { 1, 0 } } : (lay_scalar){ .c32 = { 1, 0 } };
    const lay_change plain = lay_change_none(type);
    lay_status status = is_read ? copy(branch, &plain, branch->problem.posed.c, call->c, own->dense, room) : LAY_OK;
    if (status != LAY_OK || (status = multiply(branch, call, &one, &zero, room)))
        return status;
    status = change(branch, NULL, NULL, zeros, call->alpha, call->c);
    if (status == LAY_OK && is_read)
        status = change(branch, own->dense, room, call->beta, &unit, call->c);
    return status ? lay_fail_spoilt(status) : LAY_OK;
}

static lay_status run_in(lay_branch *branch, const lay_call *call, char *room)
{
    const lay_type type = branch->problem.types.sum;
    const lay_scalar alpha = real_of(call->alpha, type), one = lay_scalar_of(1, lay_type_real(type));
    const lay_scalar beta = real_of(call->beta, type);
    if (is_scaled_behind(branch, call))
        return run_scaled(branch, call, room);
    if (lay_scalar_imaginary(call->beta, type) == 0)
        return multiply(branch, call, &alpha, &beta, room);
    lay_status status = scale(branch, call);
    if (status == LAY_OK && (status = multiply(branch, call, &alpha, &one, room)))
        status = lay_fail_spoilt(status);
    return status;
}

/* Room is taken where C has to wait, in the order of the stream. */
static lay_status run_on_device(lay_branch *branch, const lay_call *call)
{
    const lay_setting *setting = &branch->setting;
    void *const stream = setting->options->stream;
    const int waits = is_scaled_behind(branch, call) && !lay_scalar_is(call->beta, branch->problem.types.sum, 0);
    void *before;
    void *room = NULL;
    lay_status status = lay_device_enter(setting->device, &before);
    if (status != LAY_OK)
        return status;
    if (waits)
        status = lay_device_take_once(setting->device, ((const parts *)branch->job.data)->bytes, stream,
                                      "what C was, which waits for a complex alpha,", &room);
    if (status == LAY_OK)
        status = run_in(branch, call, room);
    if (room)
        lay_device_retire(setting->device, room, ((const parts *)branch->job.data)->bytes, lay_stream_id(stream));
    lay_device_leave(before);
    return status;
}

static lay_status run(lay_branch *branch, const lay_call *call)
{
    _Alignas(UNIT) char small[LAY_SMALL_WORKSPACE];
    if (!is_on_cpu(branch))
        return run_on_device(branch, call);
    char *const room = lay_strict_take_workspace(branch, call, small);
    if (!room)
        return LAY_ERR_MEMORY;
    const lay_status status = run_in(branch, call, room);
    lay_strict_give_workspace(call, small, room);
    return status;
}

static void explain(const lay_branch *branch, lay_text *text)
{
    const int is_left = ((const parts *)branch->job.data)->side == LAY_LEFT;
    lay_text_add(text, "parts     of %c and C are %s of their own: a real product\n", is_left ? 'A' : 'B',
                 is_left ? "rows" : "columns");
}

static void release(lay_branch *branch)
{
    parts *own = branch->job.data;
    lay_desc_destroy(own->of);
    lay_desc_destroy(own->c);
    lay_desc_destroy(own->dense);
}

const lay_way lay_way_parts = {
    .name = "parts",
    .takes = LAY_TAKES_MIXED | LAY_TAKES_COMPLEX | LAY_TAKES_BATCH | LAY_TAKES_GRID,
    .only = LAY_TAKES_MIXED | LAY_TAKES_COMPLEX,
    .data = sizeof(parts),
    .prepare = prepare,
    .run = run,
    .scale = scale,
    .explain = explain,
    .release = release,
};
