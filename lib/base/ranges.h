/* Ranges of time with a name, for profilers that read NVTX. Where none listens, which is found out once a process, a
 * product pays a load and a branch; a build without NVTX has nothing of it. */
#ifndef LAY_BASE_RANGES_H
#define LAY_BASE_RANGES_H

#if LAY_NVTX
#include <stdatomic.h>

/* 0: nobody has asked yet, 1: no tool listens, 2: one does. */
extern _Atomic int lay_ranges_state;
int lay_ranges_ask(void);

static inline int lay_ranges_are_watched(void)
{
    const int state = atomic_load_explicit(&lay_ranges_state, memory_order_relaxed);
    return (state ? state : lay_ranges_ask()) > 1;
}

/* Only where they are watched; begun and ended by one thread, the last begun first. */
void lay_range_begin(const char *name);
void lay_range_end(void);
#else
static inline int lay_ranges_are_watched(void)
{
    return 0;
}

static inline void lay_range_begin(const char *name)
{
    (void)name;
}

static inline void lay_range_end(void)
{
}
#endif

#endif
