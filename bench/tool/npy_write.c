/* Writes NumPy files, whole or not at all. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/base/complain.h"
#include "bench/base/element.h"
#include "npy.h"

enum { ALIGNMENT = 64 }; /* of the elements in the file, as NumPy writes it */

/* Magic, version 1.0, length and dictionary, padded with spaces to the alignment. Returns its size;
 * NPY_MAX_RANK extents of 19 digits stay below the buffer. */
static size_t make_header(const npy *array, char header[NPY_MAX_HEADER])
{
    char *dictionary = header + 10;
    int used = sprintf(dictionary, "{'descr': '<%c%zu', 'fortran_order': %s, 'shape': (",
                       element_parts(array->type) == 2 ? 'c' : 'f', lay_type_size(array->type),
                       array->fortran ? "True" : "False");
    for (int i = 0; i < array->rank; i++)
        used += sprintf(dictionary + used, "%" PRId64 ",%s", array->shape[i], i + 1 < array->rank ? " " : "");
    used += sprintf(dictionary + used, "), }");
    const size_t whole = ((size_t)used + 10 + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(dictionary + used, ' ', whole - 10 - (size_t)used);
    header[whole - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((whole - 10) & 0xff);
    header[9] = (char)((whole - 10) >> 8);
    return whole;
}

static int write_all(FILE *file, const npy *array)
{
    char header[NPY_MAX_HEADER];
    const size_t length = make_header(array, header);
    const size_t count = (size_t)array->count;
    return fwrite(header, 1, length, file) == length &&
           fwrite(array->data, lay_type_size(array->type), count, file) == count && fflush(file) == 0;
}

/* mkstemp makes files only their owner may read; a result is as public as any other new file. */
static void open_to_umask(int descriptor)
{
    const mode_t mask = umask(0);
    umask(mask);
    (void)!fchmod(descriptor, 0666 & ~mask);
}

static int is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* The temporary file will lie in the same folder. */
int npy_check_output(const char *path)
{
    struct stat facts;
    if (is_standard_output(path))
        return isatty(STDOUT_FILENO) ? refuse("-o - writes a binary file, and standard output is a terminal")
                                     : EXIT_FINE;
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
        return refuse("%s: is not a regular file, so a new one cannot take its place ('-' is standard output)", path);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (!folder)
        return fail("%s: out of memory", path);
    const int status = access(folder, W_OK) == 0 ? EXIT_FINE : fail("%s: cannot be written: %s", path, strerror(errno));
    free(folder);
    return status;
}

int npy_write(const char *path, const npy *array)
{
    if (is_standard_output(path))
        return write_all(stdout, array) ? EXIT_FINE : fail("standard output cannot be written: %s", strerror(errno));
    char *temporary;
    if (asprintf(&temporary, "%s.part-XXXXXX", path) < 0)
        return fail("%s: out of memory", path);
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        const int status = fail("%s: cannot be written: %s", path, strerror(errno));
        free(temporary);
        return status;
    }
    open_to_umask(descriptor);
    FILE *file = fdopen(descriptor, "wb");
    int good = file && write_all(file, array);
    int problem = errno;
    if (file ? fclose(file) != 0 : close(descriptor) != 0) {
        problem = good ? errno : problem;
        good = 0;
    }
    if (good && rename(temporary, path) != 0) {
        problem = errno;
        good = 0;
    }
    if (!good)
        unlink(temporary);
    free(temporary);
    return good ? EXIT_FINE : fail("%s: cannot be written: %s", path, strerror(problem));
}
