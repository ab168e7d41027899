/* Pools, and the blocks of plans that are gone. */
#include "cuda/memory.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/status.h"
#include "cuda/device.h"

enum { MAX_DEVICES = 64 };
static const size_t idle_bytes = (size_t)256 << 20;   /* that a pool keeps when the device comes to rest */
static const size_t retired_bytes = (size_t)64 << 20; /* that may wait to be freed */

typedef struct retired {
    struct retired *next;
    void *block;
    size_t bytes;
    int device;
} retired;

static lay_lock lock = LAY_LOCK_INIT;
static cudaMemPool_t pool[MAX_DEVICES];
static retired *waiting;
static size_t waiting_bytes;

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

int lay_stream_is_capturing(void *stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) == cudaSuccess)
        return status != cudaStreamCaptureStatusNone;
    cudaGetLastError(); /* the default stream while another one is captured: nothing may be done there either */
    return 1;
}

static int has_much_waiting(void)
{
    lay_lock_take(&lock);
    const int is_much = waiting_bytes > retired_bytes;
    lay_lock_release(&lock);
    return is_much;
}

lay_status lay_device_take(int device, size_t bytes, void *stream, void **block)
{
    cudaMemPool_t from = NULL;
    if (lay_stream_is_capturing(stream))
        return lay_fail(LAY_ERR_UNSUPPORTED,
                        "the stream is being captured and %zu bytes of device memory are still to "
                        "be taken: call lay_plan_reserve first",
                        bytes);
    const cudaError_t made = find_pool(device, &from);
    if (made != cudaSuccess)
        return lay_cuda_failed(made, "cudaMemPoolCreate");
    if (has_much_waiting())
        lay_device_sweep();
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

void lay_device_give(void *block, void *stream)
{
    if (block && cudaFreeAsync(block, stream) != cudaSuccess)
        cudaGetLastError();
}

void lay_device_retire(int device, void *block, size_t bytes)
{
    retired *made = block ? malloc(sizeof *made) : NULL;
    if (!made) /* without memory for a note the block stays with its pool */
        return;
    *made = (retired){ .block = block, .bytes = bytes, .device = device };
    lay_lock_take(&lock);
    made->next = waiting;
    waiting = made;
    waiting_bytes += bytes;
    lay_lock_release(&lock);
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
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; /* none of the streams captured now is meant */
    cudaMemPool_t own[MAX_DEVICES];
    lay_lock_take(&lock);
    memcpy(own, pool, sizeof own);
    retired *list = waiting;
    waiting = NULL;
    waiting_bytes = 0;
    lay_lock_release(&lock);
    for (int device = 0; device < MAX_DEVICES; device++) {
        int before;
        if (!own[device] || lay_device_enter(device, &before) != LAY_OK)
            continue;
        cudaThreadExchangeStreamCaptureMode(&mode);
        if (cudaDeviceSynchronize() == cudaSuccess)
            list = free_those_of(device, list);
        cudaMemPoolTrimTo(own[device], 0);
        cudaThreadExchangeStreamCaptureMode(&mode);
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
