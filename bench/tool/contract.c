/* lay contract: contracts NumPy files by labels. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/choices.h"
#include "bench/base/element.h"
#include "bench/base/texts.h"
#include "factor.h"
#include "tensor.h"
#include "tool.h"

enum { A, B, C, TENSORS, MAX_LABELS = 256 };

/* Labels that the library has read, split. */
typedef struct labels {
    const char *text;
    int count[TENSORS];
    char of[TENSORS][MAX_LABELS];
} labels;

typedef struct contraction {
    labels labels;
    tensor of[TENSORS];
    lay_type type; /* the result's */
    factor alpha, beta;
    unsigned conjugated;
    lay_sum_order sum_order;
    lay_options options;
} contraction;

/* The library has the first word on them: what it cannot read it refuses without a look at the tensors. */
static int read_labels(const char *text, labels *out)
{
    const lay_status status = lay_contract(LAY_F32, text, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    if (status == LAY_ERR_SYNTAX || status == LAY_ERR_REFERENCE)
        return refuse_status(status, "contract");
    *out = (labels){ .text = text };
    int which = A;
    for (const char *at = text; *at; at++) {
        if (*at == ',' || *at == '-')
            which++;
        else if (*at != ' ' && *at != '>' && out->count[which] < MAX_LABELS)
            out->of[which][out->count[which]++] = *at;
    }
    return EXIT_FINE;
}

static const char *const type_names[] = { [LAY_F32] = "float32",
                                          [LAY_F64] = "float64",
                                          [LAY_F16] = "float16",
                                          [LAY_C32] = "complex64",
                                          [LAY_C64] = "complex128" };

static int is_double(lay_type type)
{
    return element_real(type) == LAY_F64;
}

/* The least type that has the numbers of both. */
static lay_type wider(lay_type a, lay_type b)
{
    if (a == b)
        return a;
    if (element_parts(a) + element_parts(b) > 2)
        return is_double(a) || is_double(b) ? LAY_C64 : LAY_C32;
    return is_double(a) || is_double(b) ? LAY_F64 : LAY_F32;
}

/* What alpha and beta are: complex where the result is, and double where any tensor is. */
static lay_type factor_type(const contraction *of)
{
    const int is_wide = is_double(of->of[A].file.type) || is_double(of->of[B].file.type) || is_double(of->type);
    if (element_parts(of->type) == 2)
        return is_wide ? LAY_C64 : LAY_C32;
    return is_wide ? LAY_F64 : LAY_F32;
}

static int read_type(const args *given, contraction *of)
{
    const char *text = args_value(given, "type");
    of->type = wider(of->of[A].file.type, of->of[B].file.type);
    for (size_t i = 0; text && i < sizeof type_names / sizeof type_names[0]; i++)
        if (type_names[i] && strcmp(text, type_names[i]) == 0) {
            of->type = (lay_type)i;
            return EXIT_FINE;
        }
    return text ? refuse("--type is float16, float32, float64, complex64 or complex128, not '%s'", text) : EXIT_FINE;
}

/* The extent that A or B gives a label, -1 where neither has it. */
static int64_t find_extent(const contraction *of, char label)
{
    for (int which = A; which <= B; which++)
        for (int i = 0; i < of->labels.count[which]; i++)
            if (of->labels.of[which][i] == label)
                return tensor_extent(&of->of[which], i);
    return -1;
}

static lay_status plan(const contraction *of, lay_plan **out)
{
    lay_product product = LAY_PRODUCT_INIT;
    product.type_a = of->of[A].file.type, product.type_b = of->of[B].file.type, product.type_c = of->type;
    product.a = of->of[A].desc, product.b = of->of[B].desc, product.c = of->of[C].desc;
    product.labels = of->labels.text;
    product.conjugated = of->conjugated;
    product.sum_order = of->sum_order;
    return lay_plan_create_product(&product, &of->options, out);
}

/* As many labels as dimensions, or the library's sentence on what differs. */
static int check_ranks(const contraction *of)
{
    lay_plan *none = NULL;
    for (int which = A; which <= B; which++)
        if ((of->of[which].desc ? lay_desc_rank(of->of[which].desc) : 0) != of->labels.count[which])
            return refuse_status(plan(of, &none), of->of[which].path);
    return EXIT_FINE;
}

/* C's shape: of its labels in A and B, but where another file or a layout has it all. */
static int find_shape(const contraction *of, int64_t shape[NPY_MAX_RANK])
{
    const int rank = of->labels.count[C];
    if (rank > NPY_MAX_RANK)
        return refuse("a NumPy file has %d dimensions at most, the result has %d", NPY_MAX_RANK, rank);
    for (int i = 0; i < rank; i++) {
        shape[i] = find_extent(of, of->labels.of[C][i]);
        if (shape[i] < 0)
            return refuse("the label '%c' stands in the result alone: neither file says how long it is",
                          of->labels.of[C][i]);
    }
    return EXIT_FINE;
}

static int load(const args *given, contraction *of)
{
    static const char *const layouts[] = { "layout-a", "layout-b" };
    int status = EXIT_FINE;
    for (int which = A; which <= B && status == EXIT_FINE; which++)
        status = tensor_load(&of->of[which], given->words[1 + which], args_value(given, layouts[which]), ANY_RANK);
    if (status == EXIT_FINE)
        status = read_type(given, of);
    if (status == EXIT_FINE)
        status = check_ranks(of);
    if (status == EXIT_FINE)
        status = factor_check("alpha", of->alpha, factor_type(of));
    return status == EXIT_FINE ? factor_check("beta", of->beta, factor_type(of)) : status;
}

static int make_output(const args *given, contraction *of)
{
    const char *layout = args_value(given, "layout-c"), *from = args_value(given, "c-in");
    const int fortran = args_value(given, "fortran") != NULL, rank = of->labels.count[C];
    int64_t shape[NPY_MAX_RANK];
    tensor *c = &of->of[C];
    int status = find_shape(of, shape);
    c->path = args_value(given, "output");
    if (!c->path)
        c->path = "the result";
    if (status == EXIT_FINE)
        status = from ? tensor_load_output(c, from, of->type, rank, shape, layout, fortran)
                      : tensor_create(c, of->type, rank, shape, layout, fortran);
    return status == EXIT_FINE ? tensor_check_shape(c, rank, shape) : status;
}

/* The square root of the sum of squares, which may not overflow on its way: as hypot does it, in parts. */
static double norm(const npy *of)
{
    const int64_t count = of->count * element_parts(of->type);
    double largest = 0, sum = 0;
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(element_read(of->type, of->data, i)));
    for (int64_t i = 0; i < count; i++) {
        const double value = element_read(of->type, of->data, i);
        if (isnan(value))
            return value;
        const double part = largest > 0 ? value / largest : 0;
        sum += part * part;
    }
    return isinf(largest) ? largest : largest * sqrt(sum);
}

