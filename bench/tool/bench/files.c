/* Files are opened before anything is timed, and closed with a look at what was lost. */
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/base/complain.h"

int open_file(const args *given, const char *name, FILE **out)
{
    const char *path = args_value(given, name);
    if (path && strcmp(path, "-") == 0)
        return refuse("--%s names a file: standard output has the table", name);
    *out = path ? fopen(path, "w") : NULL;
    return path && !*out ? fail("%s: %s", path, strerror(errno)) : EXIT_FINE;
}

int close_file(FILE *file, const char *path, int status)
{
    const int failed_before = file && ferror(file);
    if (file && fclose(file) != 0 && !failed_before && status == EXIT_FINE)
        return fail("%s: %s", path, strerror(errno));
    return failed_before && status == EXIT_FINE ? fail("%s: not all of it could be written", path) : status;
}

int try_picture(const args *given, const char *name)
{
    FILE *picture = NULL;
    const int status = open_file(given, name, &picture);
    return close_file(picture, args_value(given, name), status);
}
