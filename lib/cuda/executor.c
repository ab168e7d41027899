/* The device's executor: one launch of a row on operands in its memory, in the order of the caller's stream. */
#include "cuda/executor.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/scalar.h"
#include "base/status.h"
#include "cuda/device.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "cuda/walks.h"
#include "plan/options.h"
#include "plan/plan.h"

static const size_t kept_partial = (size_t)8 << 20; /* bytes of partial sums that a way keeps unasked */

/* What a way keeps on its device. */
typedef struct kept {
    int device;
    char *block; /* tables, counters, then partial sums if they are small; NULL where there is none of them */
    size_t bytes;
    unsigned *counters;      /* in the block, zeros between runs; NULL: a second launch adds the slices */
    _Atomic(void *) partial; /* in the block, or reserved; NULL: each run takes its own */
    void *reserved;
    size_t reserved_bytes;
    /* Held while both launches of one run go into the stream, where they use the kept partial sums: so that no
     * other run's come between them. */
    pthread_mutex_t order;
} kept;

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
    job->seconds = lay_launch_choose(problem, device, setting->options->kernel, &job->of.cuda, &reason);
    if (job->seconds < 0)
        return reason;
    lay_launch *launch = &job->of.cuda;
    launch->tables = lay_walks_bytes(problem);
    job->kernel = launch->kernel->name;
    job->threads = 1;
    job->workspace = launch->tables + launch->counters + launch->partial;
    return NULL;
}

/* Several threads' streams in one: nothing kept may be written to, as no order among runs is known. */
static int is_unordered(const lay_way *way)
{
    return way->setting.options->stream == cudaStreamPerThread;
}

static lay_status fill_tables(const lay_way *way, kept *made)
{
    const size_t bytes = way->job.of.cuda.tables;
    void *stream = way->setting.options->stream, *host = malloc(bytes);
    if (!host)
        return lay_fail(LAY_ERR_MEMORY, "no memory for %zu bytes of offset tables", bytes);
    lay_walks_fill(&way->problem, NULL, NULL, host);
    cudaError_t error = cudaMemcpyAsync(made->block, host, bytes, cudaMemcpyHostToDevice, stream);
    free(host); /* pageable memory: it has been read when the call returns */
    if (error != cudaSuccess)
        return lay_cuda_failed(error, "cudaMemcpyAsync");
    if (is_unordered(way) && (error = cudaStreamSynchronize(stream)) != cudaSuccess)
        return lay_cuda_failed(error, "cudaStreamSynchronize");
    return LAY_OK;
}

/* A block for all that the way keeps, filled in the order of the stream. */
static lay_status fill(const lay_way *way, kept *made)
{
    const lay_launch *launch = &way->job.of.cuda;
    void *stream = way->setting.options->stream;
    const size_t counters = is_unordered(way) ? 0 : launch->counters;
    const size_t partial = launch->partial <= kept_partial && !is_unordered(way) ? launch->partial : 0;
    lay_status status;
    made->bytes = launch->tables + counters + partial;
    if (!made->bytes)
        return LAY_OK;
    if ((status = lay_device_take(made->device, made->bytes, stream, (void **)&made->block)) ||
        (status = launch->tables ? fill_tables(way, made) : LAY_OK))
        return status;
    if (counters) {
        made->counters = (unsigned *)(made->block + launch->tables);
        const cudaError_t error = cudaMemsetAsync(made->counters, 0, counters, stream);
        if (error != cudaSuccess)
            return lay_cuda_failed(error, "cudaMemsetAsync");
    }
    if (partial)
        atomic_init(&made->partial, made->block + launch->tables + counters);
    return LAY_OK;
}

static void drop(kept *gone)
{
    if (!gone)
        return;
    lay_device_retire(gone->device, gone->block, gone->bytes);
    lay_device_retire(gone->device, gone->reserved, gone->reserved_bytes);
    pthread_mutex_destroy(&gone->order);
    free(gone);
}

/* On the current device. */
static lay_status keep(const lay_way *way, kept **out)
{
    const lay_launch *launch = &way->job.of.cuda;
    lay_status status;
    if (lay_stream_is_capturing(way->setting.options->stream))
        return lay_fail(LAY_ERR_UNSUPPORTED, "the stream is being captured, and this plan has not run before: call "
                                             "lay_plan_reserve first");
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; /* of other threads' captures none is meant */
    cudaThreadExchangeStreamCaptureMode(&mode);
    status = lay_launch_load(launch);
    cudaThreadExchangeStreamCaptureMode(&mode);
    if (status != LAY_OK)
        return status;
    kept *made = calloc(1, sizeof *made);
    if (!made)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    made->device = launch->device->number;
    pthread_mutex_init(&made->order, NULL);
    status = fill(way, made);
    if (status != LAY_OK) {
        drop(made);
        return status;
    }
    *out = made;
    return LAY_OK;
}

static lay_status find_kept(lay_way *way, kept **out)
{
    void *found = atomic_load_explicit(&way->own, memory_order_acquire);
    kept *made = NULL;
    const lay_status status = found ? LAY_OK : keep(way, &made);
    if (made && atomic_compare_exchange_strong(&way->own, &found, made))
        found = made;
    else
        drop(made); /* another thread was faster */
    *out = found;
    return status;
}

static const void *element(const void *zero, const lay_axis *x, const lay_axis *y, lay_type type)
{
    return (const char *)zero + lay_walks_base(x, y) * (int64_t)lay_type_size(type);
}

static lay_cuda_args fill_args(const lay_way *way, const kept *own, const lay_call *call)
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

