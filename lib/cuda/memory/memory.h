/* Device memory of the library's own: from one pool a device, in the order of streams. */
#ifndef LAY_CUDA_MEMORY_H
#define LAY_CUDA_MEMORY_H

#include "device/memory.h"

/* Gives it back behind all that stream has been given. NULL is fine. */
void lay_device_give(void *block, void *stream);

/* Fills device memory from pageable host memory, which has been read when it returns, in the order of stream. Up to a
 * MiB does not wait for what stream was given before, unless that is some MiB of such. LAY_ERR_MEMORY, LAY_ERR_DEVICE.
 */
lay_status lay_device_fill(void *to, const void *from, size_t bytes, void *stream);

/* Frees what the pools hold idle, and retired blocks, of which there may be none: for those it waits for their
 * devices, which spoils any capture that goes on there. */
void lay_device_sweep(void);

#endif
