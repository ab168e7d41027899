/* Devices as the planner sees them. Nothing here starts a device's runtime unless it says so: a process that never uses
 * a GPU must not pay for one. */
#ifndef LAY_DEVICE_DEVICE_H
#define LAY_DEVICE_DEVICE_H

#include "device/driver.h"

/* The device, or NULL and why not, as a phrase ("there is no CUDA driver", "this build has no CUDA part").
 * The first call starts CUDA's runtime; what it found is kept. */
static inline const lay_device *lay_device_get(int number, const char **reason)
{
    return lay_devices->get(number, reason);
}

/* How many there are; 0 and why. Starts the runtime, as above. */
static inline int lay_device_count(const char **reason)
{
    return lay_devices->count(reason);
}

/* The calling thread's current device as CUDA has it; 0 where nothing says otherwise. */
static inline int lay_device_current(void)
{
    return lay_devices->current();
}

/* Makes a device current for this thread, and gives what was before for the way back, after a failure, too: another
 * device, a context of the caller's own, or nothing, which stays nothing. LAY_ERR_DEVICE. */
static inline lay_status lay_device_enter(int number, void **before)
{
    return lay_devices->enter(number, before);
}

static inline void lay_device_leave(void *before)
{
    lay_devices->leave(before);
}

#endif
