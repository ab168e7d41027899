/* What the library asks of a driver, and no more: to CUDA's runtime it is none. */
#include "fake_driver.h"

#include <cuda.h>

#define SHOWN __attribute__((visibility("default")))

SHOWN fake_state fake_driver;

SHOWN CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer)
{
    const int is_known = pointer - fake_driver.first < fake_driver.bytes;
    fake_driver.asked++;
    for (unsigned i = 0; i < count; i++)
        if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
            *(CUmemorytype *)data[i] = is_known ? CU_MEMORYTYPE_DEVICE : 0;
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
            *(unsigned *)data[i] = 0;
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            *(int *)data[i] = is_known ? 0 : -2;
    return CUDA_SUCCESS;
}

SHOWN CUresult cuCtxGetDevice(CUdevice *device)
{
    *device = 0;
    return CUDA_SUCCESS;
}

SHOWN CUresult cuCtxGetCurrent(CUcontext *context)
{
    *context = NULL;
    return CUDA_SUCCESS;
}

SHOWN CUresult cuCtxSetCurrent(CUcontext context)
{
    (void)context;
    return CUDA_ERROR_NO_DEVICE;
}

SHOWN CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)context, (void)device;
    return CUDA_ERROR_NO_DEVICE;
}
