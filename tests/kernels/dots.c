/* Every kernel row's dots function against the contract in kernel.h, bit by bit, with A, B and C between fences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "row.h"

enum { MAX_K = 70, MAX_N = 75, GAP = 3 };

/* The gaps between columns are NaN. */
static fenced fill_columns(const plain_product *s, int at_front, uint64_t *seed)
{
    fenced b = fence_elements(s->row, (s->n - 1) * s->b_column + s->k, at_front, NULL);
    for (int64_t j = 0; j < s->n; j++)
        for (int64_t p = 0; p < s->k; p++)
            set_element(s->row, b.bytes, j * s->b_column + p, draw(seed));
    return b;
}

static void check(const plain_product *s, double alpha, double beta, int at_front, uint64_t *seed)
{
    const int64_t c_count = (s->m - 1) * s->c_row + s->n;
    const size_t c_bytes = (size_t)c_count * element_size(s->row);
    fenced a = fence_elements(s->row, (s->m - 1) * s->a_row + (s->k - 1) * s->a_step + 1, at_front, seed);
    fenced b = fill_columns(s, at_front, seed), c = fence_elements(s->row, c_count, at_front, beta == 0 ? NULL : seed);
    void *expected = malloc(c_bytes);
    assert_non_null(expected);
    memcpy(expected, c.bytes, c_bytes);
    multiply_by_contract(s, a.bytes, b.bytes, alpha, beta, expected);
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
    if (memcmp(c.bytes, expected, c_bytes) != 0)
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
                plain_product s = { .row = row, .m = m, .n = n, .b_step = 1 };
                const int is_by_rows = (int)(draw_bits(&seed) % 2);
                s.k = 1 + (int64_t)(draw_bits(&seed) % MAX_K);
                s.a_row = is_by_rows ? MAX_K + GAP : 1;
                s.a_step = is_by_rows ? 1 : LAY_DOT_ROWS + GAP;
                s.b_column = s.k + (int64_t)(draw_bits(&seed) % GAP);
                s.c_row = n + (int64_t)(draw_bits(&seed) % GAP);
                check(&s, alphas[draw_bits(&seed) % 2], betas[beta], beta % 2, &seed);
            }
}

int main(void)
{
    return run_for_every_row("dots", "every width has the contract's bits", every_width_has_the_contracts_bits);
}
