/* Launches of single kernels. */
#include "cuda/launch/put.h"

#include <cuda_runtime_api.h>

#include "cuda/memory/device.h"

lay_status lay_put_kernel(const lay_put *of, void *args, int is_early, void *stream)
{
    void *arguments[] = { args };
    const dim3 grid = { (unsigned)of->blocks, 1, of->slices ? (unsigned)of->slices : 1 };
    const dim3 block = { (unsigned)of->threads, 1, 1 };
    cudaLaunchAttribute attribute[2];
    unsigned count = 0;
    cudaError_t error;
    if (is_early && CUDART_VERSION >= 12030)
        attribute[count++] = (cudaLaunchAttribute){ .id = cudaLaunchAttributeProgrammaticStreamSerialization,
                                                    .val.programmaticStreamSerializationAllowed = 1 };
    if (of->cluster > 1)
        attribute[count++] = (cudaLaunchAttribute){ .id = cudaLaunchAttributeClusterDimension,
                                                    .val.clusterDim = { (unsigned)of->cluster, 1, 1 } };
    if (count > 0) {
        const cudaLaunchConfig_t config = { .gridDim = grid,
                                            .blockDim = block,
                                            .dynamicSmemBytes = (size_t)of->shared,
                                            .stream = stream,
                                            .attrs = attribute,
                                            .numAttrs = count };
        error = cudaLaunchKernelExC(&config, of->function, arguments);
    } else {
        error = cudaLaunchKernel(of->function, grid, block, arguments, (size_t)of->shared, stream);
    }
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, of->name);
}
