/* lay gemm: multiplies NumPy files. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/choices.h"
#include "bench/base/memory.h"
#include "bench/device/cuda_part.h"
#include "npy.h"
#include "product.h"
#include "tool.h"

/* A file seen as a matrix. */
typedef struct matrix {
    const char *path;
    npy file;
    lay_desc *desc;
    char *zero; /* where offset 0 lies in file.data */
} matrix;

static void destroy_matrix(matrix *of)
{
    npy_free(&of->file);
    lay_desc_destroy(of->desc);
}

/* A file of rank 2 as it is. */
static lay_status describe_plain(int fortran, const int64_t shape[2], lay_desc **out)
{
    if (!fortran)
        return lay_desc_natural(2, shape, out);
    const int64_t strides[] = { 1, shape[0] };
    return lay_desc_strided(2, shape, strides, out);
}

/* A layout's matrix, which must have rank 2. */
static int parse_matrix(const char *path, const char *layout, lay_desc **out)
{
    const lay_status status = lay_desc_parse(layout, out);
    if (status != LAY_OK)
        return refuse_status(status, layout);
    if (lay_desc_rank(*out) != 2)
        return refuse("%s: a matrix has 2 dimensions, the layout '%s' has %d", path, layout, lay_desc_rank(*out));
    return EXIT_FINE;
}

/* Offset 0 is the first element; a layout that reaches below it has its lowest element there. */
static int place(matrix *in, const char *layout)
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

/* Finds the matrix in a file that has been read; layout may be NULL. */
static int describe(matrix *in, const char *layout)
{
    if (layout) {
        const int status = parse_matrix(in->path, layout, &in->desc);
        return status == EXIT_FINE ? place(in, layout) : status;
    }
    if (in->file.rank != 2)
        return refuse("%s: has %d dimension%s, a matrix has 2 (a layout for it can say how to read it)", in->path,
                      in->file.rank, in->file.rank == 1 ? "" : "s");
    in->zero = in->file.data;
    const lay_status status = describe_plain(in->file.fortran, in->file.shape, &in->desc);
    return status == LAY_OK ? EXIT_FINE : refuse_status(status, in->path);
}

static int load(matrix *out, const char *path, const char *layout)
{
    out->path = path;
    const int status = npy_read(path, &out->file);
    return status == EXIT_FINE ? describe(out, layout) : status;
}

static int64_t extent(const matrix *of, const char *path)
{
    return lay_desc_extent(of->desc, path);
}

/* A new array for C: m x n, or as much flat storage as its layout spans, all zero. */
static int create_output(matrix *c, lay_type type, const int64_t shape[2], const char *layout, int fortran)
{
    c->file = (npy){ .type = type, .fortran = fortran, .rank = 2, .shape = { shape[0], shape[1] } };
    if (layout) {
        int64_t lowest, highest;
        const int status = parse_matrix(c->path, layout, &c->desc);
        if (status != EXIT_FINE)
            return status;
        lay_desc_span(c->desc, &lowest, &highest);
        c->file.rank = 1;
        if (__builtin_sub_overflow(highest, lowest < 0 ? lowest : 0, &c->file.shape[0]) ||
            __builtin_add_overflow(c->file.shape[0], 1, &c->file.shape[0]))
            return refuse("%s: the layout '%s' spans more than fits any memory", c->path, layout);
        c->file.count = c->file.shape[0];
    } else {
        const lay_status status = describe_plain(fortran, shape, &c->desc);
        if (status != LAY_OK)
            return refuse_status(status, c->path);
        c->file.count = lay_desc_extent(c->desc, "");
    }
    const int status = memory_need(c->path, ((double)c->file.count + 1) * (double)lay_type_size(type));
    if (status != EXIT_FINE)
        return status;
    c->file.data = calloc((size_t)c->file.count + 1, lay_type_size(type));
    if (!c->file.data)
        return fail("%s: out of memory for %" PRId64 " elements", c->path, c->file.count);
    c->zero = c->file.data;
    return layout ? place(c, layout) : EXIT_FINE;
}

static int check_shape(const matrix *c, const int64_t shape[2])
{
    if (extent(c, "0") != shape[0] || extent(c, "1") != shape[1])
        return refuse("%s: is %" PRId64 " x %" PRId64 ", the product is %" PRId64 " x %" PRId64, c->path,
                      extent(c, "0"), extent(c, "1"), shape[0], shape[1]);
    return EXIT_FINE;
}

/* C with the values of a file: with a layout that file's storage itself, gaps and all; without one
 * a plain matrix in the order asked for. */
static int load_output(matrix *c, const char *from, lay_type type, const int64_t shape[2], const char *layout,
                       int fortran)
{
    matrix old = { 0 };
    int status = load(&old, from, layout);
    if (status == EXIT_FINE)
        status = check_shape(&old, shape);
    if (status == EXIT_FINE && old.file.type != type)
        status = refuse("%s: its elements are not of the type of A and B", from);
    if (status != EXIT_FINE || layout || old.file.fortran == fortran) {
        old.path = status == EXIT_FINE ? c->path : from;
        *c = old;
        return status;
    }
    status = create_output(c, type, shape, NULL, fortran);
    if (status == EXIT_FINE) {
        const lay_status copied = lay_copy(type, old.desc, old.zero, c->desc, c->zero, NULL);
        status = copied == LAY_OK ? EXIT_FINE : refuse_status(copied, from);
    }
    destroy_matrix(&old);
    return status;
}

static int check_inputs(const matrix *a, const matrix *b)
{
    if (a->file.type != b->file.type)
        return refuse("%s and %s hold different types; one of them must be converted first", a->path, b->path);
    if (extent(a, "1") != extent(b, "0"))
        return refuse("%s is %" PRId64 " x %" PRId64 " and %s is %" PRId64 " x %" PRId64
                      ": A must have as many columns as B has rows",
                      a->path, extent(a, "0"), extent(a, "1"), b->path, extent(b, "0"), extent(b, "1"));
    return EXIT_FINE;
}

