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

static void check(const plain_product *s, int calls, double alpha, double beta, int at_front, uint64_t *seed)
{
    const int64_t a_count = (s->m - 1) * s->a_row + (s->k - 1) * s->a_step + 1, b_count = (s->k - 1) * s->b_step + s->n;
    const int64_t c_count = (s->m - 1) * s->c_row + s->n;
    const int64_t lanes = s->row->lanes, width = (s->n + lanes - 1) / lanes * lanes;
    const size_t c_bytes = (size_t)c_count * element_size(s->row);
    fenced a = fence_elements(s->row, a_count, at_front, seed), b = fence_elements(s->row, b_count, at_front, seed);
    fenced c = fence_elements(s->row, c_count, at_front, beta == 0 ? NULL : seed);
    fenced sums = fence_elements(s->row, calls > 1 ? s->m * width : s->m * s->n, at_front, NULL);
    void *expected = malloc(c_bytes);
    assert_non_null(expected);
    memcpy(expected, c.bytes, c_bytes);
    multiply_by_contract(s, a.bytes, b.bytes, alpha, beta, expected);

    float alpha32 = (float)alpha, beta32 = (float)beta;
    const int is_f32 = s->row->type == LAY_F32;
    for (int call = 0; call < calls; call++) {
        const int64_t from = s->k * call / calls, to = s->k * (call + 1) / calls;
        const lay_sweep sweep = { .k = to - from,
                                  .m = s->m,
                                  .is_first = call == 0,
                                  .is_last = call == calls - 1,
                                  .n = s->n,
                                  .a = element_at(s->row, a.bytes, from * s->a_step),
                                  .b = element_at(s->row, b.bytes, from * s->b_step),
                                  .a_step = s->a_step,
                                  .b_step = s->b_step,
                                  .sums = sums.bytes,
                                  .c = c.bytes,
                                  .c_row = s->c_row,
                                  .alpha = is_f32 ? (void *)&alpha32 : (void *)&alpha,
                                  .beta = is_f32 ? (void *)&beta32 : (void *)&beta };
        s->row->sweep(&sweep);
    }
    if (memcmp(c.bytes, expected, c_bytes) != 0)
        fail_msg("%s m=%d n=%lld k=%lld in %d calls, alpha %g beta %g", s->row->name, s->m, (long long)s->n,
                 (long long)s->k, calls, alpha, beta);
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
                plain_product s = { .row = row, .m = m, .n = n, .k = ks[draw_bits(&seed) % 3], .b_column = 1 };
                s.a_row = 1;
                s.a_step = m + (int64_t)(draw_bits(&seed) % GAP);
                s.b_step = n + (int64_t)(draw_bits(&seed) % GAP);
                s.c_row = n + (int64_t)(draw_bits(&seed) % GAP);
                const int calls = s.k > 1 ? 1 + (int)(draw_bits(&seed) % 4) : 1;
                check(&s, calls, alphas[draw_bits(&seed) % 2], betas[beta], beta % 2, &seed);
            }
}

int main(void)
{
    return run_for_every_row("sweeps", "every width has the contract's bits", every_width_has_the_contracts_bits);
}
