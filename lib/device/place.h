/* Where memory lies. */
#ifndef LAY_DEVICE_PLACE_H
#define LAY_DEVICE_PLACE_H

#include "device/driver.h"

/* 0 while the process has loaded no driver: then all memory is the host's. */
static inline int lay_place_may_differ(void)
{
    return lay_devices->may_differ();
}

/* Where the element at address lies. *device becomes its device's number where it is one device's memory; for
 * host memory and managed memory, which every device reaches, it is left alone. Asks the driver only where the process
 * has loaded it already (dlopen with RTLD_NOLOAD), so that it never starts CUDA: what no driver has
 * allocated is host memory. Some 100 ns with a driver, a few without. */
static inline lay_place lay_place_find(const void *address, int *device)
{
    return lay_devices->find_place(address, device);
}

/* Whether there is no other memory, without a call. */
static inline int lay_place_is_always_host(void)
{
    return !lay_devices->are_host;
}

/* Whether that is LAY_PLACE_HOST of all three, in less time: ordinary memory (lib/cuda/memory/ordinary.h) is not asked
 * about, and counts as such even where it has been page-locked. What serves one serves the other; it may only copy
 * faster. */
static inline int lay_place_are_host(const void *a, const void *b, const void *c)
{
    return lay_place_is_always_host() || lay_devices->are_host(a, b, c);
}

#endif