/* With partial sums that the way keeps, one run's launches after the other's. */
static lay_status put_in_order(const lay_launch *launch, kept *own, lay_cuda_args *args, void *stream)
{
    pthread_mutex_lock(&own->order);
    const lay_status status = lay_launch_put(launch, args, stream);
    pthread_mutex_unlock(&own->order);
    return status;
}

/* A graph may live longer than a remembered plan, but not longer than the memory that the plan keeps. */
static lay_status refuse_capture(const lay_way *way, const kept *own)
{
    if (way->plan->is_remembered && own->block && lay_stream_is_capturing(way->setting.options->stream))
        return lay_fail(LAY_ERR_UNSUPPORTED, "the stream is being captured, and this product needs tables or workspace "
                                             "that a plan must keep: make one (lay_plan_create, lay_plan_reserve)");
    return LAY_OK;
}

static lay_status put(const lay_way *way, kept *own, lay_cuda_args *args)
{
    const lay_launch *launch = &way->job.of.cuda;
    void *stream = way->setting.options->stream, *taken = NULL;
    if (!launch->partial)
        return lay_launch_put(launch, args, stream);
    args->counters = own->counters;
    args->partial = atomic_load_explicit(&own->partial, memory_order_acquire);
    if (args->partial)
        return args->counters ? lay_launch_put(launch, args, stream) : put_in_order(launch, own, args, stream);
    lay_status status = lay_device_take(own->device, launch->partial, stream, &taken);
    if (status != LAY_OK)
        return status;
    args->partial = taken;
    status = lay_launch_put(launch, args, stream);
    lay_device_give(taken, stream);
    return status;
}

static lay_status multiply(lay_way *way, const lay_call *call)
{
    int before;
    kept *own = NULL;
    lay_status status = lay_device_enter(way->setting.device, &before);
    if (status != LAY_OK)
        return status;
    if ((status = find_kept(way, &own)) == LAY_OK && (status = refuse_capture(way, own)) == LAY_OK) {
        lay_cuda_args args = fill_args(way, own, call);
        status = put(way, own, &args);
    }
    lay_device_leave(before);
    return status;
}

static lay_status scale(lay_way *way, const lay_call *call)
{
    int before;
    kept *own = NULL;
    lay_status status = lay_device_enter(way->setting.device, &before);
    if (status != LAY_OK)
        return status;
    if ((status = find_kept(way, &own)) == LAY_OK && (status = refuse_capture(way, own)) == LAY_OK) {
        lay_cuda_args args = fill_args(way, own, call);
        status = lay_launch_put_scale(way->problem.type, &args, way->setting.options->stream);
    }
    lay_device_leave(before);
    return status;
}

/* Partial sums too large to be kept unasked. Plans of one stream for all threads cannot keep any. */
static lay_status reserve_partial(const lay_way *way, kept *own)
{
    const lay_launch *launch = &way->job.of.cuda;
    lay_status status = LAY_OK;
    if (is_unordered(way) && launch->partial)
        return lay_fail(LAY_ERR_UNSUPPORTED, "runs in cudaStreamPerThread share no workspace: name a stream");
    pthread_mutex_lock(&own->order);
    if (launch->partial && !atomic_load(&own->partial) &&
        (status = lay_device_take(own->device, launch->partial, way->setting.options->stream, &own->reserved)) ==
            LAY_OK) {
        own->reserved_bytes = launch->partial;
        atomic_store_explicit(&own->partial, own->reserved, memory_order_release);
    }
    pthread_mutex_unlock(&own->order);
    return status;
}

static lay_status reserve(lay_way *way)
{
    int before;
    kept *own = NULL;
    lay_status status = lay_device_enter(way->setting.device, &before);
    if (status != LAY_OK)
        return status;
    if ((status = find_kept(way, &own)) == LAY_OK)
        status = reserve_partial(way, own);
    lay_device_leave(before);
    return status;
}

static void release(lay_way *way)
{
    drop(atomic_load(&way->own));
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

static void explain(const lay_way *way, lay_text *text)
{
    const lay_problem *problem = &way->problem;
    const lay_launch *launch = &way->job.of.cuda;
    const lay_cuda_kernel *kernel = launch->kernel;
    const long long blocks = (long long)launch->tiles_m * launch->tiles_n * launch->slices;
    lay_text_add(text, "fetched\n");
    add_operand(text, lay_problem_operand(problem, LAY_LEFT), launch->left, &problem->left_m, &problem->left_k);
    add_operand(text, lay_problem_operand(problem, LAY_RIGHT), launch->right, &problem->right_n, &problem->right_k);
    lay_text_add(text, "  C rows %s (%s), columns %s (%s): %s\n", lay_axis_class_name(problem->result_m.class),
                 say_walk(&problem->result_m), lay_axis_class_name(problem->result_n.class),
                 say_walk(&problem->result_n),
                 launch->is_c_vector ? "written in 16-byte vectors" : "written element by element");
    lay_text_add(text, "grid      %d x %d tiles of %d x %d, k in %d slice%s of %d: %lld blocks, %.2f waves\n",
                 launch->tiles_m, launch->tiles_n, kernel->bm, kernel->bn, launch->slices,
                 launch->slices == 1 ? "" : "s", launch->slice_k, blocks,
                 (double)blocks / ((double)kernel->blocks_per_sm * launch->device->multiprocessors));
    lay_text_add(text, "memory    tables %zu bytes, partial sums %zu bytes, added by %s\nkernels\n", launch->tables,
                 launch->partial, launch->counters ? "each tile's last block" : "a launch of their own");
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
