/* The device's executor: one launch of a row on operands in its memory, in the order of the caller's stream. */
#include "cuda/executor.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/scalar.h"
#include "base/status.h"
#include "cuda/device.h"
#include "cuda/kept.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "cuda/walks.h"
#include "plan/options.h"
#include "plan/plan.h"

static const char *prepare(const lay_problem *problem, const lay_setting *setting, lay_job *job)
{
    const char *reason = NULL;
    if (setting->options->backend == LAY_BACKEND_CPU)
        return "options.backend is the CPU";
    for (int i = 0; i < LAY_OPERANDS; i++)
        if (setting->place[i] != LAY_PLACE_DEVICE)
            return "an operand lies in host memory";
    if (setting->options->kernel && !lay_options_names_cuda(setting->options))
        return "options.kernel names a CPU kernel";
    const lay_device *device = lay_device_get(setting->device, &reason);
    if (!device)
        return reason;
    lay_launch *launch = job->of.cuda;
    job->seconds = lay_launch_choose(problem, device, setting->options->kernel, 2, launch, &reason);
    if (job->seconds < 0)
        return reason;
    launch->tables = lay_walks_bytes(problem);
    job->kernel = launch->kernel->name;
    job->threads = 1;
    job->workspace = launch->tables + lay_launch_counters(launch) + lay_launch_partial(launch);
    return NULL;
}

static const void *element(const void *zero, const lay_axis *x, const lay_axis *y, lay_type type)
{
    return (const char *)zero + lay_walks_base(x, y) * (int64_t)lay_type_size(type);
}

static lay_cuda_args fill_args(const lay_way *way, const lay_kept *own, const lay_call *call)
{
    const lay_problem *problem = &way->problem;
    const lay_scalar alpha = lay_scalar_read(call->alpha, problem->type);
    const lay_scalar beta = lay_scalar_read(call->beta, problem->type);
    lay_cuda_args args = { .m = (int)problem->m.extent, .n = (int)problem->n.extent, .k = (int)problem->k.extent };
    if (problem->type == LAY_F32) {
        args.alpha.f32 = alpha.f32;
        args.beta.f32 = beta.f32;
    } else {
        args.alpha.f64 = alpha.f64;
        args.beta.f64 = beta.f64;
    }
    if (call->left)
        args.left = element(call->left, &problem->left_m, &problem->left_k, problem->type);
    if (call->right)
        args.right = element(call->right, &problem->right_k, &problem->right_n, problem->type);
    args.c = (void *)element(call->c, &problem->result_m, &problem->result_n, problem->type);
    lay_walks_fill(problem, &args, own->block, NULL);
    return args;
}

/* Whether another run's launches must not come between this one's, where they use partial sums that the way keeps:
 * not where each tile's last block adds them. */
static int is_in_order(const lay_launch launch[2], const lay_cuda_args *args)
{
    for (int i = 0; i < 2; i++)
        if (launch[i].partial && !(args->counters && launch[i].counters))
            return 1;
    return 0;
}

static lay_status put_in_order(const lay_launch launch[2], lay_kept *own, const lay_cuda_args *args, void *stream)
{
    pthread_mutex_lock(&own->order);
    const lay_status status = lay_launch_put_both(launch, args, stream);
    pthread_mutex_unlock(&own->order);
    return status;
}

/* A graph may live longer than a remembered plan, but not longer than the memory that the plan keeps. */
static lay_status refuse_capture(const lay_way *way, const lay_kept *own)
{
    if (way->plan->is_remembered && own->block && lay_stream_is_capturing(way->setting.options->stream))
        return lay_fail(LAY_ERR_UNSUPPORTED, "the stream is being captured, and this product needs tables or workspace "
                                             "that a plan must keep: make one (lay_plan_create, lay_plan_reserve)");
    return LAY_OK;
}

static lay_status put(const lay_way *way, lay_kept *own, lay_cuda_args *args)
{
    const lay_launch *launch = way->job.of.cuda;
    const size_t partial = lay_launch_partial(launch);
    void *stream = way->setting.options->stream, *taken = NULL;
    if (!partial)
        return lay_launch_put_both(launch, args, stream);
    args->counters = own->counters;
    args->partial = atomic_load_explicit(&own->partial, memory_order_acquire);
    if (args->partial)
        return is_in_order(launch, args) ? put_in_order(launch, own, args, stream)
                                         : lay_launch_put_both(launch, args, stream);
    lay_status status = lay_device_take(own->device, partial, stream, &taken);
    if (status != LAY_OK)
        return status;
    args->partial = taken;
    status = lay_launch_put_both(launch, args, stream);
    lay_device_give(taken, stream);
    return status;
}

