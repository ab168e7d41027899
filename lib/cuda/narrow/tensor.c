/* The driver's function, asked for by name once. */
#include "cuda/narrow/tensor.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdatomic.h>

#include "base/status.h"
#include "cuda/memory/device.h"

typedef CUresult encode_tiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                              const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static lay_status ask(void **found)
{
    enum cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", found, 12000, cudaEnableDefault, &result);
#else
    const cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", found, cudaEnableDefault, &result);
#endif
    if (error != cudaSuccess)
        return lay_cuda_failed(error, "cudaGetDriverEntryPoint");
    if (result != cudaDriverEntryPointSuccess || !*found)
        return lay_fail(LAY_ERR_UNSUPPORTED, "CUDA's driver knows no tensor maps");
    return LAY_OK;
}

static lay_status find(encode_tiled **encode)
{
    static _Atomic(void *) known;
    void *found = atomic_load_explicit(&known, memory_order_acquire);
    if (!found) {
        const lay_status status = ask(&found);
        if (status != LAY_OK)
            return status;
        atomic_store_explicit(&known, found, memory_order_release);
    }
    *(void **)(void *)encode = found; /* POSIX lets it be called as what it is */
    return LAY_OK;
}

lay_status lay_tensor_encode(const lay_tensor *of, void *map)
{
    static const CUtensorMapDataType types[] = { [LAY_TENSOR_F16] = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                                                 [LAY_TENSOR_BF16] = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                                                 [LAY_TENSOR_TF32] = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
                                                 [LAY_TENSOR_F32] = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                                 [LAY_TENSOR_F64] = CU_TENSOR_MAP_DATA_TYPE_FLOAT64 };
    static const CUtensorMapSwizzle swizzles[] = { [LAY_TENSOR_BY_128] = CU_TENSOR_MAP_SWIZZLE_128B,
                                                   [LAY_TENSOR_BY_64] = CU_TENSOR_MAP_SWIZZLE_64B,
                                                   [LAY_TENSOR_BY_32] = CU_TENSOR_MAP_SWIZZLE_32B,
                                                   [LAY_TENSOR_BY_NONE] = CU_TENSOR_MAP_SWIZZLE_NONE };
    static const cuuint32_t each[LAY_TENSOR_RANK] = { 1, 1, 1, 1, 1 };
    cuuint64_t extent[LAY_TENSOR_RANK], stride[LAY_TENSOR_RANK];
    cuuint32_t box[LAY_TENSOR_RANK];
    encode_tiled *encode;
    const lay_status status = find(&encode);
    if (status != LAY_OK)
        return status;
    for (int i = 0; i < of->rank; i++) {
        extent[i] = (cuuint64_t)of->extent[i];
        stride[i] = i + 1 < of->rank ? (cuuint64_t)of->stride[i] : 0;
        box[i] = (cuuint32_t)of->box[i];
    }
    const CUresult result = encode(map, types[of->type], (cuuint32_t)of->rank, (void *)(uintptr_t)of->base, extent,
                                   stride, box, each, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzles[of->swizzle],
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? LAY_OK : lay_fail(LAY_ERR_DEVICE, "cuTensorMapEncodeTiled: error %d", (int)result);
}
