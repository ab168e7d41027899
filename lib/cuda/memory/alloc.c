/* Memory that CUDA gives. */
#include <cuda_runtime_api.h>
#include <stdint.h>

#include "base/status.h"
#include "cuda/memory/device.h"
#include "cuda/memory/driver.h"
#include "cuda/memory/promises.h"

static lay_status check_device(const char *kind)
{
    const char *reason;
    return lay_device_count(&reason) > 0 ? LAY_OK : lay_fail(LAY_ERR_UNSUPPORTED, "no %s memory: %s", kind, reason);
}

static lay_status take_pinned(size_t bytes, void **block)
{
    const lay_status status = check_device("page-locked");
    if (status != LAY_OK)
        return status;
    const int heeded = lay_captures_ignore();
    const cudaError_t error = cudaHostAlloc(block, bytes, cudaHostAllocPortable);
    lay_captures_heed(heeded);
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, "cudaHostAlloc");
}

/* In whatever thread: an address tells its device, but a thread without a context would have one made on device 0. */
static void give(cudaError_t (*free_block)(void *), void *block)
{
    const lay_driver *const driver = lay_driver_get();
    CUpointer_attribute asked[] = { CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL };
    int device = -1;
    void *answers[] = { &device }, *before;
    if (!driver || driver->pointer_attributes(1, asked, answers, (CUdeviceptr)(uintptr_t)block) != CUDA_SUCCESS ||
        device < 0 || lay_device_enter(device, &before) != LAY_OK)
        return;
    const int heeded = lay_captures_ignore();
    if (free_block(block) != cudaSuccess)
        cudaGetLastError();
    lay_captures_heed(heeded);
    lay_device_leave(before);
}

static void give_pinned(void *block)
{
    give(cudaFreeHost, block);
}

static lay_status take_device(size_t bytes, void **block)
{
    const lay_status status = check_device("device");
    if (status != LAY_OK)
        return status;
    const int heeded = lay_captures_ignore();
    const cudaError_t error = cudaMalloc(block, bytes);
    lay_captures_heed(heeded);
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, "cudaMalloc");
}

static void give_device(void *block)
{
    give(cudaFree, block);
}

const lay_block_source lay_cuda_pinned = { .take = take_pinned, .give = give_pinned };
const lay_block_source lay_cuda_block = { .take = take_device, .give = give_device };
