/* Every kernel row's sweep function against the contract in kernel.h, bit by bit: the chains in one call and in
 * several, A, B and C between fences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "row.h"

enum { MAX_K = 24, MAX_N = 3 * 8 * 16 + 5, GAP = 3 };

typedef struct scene {
    const lay_kernel *row;
    size_t size;
    int64_t k, n, a_row, a_step, b_step, c_row;
    int m, calls;
} scene;

static void *at(const scene *s, const void *zero, int64_t index)
{
    return (char *)zero + index * (int64_t)s->size;
}

/* C as the contract has it, a column panel of the row's at a time. */
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
            memcpy(at(s, panel_b, p * row->nr), at(s, b, p * s->b_step + first), (size_t)w * s->size);
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

static void judge(const scene *s, double alpha, double beta, int at_front, uint64_t *seed)
{
    const int64_t a_count = (s->m - 1) * s->a_row + (s->k - 1) * s->a_step + 1, b_count = (s->k - 1) * s->b_step + s->n;
    const int64_t c_count = (s->m - 1) * s->c_row + s->n, sums_row = s->n + GAP;
    fenced a = fill(s, a_count, at_front, seed), b = fill(s, b_count, at_front, seed);
    fenced c = fill(s, c_count, at_front, beta == 0 ? NULL : seed);
    fenced sums = fill(s, (s->m - 1) * sums_row + s->n, at_front, NULL);
    void *expected = malloc((size_t)c_count * s->size);
    assert_non_null(expected);
    memcpy(expected, c.bytes, (size_t)c_count * s->size);
    expect(s, a.bytes, b.bytes, alpha, beta, expected);

    float alpha32 = (float)alpha, beta32 = (float)beta;
    const int is_f32 = s->row->type == LAY_F32;
    for (int call = 0; call < s->calls; call++) {
        const int64_t from = s->k * call / s->calls, to = s->k * (call + 1) / s->calls;
        const lay_sweep sweep = { .k = to - from,
                                  .m = s->m,
                                  .is_first = call == 0,
                                  .is_last = call == s->calls - 1,
                                  .n = s->n,
                                  .a = at(s, a.bytes, from * s->a_step),
                                  .b = at(s, b.bytes, from * s->b_step),
                                  .a_row = s->a_row,
                                  .a_step = s->a_step,
                                  .b_step = s->b_step,
                                  .sums = sums.bytes,
                                  .c = c.bytes,
                                  .sums_row = sums_row,
                                  .c_row = s->c_row,
                                  .alpha = is_f32 ? (void *)&alpha32 : (void *)&alpha,
                                  .beta = is_f32 ? (void *)&beta32 : (void *)&beta };
        s->row->sweep(&sweep);
    }
    if (memcmp(c.bytes, expected, (size_t)c_count * s->size) != 0)
        fail_msg("%s m=%d n=%lld k=%lld in %d calls, alpha %g beta %g", s->row->name, s->m, (long long)s->n,
                 (long long)s->k, s->calls, alpha, beta);
    free(expected);
    unfence(&a);
    unfence(&b);
    unfence(&c);
    unfence(&sums);
}

static void every_width_has_the_contracts_bits(void **state)
{
    const lay_kernel *row = *state;
    if (!is_runnable(row))
        return; /* Meson takes skip() for a failure */
    static const int64_t ks[] = { 1, 5, MAX_K };
    static const double betas[] = { 0, 1, -0.5 }, alphas[] = { 1, -0.75 };
    uint64_t seed = 1;
    for (int m = 1; m <= row->mr; m++)
        for (int64_t n = 1; n <= MAX_N; n += n < 2 * row->lanes ? 1 : 1 + (int64_t)(draw_bits(&seed) % 23))
            for (int beta = 0; beta < 3; beta++) {
                scene s = { .row = row, .size = element_size(row), .k = ks[draw_bits(&seed) % 3], .m = m, .n = n };
                const int is_by_rows = (int)(draw_bits(&seed) % 2);
                s.a_row = is_by_rows ? MAX_K + GAP : 1;
                s.a_step = is_by_rows ? 1 : LAY_MAX_MR + GAP;
                s.b_step = n + (int64_t)(draw_bits(&seed) % GAP);
                s.c_row = n + (int64_t)(draw_bits(&seed) % GAP);
                s.calls = s.k > 1 ? 1 + (int)(draw_bits(&seed) % 4) : 1;
                judge(&s, alphas[draw_bits(&seed) % 2], betas[beta], beta % 2, &seed);
            }
}

int main(void)
{
    return run_for_every_row("sweeps", "every width has the contract's bits", every_width_has_the_contracts_bits);
}
