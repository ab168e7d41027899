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

/* Vectors have as many doubles an entry as an element has parts. */
struct proof {
    const contraction *of;
    lay_type type;
    int64_t m, n, k, batch;
    double *t, *expected; /* [n]; [batch][m] */
};

/* The largest entry with terms * entry^2 <= 2^24: no partial sum of so many products is rounded. */
static int64_t largest_entry(int64_t terms)
{
    int64_t entry = LARGEST;
    while (entry > 1 && terms * entry * entry > (int64_t)1 << EXACT_BITS)
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

/* One in how many of A's entries may not be 0 where the type has 16 bits, and C no room for large numbers. Sums of k
 * products of -1, 0 and 1, four in nine of those that may be, spread by sqrt(4 / 9 k / one_in) <= 30: BF16 has the
 * integers to 256. */
static int64_t sparseness(int64_t k)
{
    const int64_t one_in = (k + 2047) / 2048;
    return one_in > 8 ? one_in : 8;
}

static int64_t draw(uint64_t *state, int64_t limit)
{
    return (int64_t)(random_next(state) >> 33) % (2 * limit + 1) - limit;
}

enum { BLOCK = 1 << 16 /* numbers that one thread fills */ };

/* Each block from its place in the one sequence of numbers. */
static void fill(lay_type type, void *to, int64_t count, int64_t limit, int64_t one_in, uint64_t seed)
{
    const int64_t numbers = count * element_parts(type);
#pragma omp parallel for if (numbers > BLOCK)
    for (int64_t begin = 0; begin < numbers; begin += BLOCK) {
        const int64_t end = begin + BLOCK < numbers ? begin + BLOCK : numbers;
        uint64_t state = seed + (uint64_t)begin * RANDOM_STEP;
        for (int64_t i = begin; i < end; i++) {
            uint64_t chosen = state;
            const int is_zero = one_in > 1 && random_next(&chosen) % (uint64_t)one_in != 0;
            const int64_t entry = draw(&state, limit);
            element_write(type, to, i, is_zero ? 0 : (double)entry);
        }
    }
}

void proof_fill(const contraction *of, lay_type type, void *a, void *b)
{
    const int is_half = lay_type_size(type) == 2;
    const int64_t k = of->count[LABEL_K], limit = is_half ? 1 : largest_entry(k * element_parts(type));
    fill(type, a, contraction_elements(of, A), limit, is_half ? sparseness(k) : 1, 1);
    fill(type, b, contraction_elements(of, B), limit, 1, 2);
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

/* The same of complex numbers, a real part and an imaginary one each. */
#define TIMES_COMPLEX(name, real)                                                                                      \
    static void name(const walk *of, int by_columns, const double in[], double out[])                                  \
    {                                                                                                                  \
        const real *data = (const real *)of->data;                                                                     \
        const int64_t outer = by_columns ? of->columns : of->rows, inner = by_columns ? of->rows : of->columns;        \
        memset(out, 0, (size_t)(2 * of->rows) * sizeof *out);                                                          \
        for (int64_t x = 0; x < outer; x++)                                                                            \
            for (int64_t y = 0; y < inner; y++) {                                                                      \
                const int64_t i = by_columns ? y : x, j = by_columns ? x : y;                                          \
                const real *at = data + 2 * (of->row[i] + of->column[j]);                                              \
                out[2 * i] += (double)at[0] * in[2 * j] - (double)at[1] * in[2 * j + 1];                               \
                out[2 * i + 1] += (double)at[0] * in[2 * j + 1] + (double)at[1] * in[2 * j];                           \
            }                                                                                                          \
    }
TIMES_COMPLEX(times_c32, float)
TIMES_COMPLEX(times_c64, double)

/* The same of 16-bit numbers. */
static void times_half(const walk *of, int by_columns, const double in[], double out[])
{
    const int64_t outer = by_columns ? of->columns : of->rows, inner = by_columns ? of->rows : of->columns;
    memset(out, 0, (size_t)of->rows * sizeof *out);
    for (int64_t x = 0; x < outer; x++)
        for (int64_t y = 0; y < inner; y++) {
            const int64_t i = by_columns ? y : x, j = by_columns ? x : y;
            out[i] += in[j] * element_read(of->type, of->data, of->row[i] + of->column[j]);
        }
}

typedef void times_fn(const walk *of, int by_columns, const double in[], double out[]);

static times_fn *find_times(lay_type type)
{
    switch (type) {
    case LAY_F32:
        return times_f32;
    case LAY_C32:
        return times_c32;
    case LAY_C64:
        return times_c64;
    case LAY_F64:
        return times_f64;
    default:
        return times_half;
    }
}

enum { MANY = 1 << 20, ROWS_EACH = 256 }; /* elements from which on several threads are worth starting; of a part */

/* The rows in parts. */
static void times_parts(const walk *whole, int by_columns, const double in[], double out[])
{
    const int64_t parts = (whole->rows + ROWS_EACH - 1) / ROWS_EACH;
#pragma omp parallel for schedule(dynamic) if (parts > 1 && whole->rows * whole->columns >= MANY)
    for (int64_t part = 0; part < parts; part++) {
        const int64_t begin = part * ROWS_EACH, left = whole->rows - begin;
        walk of = *whole;
        of.row += begin;
        of.rows = left < ROWS_EACH ? left : ROWS_EACH;
        find_times(of.type)(&of, by_columns, in, out + begin * element_parts(of.type));
    }
}

/* For each batch: out[rows] = tensor * in[columns], each batch with an in of its own or all with the first one. 0 when
 * memory runs out. */
static int times_tensor(const contraction *of, int tensor, label_role rows, label_role columns, lay_type type,
                        const void *data, const double in[], int64_t step, double out[])
{
    const int64_t m = of->count[rows], n = of->count[columns], count = of->count[LABEL_BATCH];
    const int parts = element_parts(type);
    int64_t *table = malloc((size_t)(m + n + count) * sizeof *table);
    if (!table)
        return 0;
    int64_t *const column = table + m, *const batch = column + n;
    contraction_offsets(of, tensor, rows, table);
    contraction_offsets(of, tensor, columns, column);
    contraction_offsets(of, tensor, LABEL_BATCH, batch);
    for (int64_t h = 0; h < count; h++) {
        const walk one = { type, (const char *)data + batch[h] * (int64_t)lay_type_size(type), table, column, m, n };
        times_parts(&one, of->by_columns[tensor], in + h * step * parts, out + h * m * parts);
    }
    free(table);
    return 1;
}

proof *proof_create(const contraction *of, lay_type type, const void *a, const void *b)
{
    const int64_t *count = of->count;
    const int parts = element_parts(type);
    proof *made = calloc(1, sizeof *made);
    double *middle = malloc((size_t)(parts * count[LABEL_BATCH] * count[LABEL_K]) * sizeof *middle);
    if (made) {
        *made = (proof){ of, type, count[LABEL_M], count[LABEL_N], count[LABEL_K], count[LABEL_BATCH], NULL, NULL };
        made->t = malloc((size_t)(parts * made->n) * sizeof *made->t);
        made->expected = malloc((size_t)(parts * made->batch * made->m) * sizeof *made->expected);
    }
    int good = made && middle && made->t && made->expected;
    if (good) {
        const int64_t limit = largest_factor(parts * made->n);
        uint64_t seed = 3;
        for (int64_t j = 0; j < parts * made->n; j++)
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
    const int64_t count = element_parts(of->type) * of->batch * of->m;
    double *got = malloc((size_t)count * sizeof *got);
    if (!got)
        return -1;
    int good = times_tensor(of->of, C, LABEL_M, LABEL_N, of->type, c, of->t, 0, got) ? 1 : -1;
    for (int64_t i = 0; i < count && good == 1; i++)
        good = got[i] == of->expected[i]; /* NaN is not equal either */
    free(got);
    return good;
}
