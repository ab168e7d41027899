/* Device memory of the library's own: from one pool a device, in the order of streams. */
#ifndef LAY_CUDA_MEMORY_H
#define LAY_CUDA_MEMORY_H

#include <stddef.h>

#include "layoutgemm.h"

/* bytes of the current device's memory, 256-byte aligned, for what is put into stream from now on. Waits for
 * nothing, unless more than 64 MiB of retired blocks lie about, which are then freed. LAY_ERR_MEMORY (after
 * the retired blocks were freed and it failed again), LAY_ERR_DEVICE; LAY_ERR_UNSUPPORTED while stream is
 * being captured. */
lay_status lay_device_take(int device, size_t bytes, void *stream, void **block);

/* Gives it back behind all that stream has been given. NULL is fine. */
void lay_device_give(void *block, void *stream);

/* Gives a block back whose stream may be gone and may not be waited for: it is freed by a later sweep.
 * Calls nothing of CUDA. NULL is fine. */
void lay_device_retire(int device, void *block, size_t bytes);

/* Frees retired blocks once their devices have ended what they were given, and what the pools hold idle. */
void lay_device_sweep(void);

/* 1 while stream is being captured in a graph. */
int lay_stream_is_capturing(void *stream);

#endif
