/* Taking and filling what a way keeps. */
#include "cuda/kept.h"

#include <cuda_runtime_api.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/status.h"
#include "cuda/device.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "cuda/walks.h"

static const size_t kept_partial = (size_t)8 << 20; /* bytes of partial sums that a way keeps unasked */

/* Several threads' streams in one: nothing kept may be written to, as no order among runs is known. */
static int is_unordered(const lay_way *way)
{
    return way->setting.options->stream == cudaStreamPerThread;
}

static lay_status fill_tables(const lay_way *way, lay_kept *made)
{
    const size_t bytes = way->job.of.cuda[0].tables;
    void *stream = way->setting.options->stream, *host = malloc(bytes);
    if (!host)
        return lay_fail(LAY_ERR_MEMORY, "no memory for %zu bytes of offset tables", bytes);
    lay_walks_fill(&way->problem, NULL, NULL, host);
    const lay_status status = lay_device_fill(made->block, host, bytes, stream);
    free(host);
    if (status != LAY_OK || !is_unordered(way))
        return status;
    const cudaError_t error = cudaStreamSynchronize(stream);
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, "cudaStreamSynchronize");
}

/* A block for all that the way keeps, filled in the order of the stream. */
static lay_status fill(const lay_way *way, lay_kept *made)
{
    const lay_launch *launch = way->job.of.cuda;
    void *stream = way->setting.options->stream;
    const size_t counters = is_unordered(way) ? 0 : lay_launch_counters(launch), all = lay_launch_partial(launch);
    const size_t partial = all <= kept_partial && !is_unordered(way) ? all : 0;
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

void lay_kept_drop(lay_kept *gone)
{
    if (!gone)
        return;
    lay_device_retire(gone->device, gone->block, gone->bytes, gone->stream);
    lay_device_retire(gone->device, gone->reserved, gone->reserved_bytes, gone->stream);
    pthread_mutex_destroy(&gone->order);
    free(gone);
}

/* On the current device. */
static lay_status make(const lay_way *way, lay_kept **out)
{
    const lay_launch *launch = way->job.of.cuda;
    lay_status status = lay_launch_load(launch);
    if (status == LAY_OK && launch[1].kernel)
        status = lay_launch_load(&launch[1]);
    if (status != LAY_OK)
        return status;
    lay_kept *made = calloc(1, sizeof *made);
    if (!made)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    made->device = launch->device->number;
    made->stream = lay_stream_id(way->setting.options->stream);
    pthread_mutex_init(&made->order, NULL);
    status = fill(way, made);
    if (status != LAY_OK) {
        lay_kept_drop(made);
        return status;
    }
    *out = made;
    return LAY_OK;
}

static lay_status keep(const lay_way *way, lay_kept **out)
{
    if (lay_stream_is_capturing(way->setting.options->stream))
        return lay_fail(LAY_ERR_UNSUPPORTED, "the stream is being captured, and this plan has not run before: call "
                                             "lay_plan_reserve first");
    const int heeded = lay_captures_ignore();
    const lay_status status = make(way, out);
    lay_captures_heed(heeded);
    return status;
}

lay_status lay_kept_find(lay_way *way, lay_kept **out)
{
    void *found = atomic_load_explicit(&way->own, memory_order_acquire);
    lay_kept *made = NULL;
    const lay_status status = found ? LAY_OK : keep(way, &made);
    if (made && atomic_compare_exchange_strong(&way->own, &found, made))
        found = made;
    else
        lay_kept_drop(made); /* another thread was faster */
    *out = found;
    return status;
}

lay_status lay_kept_reserve(const lay_way *way, lay_kept *own)
{
    const size_t partial = lay_launch_partial(way->job.of.cuda);
    lay_status status = LAY_OK;
    if (is_unordered(way) && partial)
        return lay_fail(LAY_ERR_UNSUPPORTED, "runs in cudaStreamPerThread share no workspace: name a stream");
    pthread_mutex_lock(&own->order);
    if (partial && !atomic_load(&own->partial) &&
        (status = lay_device_take(own->device, partial, way->setting.options->stream, &own->reserved)) == LAY_OK) {
        own->reserved_bytes = partial;
        atomic_store_explicit(&own->partial, own->reserved, memory_order_release);
    }
    pthread_mutex_unlock(&own->order);
    return status;
}