static int check_scalar(const char *name, double value, lay_type type)
{
    if (type != LAY_F64 && isfinite(value) && isinf((float)value))
        return refuse("--%s=%g is more than a float holds, which scales all types but float64", name, value);
    return EXIT_FINE;
}

/* Slices of a product would each take the other operand to the device again, and may sum in another order. */
static int may_slice(const lay_options *options)
{
    return options->backend == LAY_BACKEND_CPU || !cuda_of_tool || !cuda_of_tool->is_here();
}

static int multiply(const args *given, matrix *a, matrix *b, matrix *c, const product *scalars)
{
    const char *layout = args_value(given, "layout-c"), *from = args_value(given, "c-in");
    const int fortran = args_value(given, "fortran") != NULL;
    int status = load(a, given->words[0], args_value(given, "layout-a"));
    if (status == EXIT_FINE)
        status = load(b, given->words[1], args_value(given, "layout-b"));
    if (status == EXIT_FINE)
        status = check_inputs(a, b);
    if (status == EXIT_FINE)
        status = check_scalar("alpha", scalars->alpha, a->file.type);
    if (status == EXIT_FINE)
        status = check_scalar("beta", scalars->beta, a->file.type);
    if (status != EXIT_FINE)
        return status;
    const int64_t shape[] = { extent(a, "0"), extent(b, "1") };
    c->path = args_value(given, "output");
    status = from ? load_output(c, from, a->file.type, shape, layout, fortran)
                  : create_output(c, a->file.type, shape, layout, fortran);
    if (status == EXIT_FINE)
        status = check_shape(c, shape);
    if (status != EXIT_FINE)
        return status;
    product all = *scalars;
    all.type = a->file.type;
    all.desc_a = a->desc, all.desc_b = b->desc, all.desc_c = c->desc;
    all.a = a->zero, all.b = b->zero, all.c = c->zero;
    const lay_status done = product_run(&all, isatty(STDERR_FILENO) && may_slice(all.options));
    return done == LAY_OK ? npy_write(c->path, &c->file) : refuse_status(done, "the product");
}

static int is_input(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int gemm(const args *given)
{
    if (given->word_count != 2)
        return refuse("gemm takes two files, A and B; %d were given", given->word_count);
    if (!args_value(given, "output"))
        return refuse("gemm needs -o FILE for the result");
    if (is_input(given->words[0]) + is_input(given->words[1]) + is_input(args_value(given, "c-in")) > 1)
        return refuse("standard input, '-', can be read once: one of A, B and C only");
    lay_options options = LAY_OPTIONS_INIT;
    product scalars = { .alpha = 1, .beta = 0, .options = &options };
    int64_t threads = 0;
    int status = args_integer(given, "threads", 1, 4096, &threads);
    if (status == EXIT_FINE)
        status = read_choices(given, &options);
    if (status == EXIT_FINE)
        status = args_real(given, "alpha", &scalars.alpha);
    if (status == EXIT_FINE)
        status = args_real(given, "beta", &scalars.beta);
    if (status == EXIT_FINE)
        status = npy_check_output(args_value(given, "output"));
    if (status == EXIT_FINE && scalars.beta != 0 && !args_value(given, "c-in"))
        status = refuse("--beta needs the matrix that it scales: --c-in=FILE");
    if (status == EXIT_FINE && args_value(given, "fortran") && args_value(given, "layout-c"))
        status = refuse("--fortran and --layout-c both say how C is stored");
    if (status != EXIT_FINE)
        return status;
    options.threads = (int)threads;
    matrix a = { 0 }, b = { 0 }, c = { 0 };
    status = multiply(given, &a, &b, &c, &scalars);
    destroy_matrix(&a);
    destroy_matrix(&b);
    destroy_matrix(&c);
    return status;
}

static const option options[] = {
    { "output", 'o', "FILE", "where the result goes; it appears there when it is complete" },
    { "layout-a", 0, "TEXT", "A as this layout over the elements of its file, in their order there" },
    { "layout-b", 0, "TEXT", "the same for B" },
    { "layout-c", 0, "TEXT", "the result in this layout: a flat array of all that it spans" },
    { "alpha", 0, "X", "factor of the product, 1 if not given" },
    { "beta", 0, "Y", "factor of the matrix of --c-in, 0 if not given" },
    { "c-in", 0, "FILE", "the C of alpha A B + beta C; with --layout-c in that layout" },
    { "fortran", 0, NULL, "write the result in Fortran order" },
    { "threads", 0, "N", "threads to use" },
    CHOICE_OPTIONS,
    { 0 },
};

const command gemm_command = {
    .name = "gemm",
    .usage = "A.npy B.npy -o C.npy [OPTIONS]",
    .summary = "multiply matrices in NumPy files",
    .notes =
        "'-' is standard input, as A, B or C of --c-in, and as FILE of -o standard output.\n"
        "Files hold little-endian float16, float32 or float64 in C or Fortran order (NumPy format 1 to 3). Without a\n"
        "layout a file must be a matrix. With one its shape does not matter: offset 0 is its first\n"
        "element, or, where the layout has negative offsets, the lowest of them is. What a layout of C\n"
        "leaves out is 0, or what --c-in has there. Example, a matrix stored as 2 x 2 blocks:\n"
        "\n"
        "  lay gemm a.npy b.npy -o c.npy \\\n"
        "    --layout-a='A=[2][2][512][512]; [[#A_0][#A_2]][[#A_1][#A_3]]'\n",
    .options = options,
    .run = gemm,
};
