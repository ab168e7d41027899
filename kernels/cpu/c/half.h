/* A row of 16-bit numbers in portable C. Included after the row's widen_one and round_one: integer arithmetic
 * without branches, which compilers transpose into vectors. What rounds is an addition of normal numbers: the same with
 * FTZ and DAZ set. */
#include <assert.h>
#include <string.h>

#include "cpu_half.h"

enum { PARTIALS = LAY_PARTIAL_BYTES / (int)sizeof(float) };

static void widen(const uint16_t *from, int64_t step, int64_t count, float *to)
{
    if (step == 1)
        for (int64_t i = 0; i < count; i++)
            to[i] = widen_one(from[i]);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = widen_one(from[i * step]);
}

/* round is math.h's. */
static void round_all(const float *from, int64_t count, uint16_t *to, int64_t step)
{
    if (step == 1)
        for (int64_t i = 0; i < count; i++)
            to[i] = round_one(from[i]);
    else
        for (int64_t i = 0; i < count; i++)
            to[i * step] = round_one(from[i]);
}

/* [PARTIALS][n], which it leaves as anything, to [n]. */
static void join_partials(float *partial, int64_t n, float *sums)
{
    for (int half = PARTIALS / 2; half > 0; half /= 2)
        for (int64_t i = 0; i < half * n; i++)
            partial[i] += partial[half * n + i];
    memcpy(sums, partial, (size_t)n * sizeof *sums);
}

static void add_along(float partial[PARTIALS], const float *x, const uint16_t *b, int64_t steps)
{
    int64_t p = 0;
    for (; p + PARTIALS <= steps; p += PARTIALS)
        for (int l = 0; l < PARTIALS; l++)
            partial[l] += x[p + l] * widen_one(b[p + l]);
    for (; p < steps; p++)
        partial[p % PARTIALS] += x[p] * widen_one(b[p]);
}

static void compute_along(const lay_along *t)
{
    assert(t->n >= 1 && (t->segments == 1 || t->k <= t->kc));
    for (int64_t j = 0; j < t->n; j++) {
        float *sums = (float *)t->sums + j;
        for (int64_t p = 0; p < t->k; p += t->kc, sums += t->sums_row) {
            float partial[PARTIALS] = { 0 };
            for (int s = 0; s < t->segments; s++) {
                const lay_segment *own = &t->segment[s];
                const int64_t rest = own->count - p, steps = rest < t->kc ? rest : t->kc;
                add_along(partial, (const float *)t->x + own->from_a + p,
                          (const uint16_t *)t->b + t->line[j] + own->from_b + p, steps);
            }
            join_partials(partial, 1, sums);
        }
    }
}

static void compute_across(const lay_across *t)
{
    float *partial = t->room; /* [PARTIALS][n] */
    memset(partial, 0, (size_t)t->n * PARTIALS * sizeof *partial);
    for (int s = 0; s < t->segments; s++) {
        const float *x = (const float *)t->x + t->segment[s].from_a;
        const uint16_t *b = (const uint16_t *)t->b + t->segment[s].from_b;
        for (int64_t p = 0; p < t->segment[s].count; p++, b += t->b_step) {
            float *const own = partial + p % PARTIALS * t->n;
            for (int64_t j = 0; j < t->n; j++)
                own[j] += x[p] * widen_one(b[j]);
        }
    }
    join_partials(partial, t->n, t->sums);
}
