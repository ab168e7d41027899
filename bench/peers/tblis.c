/* TBLIS, a library of tensor contractions, loaded while we run. */
#include "tblis.h"

#include <complex.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "levels.h"

/* Its tensors, as its functions fill them in: a scalar that multiplies the elements, then where they lie. */
typedef struct tblis_tensor {
    int type, is_conjugated;
    struct {
        double number[2];
        int type;
    } scalar;
    void *data;
    int rank;
    ptrdiff_t *length, *stride;
} tblis_tensor;

typedef void init_s_fn(tblis_tensor *of, float scalar, int rank, ptrdiff_t *length, float *data, ptrdiff_t *stride);
typedef void init_d_fn(tblis_tensor *of, double scalar, int rank, ptrdiff_t *length, double *data, ptrdiff_t *stride);
typedef void init_c_fn(tblis_tensor *of, float complex scalar, int rank, ptrdiff_t *length, float complex *data,
                       ptrdiff_t *stride);
typedef void init_z_fn(tblis_tensor *of, double complex scalar, int rank, ptrdiff_t *length, double complex *data,
                       ptrdiff_t *stride);
typedef void multiply_fn(const void *threads, const void *configuration, const tblis_tensor *a, const char *labels_a,
                         const tblis_tensor *b, const char *labels_b, tblis_tensor *c, const char *labels_c);

/* One at a time. */
static struct tblis {
    init_s_fn *init_s;
    init_d_fn *init_d;
    init_c_fn *init_c; /* NULL: it has no complex numbers */
    init_z_fn *init_z;
    multiply_fn *multiply;
} found;

#define FIND(library, type, name) ((type *)(uintptr_t)dlsym(library, name))

static void describe(void *library, int is_forced, peer *of)
{
    typedef int query_fn(void);
    typedef const char *string_fn(int);
    query_fn *query = FIND(library, query_fn, "bli_arch_query_id");
    string_fn *string = FIND(library, string_fn, "bli_arch_string");
    snprintf(of->name, sizeof of->name, "TBLIS");
    snprintf(of->kernels, sizeof of->kernels, "%s", query && string ? string(query()) : "");
    snprintf(of->about, sizeof of->about, "TBLIS; kernels for %s%s",
             *of->kernels ? of->kernels : "what it does not tell", is_forced ? ", forced" : "");
}

int tblis_has_type(const struct tblis *of, lay_type type)
{
    return type == LAY_F32 || type == LAY_F64 || (type == LAY_C32 && of->init_c) || (type == LAY_C64 && of->init_z);
}

static tblis_tensor fill(const struct tblis *with, lay_type type, const tblis_operand *of, double scalar)
{
    _Static_assert(sizeof(ptrdiff_t) == sizeof(int64_t), "extents are handed over as they lie");
    tblis_tensor made;
    ptrdiff_t *length = (ptrdiff_t *)of->extent, *stride = (ptrdiff_t *)of->stride;
    if (type == LAY_F32)
        with->init_s(&made, (float)scalar, of->rank, length, of->data, stride);
    else if (type == LAY_C32)
        with->init_c(&made, (float)scalar, of->rank, length, of->data, stride);
    else if (type == LAY_C64)
        with->init_z(&made, scalar, of->rank, length, of->data, stride);
    else
        with->init_d(&made, scalar, of->rank, length, of->data, stride);
    return made;
}

void tblis_multiply(const struct tblis *with, lay_type type, const tblis_operand *a, const tblis_operand *b,
                    const tblis_operand *c)
{
    const tblis_tensor left = fill(with, type, a, 1), right = fill(with, type, b, 1);
    tblis_tensor result = fill(with, type, c, 0);
    with->multiply(NULL, NULL, &left, a->labels, &right, b->labels, &result, c->labels);
}

/* Its kernels for AVX-512, by their number in its BLIS: it takes an AMD CPU that has it for one without SIMD. Said for
 * its own start alone, as other libraries read the same variable; what the user has said comes first. */
static const char arch_variable[] = "BLIS_ARCH_TYPE", arch_skx[] = "0";

static int may_force(void *library)
{
#if LAY_X86
    return !getenv(arch_variable) && dlsym(library, "bli_cntx_init_skx") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq");
#else
    (void)library;
    return 0;
#endif
}

/* It chooses its kernels at the first product, and does not know them before. */
static void multiply_once(const struct tblis *with, int is_forced)
{
    const int64_t one = 1;
    float a = 2, b = 3, c = 0;
    const tblis_operand of[] = { { 1, "i", &one, &one, &a }, { 1, "i", &one, &one, &b }, { 1, "i", &one, &one, &c } };
    if (is_forced)
        setenv(arch_variable, arch_skx, 0);
    tblis_multiply(with, LAY_F32, &of[0], &of[1], &of[2]);
    if (is_forced)
        unsetenv(arch_variable);
}

int tblis_find(void *library, peer *out)
{
    const struct tblis its = { FIND(library, init_s_fn, "tblis_init_tensor_scaled_s"),
                               FIND(library, init_d_fn, "tblis_init_tensor_scaled_d"),
                               FIND(library, init_c_fn, "tblis_init_tensor_scaled_c"),
                               FIND(library, init_z_fn, "tblis_init_tensor_scaled_z"),
                               FIND(library, multiply_fn, "tblis_tensor_mult") };
    if (!its.init_s || !its.init_d || !its.multiply)
        return 0;
    found = its;
    out->tblis = &found;
    out->set_threads = FIND(library, set_threads_fn, "tblis_set_num_threads");
    const int is_forced = may_force(library);
    multiply_once(&found, is_forced);
    describe(library, is_forced, out);
    return 1;
}