/* Without a file for the result: what it is like. */
static void print_summary(const contraction *of)
{
    char shape[24 * NPY_MAX_RANK];
    const npy *c = &of->of[C].file;
    tensor_write_shape(c->rank, c->shape, shape, sizeof shape);
    printf("%s, %s, norm %.9g\n", type_names[c->type], shape, norm(c));
    if (c->count == 1 && element_parts(c->type) == 2)
        printf("its value is %.17g%+.17gj\n", element_read(c->type, c->data, 0), element_read(c->type, c->data, 1));
    else if (c->count == 1)
        printf("its value is %.17g\n", element_read(c->type, c->data, 0));
}

static int print_plan(const lay_plan *made)
{
    char *text = text_of_plan(made);
    if (!text)
        return fail("out of memory");
    fputs(text, stdout);
    free(text);
    return EXIT_FINE;
}

static int run(const args *given, const contraction *of)
{
    const lay_type type = factor_type(of);
    const factor_stored alpha = factor_store(of->alpha, type), beta = factor_store(of->beta, type);
    lay_plan *made = NULL;
    lay_status done = plan(of, &made);
    int status = EXIT_FINE;
    if (done == LAY_OK && args_value(given, "explain"))
        status = print_plan(made);
    if (done == LAY_OK)
        done = lay_plan_run(made, &alpha, of->of[A].zero, of->of[B].zero, &beta, of->of[C].zero);
    lay_plan_destroy(made);
    if (done != LAY_OK)
        return refuse_status(done, "the contraction");
    if (status == EXIT_FINE && args_value(given, "output"))
        return npy_write(of->of[C].path, &of->of[C].file);
    if (status == EXIT_FINE)
        print_summary(of);
    return status;
}

static int read_conjugated(const args *given, unsigned *out)
{
    static const char *const names[] = { "a", "b", "ab" };
    const char *text = args_value(given, "conj");
    for (unsigned i = 0; text && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = i + 1; /* LAY_CONJUGATED_A, LAY_CONJUGATED_B, both */
            return EXIT_FINE;
        }
    return text ? refuse("--conj is a, b or ab, not '%s'", text) : EXIT_FINE;
}

