/* How programs fail. */
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

static const char *program = "lay", *place;
static int within_line;

void complain_as(const char *name)
{
    program = name;
}

void complain_where(const char *where)
{
    place = where;
}

void complain_within_line(int is_within)
{
    within_line = is_within;
}

static void complain(const char *format, va_list values)
{
    fflush(stdout);
    fputs(within_line ? "\n" : "", stderr);
    within_line = 0;
    fprintf(stderr, "%s: %s%s", program, place ? place : "", place ? ": " : "");
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}

int fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    complain(format, values);
    va_end(values);
    return EXIT_FAILED;
}

int refuse(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    complain(format, values);
    va_end(values);
    return EXIT_REFUSED;
}

int refuse_status(lay_status status, const char *where)
{
    const char *sentence = lay_last_error();
    refuse("%s: %s", where, *sentence ? sentence : lay_status_name(status));
    return status == LAY_ERR_MEMORY ? EXIT_FAILED : EXIT_REFUSED;
}

int refuse_unless_ok(lay_status status, const char *where)
{
    return status == LAY_OK ? EXIT_FINE : refuse_status(status, where);
}
