/* Device memory of the library's own, in the order of streams; and what is asked about streams. */
#ifndef LAY_DEVICE_MEMORY_H
#define LAY_DEVICE_MEMORY_H

#include "base/status.h"
#include "device/driver.h"

/* bytes of the current device's memory, 256-byte aligned, for what is put into stream from now on. Waits for
 * nothing, unless memory runs out or more than 256 MiB of blocks lie about that were retired in other streams: then all
 * that is idle is freed. LAY_ERR_MEMORY (after that, when it failed again), LAY_ERR_DEVICE; LAY_ERR_UNSUPPORTED while
 * stream is being captured. */
static inline lay_status lay_device_take(int device, size_t bytes, void *stream, void **block)
{
    return lay_devices->take(device, bytes, stream, block);
}

/* The same for one run or copy alone, which no reservation takes. what: that takes it, for the sentence while stream is
 * being captured. */
static inline lay_status lay_device_take_once(int device, size_t bytes, void *stream, const char *what, void **block)
{
    return lay_devices->is_capturing(stream)
               ? lay_fail(LAY_ERR_UNSUPPORTED,
                          "the stream is being captured, and %s takes %zu bytes of device memory each time", what,
                          bytes)
               : lay_device_take(device, bytes, stream, block);
}

/* Gives a block back that was used in the stream of that number alone, which may be gone and may not be waited for: it
 * is freed when that stream takes memory again, or with all that is idle. Calls nothing of CUDA. NULL is fine. */
static inline void lay_device_retire(int device, void *block, size_t bytes, unsigned long long stream)
{
    lay_devices->retire(device, block, bytes, stream);
}

/* Frees what lies idle of devices' memory, page-locked memory, streams and events; of retired blocks there may be none:
 * for those it waits for their devices, which spoils any capture that goes on there. */
static inline void lay_device_clear(void)
{
    lay_devices->clear();
}

/* A stream's number, which no other ever has. LAY_NO_STREAM for cudaStreamPerThread, which is many. Not while it is
 * being captured: asking would spoil that. */
#define LAY_NO_STREAM (~0ull)
static inline unsigned long long lay_stream_id(void *stream)
{
    return lay_devices->stream_id(stream);
}

/* 1 while stream is being captured in a graph. */
static inline int lay_stream_is_capturing(void *stream)
{
    return lay_devices->is_capturing(stream);
}

#endif
