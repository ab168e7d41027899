/* TBLIS by its interface, of six functions, for the tests of the bench: obviously right, or, with FAULT, wrong in one
 * element of C. Its sums are written out over all labels. */
#include <complex.h>
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { FLOAT = 0, DOUBLE = 2, FLOATS = 3, DOUBLES = 4, MAX_LABELS = 16 };

typedef struct tensor {
    int type, is_conjugated;
    struct {
        double number[2];
        int type;
    } scalar;
    void *data;
    int rank;
    ptrdiff_t *length, *stride;
} tensor;

EXPORT void tblis_init_tensor_scaled_s(tensor *of, float scalar, int rank, ptrdiff_t *length, float *data,
                                       ptrdiff_t *stride);
EXPORT void tblis_init_tensor_scaled_d(tensor *of, double scalar, int rank, ptrdiff_t *length, double *data,
                                       ptrdiff_t *stride);
EXPORT void tblis_init_tensor_scaled_c(tensor *of, float complex scalar, int rank, ptrdiff_t *length,
                                       float complex *data, ptrdiff_t *stride);
EXPORT void tblis_init_tensor_scaled_z(tensor *of, double complex scalar, int rank, ptrdiff_t *length,
                                       double complex *data, ptrdiff_t *stride);
EXPORT void tblis_set_num_threads(unsigned count);
EXPORT void tblis_tensor_mult(const void *threads, const void *configuration, const tensor *a, const char *labels_a,
                              const tensor *b, const char *labels_b, tensor *c, const char *labels_c);

void tblis_init_tensor_scaled_s(tensor *of, float scalar, int rank, ptrdiff_t *length, float *data, ptrdiff_t *stride)
{
    *of = (tensor){ FLOAT, 0, { { (double)scalar, 0 }, FLOAT }, data, rank, length, stride };
}

void tblis_init_tensor_scaled_d(tensor *of, double scalar, int rank, ptrdiff_t *length, double *data, ptrdiff_t *stride)
{
    *of = (tensor){ DOUBLE, 0, { { scalar, 0 }, DOUBLE }, data, rank, length, stride };
}

void tblis_init_tensor_scaled_c(tensor *of, float complex scalar, int rank, ptrdiff_t *length, float complex *data,
                                ptrdiff_t *stride)
{
    *of = (tensor){ FLOATS, 0, { { (double)crealf(scalar), 0 }, FLOATS }, data, rank, length, stride };
}

void tblis_init_tensor_scaled_z(tensor *of, double complex scalar, int rank, ptrdiff_t *length, double complex *data,
                                ptrdiff_t *stride)
{
    *of = (tensor){ DOUBLES, 0, { { creal(scalar), 0 }, DOUBLES }, data, rank, length, stride };
}

void tblis_set_num_threads(unsigned count)
{
    (void)count;
}

typedef struct loop {
    char name;
    ptrdiff_t length, stride[3];
} loop;

static int add_loops(loop loops[MAX_LABELS], int count, const tensor *of, const char *labels, int which)
{
    for (int i = 0; i < of->rank; i++) {
        int at = 0;
        while (at < count && loops[at].name != labels[i])
            at++;
        if (at == count)
            loops[count++] = (loop){ .name = labels[i], .length = of->length[i] };
        loops[at].stride[which] += of->stride[i];
    }
    return count;
}

static double complex read(const tensor *of, ptrdiff_t at)
{
    switch (of->type) {
    case FLOAT:
        return (double)((const float *)of->data)[at];
    case FLOATS:
        return (double complex)((const float complex *)of->data)[at];
    case DOUBLES:
        return ((const double complex *)of->data)[at];
    default:
        return ((const double *)of->data)[at];
    }
}

static void write(tensor *of, ptrdiff_t at, double complex value)
{
    switch (of->type) {
    case FLOAT:
        ((float *)of->data)[at] = (float)creal(value);
        return;
    case FLOATS:
        ((float complex *)of->data)[at] = (float complex)value;
        return;
    case DOUBLES:
        ((double complex *)of->data)[at] = value;
        return;
    default:
        ((double *)of->data)[at] = creal(value);
    }
}

/* Adds the products below a loop, or, in a first walk, sets C to 0. */
static void walk(const loop *loops, int count, const tensor *of[2], tensor *c, ptrdiff_t a, ptrdiff_t b, ptrdiff_t to,
                 int is_first)
{
    if (count == 0) {
        write(c, to, is_first ? 0 : read(c, to) + read(of[0], a) * read(of[1], b));
        return;
    }
    for (ptrdiff_t i = 0; i < loops->length; i++)
        walk(loops + 1, count - 1, of, c, a + i * loops->stride[0], b + i * loops->stride[1], to + i * loops->stride[2],
             is_first);
}

void tblis_tensor_mult(const void *threads, const void *configuration, const tensor *a, const char *labels_a,
                       const tensor *b, const char *labels_b, tensor *c, const char *labels_c)
{
    loop loops[MAX_LABELS];
    const tensor *of[] = { a, b };
    int count = add_loops(loops, 0, a, labels_a, 0);
    (void)threads;
    (void)configuration;
    memset(loops + count, 0, (size_t)(MAX_LABELS - count) * sizeof *loops);
    count = add_loops(loops, count, b, labels_b, 1);
    count = add_loops(loops, count, c, labels_c, 2);
    walk(loops, count, of, c, 0, 0, 0, 1);
    walk(loops, count, of, c, 0, 0, 0, 0);
    if (FAULT)
        write(c, 0, read(c, 0) + 1);
}
