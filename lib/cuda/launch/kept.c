/* Taking and filling what a branch keeps. */
#include "cuda/launch/kept.h"

#include <cuda_runtime_api.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/status.h"
#include "cuda/launch/offsets.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"
#include "plan/branch.h"
#include "plan/plan.h"

static const size_t kept_partial = (size_t)8 << 20; /* bytes of partial sums that a branch keeps unasked */

/* Several threads' streams in one: nothing kept may be written to, as no order among runs is known. */
static int is_unordered(const lay_branch *branch)
{
    return branch->setting.options->stream == cudaStreamPerThread;
}

static lay_status fill_tables(const lay_branch *branch, lay_kept *made)
{
    const size_t bytes = branch->job.needs.tables;
    void *stream = branch->setting.options->stream, *host = malloc(bytes);
    if (!host)
        return lay_fail(LAY_ERR_MEMORY, "no memory for %zu bytes of offset tables", bytes);
    lay_offsets_fill(&branch->problem, NULL, NULL, host);
    const lay_status status = lay_device_fill(made->block, host, bytes, stream);
    free(host);
    if (status != LAY_OK || !is_unordered(branch))
        return status;
    const cudaError_t error = cudaStreamSynchronize(stream);
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, "cudaStreamSynchronize");
}

/* A block for all that the branch keeps, filled in the order of the stream. */
static lay_status fill(const lay_branch *branch, lay_kept *made)
{
    const lay_needs *needs = &branch->job.needs;
    void *stream = branch->setting.options->stream;
    const size_t counters = is_unordered(branch) ? 0 : needs->counters;
    const size_t partial = needs->partial <= kept_partial && !is_unordered(branch) ? needs->partial : 0;
    lay_status status;
    made->bytes = needs->tables + counters + partial;
    if (!made->bytes)
        return LAY_OK;
    if ((status = lay_device_take(made->device, made->bytes, stream, (void **)&made->block)) ||
        (status = needs->tables ? fill_tables(branch, made) : LAY_OK))
        return status;
    if (counters) {
        made->counters = (unsigned *)(made->block + needs->tables);
        const cudaError_t error = cudaMemsetAsync(made->counters, 0, counters, stream);
        if (error != cudaSuccess)
            return lay_cuda_failed(error, "cudaMemsetAsync");
    }
    if (partial)
        atomic_store(&made->partial, made->block + needs->tables + counters);
    return LAY_OK;
}

/* Calls nothing of CUDA. NULL is fine. */
static void drop(lay_kept *gone)
{
    if (!gone)
        return;
    lay_device_retire(gone->device, gone->block, gone->bytes, gone->stream);
    lay_device_retire(gone->device, gone->reserved, gone->reserved_bytes, gone->stream);
    pthread_mutex_destroy(&gone->order);
    free(gone);
}

/* On the current device. */
static lay_status make(const lay_branch *branch, lay_kept **out)
{
    lay_status status = branch->way->load(branch);
    if (status != LAY_OK)
        return status;
    lay_kept *made = calloc(1, sizeof *made);
    if (!made)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    made->device = branch->setting.device;
    atomic_init(&made->stream, lay_stream_id(branch->setting.options->stream));
    pthread_mutex_init(&made->order, NULL);
    status = fill(branch, made);
    if (status != LAY_OK) {
        drop(made);
        return status;
    }
    *out = made;
    return LAY_OK;
}

static lay_status keep(const lay_branch *branch, lay_kept **out)
{
    if (lay_stream_is_capturing(branch->setting.options->stream))
        return lay_fail(LAY_ERR_UNSUPPORTED, "the stream is being captured, and this plan has not run before: call "
                                             "lay_plan_reserve first");
    const int heeded = lay_captures_ignore();
    const lay_status status = make(branch, out);
    lay_captures_heed(heeded);
    return status;
}

/* What the branch keeps, taken and filled now if it is the first to ask: in the order of its stream, on the current
 * device, which must be the branch's. */
static lay_status find(lay_branch *branch, lay_kept **out)
{
    void *found = atomic_load_explicit(&branch->kept, memory_order_acquire);
    lay_kept *made = NULL;
    const lay_status status = found ? LAY_OK : keep(branch, &made);
    if (made && atomic_compare_exchange_strong(&branch->kept, &found, made))
        found = made;
    else
        drop(made); /* another thread was faster */
    *out = found;
    return status;
}

/* Another route of the plan with as large a workspace: they are runs in one stream, one after the other. */
static lay_kept *find_lender(const lay_branch *branch)
{
    for (const lay_route *route = atomic_load(&branch->setting.plan->routes); route; route = route->next) {
        const lay_branch *other = lay_branch_leaf(route->root);
        lay_kept *const own =
            other != branch && other->way == branch->way ? atomic_load(&((lay_branch *)other)->kept) : NULL;
        const void *const lent = own ? atomic_load_explicit(&own->partial, memory_order_acquire) : NULL;
        if (lent && lent == own->reserved && own->device == branch->setting.device &&
            own->reserved_bytes >= branch->job.needs.partial) /* both were written before partial was */
            return own;
    }
    return NULL;
}

