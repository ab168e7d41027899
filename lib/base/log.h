/* The one place that writes to stderr, and only when LAY_VERBOSE=1 asks for it. */
#ifndef LAY_BASE_LOG_H
#define LAY_BASE_LOG_H

#include <stdatomic.h>

/* 0: not known yet, 1: off, 2: on. */
extern _Atomic int lay_log_state;
int lay_log_read_environment(void);

/* 1 when LAY_VERBOSE is set and not "0"; read once a process. Each product asks. */
static inline int lay_log_is_on(void)
{
    const int state = atomic_load_explicit(&lay_log_state, memory_order_relaxed);
    return state ? state == 2 : lay_log_read_environment();
}

/* One CSV line, beginning with "layoutgemm,"; the format ends without a newline. */
__attribute__((format(printf, 1, 2))) void lay_log_line(const char *format, ...);

#endif
