/* Products of split operands on the CPU, as docs/numerics.md has them. */
#include <math.h>
#include <stdlib.h>

#include "../../oracle.h"
#include "model.h"

enum {
    CHUNK = 256,      /* steps that are summed up from +0 */
    LEAF = 32,        /* steps that the matrix unit takes at once, in two halves */
    MOST_BLOCK = 512, /* a block of k, in whole leaves */
    LEAST = -50,      /* exponents of plain lines */
    MOST = 60,
    WIDEST = 100, /* binades of others */
    TOP = 50      /* exponent of their greatest element, once scaled */
};

/* A row of A or a column of B in one block of k. */
typedef struct line {
    int is_strange, scale;
    double element[MOST_BLOCK]; /* as it is */
    float limb[3][MOST_BLOCK];  /* zeros behind its end */
} line;

/* Limbs that are multiplied, one of A and one of B: 0 is the first. */
typedef struct pair {
    int a, b;
} pair;
static const pair products[][6] = {
    [1] = { { 0, 0 } },
    [2] = { { 1, 0 }, { 0, 1 }, { 0, 0 } },
    [3] = { { 2, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 0, 2 }, { 0, 0 } },
};

static void classify(line *of, int64_t count)
{
    int least = 0, most = 0, is_zero = 1;
    of->is_strange = of->scale = 0;
    for (int64_t p = 0; p < count; p++) {
        const double x = of->element[p];
        if (!isfinite(x))
            of->is_strange = 1;
        if (!isfinite(x) || x == 0)
            continue;
        least = is_zero || ilogb(x) < least ? ilogb(x) : least;
        most = is_zero || ilogb(x) > most ? ilogb(x) : most;
        is_zero = 0;
    }
    if (of->is_strange || is_zero || (least >= LEAST && most <= MOST))
        return;
    of->is_strange = most - least > WIDEST;
    of->scale = TOP - most;
}

/* The nearest number of 8 bits; of two, the one further from 0. */
static double round_to_piece(double x)
{
    if (x == 0)
        return x;
    const double unit = ldexp(1, ilogb(x) - 7);
    return round(x / unit) * unit;
}

static void split(line *of, int64_t count)
{
    classify(of, count);
    for (int64_t p = 0; p < MOST_BLOCK; p++) {
        double rest = p < count && !of->is_strange ? ldexp(of->element[p], of->scale) : 0;
        for (int limb = 0; limb < 3; limb++) {
            const double rounded = round_to_piece(rest);
            of->limb[limb][p] = (float)rounded;
            rest -= rounded;
        }
    }
}

/* The matrix unit takes denormals for 0. */
static float flush(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static float unit_chain(const float *a, const float *b)
{
    float sum = 0;
    for (int p = 0; p < LEAF / 2; p++)
        sum = flush(fmaf(a[p], b[p], sum));
    return sum;
}

static float unit_leaf(const float *a, const float *b, float sum)
{
    return flush(sum + flush(unit_chain(a, b) + unit_chain(a + LEAF / 2, b + LEAF / 2)));
}

/* One block. */
static float sum_split(int limbs, const line *a, const line *b, int64_t count)
{
    float sum = 0;
    for (int64_t first = 0; first < count; first += CHUNK) {
        float part = 0;
        for (int64_t p = first; p < first + CHUNK && p < count; p += LEAF)
            for (int i = 0; i < limbs * (limbs + 1) / 2; i++)
                part = unit_leaf(a->limb[products[limbs][i].a] + p, b->limb[products[limbs][i].b] + p, part);
        sum = first == 0 ? part : sum + part;
    }
    return (float)ldexp(sum, -(a->scale + b->scale));
}

/* C is updated by a fused multiply-add, at the portable level too. */
static float update(const model_product *of, const line *a, const line *b, int64_t count, float beta, float c)
{
    const float alpha = (float)of->alpha;
    if (a->is_strange || b->is_strange)
        return (float)model_update(of, of->alpha, model_chain(of, a->element, b->element, count), beta, c);
    const float sum = sum_split(of->limbs, a, b, count);
    return beta == 0 ? alpha * sum : fmaf(alpha, sum, beta * c);
}

void model_multiply_split(const model_product *of, double *to)
{
    const int64_t kc = model_kc(of->k);
    line *const rows = oracle_memory((size_t)(of->m + of->n) * sizeof *rows), *const columns = rows + of->m;
    for (int64_t first = 0; first < of->k; first += kc) {
        const int64_t count = kc < of->k - first ? kc : of->k - first;
        for (int64_t i = 0; i < of->m + of->n; i++) {
            for (int64_t p = first; p < first + count; p++)
                rows[i].element[p - first] = i < of->m ? of->a[i * of->k + p] : of->b[p * of->n + i - of->m];
            split(rows + i, count);
        }
        for (int64_t i = 0; i < of->m; i++)
            for (int64_t j = 0; j < of->n; j++) {
                const double *const c = first > 0 ? to : of->c;
                const float beta = first > 0 ? 1 : (float)of->beta, old = beta == 0 ? 0 : (float)c[i * of->n + j];
                to[i * of->n + j] = (double)update(of, rows + i, columns + j, count, beta, old);
            }
    }
    free(rows);
}
