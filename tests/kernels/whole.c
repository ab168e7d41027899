/* Every function for whole products that a kernel row chooses, against the contract in kernel.h, bit by bit, with what
 * it does not name NaN or behind a fence. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "row.h"

/* Elements at i * row_stride + j * step, i < rows, j < columns, whichever way strides go: drawn, or NaN without a seed,
 * as all between them are. */
typedef struct block {
    int64_t low, count;
    fenced memory;
    char *zero;
} block;

static block lay_out(const lay_kernel *row, int64_t rows, int64_t columns, int64_t row_stride, int64_t step,
                     int at_front, uint64_t *seed)
{
    const int64_t down = (rows - 1) * row_stride, across = (columns - 1) * step;
    block b = { .low = (down < 0 ? down : 0) + (across < 0 ? across : 0) };
    b.count = llabs(down) + llabs(across) + 1;
    b.memory = fence_elements(row, b.count, at_front, NULL);
    b.zero = (char *)b.memory.bytes - b.low * (int64_t)element_size(row);
    for (int64_t i = 0; i < rows && seed; i++)
        for (int64_t j = 0; j < columns; j++)
            set_element(row, b.zero, i * row_stride + j * step, draw(seed));
    return b;
}

/* All of the product, panel of rows by panel of rows. */
static void expect(const lay_kernel *row, const lay_whole *whole, const block *a, const block *b, double alpha,
                   double beta, char *c)
{
    for (int64_t i = 0; i < whole->m; i += row->mr) {
        const plain_product part = { .row = row,
                                     .m = (int)(whole->m - i < row->mr ? whole->m - i : row->mr),
                                     .n = whole->n,
                                     .k = whole->k,
                                     .a_row = whole->a_row,
                                     .a_step = whole->a_step,
                                     .b_step = whole->b_step,
                                     .b_column = 1,
                                     .c_row = whole->c_row };
        multiply_by_contract(&part, element_at(row, a->zero, i * whole->a_row), b->zero, alpha, beta,
                             element_at(row, c, i * whole->c_row));
    }
}

static void check(const lay_kernel *row, const lay_whole *whole, double alpha, double beta, int at_front,
                  uint64_t *seed)
{
    block a = lay_out(row, whole->m, whole->k, whole->a_row, whole->a_step, at_front, seed);
    block b = lay_out(row, whole->k, whole->n, whole->b_step, 1, at_front, seed);
    block c = lay_out(row, whole->m, whole->n, whole->c_row, 1, at_front, beta != 0 ? seed : NULL);
    const size_t bytes = (size_t)c.count * element_size(row);
    char *expected = malloc(bytes);
    assert_non_null(expected);
    memcpy(expected, c.memory.bytes, bytes);
    expect(row, whole, &a, &b, alpha, beta, expected - c.low * (int64_t)element_size(row));

    const float alpha32 = (float)alpha, beta32 = (float)beta;
    const int is_f32 = row->type == LAY_F32;
    row->choose_whole(whole)(whole, is_f32 ? (const void *)&alpha32 : &alpha, a.zero, b.zero,
                             is_f32 ? (const void *)&beta32 : &beta, c.zero);
    if (memcmp(c.memory.bytes, expected, bytes) != 0)
        fail_msg("%s %lldx%lldx%lld, left %lld by %lld, %s%s, alpha %g beta %g", row->name, (long long)whole->m,
                 (long long)whole->n, (long long)whole->k, (long long)whole->a_row, (long long)whole->a_step,
                 whole->is_by_rows ? "by rows" : "by columns", whole->is_left_far ? ", left far" : "", alpha, beta);
    free(expected);
    unfence(&a.memory);
    unfence(&b.memory);
    unfence(&c.memory);
}

/* Strides as m, n and k allow, gaps and reversals among them. */
static lay_whole draw_strides(int64_t m, int64_t n, int64_t k, uint64_t *seed)
{
    lay_whole whole = { .m = m, .n = n, .k = k };
    const uint64_t bits = draw_bits(seed);
    const int sign_a = bits & 1 ? -1 : 1, sign_b = bits & 2 ? -1 : 1, sign_c = bits & 4 ? -1 : 1;
    const int64_t gap = (int64_t)(bits >> 8) % 3;
    whole.a_row = bits & 8 ? 1 : sign_a * (k + gap);
    whole.a_step = bits & 8 ? sign_a * (m + gap) : 1;
    whole.b_step = sign_b * (n + gap);
    whole.c_row = sign_c * (n + gap);
    whole.is_by_rows = (int)(bits >> 4 & 1);
    whole.is_left_far = (int)(bits >> 5 & 1);
    return whole;
}

