/* The one place that writes to stderr, and only when LAY_VERBOSE=1 asks for it. */
#ifndef LAY_BASE_LOG_H
#define LAY_BASE_LOG_H

/* 1 when LAY_VERBOSE is set and not "0"; read once a process. */
int lay_log_is_on(void);

/* One CSV line, beginning with "layoutgemm,"; the format ends without a newline. */
__attribute__((format(printf, 1, 2))) void lay_log_line(const char *format, ...);

#endif
