/* Which device is current for a thread before and after, with stand-ins for CUDA's calls, so without a GPU. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/memory/device.h"
#include "cuda/memory/driver.h"
#include "cuda/memory/promises.h"

/* ---- stand-ins -------------------------------------------------------------------------------- */

enum { DEVICES = 3, BUSY = 2 /* another process has it for itself */ };

static int current;
static cudaError_t last;

const lay_driver *lay_driver_find(void)
{
    return NULL;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current;
    return cudaSuccess;
}

/* As of CUDA 12: current at once, then made ready. */
cudaError_t cudaSetDevice(int device)
{
    assert_in_range(device, 0, DEVICES - 1);
    current = device;
    return last = device == BUSY ? cudaErrorDevicesUnavailable : cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorDevicesUnavailable ? "CUDA-capable device(s) is/are busy or unavailable" : "another error";
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = DEVICES;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *found, int number)
{
    memset(found, 0, sizeof *found);
    found->major = 9;
    found->pciBusID = number;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int number)
{
    (void)attribute, (void)number;
    *value = 1;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    (void)mode;
    return cudaSuccess;
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void who_leaves_finds_the_device_of_before(void **state)
{
    int before = -1;
    (void)state;
    for (int own = 0; own < 2; own++)
        for (int number = 0; number < 2; number++) {
            current = own;
            assert_int_equal(lay_cuda_enter(number, &before), LAY_OK);
            assert_int_equal(current, number);
            lay_cuda_leave(before);
            assert_int_equal(current, own);
        }
}

static void a_device_that_cannot_be_entered_is_not_left_current(void **state)
{
    int before = -1;
    (void)state;
    current = 1;
    assert_int_equal(lay_cuda_enter(BUSY, &before), LAY_ERR_DEVICE);
    assert_string_equal(lay_last_error(), "cudaSetDevice: CUDA-capable device(s) is/are busy or unavailable");
    assert_int_equal(current, 1);
    assert_int_equal(last, cudaSuccess);
}

static void devices_are_counted_once(void **state)
{
    const char *reason = NULL;
    (void)state;
    assert_int_equal(lay_cuda_count(&reason), DEVICES);
    assert_non_null(lay_cuda_get(BUSY, &reason));
    assert_null(lay_cuda_get(DEVICES, &reason));
    assert_string_equal(reason, "there is no device of that number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_leaves_finds_the_device_of_before),
        cmocka_unit_test(a_device_that_cannot_be_entered_is_not_left_current),
        cmocka_unit_test(devices_are_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
