/* Noticing that the process has loaded CUDA's driver. */
#include "cuda/driver.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>

static lay_driver driver;
static _Atomic(const lay_driver *) found;
static _Atomic unsigned long long looked_at; /* the count of libraries loaded when last looked for it */

/* How many libraries the process has ever loaded: the first of all entries tells. */
static int read_count(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1;
}

const lay_driver *lay_driver_find(void)
{
    const lay_driver *known = atomic_load_explicit(&found, memory_order_acquire);
    if (known)
        return known;
    unsigned long long loaded = 0;
    dl_iterate_phdr(read_count, &loaded);
    if (loaded == atomic_load_explicit(&looked_at, memory_order_relaxed))
        return NULL;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD); /* held from here on: it stays */
    void *attributes = library ? dlsym(library, "cuPointerGetAttributes") : NULL;
    void *device = library ? dlsym(library, "cuCtxGetDevice") : NULL;
    if (!attributes || !device) {
        atomic_store_explicit(&looked_at, loaded, memory_order_relaxed);
        return NULL;
    }
    /* Several threads may write this at a time, and the same. */
    __atomic_store_n((void **)&driver.pointer_attributes, attributes, __ATOMIC_RELAXED);
    __atomic_store_n((void **)&driver.current_device, device, __ATOMIC_RELAXED);
    atomic_store_explicit(&found, &driver, memory_order_release);
    return &driver;
}
