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
#include "tensor.h"
#include "tool.h"

static int check_inputs(const tensor *a, const tensor *b)
{
    if (a->file.type != b->file.type)
        return refuse("%s and %s hold different types; one of them must be converted first", a->path, b->path);
    if (tensor_extent(a, 1) != tensor_extent(b, 0))
        return refuse("%s is %" PRId64 " x %" PRId64 " and %s is %" PRId64 " x %" PRId64
                      ": A must have as many columns as B has rows",
                      a->path, tensor_extent(a, 0), tensor_extent(a, 1), b->path, tensor_extent(b, 0),
                      tensor_extent(b, 1));
    return EXIT_FINE;
}

/* Slices of a product would each take the other operand to the device again, and may sum in another order. */
static int may_slice(const lay_options *options)
{
    return options->backend == LAY_BACKEND_CPU || !cuda_of_tool || !cuda_of_tool->is_here();
}

static int multiply(const args *given, tensor *a, tensor *b, tensor *c, const product *scalars)
{
    const char *layout = args_value(given, "layout-c"), *from = args_value(given, "c-in");
    const int fortran = args_value(given, "fortran") != NULL;
    int status = tensor_load(a, given->words[0], args_value(given, "layout-a"), 2);
    if (status == EXIT_FINE)
        status = tensor_load(b, given->words[1], args_value(given, "layout-b"), 2);
    if (status == EXIT_FINE)
        status = check_inputs(a, b);
    if (status == EXIT_FINE)
        status = factor_check("alpha", scalars->alpha, a->file.type);
    if (status == EXIT_FINE)
        status = factor_check("beta", scalars->beta, a->file.type);
    if (status != EXIT_FINE)
        return status;
    const int64_t shape[] = { tensor_extent(a, 0), tensor_extent(b, 1) };
    c->path = args_value(given, "output");
    status = from ? tensor_load_output(c, from, a->file.type, 2, shape, layout, fortran)
                  : tensor_create(c, a->file.type, 2, shape, layout, fortran);
    if (status == EXIT_FINE)
        status = tensor_check_shape(c, 2, shape);
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
    product scalars = { .alpha = { 1, 0 }, .options = &options };
    int64_t threads = 0;
    int status = args_integer(given, "threads", 1, 4096, &threads);
    if (status == EXIT_FINE)
        status = read_choices(given, &options);
    if (status == EXIT_FINE)
        status = factor_read(given, "alpha", &scalars.alpha);
    if (status == EXIT_FINE)
        status = factor_read(given, "beta", &scalars.beta);
    if (status == EXIT_FINE)
        status = npy_check_output(args_value(given, "output"));
    if (status == EXIT_FINE && (scalars.beta.re != 0 || scalars.beta.im != 0) && !args_value(given, "c-in"))
        status = refuse("--beta needs the matrix that it scales: --c-in=FILE");
    if (status == EXIT_FINE && args_value(given, "fortran") && args_value(given, "layout-c"))
        status = refuse("--fortran and --layout-c both say how C is stored");
    if (status != EXIT_FINE)
        return status;
    options.threads = (int)threads;
    tensor a = { 0 }, b = { 0 }, c = { 0 };
    status = multiply(given, &a, &b, &c, &scalars);
    tensor_free(&a);
    tensor_free(&b);
    tensor_free(&c);
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
        "Files hold little-endian float16, float32, float64, complex64 or complex128 in C or Fortran order (NumPy\n"
        "format 1 to 3); X and Y of complex ones may be 1+2j. Without a layout a file must be a matrix. With one\n"
        "its shape does not matter: offset 0 is its first element, or, where the layout has negative offsets, the "
        "lowest of them is. What a layout of C\n"
        "leaves out is 0, or what --c-in has there. Example, a matrix stored as 2 x 2 blocks:\n"
        "\n"
        "  lay gemm a.npy b.npy -o c.npy \\\n"
        "    --layout-a='A=[2][2][512][512]; [[#A_0][#A_2]][[#A_1][#A_3]]'\n",
    .options = options,
    .run = gemm,
};
