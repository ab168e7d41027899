/* Files as a whole. */
#include "file.h"

#include <errno.h>
#include <string.h>

#include "bench/base/complain.h"

/* What cannot be written to standard output is noticed at the program's end. */
int file_write(const char *path, int (*write)(const void *subject, FILE *to), const void *subject)
{
    if (strcmp(path, "-") == 0)
        return write(subject, stdout) ? EXIT_FINE : fail("out of memory");
    FILE *to = fopen(path, "wb");
    if (!to)
        return refuse("%s: %s", path, strerror(errno));
    const int is_made = write(subject, to);
    const int is_full = ferror(to);
    if (fclose(to) != 0 || is_full)
        return fail("%s: %s", path, strerror(errno));
    return is_made ? EXIT_FINE : fail("out of memory");
}
