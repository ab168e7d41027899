/* Every kernel row's dots function against the contract in kernel.h, bit by bit, with A, B and C between fences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "row.h"

enum { MAX_K = 70, MAX_N = 75, GAP = 3 };

typedef struct scene {
    const lay_kernel *row;
    size_t size;
    int64_t k, n, a_row, a_step, b_column, c_row;
    int m;
} scene;

static void *at(const scene *s, const void *zero, int64_t index)
{
    return (char *)zero + index * (int64_t)s->size;
}

/* C as the contract has it, a panel of the row's columns at a time. */
static void expect(const scene *s, const void *a, const void *b, double alpha, double beta, void *c)
{
    const lay_kernel *row = s->row;
    static double panel_a[MAX_K * LAY_MAX_MR], panel_b[MAX_K * LAY_MAX_NR], acc[LAY_MAX_MR * LAY_MAX_NR];
    memset(panel_a, 0, sizeof panel_a);
    memset(panel_b, 0, sizeof panel_b);
    for (int64_t p = 0; p < s->k; p++)
        for (int i = 0; i < s->m; i++)
            memcpy(at(s, panel_a, p * row->mr + i), at(s, a, i * s->a_row + p * s->a_step), s->size);
    for (int64_t first = 0; first < s->n; first += row->nr) {
        const int64_t w = s->n - first < row->nr ? s->n - first : row->nr;
        for (int64_t p = 0; p < s->k; p++)
            for (int64_t j = 0; j < w; j++)
                memcpy(at(s, panel_b, p * row->nr + j), at(s, b, (first + j) * s->b_column + p), s->size);
        sum_by_contract(row, s->k, panel_a, panel_b, acc);
        for (int i = 0; i < s->m; i++)
            for (int64_t j = 0; j < w; j++)
                update_by_contract(row, at(s, acc, i * row->nr + j), alpha, beta, at(s, c, i * s->c_row + first + j));
    }
}

static fenced fill(const scene *s, int64_t count, int at_front, uint64_t *seed)
{
    fenced block = fence((size_t)count * s->size, at_front);
    for (int64_t i = 0; i < count; i++)
        set_element(s->row, block.bytes, i, seed ? draw(seed) : NAN);
    return block;
}

/* The gaps between columns are NaN. */
static fenced fill_columns(const scene *s, int at_front, uint64_t *seed)
{
    fenced b = fill(s, (s->n - 1) * s->b_column + s->k, at_front, NULL);
    for (int64_t j = 0; j < s->n; j++)
        for (int64_t p = 0; p < s->k; p++)
            set_element(s->row, b.bytes, j * s->b_column + p, draw(seed));
    return b;
}

static void judge(const scene *s, double alpha, double beta, int at_front, uint64_t *seed)
{
    const int64_t c_count = (s->m - 1) * s->c_row + s->n;
    fenced a = fill(s, (s->m - 1) * s->a_row + (s->k - 1) * s->a_step + 1, at_front, seed);
    fenced b = fill_columns(s, at_front, seed), c = fill(s, c_count, at_front, beta == 0 ? NULL : seed);
    void *expected = malloc((size_t)c_count * s->size);
    assert_non_null(expected);
    memcpy(expected, c.bytes, (size_t)c_count * s->size);
    expect(s, a.bytes, b.bytes, alpha, beta, expected);
    float alpha32 = (float)alpha, beta32 = (float)beta;
    const int is_f32 = s->row->type == LAY_F32;
    const lay_dots dots = { .k = s->k,
                            .m = s->m,
                            .n = s->n,
                            .a = a.bytes,
                            .b = b.bytes,
                            .a_row = s->a_row,
                            .a_step = s->a_step,
                            .b_column = s->b_column,
                            .c = c.bytes,
                            .c_row = s->c_row,
                            .alpha = is_f32 ? (void *)&alpha32 : (void *)&alpha,
                            .beta = is_f32 ? (void *)&beta32 : (void *)&beta };
    s->row->dots(&dots);
    if (memcmp(c.bytes, expected, (size_t)c_count * s->size) != 0)
        fail_msg("%s m=%d n=%lld k=%lld, alpha %g beta %g", s->row->name, s->m, (long long)s->n, (long long)s->k, alpha,
                 beta);
    free(expected);
    unfence(&a);
    unfence(&b);
    unfence(&c);
}

static void every_width_has_the_contracts_bits(void **state)
{
    const lay_kernel *row = *state;
    if (!is_runnable(row))
        return; /* Meson takes skip() for a failure */
    static const double betas[] = { 0, 1, -0.5 }, alphas[] = { 1, -0.75 };
    uint64_t seed = 1;
    for (int m = 1; m <= LAY_DOT_ROWS; m++)
        for (int64_t n = 1; n <= MAX_N; n++)
            for (int beta = 0; beta < 3; beta++) {
                scene s = { .row = row, .size = element_size(row), .m = m, .n = n };
                const int is_by_rows = (int)(draw_bits(&seed) % 2);
                s.k = 1 + (int64_t)(draw_bits(&seed) % MAX_K);
                s.a_row = is_by_rows ? MAX_K + GAP : 1;
                s.a_step = is_by_rows ? 1 : LAY_DOT_ROWS + GAP;
                s.b_column = s.k + (int64_t)(draw_bits(&seed) % GAP);
                s.c_row = n + (int64_t)(draw_bits(&seed) % GAP);
                judge(&s, alphas[draw_bits(&seed) % 2], betas[beta], beta % 2, &seed);
            }
}

int main(void)
{
    return run_for_every_row("dots", "every width has the contract's bits", every_width_has_the_contracts_bits);
}