/* The product, or C = beta C, behind what the stream has been given. */
static lay_status enqueue(lay_way *way, const lay_call *call, int is_product)
{
    int before;
    lay_kept *own = NULL;
    lay_status status = lay_device_enter(way->setting.device, &before);
    if (status != LAY_OK)
        return status;
    if ((status = lay_kept_find(way, &own)) == LAY_OK && (status = refuse_capture(way, own)) == LAY_OK) {
        lay_cuda_args args = fill_args(way, own, call);
        status = is_product ? put(way, own, &args)
                            : lay_launch_put_scale(way->problem.type, &args, way->setting.options->stream);
    }
    lay_device_leave(before);
    return status;
}

static lay_status multiply(lay_way *way, const lay_call *call)
{
    return enqueue(way, call, 1);
}

static lay_status scale(lay_way *way, const lay_call *call)
{
    return enqueue(way, call, 0);
}

static lay_status reserve(lay_way *way)
{
    int before;
    lay_kept *own = NULL;
    lay_status status = lay_device_enter(way->setting.device, &before);
    if (status != LAY_OK)
        return status;
    if ((status = lay_kept_find(way, &own)) == LAY_OK)
        status = lay_kept_reserve(way, own);
    lay_device_leave(before);
    return status;
}

static void release(lay_way *way)
{
    lay_kept_drop(atomic_load(&way->own));
}

static const char *say_walk(const lay_axis *axis)
{
    return lay_axis_is_even(axis) ? "by a stride" : "from a table";
}

static void add_operand(lay_text *text, const char *name, lay_cuda_class class, const lay_axis *across,
                        const lay_axis *along)
{
    static const char *const how[LAY_CUDA_CLASSES] = { "fetched across in 16-byte vectors",
                                                       "fetched along k in 16-byte vectors",
                                                       "fetched across element by element",
                                                       "fetched along k element by element" };
    lay_text_add(text, "  %s across %s (%s), along k %s (%s): %s\n", name, lay_axis_class_name(across->class),
                 say_walk(across), lay_axis_class_name(along->class), say_walk(along), how[class]);
}

static void add_launch(lay_text *text, const lay_launch *launch)
{
    const lay_cuda_kernel *kernel = launch->kernel;
    const long long blocks = (long long)launch->tiles_m * launch->tiles_n * (launch->is_together ? 1 : launch->slices);
    lay_text_add(text, "grid      %d x %d tiles of %d x %d, k in %d slice%s of %d: %lld blocks, %.2f waves\n",
                 launch->tiles_m, launch->tiles_n, kernel->bm, kernel->bn, launch->slices,
                 launch->slices == 1 ? "" : "s", launch->slice_k, blocks,
                 (double)blocks / ((double)kernel->blocks_per_sm * launch->device->multiprocessors));
    if (launch->slices > 1)
        lay_text_add(text, "          partial sums %zu bytes, added by %s\n", launch->partial,
                     launch->is_together ? "each tile's block"
                     : launch->counters  ? "each tile's last block"
                                         : "a launch of their own");
}

static void explain(const lay_way *way, lay_text *text)
{
    const lay_problem *problem = &way->problem;
    const lay_launch *launch = way->job.of.cuda;
    lay_text_add(text, "fetched\n");
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), launch->left, &problem->left_m, &problem->left_k);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), launch->right, &problem->right_n, &problem->right_k);
    lay_text_add(text, "  C rows %s (%s), columns %s (%s): %s\n", lay_axis_class_name(problem->result_m.class),
                 say_walk(&problem->result_m), lay_axis_class_name(problem->result_n.class),
                 say_walk(&problem->result_n),
                 launch->is_c_vector ? "written in 16-byte vectors" : "written element by element");
    add_launch(text, launch);
    if (launch[1].kernel) {
        lay_text_add(text, "rest      rows from %d on, which are no full wave of those, by %s\n", launch[1].first,
                     launch[1].kernel->name);
        add_launch(text, &launch[1]);
    }
    lay_text_add(text, "memory    tables %zu bytes, partial sums %zu bytes\nkernels\n", launch->tables,
                 lay_launch_partial(launch));
    lay_launch_explain_rows(problem, launch, way->setting.options->kernel, text);
}

const lay_executor lay_executor_cuda = {
    .name = "cuda",
    .prepare = prepare,
    .multiply = multiply,
    .scale = scale,
    .explain = explain,
    .reserve = reserve,
    .release = release,
};