/* Takes the workspace that is too large to be kept unasked. */
static lay_status keep_workspace(const lay_branch *branch, lay_kept *own)
{
    const size_t partial = branch->job.needs.partial;
    lay_status status = LAY_OK;
    if (is_unordered(branch) && branch->job.needs.may_lack)
        return LAY_OK;
    if (is_unordered(branch) && partial)
        return lay_fail(LAY_ERR_UNSUPPORTED, "runs in cudaStreamPerThread share no workspace: name a stream");
    pthread_mutex_lock(&own->order);
    if (partial && !atomic_load(&own->partial) && (own->lender = find_lender(branch)))
        atomic_store_explicit(&own->partial, own->lender->reserved, memory_order_release);
    if (partial && !atomic_load(&own->partial) &&
        (status = lay_device_take(own->device, partial, branch->setting.options->stream, &own->reserved)) == LAY_OK) {
        own->reserved_bytes = partial;
        atomic_store_explicit(&own->partial, own->reserved, memory_order_release);
    }
    pthread_mutex_unlock(&own->order);
    return status;
}

lay_status lay_kept_reserve(lay_branch *branch)
{
    void *before;
    lay_kept *own = NULL;
    lay_status status = lay_device_enter(branch->setting.device, &before);
    if (status != LAY_OK)
        return status;
    if ((status = find(branch, &own)) == LAY_OK)
        status = keep_workspace(branch, own);
    lay_device_leave(before);
    return status;
}

/* A graph may live longer than a remembered plan, but not longer than the memory that the plan keeps. */
static int may_outlive(const lay_branch *branch)
{
    return branch->setting.plan->is_remembered && lay_stream_is_capturing(branch->setting.options->stream);
}

/* Runs that may have neither counters nor workspace. */
static int goes_without(const lay_branch *branch)
{
    return branch->job.needs.may_lack && (is_unordered(branch) || may_outlive(branch));
}

static lay_status refuse_capture(const lay_branch *branch, const lay_kept *own)
{
    const int needs_none = branch->job.needs.may_lack && !branch->job.needs.tables;
    if (own->block && !needs_none && may_outlive(branch))
        return lay_fail(LAY_ERR_UNSUPPORTED, "the stream is being captured, and this product needs tables or workspace "
                                             "that a plan must keep: make one (lay_plan_create, lay_plan_reserve)");
    return LAY_OK;
}

/* Nobody runs in the stream of before: what it still does ends undisturbed. */
static lay_status take_anew(const lay_branch *branch, lay_kept *own, unsigned long long stream)
{
    lay_device_retire(own->device, own->block, own->bytes, atomic_load(&own->stream));
    own->block = NULL;
    own->counters = NULL;
    atomic_store(&own->partial, NULL);
    atomic_store(&own->has_run, 0);
    const lay_status status = fill(branch, own);
    if (status == LAY_OK) {
        atomic_store_explicit(&own->stream, stream, memory_order_release); /* last: who sees it finds the rest */
        return LAY_OK;
    }
    lay_device_retire(own->device, own->block, own->bytes, stream);
    own->block = NULL;
    return status;
}

/* A stream's handle may come back as a new stream's, and with it a remembered plan, whose workspace the old one may
 * still use. */
static lay_status follow_stream(const lay_branch *branch, lay_kept *own)
{
    lay_status status = LAY_OK;
    if (!branch->setting.plan->is_remembered || !own->bytes)
        return LAY_OK;
    const unsigned long long stream = lay_stream_id(branch->setting.options->stream);
    if (stream == atomic_load_explicit(&own->stream, memory_order_acquire))
        return LAY_OK;
    const int heeded = lay_captures_ignore();
    pthread_mutex_lock(&own->order);
    if (stream != atomic_load(&own->stream)) /* else another thread was faster */
        status = take_anew(branch, own, stream);
    pthread_mutex_unlock(&own->order);
    lay_captures_heed(heeded);
    return status;
}

/* One run's launches after the other's, where they share what the branch keeps. */
static lay_status put_in_order(const lay_branch *branch, lay_kept *own, const lay_call *call, lay_kept_put *put,
                               void *partial)
{
    pthread_mutex_t *const order = own->lender ? &own->lender->order : &own->order;
    pthread_mutex_lock(order);
    const lay_status status = put(branch, own, call, partial);
    pthread_mutex_unlock(order);
    return status;
}

static lay_status put_with_workspace(const lay_branch *branch, lay_kept *own, const lay_call *call, lay_kept_put *put)
{
    void *stream = branch->setting.options->stream, *taken = NULL;
    if (!branch->job.needs.partial || goes_without(branch))
        return put(branch, own, call, NULL);
    void *kept = atomic_load_explicit(&own->partial, memory_order_acquire);
    if (kept)
        return put_in_order(branch, own, call, put, kept);
    lay_status status = lay_device_take(own->device, branch->job.needs.partial, stream, &taken);
    if (status != LAY_OK)
        return status;
    status = put(branch, own, call, taken);
    lay_device_give(taken, stream);
    return status;
}

lay_status lay_kept_run(lay_branch *branch, const lay_call *call, lay_kept_put *put, int has_product)
{
    void *before;
    lay_kept *own = NULL;
    lay_status status = lay_device_enter(branch->setting.device, &before);
    if (status != LAY_OK)
        return status;
    if ((status = find(branch, &own)) == LAY_OK && (status = refuse_capture(branch, own)) == LAY_OK &&
        (status = follow_stream(branch, own)) == LAY_OK)
        status = has_product ? put_with_workspace(branch, own, call, put) : put(branch, own, call, NULL);
    lay_device_leave(before);
    return status;
}

void lay_kept_release(lay_branch *branch)
{
    drop(atomic_load(&branch->kept));
}
