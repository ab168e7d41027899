/* The one place that writes what nobody's call asked for, and only when LAY_VERBOSE does: to stderr, or to LAY_LOG. */
#ifndef LAY_BASE_LOG_H
#define LAY_BASE_LOG_H

#include <stdatomic.h>
#include <stddef.h>

#include "layoutgemm.h"

/* What LAY_VERBOSE asks for, each with what stands before it. */
typedef enum lay_log_level {
    LAY_LOG_UNKNOWN, /* nobody has asked yet */
    LAY_LOG_NOTHING, /* not set, empty, 0, or of no meaning */
    LAY_LOG_PLANS,   /* dispatch */
    LAY_LOG_RUNS,    /* 1 */
    LAY_LOG_CACHE    /* 2 */
} lay_log_level;

extern _Atomic int lay_log_state;
int lay_log_read_environment(void);

/* Whether lines of that level are wanted; the environment is read once a process. Each product asks. */
static inline int lay_log_tells(lay_log_level level)
{
    const int state = atomic_load_explicit(&lay_log_state, memory_order_relaxed);
    return (state ? state : lay_log_read_environment()) >= (int)level;
}

/* LAY_ERR_OPTION, where LAY_VERBOSE has no meaning or the file of LAY_LOG cannot be opened. */
lay_status lay_log_check(void);

/* A line, which ends with its newline; before the first one of a process, or of a file that is a process's own, the
 * header, which ends so too. */
void lay_log_write(const char *header, const char *line, size_t length);

#endif
