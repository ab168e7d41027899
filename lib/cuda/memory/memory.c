/* Pools, and the blocks of plans that are gone. */
#include "cuda/memory/memory.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/status.h"
#include "cuda/memory/device.h"
#include "cuda/memory/promises.h"

enum { MAX_DEVICES = 64 };
static const size_t idle_bytes = (size_t)256 << 20; /* that a pool keeps when the device comes to rest */
/* Of copies from pageable memory the 60th waits until the stream has come to the first; of larger ones the third, but
 * many MiB go in half the time. */
static const size_t piece_bytes = (size_t)64 << 10, few_bytes = (size_t)1 << 20;
/* Retired blocks that may lie about before those of a stream are looked for, when it is used again; and before all are
 * waited for, since their streams seem to be gone. */
static const size_t some_bytes = (size_t)4 << 20, most_bytes = (size_t)256 << 20;

typedef struct retired {
    struct retired *next;
    void *block;
    size_t bytes;
    int device;
    unsigned long long stream;
} retired;

static lay_lock lock = LAY_LOCK_INIT;
static cudaMemPool_t pool[MAX_DEVICES];
static retired *waiting;
static size_t waiting_bytes, look_at = some_bytes; /* look_at: bytes that make it worth looking again */

__attribute__((constructor)) static void start(void)
{
    lay_lock_enlist(&lock);
}

static cudaMemPool_t exchange_pool(int device, cudaMemPool_t made)
{
    lay_lock_take(&lock);
    if (!pool[device]) {
        pool[device] = made;
        made = NULL;
    }
    lay_lock_release(&lock);
    return made;
}

static cudaMemPool_t read_pool(int device)
{
    lay_lock_take(&lock);
    const cudaMemPool_t own = pool[device];
    lay_lock_release(&lock);
    return own;
}

/* CUDA is called without the lock: it has locks of its own that a fork may hold. */
static cudaError_t find_pool(int device, cudaMemPool_t *found)
{
    if ((*found = read_pool(device)))
        return cudaSuccess;
    const struct cudaMemPoolProps asked = { .allocType = cudaMemAllocationTypePinned,
                                            .location = { .type = cudaMemLocationTypeDevice, .id = device } };
    unsigned long long keep = idle_bytes;
    cudaMemPool_t made;
    cudaError_t error = cudaMemPoolCreate(&made, &asked);
    if (error != cudaSuccess)
        return error;
    error = cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keep);
    if (error != cudaSuccess) {
        cudaMemPoolDestroy(made);
        return error;
    }
    if ((made = exchange_pool(device, made))) /* another thread was faster */
        cudaMemPoolDestroy(made);
    *found = read_pool(device);
    return cudaSuccess;
}

int lay_cuda_is_capturing(void *stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(stream, &status);
    if (error == cudaSuccess)
        return status != cudaStreamCaptureStatusNone;
    cudaGetLastError();
    /* The default stream while another one is captured: nothing may be done there either. Whatever else is wrong the
     * next call meets, and names. */
    return error == cudaErrorStreamCaptureImplicit;
}

unsigned long long lay_cuda_stream_id(void *stream)
{
    unsigned long long id;
    if (stream != cudaStreamPerThread && cudaStreamGetId(stream, &id) == cudaSuccess)
        return id;
    cudaGetLastError();
    return LAY_NO_STREAM;
}

static size_t count_waiting(void)
{
    lay_lock_take(&lock);
    const size_t bytes = waiting_bytes;
    lay_lock_release(&lock);
    return bytes;
}

static int is_worth_looking(void)
{
    lay_lock_take(&lock);
    const int is_worth = waiting_bytes > look_at;
    lay_lock_release(&lock);
    return is_worth;
}

/* Takes out of the list what was retired in a stream of the device. */
static retired *find_those_of(int device, unsigned long long stream)
{
    retired *found = NULL;
    lay_lock_take(&lock);
    for (retired **link = &waiting; *link;) {
        retired *own = *link;
        if (own->device != device || own->stream != stream) {
            link = &own->next;
            continue;
        }
        *link = own->next;
        own->next = found;
        found = own;
        waiting_bytes -= own->bytes;
    }
    look_at = waiting_bytes + some_bytes;
    lay_lock_release(&lock);
    return found;
}