static void check_every_size(const lay_kernel *row, uint64_t *seed)
{
    static const int64_t ks[] = { 1, 2, 3, 4, 7, 8, 12, 16, 17, 32, 33 };
    static const double betas[] = { 0, 1, -0.5 }, alphas[] = { 1, -0.75 };
    for (int64_t m = 1; m <= 2 * row->mr + 9; m++)
        for (int64_t n = 1; n <= 4 * row->nr + 1; n++) {
            const int64_t k = ks[draw_bits(seed) % (sizeof ks / sizeof ks[0])];
            const lay_whole whole = draw_strides(m, n, k, seed);
            check(row, &whole, alphas[draw_bits(seed) % 2], betas[draw_bits(seed) % 3], (int)(m + n) % 2, seed);
        }
}

/* There are functions for one k. */
static void check_every_short_sum(const lay_kernel *row, uint64_t *seed)
{
    for (int64_t k = 1; k <= 33; k++)
        for (int64_t n = 1; n <= row->nr + 1; n++)
            for (int draws = 0; draws < 4; draws++) {
                const lay_whole whole = draw_strides(1 + (int64_t)(draw_bits(seed) % 40), n, k, seed);
                check(row, &whole, draws % 2 ? 1 : 0.5, draws / 2 ? 0 : 2, draws % 2, seed);
            }
}

/* B held in registers takes rows in groups, and what is left over in smaller ones. */
static void check_rows_left_over(const lay_kernel *row, uint64_t *seed)
{
    enum { LEAST = 8, MOST = 24 };
    for (int64_t k = 4; k <= 16; k += 4)
        for (int64_t n = 1; n <= row->nr; n++)
            for (int64_t m = LEAST; m < MOST; m++) {
                lay_whole whole = draw_strides(m, n, k, seed);
                whole.a_row = k + 1;
                whole.a_step = 1;
                check(row, &whole, 1, 0, 0, seed);
            }
}

/* Both factors are an element of C. */
static void check_factors_in_c(const lay_kernel *row, int64_t m, int64_t n, int is_by_rows, uint64_t *seed)
{
    enum { K = 8 };
    const lay_whole whole = {
        .m = m, .n = n, .k = K, .a_row = K, .a_step = 1, .b_step = n, .c_row = n, .is_by_rows = is_by_rows
    };
    block a = lay_out(row, m, K, K, 1, 0, seed), b = lay_out(row, K, n, n, 1, 0, seed);
    block c = lay_out(row, m, n, n, 1, 0, seed), expected = lay_out(row, m, n, n, 1, 0, NULL);
    const size_t bytes = (size_t)c.count * element_size(row);
    set_element(row, c.zero, 0, 0.5);
    memcpy(expected.memory.bytes, c.memory.bytes, bytes);
    expect(row, &whole, &a, &b, 0.5, 0.5, expected.zero);
    row->choose_whole (&whole)(&whole, c.zero, a.zero, b.zero, c.zero, c.zero);
    assert_memory_equal(c.memory.bytes, expected.memory.bytes, bytes);
    unfence(&a.memory), unfence(&b.memory), unfence(&c.memory), unfence(&expected.memory);
}

static void every_size_has_the_contracts_bits(void **state)
{
    const lay_kernel *row = *state;
    if (!is_runnable(row))
        return; /* Meson takes skip() for a failure */
    uint64_t seed = 1;
    check_every_size(row, &seed);
    check_every_short_sum(row, &seed);
    check_rows_left_over(row, &seed);
    for (int is_by_rows = 0; is_by_rows <= 1; is_by_rows++)
        for (int64_t n = 1; n <= row->nr + 1; n++)
            check_factors_in_c(row, 2 * row->mr + 1, n, is_by_rows, &seed);
}

int main(void)
{
    return run_for_every_row("whole", "every size has the contract's bits", every_size_has_the_contracts_bits);
}
