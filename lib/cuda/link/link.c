/* Streams, events and copies of a team's devices. */
#include <cuda_runtime_api.h>
#include <stdint.h>

#include "base/status.h"
#include "cuda/memory/device.h"
#include "cuda/memory/promises.h"
#include "layoutgemm_team.h"

static lay_status check(cudaError_t error, const char *call)
{
    return error == cudaSuccess ? LAY_OK : lay_cuda_failed(error, call);
}

/* Of a call that was made on the device. */
static lay_status leave(void *before, cudaError_t error, const char *call)
{
    lay_device_leave(before);
    return check(error, call);
}

lay_status lay_cuda_reach(int device, int other)
{
    void *before;
    int can = 0;
    lay_status status = lay_device_enter(device, &before);
    if (status != LAY_OK)
        return status;
    const char *call = "cudaDeviceCanAccessPeer";
    cudaError_t error = cudaDeviceCanAccessPeer(&can, device, other);
    if (error == cudaSuccess && can) {
        call = "cudaDeviceEnablePeerAccess";
        error = cudaDeviceEnablePeerAccess(other, 0);
    }
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
        error = cudaSuccess;
    }
    status = leave(before, error, call);
    if (status == LAY_OK && !can)
        status = lay_fail(LAY_ERR_UNSUPPORTED, "device %d does not reach the memory of device %d", device, other);
    return status;
}

lay_status lay_cuda_open_stream(int device, void **stream)
{
    void *before;
    const lay_status status = lay_device_enter(device, &before);
    if (status != LAY_OK)
        return status;
    return leave(before, cudaStreamCreateWithFlags((cudaStream_t *)stream, cudaStreamNonBlocking),
                 "cudaStreamCreateWithFlags");
}

void lay_cuda_close_stream(int device, void *stream)
{
    void *before;
    if (!stream || lay_device_enter(device, &before) != LAY_OK)
        return;
    if (cudaStreamDestroy(stream) != cudaSuccess)
        cudaGetLastError();
    lay_device_leave(before);
}

lay_status lay_cuda_open_event(int device, void **event)
{
    void *before;
    const lay_status status = lay_device_enter(device, &before);
    if (status != LAY_OK)
        return status;
    return leave(before, cudaEventCreateWithFlags((cudaEvent_t *)event, cudaEventDisableTiming),
                 "cudaEventCreateWithFlags");
}

void lay_cuda_close_event(int device, void *event)
{
    void *before;
    if (!event || lay_device_enter(device, &before) != LAY_OK)
        return;
    if (cudaEventDestroy(event) != cudaSuccess)
        cudaGetLastError();
    lay_device_leave(before);
}

/* A stream and an event tell their device, but a thread without a context would have one made on device 0. */
lay_status lay_cuda_record(int device, void *event, void *stream)
{
    void *before;
    const lay_status status = lay_device_enter(device, &before);
    return status ? status : leave(before, cudaEventRecord(event, stream), "cudaEventRecord");
}

lay_status lay_cuda_await(int device, void *stream, void *event)
{
    void *before;
    const lay_status status = lay_device_enter(device, &before);
    return status ? status : leave(before, cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
}

lay_status lay_cuda_is_done(int device, void *event, int *is_done)
{
    void *before;
    const lay_status status = lay_device_enter(device, &before);
    *is_done = 1;
    if (status != LAY_OK)
        return status;
    const int heeded = lay_captures_ignore();
    const cudaError_t error = cudaEventQuery(event);
    lay_captures_heed(heeded);
    lay_device_leave(before);
    *is_done = error != cudaErrorNotReady;
    if (error != cudaErrorNotReady)
        return check(error, "cudaEventQuery");
    cudaGetLastError(); /* of what is not ready, which is no error */
    return LAY_OK;
}

lay_status lay_cuda_join(int device, void *stream)
{
    void *before;
    const lay_status status = lay_device_enter(device, &before);
    if (status != LAY_OK)
        return status;
    const int heeded = lay_captures_ignore();
    const cudaError_t error = cudaStreamSynchronize(stream);
    lay_captures_heed(heeded);
    return leave(before, error, "cudaStreamSynchronize");
}

/* One device has both sides, or the other one is host memory. */
static int is_one_device(const lay_lines *of)
{
    return of->from_device == of->to_device || of->from_device == LAY_DEVICE_HOST || of->to_device == LAY_DEVICE_HOST;
}

static lay_status copy_box(const lay_lines *of, cudaStream_t stream)
{
    const struct cudaExtent extent = { of->width, of->height, of->depth };
    const struct cudaPitchedPtr from = { (void *)(uintptr_t)of->from, of->from_line, of->width,
                                         of->from_slice / of->from_line };
    const struct cudaPitchedPtr to = { of->to, of->to_line, of->width, of->to_slice / of->to_line };
    if (is_one_device(of)) {
        const struct cudaMemcpy3DParms same = { .srcPtr = from,
                                                .dstPtr = to,
                                                .extent = extent,
                                                .kind = of->from_device == LAY_DEVICE_HOST ? cudaMemcpyHostToDevice
                                                        : of->to_device == LAY_DEVICE_HOST ? cudaMemcpyDeviceToHost
                                                                                           : cudaMemcpyDeviceToDevice };
        return check(cudaMemcpy3DAsync(&same, stream), "cudaMemcpy3DAsync");
    }
    const struct cudaMemcpy3DPeerParms other = {
        .srcPtr = from, .srcDevice = of->from_device, .dstPtr = to, .dstDevice = of->to_device, .extent = extent
    };
    return check(cudaMemcpy3DPeerAsync(&other, stream), "cudaMemcpy3DPeerAsync");
}

static lay_status move_lines(const lay_lines *of, void *stream)
{
    if (of->height == 1 && of->depth == 1 && of->from_device != of->to_device && is_one_device(of))
        return check(cudaMemcpyAsync(of->to, of->from, of->width, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    if (of->height == 1 && of->depth == 1)
        return check(cudaMemcpyPeerAsync(of->to, of->to_device, of->from, of->from_device, of->width, stream),
                     "cudaMemcpyPeerAsync");
    return copy_box(of, stream);
}

lay_status lay_cuda_move_lines(const lay_lines *of, void *stream)
{
    void *before;
    lay_status status = lay_device_enter(of->to_device == LAY_DEVICE_HOST ? of->from_device : of->to_device, &before);
    if (status != LAY_OK)
        return status;
    status = move_lines(of, stream);
    lay_device_leave(before);
    return status;
}
