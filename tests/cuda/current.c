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

enum { DEVICES = 4, BUSY = 2 /* another process has it for itself */, LATE = 3 /* first entered by the last test */ };

static struct CUctx_st {
    int device, is_made;
} primary[DEVICES] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 } }, own[2] = { { 0, 1 }, { 1, 1 } };

static CUcontext current;

static CUresult current_device(CUdevice *device)
{
    *device = current ? current->device : -1;
    return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult find_current(CUcontext *context)
{
    *context = current;
    return CUDA_SUCCESS;
}

static CUresult make_current(CUcontext context)
{
    assert_true(!context || context->is_made);
    current = context;
    return CUDA_SUCCESS;
}

static CUresult retain(CUcontext *context, CUdevice device)
{
    assert_in_range(device, 0, DEVICES - 1);
    if (device == BUSY)
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    primary[device].is_made = 1;
    *context = &primary[device];
    return CUDA_SUCCESS;
}

const lay_driver *lay_driver_find(void)
{
    static const lay_driver driver = {
        .current_device = current_device, .current = find_current, .make_current = make_current, .retain = retain
    };
    return &driver;
}

const lay_driver *lay_driver_get(void)
{
    return lay_driver_find();
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
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
    void *before = NULL;
    (void)state;
    for (int was = 0; was < 2; was++)
        for (int number = 0; number < 2; number++) {
            retain(&current, was);
            assert_int_equal(lay_cuda_enter(number, &before), LAY_OK);
            assert_ptr_equal(current, &primary[number]);
            lay_cuda_leave(before);
            assert_ptr_equal(current, &primary[was]);
        }
}

/* And no device but the one that is entered gets a context. */
static void a_thread_without_a_context_has_none_afterwards(void **state)
{
    void *before = &own[0];
    (void)state;
    primary[0].is_made = 0;
    current = NULL;
    assert_int_equal(lay_cuda_enter(LATE, &before), LAY_OK);
    assert_ptr_equal(current, &primary[LATE]);
    lay_cuda_leave(before);
    assert_null(current);
    assert_int_equal(primary[0].is_made, 0);
    primary[0].is_made = 1;
}

/* Which its streams belong to, where it is of the device that is entered. */
static void a_context_of_the_callers_own_stays_or_comes_back(void **state)
{
    void *before = NULL;
    (void)state;
    for (int number = 0; number < 2; number++) {
        current = &own[1];
        assert_int_equal(lay_cuda_enter(number, &before), LAY_OK);
        assert_ptr_equal(current, number == 1 ? &own[1] : &primary[0]);
        lay_cuda_leave(before);
        assert_ptr_equal(current, &own[1]);
    }
}

/* As products in tiles do, which enter each part's device. */
static void what_was_entered_within_is_left_with_the_first(void **state)
{
    void *before = NULL, *within = NULL;
    (void)state;
    current = NULL;
    assert_int_equal(lay_cuda_enter(0, &before), LAY_OK);
    assert_int_equal(lay_cuda_enter(1, &within), LAY_OK);
    assert_int_equal(lay_cuda_enter(LATE, &within), LAY_OK);
    lay_cuda_leave(before);
    assert_null(current);
}

static void a_device_that_cannot_be_entered_is_not_left_current(void **state)
{
    void *before = NULL;
    (void)state;
    retain(&current, 1);
    assert_int_equal(lay_cuda_enter(BUSY, &before), LAY_ERR_DEVICE);
    assert_string_equal(lay_last_error(),
                        "cuDevicePrimaryCtxRetain: CUDA-capable device(s) is/are busy or unavailable");
    assert_ptr_equal(before, &primary[1]);
    assert_ptr_equal(current, &primary[1]);
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
        cmocka_unit_test(a_thread_without_a_context_has_none_afterwards),
        cmocka_unit_test(a_context_of_the_callers_own_stays_or_comes_back),
        cmocka_unit_test(what_was_entered_within_is_left_with_the_first),
        cmocka_unit_test(a_device_that_cannot_be_entered_is_not_left_current),
        cmocka_unit_test(devices_are_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
