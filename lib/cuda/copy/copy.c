/* A copy into a stream: the launches of its kernel, and tables that they read. */

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/status.h"
#include "cuda/copy/choose.h"
#include "cuda/launch/put.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/promises.h"

static lay_status launch(const lay_cuda_copy_form *chosen, lay_cuda_copy_args *args, void *stream)
{
    for (int64_t done = 0; done < chosen->blocks; done += INT32_MAX) {
        const lay_put part = { .name = "lay_cuda_copy",
                               .function = chosen->function,
                               .blocks = min_of(chosen->blocks - done, INT32_MAX),
                               .threads = chosen->threads,
                               .shared = chosen->shared };
        args->first_block = done;
        const lay_status status = lay_put_kernel(&part, args, 0, stream);
        if (status != LAY_OK)
            return status;
    }
    return LAY_OK;
}

/* With room for the tables on both sides, where there are any. */
static lay_status put(const lay_copy_job *job, int64_t *host, const int64_t *device, size_t bytes, void *stream)
{
    lay_cuda_copy_args args;
    const lay_cuda_copy_form chosen = lay_cuda_copy_choose(job, host, device, &args);
    const lay_status status = lay_device_fill((void *)(uintptr_t)device, host, bytes, stream);
    if (status != LAY_OK)
        return status;
    return launch(&chosen, &args, stream);
}

static lay_status put_with_tables(const lay_copy_job *job, int device, void *stream)
{
    const size_t bytes = lay_cuda_copy_count_tables(job);
    if (bytes == 0)
        return put(job, NULL, NULL, 0, stream);
    void *there = NULL;
    int64_t *here = malloc(bytes);
    if (!here)
        return lay_fail(LAY_ERR_MEMORY, "no memory for %zu bytes of offset tables", bytes);
    lay_status status = lay_device_take_once(device, bytes, stream, "a copy by tables of offsets", &there);
    if (status == LAY_OK)
        status = put(job, here, there, bytes, stream);
    lay_device_give(there, stream);
    free(here);
    return status;
}

/* One range of memory. CUDA's own copy starts sooner, but takes half as long again between some addresses, from half a
 * gigabyte on and in a graph (bench/LOG.md). */
static lay_status put_flat(const lay_copy_job *job, void *stream)
{
    enum { WORD = 16, LEAST = 1 << 18 }; /* bytes */
    const int64_t bytes = job->elements * job->size;
    if (bytes < LEAST || bytes % WORD || ((uintptr_t)job->from | (uintptr_t)job->to) % WORD) {
        const cudaError_t error = cudaMemcpyAsync(job->to, job->from, (size_t)bytes, cudaMemcpyDefault, stream);
        return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, "cudaMemcpyAsync");
    }
    lay_cuda_copy_args args = { .from = job->from, .to = job->to, .line = bytes / WORD };
    const lay_cuda_copy_form flat = { .function = lay_cuda_copy_flat,
                                      .blocks = ceil_div(args.line, LAY_CUDA_COPY_FLAT * LAY_CUDA_COPY_FLAT_WORDS),
                                      .threads = LAY_CUDA_COPY_FLAT };
    return launch(&flat, &args, stream);
}

lay_status lay_cuda_copy(const lay_copy_job *job, int device, void *stream)
{
    void *before;
    lay_status status = lay_device_enter(device, &before);
    if (status != LAY_OK)
        return status;
    const int is_flat = job->is_plain && job->line == job->elements;
    status = is_flat ? put_flat(job, stream) : put_with_tables(job, device, stream);
    lay_device_leave(before);
    return status;
}
