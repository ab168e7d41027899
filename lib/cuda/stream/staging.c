/* Buffers, streams and events between products: a pool of page-locked blocks and one of all else. */
#include "cuda/stream/staging.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "base/status.h"
#include "cuda/memory/device.h"

/* Blocks are of so many bytes times powers of two, so that products of like sizes find each other's. */
static const size_t least_bytes = (size_t)64 << 10;

/* What belongs to a device is freed there. Where CUDA was left behind by a fork nothing of it may be called: what it
 * had is the parent's. */
static int enter(int device, void **before, int *heeded)
{
    const char *reason;
    if (lay_device_count(&reason) == 0)
        return 0;
    (void)lay_device_enter(device, before);
    *heeded = lay_captures_ignore();
    return 1;
}

/* Whatever failed is gone anyhow. */
static void leave(void *before, int heeded)
{
    (void)cudaGetLastError();
    lay_captures_heed(heeded);
    lay_device_leave(before);
}

/* ---- page-locked blocks ----------------------------------------------------------------------- */

typedef struct block {
    lay_pooled head;
    void *at;
} block;

static lay_status make_block(int device, size_t bytes, lay_pooled **out)
{
    block *made = calloc(1, sizeof *made);
    if (!made)
        return lay_fail(LAY_ERR_MEMORY, "no memory for a note about a buffer");
    made->head = (lay_pooled){ .bytes = least_bytes, .device = device };
    while (made->head.bytes < bytes)
        made->head.bytes *= 2;
    const cudaError_t error = cudaHostAlloc(&made->at, made->head.bytes, cudaHostAllocPortable);
    if (error != cudaSuccess) {
        free(made);
        return lay_cuda_failed(error, "cudaHostAlloc");
    }
    *out = &made->head;
    return LAY_OK;
}

static void unmake_block(lay_pooled *gone)
{
    void *before;
    int heeded;
    if (enter(gone->device, &before, &heeded)) {
        cudaFreeHost(((block *)gone)->at);
        leave(before, heeded);
    }
    free(gone);
}

static lay_pool blocks = { .make = make_block,
                           .unmake = unmake_block,
                           .most_bytes = LAY_STAGING_IDLE,
                           .most_things = 2 * LAY_STAGING_BUFFERS * LAY_STAGING_CALLERS,
                           .lock = LAY_LOCK_INIT };

/* ---- streams and events ----------------------------------------------------------------------- */

static lay_status make_stream(void **stream)
{
    cudaStream_t made;
    const cudaError_t error = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    if (error != cudaSuccess)
        return lay_cuda_failed(error, "cudaStreamCreateWithFlags");
    *stream = made;
    return LAY_OK;
}

static lay_status make_event(void **event)
{
    cudaEvent_t made;
    const cudaError_t error = cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    if (error != cudaSuccess)
        return lay_cuda_failed(error, "cudaEventCreateWithFlags");
    *event = made;
    return LAY_OK;
}

static void destroy_stream(void *stream)
{
    if (stream)
        cudaStreamDestroy(stream);
}

static void destroy_event(void *event)
{
    if (event)
        cudaEventDestroy(event);
}

static void unmake_staging(lay_pooled *gone)
{
    lay_staging *const staging = (lay_staging *)gone;
    void *before;
    int heeded;
    if (enter(gone->device, &before, &heeded)) {
        for (int i = 0; i < LAY_STAGING_BUFFERS; i++) {
            destroy_event(staging->in_buffer[i].done);
            destroy_event(staging->out_buffer[i].done);
        }
        for (int i = 0; i < staging->events; i++)
            destroy_event(staging->event[i]);
        for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
            destroy_stream(staging->compute[i]);
        destroy_stream(staging->in);
        destroy_stream(staging->out);
        leave(before, heeded);
    }
    free(staging->event);
    free(staging);
}

static lay_status make_staging(int device, size_t bytes, lay_pooled **out)
{
    lay_staging *made = calloc(1, sizeof *made);
    lay_status status;
    if (!made)
        return lay_fail(LAY_ERR_MEMORY, "no memory for the streams of a product");
    made->head = (lay_pooled){ .bytes = bytes, .device = device };
    if ((status = make_stream(&made->in)) || (status = make_stream(&made->out)))
        goto failed;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if ((status = make_stream(&made->compute[i])))
            goto failed;
    *out = &made->head;
    return LAY_OK;
failed:
    unmake_staging(&made->head);
    return status;
}

static lay_pool stagings = {
    .make = make_staging, .unmake = unmake_staging, .most_things = LAY_STAGING_CALLERS, .lock = LAY_LOCK_INIT
};

__attribute__((constructor)) static void start(void)
{
    lay_lock_enlist(&blocks.lock);
    lay_lock_enlist(&stagings.lock);
}

/* ---- borrowing -------------------------------------------------------------------------------- */

lay_status lay_staging_take(int device, lay_staging **staging)
{
    lay_pooled *taken = NULL;
    const lay_status status = lay_pool_take(&stagings, device, 0, &taken);
    *staging = (lay_staging *)taken;
    return status;
}

static void give_block(lay_staging_buffer *buffer, int is_sound)
{
    if (buffer->block && !is_sound)
        unmake_block(buffer->block);
    else
        lay_pool_give(&blocks, buffer->block);
    buffer->block = NULL;
    buffer->at = NULL;
    buffer->is_in_use = 0;
}

void lay_staging_give(lay_staging *staging, int is_sound)
{
    if (!staging)
        return;
    staging->events_in_use = 0;
    for (int i = 0; i < LAY_STAGING_BUFFERS; i++) {
        give_block(&staging->in_buffer[i], is_sound);
        give_block(&staging->out_buffer[i], is_sound);
    }
    if (is_sound)
        lay_pool_give(&stagings, &staging->head);
    else
        unmake_staging(&staging->head);
}

lay_status lay_staging_fill(lay_staging *staging, lay_staging_buffer *buffer, size_t bytes)
{
    lay_status status;
    if (!buffer->done && (status = make_event(&buffer->done)))
        return status;
    if (buffer->block && buffer->block->bytes >= bytes)
        return LAY_OK;
    give_block(buffer, 1);
    if ((status = lay_pool_take(&blocks, staging->head.device, bytes, &buffer->block)))
        return status;
    buffer->at = ((block *)buffer->block)->at;
    return LAY_OK;
}

lay_status lay_staging_event(lay_staging *staging, void **event)
{
    if (staging->events_in_use == staging->events) {
        const int room = staging->events ? 2 * staging->events : 64;
        void **grown = realloc(staging->event, (size_t)room * sizeof *grown);
        if (!grown)
            return lay_fail(LAY_ERR_MEMORY, "no memory for %d events", room);
        staging->event = grown;
        for (; staging->events < room; staging->events++) {
            const lay_status status = make_event(&staging->event[staging->events]);
            if (status != LAY_OK)
                return status;
        }
    }
    *event = staging->event[staging->events_in_use++];
    return LAY_OK;
}

void lay_staging_clear(void)
{
    lay_pool_clear(&blocks);
    lay_pool_clear(&stagings);
}
