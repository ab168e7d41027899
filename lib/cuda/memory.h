/* Device memory of the library's own: from one pool a device, in the order of streams. */
#ifndef LAY_CUDA_MEMORY_H
#define LAY_CUDA_MEMORY_H

#include <stddef.h>

#include "layoutgemm.h"

/* bytes of the current device's memory, 256-byte aligned, for what is put into stream from now on. Waits for
 * nothing, unless memory runs out or more than 256 MiB of blocks lie about that were retired in other streams: then
 * lay_device_sweep. LAY_ERR_MEMORY (after that, when it failed again), LAY_ERR_DEVICE; LAY_ERR_UNSUPPORTED while stream
 * is being captured. */
lay_status lay_device_take(int device, size_t bytes, void *stream, void **block);

/* Gives it back behind all that stream has been given. NULL is fine. */
void lay_device_give(void *block, void *stream);

/* Fills device memory from pageable host memory, which has been read when it returns, in the order of stream. Up to a
 * MiB does not wait for what stream was given before, unless that is some MiB of such. LAY_ERR_MEMORY, LAY_ERR_DEVICE.
 */
lay_status lay_device_fill(void *to, const void *from, size_t bytes, void *stream);

/* A stream's number, which no other ever has. LAY_NO_STREAM for cudaStreamPerThread, which is many. Not while it is
 * being captured: asking would spoil that. */
#define LAY_NO_STREAM (~0ull)
unsigned long long lay_stream_id(void *stream);

/* Gives a block back that was used in the stream of that number alone, which may be gone and may not be waited for: it
 * is freed when that stream takes memory again, or by a sweep. Calls nothing of CUDA. NULL is fine. */
void lay_device_retire(int device, void *block, size_t bytes, unsigned long long stream);

/* Frees what the pools hold idle, and retired blocks, of which there may be none: for those it waits for their
 * devices, which spoils any capture that goes on there. */
void lay_device_sweep(void);

/* 1 while stream is being captured in a graph. */
int lay_stream_is_capturing(void *stream);

#endif
