/* NumPy files as operands: an array seen through a layout. */
#include "tensor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"
#include "bench/base/memory.h"

void tensor_free(tensor *of)
{
    npy_free(&of->file);
    lay_desc_destroy(of->desc);
    of->desc = NULL;
}

int64_t tensor_extent(const tensor *of, int dimension)
{
    char path[16];
    snprintf(path, sizeof path, "%d", dimension);
    return lay_desc_extent(of->desc, path);
}

void tensor_write_shape(int rank, const int64_t shape[], char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", rank ? "" : "no dimensions");
    for (int i = 0; i < rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, i ? " x " : "", shape[i]);
}

/* An array as it is. */
static lay_status describe_plain(int fortran, int rank, const int64_t shape[], lay_desc **out)
{
    if (!fortran)
        return lay_desc_natural(rank, shape, out);
    int64_t strides[NPY_MAX_RANK], at = 1;
    for (int i = 0; i < rank; i++) {
        strides[i] = at;
        if (__builtin_mul_overflow(at, shape[i] > 0 ? shape[i] : 1, &at))
            return lay_desc_natural(rank, shape, out); /* refused, or empty */
    }
    return lay_desc_strided(rank, shape, strides, out);
}

static int parse(const char *path, const char *layout, int rank, lay_desc **out)
{
    const lay_status status = lay_desc_parse(layout, out);
    if (status != LAY_OK)
        return refuse_status(status, layout);
    if (rank != ANY_RANK && lay_desc_rank(*out) != rank)
        return refuse("%s: a matrix has %d dimensions, the layout '%s' has %d", path, rank, layout,
                      lay_desc_rank(*out));
    return EXIT_FINE;
}

/* Offset 0 is the first element; a layout that reaches below it has its lowest element there. */
static int place(tensor *in, const char *layout)
{
    int64_t lowest, highest;
    lay_desc_span(in->desc, &lowest, &highest);
    const int64_t zero = lowest < 0 ? -lowest : 0;
    if (highest >= lowest && highest + zero >= in->file.count)
        return refuse("%s: has %" PRId64 " elements, the layout '%s' reaches over %" PRId64, in->path, in->file.count,
                      layout, highest + zero + 1);
    if (zero && highest >= lowest)
        fprintf(stderr, "lay: %s: offset 0 of '%s' is element %" PRId64 " of the file, its lowest offset element 0\n",
                in->path, layout, zero);
    in->zero = (char *)in->file.data + (highest >= lowest ? zero * (int64_t)lay_type_size(in->file.type) : 0);
    return EXIT_FINE;
}

/* Finds the tensor in a file that has been read; layout may be NULL. */
static int describe(tensor *in, const char *layout, int rank)
{
    if (layout) {
        const int status = parse(in->path, layout, rank, &in->desc);
        return status == EXIT_FINE ? place(in, layout) : status;
    }
    if (rank != ANY_RANK && in->file.rank != rank)
        return refuse("%s: has %d dimension%s, a matrix has %d (a layout for it can say how to read it)", in->path,
                      in->file.rank, in->file.rank == 1 ? "" : "s", rank);
    in->zero = in->file.data;
    if (in->file.rank == 0)
        return EXIT_FINE;
    const lay_status status = describe_plain(in->file.fortran, in->file.rank, in->file.shape, &in->desc);
    return refuse_unless_ok(status, in->path);
}

int tensor_load(tensor *out, const char *path, const char *layout, int rank)
{
    *out = (tensor){ .path = path };
    const int status = npy_read(path, &out->file);
    return status == EXIT_FINE ? describe(out, layout, rank) : status;
}

static int create_spanned(tensor *to, int rank, const char *layout)
{
    int64_t lowest, highest;
    const int status = parse(to->path, layout, rank, &to->desc);
    if (status != EXIT_FINE)
        return status;
    lay_desc_span(to->desc, &lowest, &highest);
    to->file.rank = 1;
    if (__builtin_sub_overflow(highest, lowest < 0 ? lowest : 0, &to->file.shape[0]) ||
        __builtin_add_overflow(to->file.shape[0], 1, &to->file.shape[0]))
        return refuse("%s: the layout '%s' spans more than fits any memory", to->path, layout);
    to->file.count = to->file.shape[0];
    return EXIT_FINE;
}

static int create_plain(tensor *to, int rank, const int64_t shape[], int fortran)
{
    to->file.rank = rank;
    to->file.count = 1;
    for (int i = 0; i < rank; i++)
        to->file.shape[i] = shape[i];
    if (rank == 0)
        return EXIT_FINE;
    const lay_status status = describe_plain(fortran, rank, shape, &to->desc);
    if (status != LAY_OK)
        return refuse_status(status, to->path);
    to->file.count = lay_desc_extent(to->desc, "");
    return EXIT_FINE;
}

int tensor_create(tensor *to, lay_type type, int rank, const int64_t shape[], const char *layout, int fortran)
{
    to->file = (npy){ .type = type, .fortran = fortran };
    int status = layout ? create_spanned(to, rank, layout) : create_plain(to, rank, shape, fortran);
    if (status == EXIT_FINE)
        status = memory_need(to->path, ((double)to->file.count + 1) * (double)lay_type_size(type));
    if (status != EXIT_FINE)
        return status;
    to->file.data = calloc((size_t)to->file.count + 1, lay_type_size(type));
    if (!to->file.data)
        return fail("%s: out of memory for %" PRId64 " elements", to->path, to->file.count);
    to->zero = to->file.data;
    return layout ? place(to, layout) : EXIT_FINE;
}

int tensor_check_shape(const tensor *of, int rank, const int64_t shape[])
{
    enum { TEXT = 24 * NPY_MAX_RANK };
    char is[TEXT], wanted[TEXT];
    int64_t own[NPY_MAX_RANK];
    const int own_rank = of->desc ? lay_desc_rank(of->desc) : 0;
    int same = own_rank == rank;
    for (int i = 0; i < own_rank && i < NPY_MAX_RANK; i++) {
        own[i] = tensor_extent(of, i);
        same = same && own[i] == shape[i];
    }
    if (same)
        return EXIT_FINE;
    tensor_write_shape(own_rank < NPY_MAX_RANK ? own_rank : NPY_MAX_RANK, own, is, sizeof is);
    tensor_write_shape(rank, shape, wanted, sizeof wanted);
    return refuse("%s: is %s, the product is %s", of->path, is, wanted);
}

int tensor_load_output(tensor *to, const char *from, lay_type type, int rank, const int64_t shape[], const char *layout,
                       int fortran)
{
    tensor old = { 0 };
    int status = tensor_load(&old, from, layout, rank == 2 ? rank : ANY_RANK);
    if (status == EXIT_FINE)
        status = tensor_check_shape(&old, rank, shape);
    if (status == EXIT_FINE && old.file.type != type)
        status = refuse("%s: its elements are not of the type of the result", from);
    if (status != EXIT_FINE || layout || old.file.fortran == fortran) {
        old.path = status == EXIT_FINE ? to->path : from;
        *to = old;
        return status;
    }
    status = tensor_create(to, type, rank, shape, NULL, fortran);
    if (status == EXIT_FINE && rank > 0) {
        const lay_status copied = lay_copy(type, old.desc, old.zero, to->desc, to->zero, NULL);
        status = refuse_unless_ok(copied, from);
    } else if (status == EXIT_FINE) {
        memcpy(to->zero, old.zero, lay_type_size(type));
    }
    tensor_free(&old);
    return status;
}
