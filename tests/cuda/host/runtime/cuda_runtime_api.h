/* What lib/cuda/stream, copies between host and device and what branches keep call of CUDA's runtime, for a test that
 * has it do as it says without a GPU (streams.h). */
#ifndef LAY_TESTS_CUDA_RUNTIME_H
#define LAY_TESTS_CUDA_RUNTIME_H

#include <stddef.h>

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorMemoryAllocation = 2,
    cudaErrorNotReady = 600,
    cudaErrorUnknown = 999
} cudaError_t;

enum { cudaHostAllocPortable = 1, cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDefault = 4 };

typedef struct stream_there *cudaStream_t;
typedef struct event_there *cudaEvent_t;
#define cudaStreamPerThread ((cudaStream_t)2)

cudaError_t cudaGetLastError(void);
cudaError_t cudaMemGetInfo(size_t *idle, size_t *total);
cudaError_t cudaHostAlloc(void **to, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *at);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *to, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *to, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);

#endif