static int is_input(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int read_arguments(const args *given, contraction *out)
{
    const char *output = args_value(given, "output");
    if (given->word_count != 3)
        return refuse("contract takes labels and two files, such as \"ik,kj->ij\" a.npy b.npy; %d words were given",
                      given->word_count);
    if (is_input(given->words[1]) + is_input(given->words[2]) + is_input(args_value(given, "c-in")) > 1)
        return refuse("standard input, '-', can be read once: one of A, B and C only");
    if (is_input(output) && args_value(given, "explain"))
        return refuse("-o - and --explain would both have standard output");
    int64_t threads = 0;
    int status = read_labels(given->words[0], &out->labels);
    if (status == EXIT_FINE)
        status = args_integer(given, "threads", 1, 4096, &threads);
    if (status == EXIT_FINE)
        status = read_choices(given, &out->options);
    if (status == EXIT_FINE)
        status = factor_read(given, "alpha", &out->alpha);
    if (status == EXIT_FINE)
        status = factor_read(given, "beta", &out->beta);
    if (status == EXIT_FINE)
        status = read_conjugated(given, &out->conjugated);
    if (status == EXIT_FINE && output)
        status = npy_check_output(output);
    if (status == EXIT_FINE && (out->beta.re != 0 || out->beta.im != 0) && !args_value(given, "c-in"))
        status = refuse("--beta needs the tensor that it scales: --c-in=FILE");
    if (status == EXIT_FINE && args_value(given, "fortran") && args_value(given, "layout-c"))
        status = refuse("--fortran and --layout-c both say how C is stored");
    out->options.threads = (int)threads;
    return status;
}

static int contract(const args *given)
{
    contraction *of = calloc(1, sizeof *of);
    if (!of)
        return fail("out of memory");
    of->alpha.re = 1;
    of->options = (lay_options)LAY_OPTIONS_INIT;
    of->sum_order = args_value(given, "sum-by-storage") ? LAY_SUM_BY_STORAGE : LAY_SUM_BY_LABELS;
    int status = read_arguments(given, of);
    if (status == EXIT_FINE)
        status = load(given, of);
    if (status == EXIT_FINE)
        status = make_output(given, of);
    if (status == EXIT_FINE)
        status = run(given, of);
    for (int which = A; which < TENSORS; which++)
        tensor_free(&of->of[which]);
    free(of);
    return status;
}

static const option options[] = {
    { "output", 'o', "FILE", "where the result goes, complete; without it its shape, type and norm are printed" },
    { "layout-a", 0, "TEXT", "A as this layout over the elements of its file, in their order there" },
    { "layout-b", 0, "TEXT", "the same for B" },
    { "layout-c", 0, "TEXT", "the result in this layout: a flat array of all that it spans" },
    { "alpha", 0, "X", "factor of the product, 1 if not given" },
    { "beta", 0, "Y", "factor of the tensor of --c-in, 0 if not given" },
    { "c-in", 0, "FILE", "the C of alpha A B + beta C; with --layout-c in that layout" },
    { "type", 0, "NAME", "the result's, such as float32; the wider one of A and B if not given" },
    { "conj", 0, "WHICH", "a, b or ab: conjugated; of real numbers it has no effect" },
    { "fortran", 0, NULL, "write the result in Fortran order" },
    { "explain", 0, NULL, "also print the plan: what was chosen, what was refused, and why" },
    { "sum-by-storage", 0, NULL, "sum in the order in which tensors lie, not in that of labels: often sooner" },
    { "threads", 0, "N", "threads to use" },
    CHOICE_OPTIONS,
    { 0 },
};

const command contract_command = {
    .name = "contract",
    .usage = "LABELS A.npy B.npy [-o C.npy] [OPTIONS]",
    .summary = "contract tensors in NumPy files, by labels as einsum has them",
    .notes =
        "LABELS is \"aecf,fbed->abcd\": a letter for each dimension of A, of B and of the result, which is always\n"
        "named. Labels that the result has not are summed; those of A, B and the result are a batch; a letter\n"
        "twice in A or B is a diagonal. Where a tensor has no dimension its labels are none: \"i,i->\".\n"
        "'-' is standard input, as A, B or C of --c-in, and as FILE of -o standard output.\n"
        "Files hold little-endian float16, float32, float64, complex64 or complex128 in C or Fortran order (NumPy\n"
        "format 1 to 3), A and B each in its own; X and Y of complex results may be 1+2j. With a layout a file's\n"
        "shape does not matter: offset 0 is its first element, or, where the layout has negative offsets, the\n"
        "lowest of them is; its root dimensions have the labels. Example, a matrix stored as 2 x 2 blocks times\n"
        "each matrix of a batch:\n"
        "\n"
        "  lay contract 'ik,xkj->xij' a.npy b.npy -o c.npy \\\n"
        "    --layout-a='A=[2][2][512][512]; [[#A_0][#A_2]][[#A_1][#A_3]]'\n",
    .options = options,
    .run = contract,
};
