/* What the rooms of CUDA share: captures that must not be disturbed, and CUDA's failures as statuses. */
#ifndef LAY_CUDA_DEVICE_H
#define LAY_CUDA_DEVICE_H

#include "device/device.h"

/* Until lay_captures_heed, with what this returned, CUDA refuses this thread nothing for the sake of a capture that is
 * going on, of another stream or in another thread: what the library takes, frees and waits for on its own account
 * belongs in nobody's graph. Without it many a call (taking memory, waiting for an event) fails and spoils the capture.
 * Nests; costs nothing that a product would notice. */
int lay_captures_ignore(void);
void lay_captures_heed(int before);

/* After a CUDA call that returned error (cudaError_t, not 0): LAY_ERR_MEMORY for want of memory, else
 * LAY_ERR_DEVICE, with the sentence "cudaMalloc: out of memory". Clears CUDA's last error when it is not a
 * sticky one. */
lay_status lay_cuda_failed(int error, const char *call);

#endif
