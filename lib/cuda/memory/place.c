/* Where memory lies, as the loaded driver knows it. */
#include <stdint.h>

#include "cuda/memory/device.h"
#include "cuda/memory/driver.h"
#include "cuda/memory/ordinary.h"
#include "cuda/memory/promises.h"

int lay_cuda_may_differ(void)
{
    return lay_driver_find() != NULL;
}

/* Of memory that it does not know the driver gives zeros; after a fork, or before it is started, an error. */
static int is_host(const lay_driver *driver, const void *address)
{
    CUmemorytype type = 0;
    CUpointer_attribute asked[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE };
    void *answers[] = { &type };
    return driver->pointer_attributes(1, asked, answers, (CUdeviceptr)(uintptr_t)address) != CUDA_SUCCESS || type == 0;
}

int lay_cuda_are_host(const void *a, const void *b, const void *c)
{
    if (lay_are_ordinary(a, b, c))
        return 1;
    const void *const address[] = { a, b, c };
    const lay_driver *driver = lay_driver_find();
    for (int i = 0; driver && i < 3; i++)
        if (!lay_are_ordinary(address[i], address[i], address[i]) && !is_host(driver, address[i]))
            return 0;
    return 1;
}

lay_place lay_cuda_find_place(const void *address, int *device)
{
    const lay_driver *driver = lay_driver_find();
    if (!driver)
        return LAY_PLACE_HOST;
    CUmemorytype type = 0;
    unsigned is_managed = 0;
    int ordinal = -1;
    CUpointer_attribute asked[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL };
    void *answers[] = { &type, &is_managed, &ordinal };
    if (driver->pointer_attributes(3, asked, answers, (CUdeviceptr)(uintptr_t)address) != CUDA_SUCCESS)
        return LAY_PLACE_HOST;
    if (is_managed)
        return LAY_PLACE_DEVICE;
    if (type == CU_MEMORYTYPE_DEVICE) {
        *device = ordinal;
        return LAY_PLACE_DEVICE;
    }
    return type == CU_MEMORYTYPE_HOST ? LAY_PLACE_PINNED : LAY_PLACE_HOST;
}

/* One attribute, or what it is where the driver does not say. */
static unsigned ask(const lay_driver *driver, CUpointer_attribute attribute, const void *address, unsigned otherwise)
{
    unsigned answer = otherwise;
    void *answers[] = { &answer };
    const CUresult error = driver->pointer_attributes(1, &attribute, answers, (CUdeviceptr)(uintptr_t)address);
    return error == CUDA_SUCCESS ? answer : otherwise;
}

/* What cudaMalloc gives can be sent to other processes by its address, pools' memory and mappings cannot. The rest is
 * asked from the device that is to read. */
int lay_cuda_may_read(int device, const void *address)
{
    const lay_driver *const driver = lay_driver_find();
    void *before;
    if (!driver || ask(driver, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, address, 1) ||
        lay_device_enter(device, &before) != LAY_OK)
        return 1;
    const unsigned flags =
        ask(driver, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, address, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ);
    lay_device_leave(before);
    return (flags & CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ) != 0;
}
