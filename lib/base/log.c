/* CSV lines on stderr for LAY_VERBOSE=1. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Atomic int lay_log_state;

int lay_log_read_environment(void)
{
    const char *value = getenv("LAY_VERBOSE");
    const int is_on = value && *value && strcmp(value, "0") != 0;
    int unknown = 0; /* who comes first has said it for all */
    atomic_compare_exchange_strong(&lay_log_state, &unknown, is_on ? 2 : 1);
    return atomic_load(&lay_log_state) == 2;
}

void lay_log_line(const char *format, ...)
{
    char line[1024] = "layoutgemm,";
    const int prefix = (int)strlen(line);
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line + prefix, sizeof line - (size_t)prefix - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    const int most = (int)sizeof line - prefix - 2;
    const int end = prefix + (length < most ? length : most);
    line[end] = '\n';
    /* One write, so that lines of several threads do not mix; a lost line is nobody's error. */
    if (write(STDERR_FILENO, line, (size_t)end + 1) < 0)
        return;
}
