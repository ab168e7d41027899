/* CUDA devices as the planner sees them, and CUDA's failures as statuses. Nothing here starts CUDA's runtime
 * unless it says so: a process that never uses a GPU must not pay for one. */
#ifndef LAY_CUDA_DEVICE_H
#define LAY_CUDA_DEVICE_H

#include <stddef.h>

#include "layoutgemm.h"

typedef struct lay_device {
    int number;
    char name[64];
    int sm; /* 90 for compute capability 9.0 */
    int multiprocessors;
    size_t shared_per_block; /* bytes, the most that a kernel may ask for */
    size_t shared_per_sm;
    size_t l2;               /* bytes */
    size_t memory;           /* bytes */
    double ghz;              /* nominal */
    double bytes_per_second; /* device memory, nominal */
    double link_per_second;  /* bytes between host and device, one way, as predicted */
} lay_device;

/* The device, or NULL and why not, as a phrase ("there is no CUDA driver", "this build has no CUDA part").
 * The first call starts CUDA's runtime; what it found is kept. */
const lay_device *lay_device_get(int number, const char **reason);

/* How many there are; 0 and why. Starts the runtime, as above. */
int lay_device_count(const char **reason);

/* The calling thread's current device as CUDA has it; 0 where nothing says otherwise. */
int lay_device_current(void);

/* Makes a device current for this thread; gives the one before for the way back. LAY_ERR_DEVICE. */
lay_status lay_device_enter(int number, int *before);
void lay_device_leave(int before);

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
