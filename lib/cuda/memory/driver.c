/* Noticing that the process has loaded CUDA's driver. */
#include "cuda/memory/driver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "base/lock.h"

/* Where there was no driver, there is no memory of one this much later either: loading it, starting it and making
 * a context takes ten times as long. So looking costs nothing that a product would notice. */
static const int64_t pause_ns = 10 * 1000 * 1000;

static lay_lock lock = LAY_LOCK_INIT; /* a fork must not come while the loader is asked */
static lay_driver driver;
static _Atomic(const lay_driver *) found;
static _Atomic int64_t looked_at; /* when last in vain; 0: never */

__attribute__((constructor)) static void start(void)
{
    lay_lock_enlist(&lock);
}

static int64_t read_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + 1;
}

static const lay_driver *look(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    *(void **)&driver.pointer_attributes = dlsym(library, "cuPointerGetAttributes");
    *(void **)&driver.current_device = dlsym(library, "cuCtxGetDevice");
    *(void **)&driver.current = dlsym(library, "cuCtxGetCurrent");
    *(void **)&driver.make_current = dlsym(library, "cuCtxSetCurrent");
    *(void **)&driver.retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    if (driver.pointer_attributes && driver.current_device && driver.current && driver.make_current && driver.retain)
        return &driver; /* and library is held: the driver stays */
    dlclose(library);
    return NULL;
}

static const lay_driver *look_once(void)
{
    lay_lock_take(&lock);
    const lay_driver *known = atomic_load_explicit(&found, memory_order_relaxed);
    if (!known && (known = look()))
        atomic_store_explicit(&found, known, memory_order_release);
    atomic_store_explicit(&looked_at, read_clock(), memory_order_relaxed);
    lay_lock_release(&lock);
    return known;
}

const lay_driver *lay_driver_find(void)
{
    const lay_driver *const known = atomic_load_explicit(&found, memory_order_acquire);
    if (known)
        return known;
    const int64_t now = read_clock(), last = atomic_load_explicit(&looked_at, memory_order_relaxed);
    return last && now - last < pause_ns ? NULL : look_once();
}

const lay_driver *lay_driver_get(void)
{
    const lay_driver *const known = atomic_load_explicit(&found, memory_order_acquire);
    return known ? known : look_once();
}
