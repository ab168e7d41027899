/* The next library: opened by the first call that needs it, asked for each name once. */
#include "blas/next.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/errors.h"

extern _Atomic(void *) layblas_slots[] __attribute__((visibility("hidden")));

static const char *const passed[] = {
#define PASSED(name) #name,
#include <passed.h>
#undef PASSED
};

static void *library;
static char reason_for_none[512];

/* Whether it is this library, whichever copy and by whatever name: then its routines would be looked for in it for
 * ever. What rests on liblayoutgemm itself is meant; a BLAS that calls it by other ways may be the next one. */
static int is_layblas(void *handle)
{
    return dlsym(handle, "lay_plan_run") != NULL;
}

/* NULL with a sentence. */
static void *open_library(const char *name, const char *origin)
{
    void *const handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        snprintf(reason_for_none, sizeof reason_for_none, "%s cannot be loaded: %s", origin, dlerror());
        return NULL;
    }
    if (is_layblas(handle)) {
        dlclose(handle);
        snprintf(reason_for_none, sizeof reason_for_none, "%s (%s) is layblas itself: LAY_BLAS_NEXT names another BLAS",
                 origin, name);
        return NULL;
    }
    if (!dlsym(handle, "dgemm_") && !dlsym(handle, "cblas_dgemm")) {
        dlclose(handle);
        snprintf(reason_for_none, sizeof reason_for_none, "%s (%s) is no BLAS: it has no dgemm", origin, name);
        return NULL;
    }
    return handle;
}

/* What is installed as the system's BLAS, which may be this library; then others, by the names that Debian has. */
#ifdef __x86_64__
#define DEBIAN "/usr/lib/x86_64-linux-gnu/"
#else
#define DEBIAN "/usr/lib/aarch64-linux-gnu/"
#endif
static void open_next(void)
{
    static const char *const defaults[] = { "libblas.so.3", "libopenblas.so.0", "libblis.so.4",
                                            DEBIAN "blas/libblas.so.3" };
    const char *const named = getenv("LAY_BLAS_NEXT");
    if (named && *named) {
        char origin[300];
        snprintf(origin, sizeof origin, "LAY_BLAS_NEXT=%.200s", named);
        library = open_library(named, origin);
        return;
    }
    char first[sizeof reason_for_none] = "";
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults && !library; i++) {
        library = open_library(defaults[i], "the system's BLAS");
        if (!library && i == 0)
            strcpy(first, reason_for_none);
    }
    if (!library)
        strcpy(reason_for_none, first);
}

void *layblas_next_find(const char *name, const char **reason)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_next);
    void *const found = library ? dlsym(library, name) : NULL;
    if (!found)
        *reason = library ? "the next library has no such routine" : reason_for_none;
    return found;
}

void *layblas_fill(void **slot)
{
    const char *const name = passed[(_Atomic(void *) *)slot - layblas_slots], *reason;
    void *found = layblas_next_find(name, &reason);
    if (!found && !(found = layblas_own_errors(name)))
        layblas_give_up(name, reason);
    atomic_store_explicit((_Atomic(void *) *)slot, found, memory_order_release);
    return found;
}
