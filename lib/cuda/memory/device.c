/* The devices, found once through CUDA's runtime. */
#include "cuda/memory/device.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "cuda/memory/driver.h"
#include "cuda/memory/promises.h"

enum { MAX_DEVICES = 64 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static lay_device devices[MAX_DEVICES];
static int device_count;
static const char *why_none;
static _Atomic(CUcontext) primary[MAX_DEVICES]; /* retained for good, as by CUDA's runtime */
static int is_forked;                           /* CUDA was started in the parent: nothing of it works here */

static void note_fork(void)
{
    is_forked = 1;
}

static double read_attribute(enum cudaDeviceAttr attribute, int number)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, attribute, number) == cudaSuccess ? value : 0;
}

/* One way over PCIe, less what its packets take; where the system does not tell, as PCIe 4 with 16 lanes. */
static double find_link(const struct cudaDeviceProp *found)
{
    static const double usual = 25e9, efficiency = 0.85;
    char path[128];
    double transfers = 0, lanes = 0;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%04x:%02x:%02x.0/max_link_speed", found->pciDomainID,
             found->pciBusID, found->pciDeviceID);
    FILE *file = fopen(path, "re");
    if (file) {
        if (fscanf(file, "%lf", &transfers) != 1) /* "32.0 GT/s PCIe" */
            transfers = 0;
        fclose(file);
    }
    memcpy(strrchr(path, '_'), "_width", sizeof "_width");
    if ((file = fopen(path, "re"))) {
        if (fscanf(file, "%lf", &lanes) != 1)
            lanes = 0;
        fclose(file);
    }
    return transfers > 0 && lanes > 0 ? transfers * 1e9 * lanes / 8 * efficiency : usual;
}

static int describe(int number, lay_device *device)
{
    static struct cudaDeviceProp found; /* some KiB; one thread comes here, once */
    if (cudaGetDeviceProperties(&found, number) != cudaSuccess)
        return 0;
    *device = (lay_device){ .number = number,
                            .sm = found.major * 10 + found.minor,
                            .multiprocessors = found.multiProcessorCount,
                            .shared_per_block = found.sharedMemPerBlockOptin,
                            .shared_per_sm = found.sharedMemPerMultiprocessor,
                            .l2 = (size_t)found.l2CacheSize,
                            .memory = found.totalGlobalMem,
                            .ghz = read_attribute(cudaDevAttrClockRate, number) * 1e-6,
                            .link_per_second = find_link(&found) };
    /* Two transfers a clock, bits. */
    device->bytes_per_second =
        read_attribute(cudaDevAttrMemoryClockRate, number) * 1e3 * 2 * (double)found.memoryBusWidth / 8;
    snprintf(device->name, sizeof device->name, "%.63s", found.name);
    if (device->ghz <= 0)
        device->ghz = 1.5;
    if (device->bytes_per_second <= 0)
        device->bytes_per_second = 1e12;
    return 1;
}

static void find_devices(void)
{
    int count = 0, version = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) {
        cudaGetLastError();
        why_none = cudaDriverGetVersion(&version) == cudaSuccess && version == 0 ? "there is no CUDA driver"
                                                                                 : cudaGetErrorString(error);
        return;
    }
    pthread_atfork(NULL, NULL, note_fork);
    while (device_count < count && device_count < MAX_DEVICES && describe(device_count, &devices[device_count]))
        device_count++;
    why_none = count ? cudaGetErrorString(cudaGetLastError()) : "there is no CUDA device";
}

int lay_cuda_count(const char **reason)
{
    pthread_once(&once, find_devices);
    *reason = is_forked ? "CUDA was started before this process was forked" : why_none;
    return is_forked ? 0 : device_count;
}

const lay_device *lay_cuda_get(int number, const char **reason)
{
    const int count = lay_cuda_count(reason);
    if (count > 0 && (number < 0 || number >= count))
        *reason = "there is no device of that number";
    return number >= 0 && number < count ? &devices[number] : NULL;
}

int lay_cuda_current(void)
{
    const lay_driver *driver = lay_driver_find();
    CUdevice device = 0;
    return driver && driver->current_device(&device) == CUDA_SUCCESS ? device : 0;
}

/* Threads that find it at once retain it twice, which harms nobody. */
static CUresult find_primary(const lay_driver *driver, int number, CUcontext *found)
{
    CUresult error = CUDA_SUCCESS;
    if (!(*found = atomic_load_explicit(&primary[number], memory_order_acquire)) &&
        (error = driver->retain(found, number)) == CUDA_SUCCESS)
        atomic_store_explicit(&primary[number], *found, memory_order_release);
    return error;
}

/* Whatever context of it that is: streams and what is current belong together. */
static int is_current(const lay_driver *driver, CUcontext now, int number)
{
    CUdevice device = 0;
    return now && (now == atomic_load_explicit(&primary[number], memory_order_acquire) ||
                   (driver->current_device(&device) == CUDA_SUCCESS && device == number));
}

/* Not by cudaSetDevice: on the way back, in a thread that has no context, that would make one on device 0. */
lay_status lay_cuda_enter(int number, void **before)
{
    CUcontext now = NULL, asked = NULL;
    const char *call = "cuCtxGetCurrent";
    *before = NULL;
    if (is_forked)
        return lay_fail(LAY_ERR_DEVICE, "CUDA was started before this process was forked");
    const lay_driver *const driver = lay_driver_get();
    if (!driver)
        return lay_fail(LAY_ERR_DEVICE, "there is no CUDA driver");
    CUresult error = driver->current(&now);
    *before = now;
    if (error == CUDA_SUCCESS && is_current(driver, now, number))
        return LAY_OK;
    if (error == CUDA_SUCCESS) {
        call = "cuDevicePrimaryCtxRetain";
        error = find_primary(driver, number, &asked);
    }
    if (error == CUDA_SUCCESS) {
        call = "cuCtxSetCurrent";
        error = driver->make_current(asked);
    }
    return error == CUDA_SUCCESS ? LAY_OK : lay_cuda_failed((int)error, call); /* numbered as the runtime's errors */
}

void lay_cuda_leave(void *before)
{
    const lay_driver *const driver = lay_driver_find();
    CUcontext now = NULL;
    if (driver && driver->current(&now) == CUDA_SUCCESS && now != before)
        driver->make_current(before);
}

int lay_captures_ignore(void)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    if (cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess)
        return (int)mode;
    cudaGetLastError();
    return -1;
}

void lay_captures_heed(int before)
{
    enum cudaStreamCaptureMode mode = (enum cudaStreamCaptureMode)before;
    if (before >= 0)
        cudaThreadExchangeStreamCaptureMode(&mode);
}

lay_status lay_cuda_failed(int error, const char *call)
{
    cudaGetLastError();
    return lay_fail(error == cudaErrorMemoryAllocation ? LAY_ERR_MEMORY : LAY_ERR_DEVICE, "%s: %s", call,
                    cudaGetErrorString((cudaError_t)error));
}
