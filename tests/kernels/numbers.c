/* Every row's numbers function against the contract in kernel.h, bit by bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/summation.h"
#include "row.h"

enum { GAP = 3, C_SIZE = LAY_MAX_MR * 2 * (LAY_MAX_NR + GAP) };

/* z + x y as the row rounds it. */
static double add(const lay_kernel *row, double x, double y, double z)
{
    const int is_fused = row->summation == LAY_SUM_FUSED;
    if (row->type == LAY_F64)
        return is_fused ? fma(x, y, z) : x * y + z;
    const float a = (float)x, b = (float)y, c = (float)z, product = a * b;
    return is_fused ? fmaf(a, b, c) : product + c;
}

static double get(const lay_kernel *row, const void *array, int64_t index)
{
    return row->type == LAY_F32 ? ((const float *)array)[index] : ((const double *)array)[index];
}

static void set_sum(const lay_kernel *row, const void *a, const void *b, int64_t k, int i, int j, int is_left_first,
                    void *sum)
{
    double re = 0, im = 0;
    for (int64_t p = 0; p < k; p += 2) {
        const double x = get(row, a, p * row->mr + i), y = get(row, a, (p + 1) * row->mr + i);
        const double u = get(row, b, p * row->nr + j), v = get(row, b, (p + 1) * row->nr + j);
        re = add(row, y, -v, add(row, x, u, re));
        im = is_left_first ? add(row, x, v, add(row, y, u, im)) : add(row, y, u, add(row, x, v, im));
    }
    set_element(row, sum, 0, re);
    set_element(row, sum, 1, im);
}

/* One call, compared over all of C's memory: rows in descending order, their halves apart. */
static void check(const lay_kernel *row, int64_t k, int m, int n, double alpha, double beta, uint64_t *seed)
{
    const size_t size = element_size(row);
    const int is_left_first = (int)(draw_bits(seed) % 2), h = row->nr / 2;
    const float alpha32 = (float)alpha, beta32 = (float)beta;
    fenced a = fence(((size_t)k * (size_t)row->mr * size + 63) / 64 * 64, 0);
    fenced b = fence(((size_t)k * (size_t)row->nr * size + 63) / 64 * 64, 0);
    fenced c = fence(C_SIZE * size, 0);
    void *const expected = malloc(C_SIZE * size);
    int64_t offset[LAY_MAX_MR];
    double sum[2];
    assert_non_null(expected);
    for (int64_t p = 0; p < k; p++) {
        for (int i = 0; i < row->mr; i++)
            set_element(row, a.bytes, p * row->mr + i, i < m ? draw(seed) : NAN);
        for (int j = 0; j < row->nr; j++)
            set_element(row, b.bytes, p * row->nr + j, j < n ? draw(seed) : NAN);
    }
    for (int i = 0; i < m; i++)
        offset[i] = (int64_t)(m - 1 - i) * (row->nr + GAP);
    for (int64_t i = 0; i < C_SIZE; i++)
        set_element(row, c.bytes, i, beta == 0 ? NAN : draw(seed));
    memcpy(expected, c.bytes, C_SIZE * size);
    const int64_t half = h + (int64_t)(draw_bits(seed) % 2) * GAP;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            set_sum(row, a.bytes, b.bytes, k, i, j, is_left_first, sum);
            for (int q = 0; q < 2; q++)
                update_by_contract(row, element_at(row, sum, q), alpha, beta,
                                   element_at(row, expected, 2 * (offset[i] + (j < h ? j : half + j - h)) + q));
        }
    const lay_tile tile = { .k = k,
                            .a = a.bytes,
                            .b = b.bytes,
                            .c = c.bytes,
                            .row = offset,
                            .half = half,
                            .is_left_first = is_left_first,
                            .m = m,
                            .n = n,
                            .alpha = row->type == LAY_F32 ? (const void *)&alpha32 : (const void *)&alpha,
                            .beta = row->type == LAY_F32 ? (const void *)&beta32 : (const void *)&beta,
                            .next_a = a.pages, /* hints may name what must not be touched */
                            .next_b = b.pages };
    row->numbers(&tile);
    if (memcmp(c.bytes, expected, C_SIZE * size) != 0)
        fail_msg("%s m=%d n=%d k=%lld alpha=%g beta=%g: bits", row->name, m, n, (long long)k, alpha, beta);
    unfence(&a);
    unfence(&b);
    unfence(&c);
    free(expected);
}

static void every_edge_has_the_contracts_bits(void **state)
{
    const lay_kernel *row = *state;
    if (!row->numbers || !is_runnable(row))
        return;
    static const double betas[] = { 0, 1, -0.5 }, alphas[] = { 1, -0.75 };
    const int64_t ks[] = { 2, 6, 64 };
    uint64_t seed = 3;
    for (size_t q = 0; q < sizeof ks / sizeof ks[0]; q++)
        for (int m = row->mr; m > 0; m--)
            for (int n = row->nr; n > 0; n--)
                check(row, ks[q], m, n, alphas[n % 2], betas[(m + n) % 3], &seed);
    check(row, LAY_KC, row->mr, row->nr, 1, 1, &seed);
    check(row, LAY_KC, row->mr, row->nr, 1, 0, &seed);
}

int main(void)
{
    return run_for_every_row("numbers", "complex sums have the contract's bits", every_edge_has_the_contracts_bits);
}
