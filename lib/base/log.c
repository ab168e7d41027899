/* CSV lines on stderr for LAY_VERBOSE=1. */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_on;

static void read_environment(void)
{
    const char *value = getenv("LAY_VERBOSE");
    is_on = value && *value && strcmp(value, "0") != 0;
}

int lay_log_is_on(void)
{
    pthread_once(&once, read_environment);
    return is_on;
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