/* What was retired in stream is free behind what stream has been given: nobody waits. */
static void tidy(int device, void *stream)
{
    const unsigned long long id = lay_stream_id(stream);
    retired *list = id == LAY_NO_STREAM ? NULL : find_those_of(device, id);
    while (list) {
        retired *next = list->next;
        lay_device_give(list->block, stream);
        free(list);
        list = next;
    }
    if (count_waiting() > most_bytes)
        lay_device_sweep();
}

static lay_status take(int device, size_t bytes, void *stream, void **block)
{
    cudaMemPool_t from = NULL;
    const cudaError_t made = find_pool(device, &from);
    if (made != cudaSuccess)
        return lay_cuda_failed(made, "cudaMemPoolCreate");
    if (is_worth_looking())
        tidy(device, stream);
    cudaError_t error = cudaMallocFromPoolAsync(block, bytes, from, stream);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        lay_device_sweep();
        error = cudaMallocFromPoolAsync(block, bytes, from, stream);
    }
    if (error == cudaSuccess)
        return LAY_OK;
    *block = NULL;
    return lay_cuda_failed(error, "cudaMallocFromPoolAsync");
}

lay_status lay_cuda_take(int device, size_t bytes, void *stream, void **block)
{
    if (lay_stream_is_capturing(stream))
        return lay_fail(LAY_ERR_UNSUPPORTED,
                        "the stream is being captured and %zu bytes of device memory are still to "
                        "be taken: call lay_plan_reserve first",
                        bytes);
    const int heeded = lay_captures_ignore();
    const lay_status status = take(device, bytes, stream, block);
    lay_captures_heed(heeded);
    return status;
}

void lay_device_give(void *block, void *stream)
{
    if (!block)
        return;
    const int heeded = lay_captures_ignore();
    if (cudaFreeAsync(block, stream) != cudaSuccess)
        cudaGetLastError();
    lay_captures_heed(heeded);
}

lay_status lay_device_fill(void *to, const void *from, size_t bytes, void *stream)
{
    const size_t most = bytes <= few_bytes ? piece_bytes : bytes;
    for (size_t at = 0; at < bytes; at += most) {
        const size_t piece = bytes - at < most ? bytes - at : most;
        const cudaError_t error =
            cudaMemcpyAsync((char *)to + at, (const char *)from + at, piece, cudaMemcpyHostToDevice, stream);
        if (error != cudaSuccess)
            return lay_cuda_failed(error, "cudaMemcpyAsync");
    }
    return LAY_OK;
}

void lay_cuda_retire(int device, void *block, size_t bytes, unsigned long long stream)
{
    retired *made = block ? malloc(sizeof *made) : NULL;
    if (!made) /* without memory for a note the block stays with its pool */
        return;
    *made = (retired){ .block = block, .bytes = bytes, .device = device, .stream = stream };
    lay_lock_take(&lock);
    made->next = waiting;
    waiting = made;
    waiting_bytes += bytes;
    lay_lock_release(&lock);
}

static int has_those_of(int device, const retired *list)
{
    while (list && list->device != device)
        list = list->next;
    return list != NULL;
}

/* Frees those of the current device, once it has ended what it was given; the rest of the list. */
static retired *free_those_of(int device, retired *list)
{
    retired **link = &list;
    while (*link) {
        retired *own = *link;
        if (own->device != device) {
            link = &own->next;
            continue;
        }
        *link = own->next;
        cudaFree(own->block);
        free(own);
    }
    return list;
}

void lay_device_sweep(void)
{
    cudaMemPool_t own[MAX_DEVICES];
    lay_lock_take(&lock);
    memcpy(own, pool, sizeof own);
    retired *list = waiting;
    waiting = NULL;
    waiting_bytes = 0;
    look_at = some_bytes;
    lay_lock_release(&lock);
    for (int device = 0; device < MAX_DEVICES; device++) {
        void *before;
        if (!own[device] || lay_device_enter(device, &before) != LAY_OK)
            continue;
        const int heeded = lay_captures_ignore();
        /* In whatever mode, waiting for the device spoils captures that go on there. */
        if (has_those_of(device, list) && cudaDeviceSynchronize() == cudaSuccess)
            list = free_those_of(device, list);
        cudaMemPoolTrimTo(own[device], 0);
        lay_captures_heed(heeded);
        cudaGetLastError();
        lay_device_leave(before);
    }
    while (list) { /* those of devices that cannot be waited for now */
        retired *next = list->next;
        lay_lock_take(&lock);
        list->next = waiting;
        waiting = list;
        waiting_bytes += list->bytes;
        lay_lock_release(&lock);
        list = next;
    }
}
