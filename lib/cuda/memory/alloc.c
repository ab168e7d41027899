/* Memory that CUDA gives. */
#include <cuda_runtime_api.h>

#include "base/status.h"
#include "cuda/memory/device.h"
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

static void give_pinned(void *block)
{
    const int heeded = lay_captures_ignore();
    if (cudaFreeHost(block) != cudaSuccess)
        cudaGetLastError();
    lay_captures_heed(heeded);
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

/* Whichever device is current: an address tells its own. */
static void give_device(void *block)
{
    const int heeded = lay_captures_ignore();
    if (cudaFree(block) != cudaSuccess)
        cudaGetLastError();
    lay_captures_heed(heeded);
}

const lay_block_source lay_cuda_pinned = { .take = take_pinned, .give = give_pinned };
const lay_block_source lay_cuda_block = { .take = take_device, .give = give_device };
