/* The one place that tells what happens: lines go where lay_log_set says, else where LAY_VERBOSE and LAY_LOG do. */
#ifndef LAY_BASE_LOG_H
#define LAY_BASE_LOG_H

#include <stdatomic.h>
#include <stddef.h>

#include "layoutgemm.h"

/* The level in force and 1; 0: nobody has asked yet. */
extern _Atomic int lay_log_state;
int lay_log_read_environment(void);

/* Whether lines of that level are wanted; the environment is read once a process. Each product asks. */
static inline int lay_log_tells(lay_log_level level)
{
    const int state = atomic_load_explicit(&lay_log_state, memory_order_relaxed);
    return (state ? state : lay_log_read_environment()) > (int)level;
}

/* The same, called in the midst of a hot function: no call is made of it, so what nobody has asked about is not told.
 */
static inline int lay_log_tells_now(lay_log_level level)
{
    return atomic_load_explicit(&lay_log_state, memory_order_relaxed) > (int)level;
}

/* LAY_ERR_OPTION, where LAY_VERBOSE has no meaning or the file of LAY_LOG cannot be opened. */
lay_status lay_log_check(void);

/* A line; before the first one of a process, of a file that is a process's own, or of a function of the caller's, the
 * header. Neither has a newline. */
void lay_log_write(const char *header, const char *line);

#endif
