/* What is said of a device that has failed, and of streams that are captured or are none, with stand-ins for CUDA's
 * calls, so without a GPU. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "cuda/memory/device.h"
#include "cuda/memory/memory.h"
#include "cuda/memory/promises.h"

/* ---- stand-ins -------------------------------------------------------------------------------- */

static cudaError_t failure; /* of every call but those about pools, from now on */
static enum cudaStreamCaptureStatus captured;
static int taken;

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    (void)stream;
    *status = captured;
    return failure;
}

cudaError_t cudaMallocFromPoolAsync(void **to, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    (void)bytes, (void)pool, (void)stream;
    *to = &taken;
    taken += failure == cudaSuccess;
    return failure;
}

#define POOL(call, parameters)                                                                                         \
    cudaError_t call parameters                                                                                        \
    {                                                                                                                  \
        return cudaSuccess;                                                                                            \
    }
#define FAILING(call, parameters)                                                                                      \
    cudaError_t call parameters                                                                                        \
    {                                                                                                                  \
        return failure;                                                                                                \
    }
POOL(cudaMemPoolSetAttribute, (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value))
POOL(cudaMemPoolDestroy, (cudaMemPool_t pool))
POOL(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t bytes))
FAILING(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id))
FAILING(cudaFreeAsync, (void *block, cudaStream_t stream))
FAILING(cudaFree, (void *block))
FAILING(cudaDeviceSynchronize, (void))
FAILING(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream))

cudaError_t cudaMemPoolCreate(cudaMemPool_t *made, const struct cudaMemPoolProps *asked)
{
    (void)asked;
    *made = (cudaMemPool_t)(void *)&taken;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return failure;
}

int lay_captures_ignore(void)
{
    return 0;
}

void lay_captures_heed(int before)
{
    (void)before;
}

lay_status lay_cuda_failed(int error, const char *call)
{
    return lay_fail(LAY_ERR_DEVICE, "%s: %d", call, error);
}

static lay_status enter(int number, void **before)
{
    *before = NULL;
    return LAY_OK;
}

static void leave(void *before)
{
    (void)before;
}

static const lay_device_driver driver = {
    .enter = enter, .leave = leave, .is_capturing = lay_cuda_is_capturing, .stream_id = lay_cuda_stream_id
};
const lay_device_driver *lay_devices = &driver;

/* ---- tests ------------------------------------------------------------------------------------ */

static lay_status take(void)
{
    void *block = NULL;
    taken = 0;
    return lay_cuda_take(0, 100, NULL, &block);
}

static void a_captured_stream_is_said_to_be_captured(void **state)
{
    static const enum cudaStreamCaptureStatus in[] = { cudaStreamCaptureStatusActive,
                                                       cudaStreamCaptureStatusInvalidated };
    (void)state;
    failure = cudaSuccess;
    for (int i = 0; i < 2; i++) {
        captured = in[i];
        assert_int_equal(take(), LAY_ERR_UNSUPPORTED);
        assert_non_null(strstr(lay_last_error(), "the stream is being captured"));
        assert_int_equal(taken, 0);
    }
    captured = cudaStreamCaptureStatusNone;
    assert_int_equal(take(), LAY_OK);
    assert_int_equal(taken, 1);
}

static void the_default_stream_beside_a_captured_one_is_taken_for_captured(void **state)
{
    (void)state;
    captured = cudaStreamCaptureStatusNone;
    failure = cudaErrorStreamCaptureImplicit;
    assert_int_equal(take(), LAY_ERR_UNSUPPORTED);
    assert_int_equal(taken, 0);
}

/* By an error that stays, or a stream that is none. */
static void a_device_that_has_failed_is_not_said_to_be_captured(void **state)
{
    static const cudaError_t errors[] = { cudaErrorIllegalAddress, cudaErrorInvalidResourceHandle };
    char wanted[60];
    (void)state;
    captured = cudaStreamCaptureStatusNone;
    for (int i = 0; i < 2; i++) {
        failure = errors[i];
        snprintf(wanted, sizeof wanted, "cudaMallocFromPoolAsync: %d", (int)failure);
        assert_int_equal(take(), LAY_ERR_DEVICE);
        assert_string_equal(lay_last_error(), wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_captured_stream_is_said_to_be_captured),
        cmocka_unit_test(the_default_stream_beside_a_captured_one_is_taken_for_captured),
        cmocka_unit_test(a_device_that_has_failed_is_not_said_to_be_captured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
