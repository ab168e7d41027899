/* Whether C is the contraction of A and B: as verdict.h, for dense tensors, each of them read once. */
#include "proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/element.h"
#include "bench/base/random.h"

enum { A, B, C };
enum {
    EXACT_BITS = 24, /* of a float; sums of a double may have SUM_BITS */
    SUM_BITS = 53,
    LARGEST = 15, /* of A's and B's entries */
    VECTOR_BITS = 15
};

struct proof {
    const contraction *of;
    lay_type type;
    int64_t m, n, k, batch;
    double *t, *expected; /* [n]; [batch][m] */
};

/* The largest entry with k * entry^2 <= 2^24: no partial sum of k products is rounded. */
static int64_t largest_entry(int64_t k)
{
    int64_t entry = LARGEST;
    while (entry > 1 && k * entry * entry > (int64_t)1 << EXACT_BITS)
        entry--;
    return entry;
}

/* Sums of n products of C's entries with such a factor are exact in double. */
static int64_t largest_factor(int64_t n)
{
    int64_t factor = (int64_t)1 << VECTOR_BITS;
    while (factor > 1 && n * factor > (int64_t)1 << (SUM_BITS - EXACT_BITS))
        factor /= 2;
    return factor;
}

static int64_t draw(uint64_t *state, int64_t limit)
{
    return (int64_t)(random_next(state) >> 33) % (2 * limit + 1) - limit;
}

static void fill(lay_type type, void *to, int64_t count, int64_t limit, uint64_t seed)
{
    for (int64_t i = 0; i < count; i++)
        element_write(type, to, i, (double)draw(&seed, limit));
}

void proof_fill(const contraction *of, lay_type type, void *a, void *b)
{
    const int64_t limit = largest_entry(of->count[LABEL_K]);
    fill(type, a, contraction_elements(of, A), limit, 1);
    fill(type, b, contraction_elements(of, B), limit, 2);
}

/* All bits set are a NaN of every type. */
void proof_prepare(const contraction *of, lay_type type, void *c)
{
    memset(c, 0xff, (size_t)contraction_elements(of, C) * lay_type_size(type));
}

/* A matrix out of a tensor, by the offsets of its rows and columns, as it is walked. */
typedef struct walk {
    lay_type type;
    const char *data;
    const int64_t *row, *column;
    int64_t rows, columns;
} walk;

/* out[rows] = matrix * in[columns]; the side whose labels are the nearer in memory is walked inside. */
#define TIMES(name, real)                                                                                              \
    static void name(const walk *of, int by_columns, const double in[], double out[])                                  \
    {                                                                                                                  \
        const real *data = (const real *)of->data;                                                                     \
        for (int64_t i = 0; i < of->rows; i++)                                                                         \
            out[i] = 0;                                                                                                \
        if (by_columns) {                                                                                              \
            for (int64_t j = 0; j < of->columns; j++)                                                                  \
                for (int64_t i = 0; i < of->rows; i++)                                                                 \
                    out[i] += in[j] * (double)data[of->row[i] + of->column[j]];                                        \
            return;                                                                                                    \
        }                                                                                                              \
        for (int64_t i = 0; i < of->rows; i++) {                                                                       \
            double sum = 0;                                                                                            \
            for (int64_t j = 0; j < of->columns; j++)                                                                  \
                sum += in[j] * (double)data[of->row[i] + of->column[j]];                                               \
            out[i] = sum;                                                                                              \
        }                                                                                                              \
    }
TIMES(times_f32, float)
TIMES(times_f64, double)

/* For each batch: out[rows] = tensor * in[columns], each batch with an in of its own or all with the first one. 0 when
 * memory runs out. */
static int times_tensor(const contraction *of, int tensor, label_role rows, label_role columns, lay_type type,
                        const void *data, const double in[], int64_t step, double out[])
{
    const int64_t m = of->count[rows], n = of->count[columns], count = of->count[LABEL_BATCH];
    int64_t *table = malloc((size_t)(m + n + count) * sizeof *table);
    if (!table)
        return 0;
    int64_t *const column = table + m, *const batch = column + n;
    contraction_offsets(of, tensor, rows, table);
    contraction_offsets(of, tensor, columns, column);
    contraction_offsets(of, tensor, LABEL_BATCH, batch);
    for (int64_t h = 0; h < count; h++) {
        const walk one = { type, (const char *)data + batch[h] * (int64_t)lay_type_size(type), table, column, m, n };
        (type == LAY_F32 ? times_f32 : times_f64)(&one, of->by_columns[tensor], in + h * step, out + h * m);
    }
    free(table);
    return 1;
}

proof *proof_create(const contraction *of, lay_type type, const void *a, const void *b)
{
    const int64_t *count = of->count;
    proof *made = calloc(1, sizeof *made);
    double *middle = malloc((size_t)(count[LABEL_BATCH] * count[LABEL_K]) * sizeof *middle);
    if (made) {
        *made = (proof){ of, type, count[LABEL_M], count[LABEL_N], count[LABEL_K], count[LABEL_BATCH], NULL, NULL };
        made->t = malloc((size_t)made->n * sizeof *made->t);
        made->expected = malloc((size_t)(made->batch * made->m) * sizeof *made->expected);
    }
    int good = made && middle && made->t && made->expected;
    if (good) {
        const int64_t limit = largest_factor(made->n);
        uint64_t seed = 3;
        for (int64_t j = 0; j < made->n; j++)
            made->t[j] = (double)draw(&seed, limit);
        good = times_tensor(of, B, LABEL_K, LABEL_N, type, b, made->t, 0, middle) &&
               times_tensor(of, A, LABEL_M, LABEL_K, type, a, middle, made->k, made->expected);
    }
    free(middle);
    if (good)
        return made;
    proof_destroy(made);
    return NULL;
}

void proof_destroy(proof *of)
{
    if (!of)
        return;
    free(of->t);
    free(of->expected);
    free(of);
}

int proof_give(const proof *of, const void *c)
{
    const int64_t count = of->batch * of->m;
    double *got = malloc((size_t)count * sizeof *got);
    if (!got)
        return -1;
    int good = times_tensor(of->of, C, LABEL_M, LABEL_N, of->type, c, of->t, 0, got) ? 1 : -1;
    for (int64_t i = 0; i < count && good == 1; i++)
        good = got[i] == of->expected[i]; /* NaN is not equal either */
    free(got);
    return good;
}
