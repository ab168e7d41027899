/* Reads NumPy files. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/base/complain.h"
#include "bench/base/memory.h"
#include "npy.h"

#if __BYTE_ORDER != __LITTLE_ENDIAN
#error "the files are little-endian, and elements are read as they lie"
#endif

enum { MAX_HEADER = 1 << 20 }; /* NumPy's own are below 200 bytes for plain arrays */

/* What is still to be read of "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }". */
typedef struct text {
    const char *at;
} text;

static void skip_spaces(text *in)
{
    in->at += strspn(in->at, " \t\r\n");
}

static int take(text *in, const char *expected)
{
    skip_spaces(in);
    const size_t length = strlen(expected);
    if (strncmp(in->at, expected, length) != 0)
        return 0;
    in->at += length;
    return 1;
}

static int take_string(text *in, char *out, size_t size)
{
    skip_spaces(in);
    const char quote = *in->at;
    if (quote != '\'' && quote != '"')
        return 0;
    const char *end = strchr(in->at + 1, quote);
    if (!end || (size_t)(end - in->at) > size)
        return 0;
    const size_t length = (size_t)(end - in->at - 1);
    for (size_t i = 0; i < length; i++) {
        out[i] = in->at[1 + i];
        if (out[i] < ' ' || out[i] > '~')
            return 0;
    }
    out[length] = 0;
    in->at = end + 1;
    return 1;
}

static int take_flag(text *in, int *out)
{
    *out = take(in, "True");
    return *out || take(in, "False");
}

/* "()", "(3,)", "(3, 4)"; *count becomes the product. 0 for what is no shape, or has too many
 * dimensions or elements. */
static int take_shape(text *in, npy *out)
{
    out->rank = 0;
    out->count = 1;
    if (!take(in, "("))
        return 0;
    while (!take(in, ")")) {
        char *end;
        skip_spaces(in);
        errno = 0;
        const long long extent = strtoll(in->at, &end, 10);
        if (end == in->at || errno || extent < 0 || out->rank == NPY_MAX_RANK)
            return 0;
        if (__builtin_mul_overflow(out->count, (int64_t)extent, &out->count))
            return 0;
        out->shape[out->rank++] = extent;
        in->at = end;
        if (!take(in, ",") && *in->at != ')')
            return 0;
    }
    return 1;
}

/* The type of a descr, or a sentence on why it is none of ours. */
static int read_type(const char *path, const char *descr, lay_type *out)
{
    static const struct {
        const char *descr; /* without the order of bytes */
        lay_type type;
    } known[] = { { "f2", LAY_F16 }, { "f4", LAY_F32 }, { "f8", LAY_F64 }, { "c8", LAY_C32 }, { "c16", LAY_C64 } };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(descr + 1, known[i].descr) != 0)
            continue;
        if (*descr == '>')
            return refuse("%s: its elements are big-endian ('%s'); little-endian ones are needed", path, descr);
        if (*descr == '<') {
            *out = known[i].type;
            return EXIT_FINE;
        }
    }
    return refuse("%s: its elements are '%s'; float16 ('<f2'), float32 ('<f4'), float64 ('<f8'), complex64 ('<c8') or "
                  "complex128 ('<c16') are needed",
                  path, descr);
}

static int read_dictionary(const char *path, const char *header, npy *out)
{
    char key[32], descr[64] = "";
    int has_order = 0, has_shape = 0;
    text in = { header };
    int good = take(&in, "{");
    while (good && !take(&in, "}")) {
        good = take_string(&in, key, sizeof key) && take(&in, ":");
        if (good && strcmp(key, "descr") == 0) {
            if (take(&in, "["))
                return refuse("%s: its elements are records; plain numbers are needed", path);
            good = take_string(&in, descr, sizeof descr);
        } else if (good && strcmp(key, "fortran_order") == 0) {
            good = has_order = take_flag(&in, &out->fortran);
        } else if (good && strcmp(key, "shape") == 0) {
            good = has_shape = take_shape(&in, out);
        } else {
            good = 0;
        }
        skip_spaces(&in);
        good = good && (take(&in, ",") || *in.at == '}');
    }
    if (!good || !descr[0] || !has_order || !has_shape)
        return refuse("%s: its header is not that of a NumPy array of at most %d dimensions", path, NPY_MAX_RANK);
    return read_type(path, descr, &out->type);
}

/* Everything before the elements. */
static int read_header(FILE *file, const char *path, npy *out)
{
    unsigned char start[12];
    const size_t got = fread(start, 1, 8, file);
    if (ferror(file))
        return refuse("%s: cannot be read: %s", path, strerror(errno));
    if (got != 8 || memcmp(start, "\x93NUMPY", 6) != 0)
        return refuse("%s: is not a NumPy file", path);
    const int major = start[6];
    if (major < 1 || major > 3)
        return refuse("%s: has NumPy format version %d.%d; 1 to 3 are known", path, major, start[7]);
    const size_t bytes = major == 1 ? 2 : 4;
    if (fread(start + 8, 1, bytes, file) != bytes)
        return refuse("%s: is truncated: it ends inside its header", path);
    uint32_t length = 0;
    for (size_t i = bytes; i-- > 0;)
        length = length << 8 | start[8 + i];
    if (length > MAX_HEADER)
        return refuse("%s: its header of %" PRIu32 " bytes is too long to be true", path, length);
    char *header = malloc((size_t)length + 1);
    if (!header)
        return fail("%s: out of memory", path);
    int status;
    if (fread(header, 1, length, file) != length) {
        status = refuse("%s: is truncated: it ends inside its header", path);
    } else {
        header[length] = 0;
        status = read_dictionary(path, header, out);
    }
    free(header);
    return status;
}

/* Bytes from here to the end of a regular file; -1 for what has no size, such as a pipe. */
static int64_t bytes_left(FILE *file)
{
    struct stat facts;
    if (fstat(fileno(file), &facts) != 0 || !S_ISREG(facts.st_mode))
        return -1;
    return (int64_t)facts.st_size - (int64_t)ftello(file);
}

static int read_elements(FILE *file, const char *path, npy *out)
{
    int64_t size;
    if (__builtin_mul_overflow(out->count, (int64_t)lay_type_size(out->type), &size))
        return refuse("%s: its shape has more elements than fit any memory", path);
    const int64_t left = bytes_left(file);
    if (left >= 0 && left < size)
        return refuse("%s: is truncated: its shape needs %" PRId64 " bytes, %" PRId64 " are there", path, size, left);
    const int status = memory_need(path, (double)size);
    if (status != EXIT_FINE)
        return status;
    void *data = aligned_alloc(64, ((size_t)size + 64) / 64 * 64);
    if (!data)
        return fail("%s: out of memory for its %" PRId64 " bytes", path, size);
    const size_t got = fread(data, 1, (size_t)size, file);
    if (got != (size_t)size) {
        free(data);
        if (ferror(file))
            return fail("%s: %s", path, strerror(errno));
        return refuse("%s: is truncated: its shape needs %" PRId64 " bytes, %zu are there", path, size, got);
    }
    out->data = data;
    return EXIT_FINE;
}

int npy_read(const char *path, npy *out)
{
    *out = (npy){ 0 };
    const int is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "rb");
    if (!file)
        return refuse("%s: %s", path, strerror(errno));
    int status = read_header(file, path, out);
    if (status == EXIT_FINE)
        status = read_elements(file, path, out);
    if (!is_input)
        fclose(file);
    return status;
}

void npy_free(npy *array)
{
    free(array->data);
    array->data = NULL;
}
