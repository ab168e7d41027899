/* Buffers, streams and events between products. */
#include "cuda/staging.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "base/lock.h"
#include "base/status.h"
#include "cuda/device.h"

enum { MAX_IDLE = 4 }; /* callers at once that find theirs again */

static lay_lock lock = LAY_LOCK_INIT;
static lay_staging *idle;

__attribute__((constructor)) static void start(void)
{
    lay_lock_enlist(&lock);
}

static void free_buffers(lay_staging_buffer buffer[])
{
    for (int i = 0; i < LAY_STAGING_BUFFERS; i++) {
        if (buffer[i].at)
            cudaFreeHost(buffer[i].at);
        if (buffer[i].done)
            cudaEventDestroy(buffer[i].done);
    }
}

/* On its device. Whatever fails is gone anyhow. */
static void destroy(lay_staging *staging)
{
    int before;
    const lay_status entered = lay_device_enter(staging->device, &before);
    const int heeded = lay_captures_ignore();
    free_buffers(staging->in_buffer);
    free_buffers(staging->out_buffer);
    for (int i = 0; i < staging->events; i++)
        cudaEventDestroy(staging->event[i]);
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if (staging->compute[i])
            cudaStreamDestroy(staging->compute[i]);
    if (staging->in)
        cudaStreamDestroy(staging->in);
    if (staging->out)
        cudaStreamDestroy(staging->out);
    (void)cudaGetLastError();
    lay_captures_heed(heeded);
    if (entered == LAY_OK)
        lay_device_leave(before);
    free(staging->event);
    free(staging);
}

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

static lay_status make(int device, lay_staging **out)
{
    lay_staging *made = calloc(1, sizeof *made);
    if (!made)
        return lay_fail(LAY_ERR_MEMORY, "no memory for the streams of a product");
    made->device = device;
    lay_status status;
    if ((status = make_stream(&made->in)) || (status = make_stream(&made->out)))
        goto failed;
    for (int i = 0; i < LAY_STAGING_COMPUTE; i++)
        if ((status = make_stream(&made->compute[i])))
            goto failed;
    *out = made;
    return LAY_OK;
failed:
    destroy(made);
    return status;
}

lay_status lay_staging_take(int device, lay_staging **staging)
{
    lay_lock_take(&lock);
    lay_staging **link = &idle;
    while (*link && (*link)->device != device)
        link = &(*link)->next;
    *staging = *link;
    if (*staging)
        *link = (*staging)->next;
    lay_lock_release(&lock);
    return *staging ? LAY_OK : make(device, staging);
}

void lay_staging_give(lay_staging *staging, int is_sound)
{
    if (!staging)
        return;
    staging->events_in_use = 0;
    for (int i = 0; i < LAY_STAGING_BUFFERS; i++)
        staging->in_buffer[i].is_in_use = staging->out_buffer[i].is_in_use = 0;
    lay_lock_take(&lock);
    int count = 0;
    for (const lay_staging *other = idle; other; other = other->next)
        count++;
    const int is_kept = is_sound && count < MAX_IDLE;
    if (is_kept) {
        staging->next = idle;
        idle = staging;
    }
    lay_lock_release(&lock);
    if (!is_kept)
        destroy(staging);
}

lay_status lay_staging_fill(lay_staging_buffer *buffer)
{
    lay_status status;
    if (!buffer->done && (status = make_event(&buffer->done)))
        return status;
    if (!buffer->at) {
        const cudaError_t error = cudaHostAlloc(&buffer->at, LAY_STAGING_BYTES, cudaHostAllocPortable);
        if (error != cudaSuccess) {
            buffer->at = NULL;
            return lay_cuda_failed(error, "cudaHostAlloc");
        }
    }
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
    lay_lock_take(&lock);
    lay_staging *gone = idle;
    idle = NULL;
    lay_lock_release(&lock);
    while (gone) {
        lay_staging *next = gone->next;
        destroy(gone);
        gone = next;
    }
}
