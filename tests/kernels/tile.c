/* Every kernel row's tile function against the contract in kernel.h, bit by bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/summation.h"
#include "row.h"

/* Panels, C and what C must become. C's rows, or halves of them, lie scattered in one array: row i at c[offset[i]],
 * in no order and on both sides of c; between and around them are elements that must keep their bits. */
enum { GAP = 5, C_SIZE = LAY_MAX_MR * (LAY_MAX_NR + GAP) };

typedef struct scene {
    const lay_kernel *row;
    size_t size; /* of an element */
    int64_t k;
    fenced a, b;    /* [k][mr], [k][nr] */
    void *acc;      /* [mr][nr] by the contract */
    fenced c;       /* C_SIZE elements, the last row of C flush against the fence */
    void *expected; /* C_SIZE elements */
    int64_t middle; /* where t.c points in c */
    int64_t offset[LAY_MAX_MR], half;
    int is_paired; /* rows alternate, two by two */
} scene;

static scene set_scene(const lay_kernel *row, int64_t k, uint64_t seed)
{
    scene s = { .row = row, .size = element_size(row), .k = k, .middle = C_SIZE / 2 };
    /* Panels are 64-byte aligned: the fence is at most 63 bytes away. */
    s.a = fence(((size_t)k * (size_t)row->mr * s.size + 63) / 64 * 64, 0);
    s.b = fence(((size_t)k * (size_t)row->nr * s.size + 63) / 64 * 64, 0);
    s.c = fence(C_SIZE * s.size, 0);
    s.acc = malloc((size_t)row->mr * (size_t)row->nr * s.size);
    s.expected = malloc(C_SIZE * s.size);
    assert_non_null(s.acc);
    assert_non_null(s.expected);
    for (int64_t i = 0; i < k * row->mr; i++)
        set_element(row, s.a.bytes, i, draw(&seed));
    for (int64_t i = 0; i < k * row->nr; i++)
        set_element(row, s.b.bytes, i, draw(&seed));
    sum_by_contract(row, k, s.a.bytes, s.b.bytes, s.acc);
    return s;
}

static void strike_scene(scene *s)
{
    unfence(&s->a);
    unfence(&s->b);
    unfence(&s->c);
    free(s->acc);
    free(s->expected);
}

/* NaN in the padding of the panels: entries from m (n) on. It stays for smaller edges. */
static void spoil_padding(scene *s, int m, int n)
{
    for (int64_t p = 0; p < s->k; p++) {
        for (int i = m; i < s->row->mr; i++)
            set_element(s->row, s->a.bytes, p * s->row->mr + i, NAN);
        for (int j = n; j < s->row->nr; j++)
            set_element(s->row, s->b.bytes, p * s->row->nr + j, NAN);
    }
}

/* m rows of n elements, permuted; the topmost ends where C's memory ends. Where is_parted and rows are longer than half
 * a tile, what is longer lies before all rows' first halves, and the rows end in those. Rows that alternate lie where
 * two halves of as many columns do. */
static void scatter_rows(scene *s, int m, int n, int is_parted, uint64_t *state)
{
    const int h = s->row->nr / 2;
    int slot[LAY_MAX_MR];
    for (int i = 0; i < m; i++)
        slot[i] = i;
    for (int i = m - 1; i > 0; i--) {
        const int other = (int)(draw_bits(state) % (uint64_t)(i + 1)), moved = slot[i];
        slot[i] = slot[other];
        slot[other] = moved;
    }
    is_parted = is_parted && n > h && !s->is_paired;
    const int length = s->is_paired ? 2 * (n < h ? n : h) : is_parted ? h : n;
    const int64_t apart = length + s->k % GAP;
    for (int i = 0; i < m; i++)
        s->offset[i] = C_SIZE - length - slot[i] * apart - s->middle;
    s->half = is_parted ? -m * apart - (int64_t)(draw_bits(state) % GAP) : h;
}

static int64_t place_of(const scene *s, int i, int j)
{
    const int h = s->row->nr / 2;
    if (s->is_paired)
        return s->middle + s->offset[i / 2 * 2 + (j >= h)] + 2 * (j % h) + i % 2;
    return s->middle + s->offset[i] + (j < h ? j : s->half + j - h);
}

static int is_same(const scene *s, const void *x, const void *y, int nan_is_nan)
{
    if (memcmp(x, y, s->size) == 0)
        return 1;
    if (!nan_is_nan)
        return 0;
    return s->row->type == LAY_F32 ? isnan(*(const float *)x) && isnan(*(const float *)y)
                                   : isnan(*(const double *)x) && isnan(*(const double *)y);
}

/* One call, compared over all of C's memory. A NaN's payload is nobody's promise. */
static void check(scene *s, int m, int n, double alpha, double beta, uint64_t *state)
{
    const lay_kernel *row = s->row;
    float alpha32 = (float)alpha, beta32 = (float)beta;
    const int is_f32 = row->type == LAY_F32;

    s->is_paired = m % 2 == 0 && draw_bits(state) % 3 == 0;
    scatter_rows(s, m, n, draw_bits(state) % 2 == 0, state);
    for (int64_t i = 0; i < C_SIZE; i++)
        set_element(row, s->c.bytes, i, beta == 0 ? NAN : draw(state));
    memcpy(s->expected, s->c.bytes, C_SIZE * s->size);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            update_by_contract(row, element_at(s->row, s->acc, i * row->nr + j), alpha, beta,
                               element_at(s->row, s->expected, place_of(s, i, j)));

    const lay_tile tile = { .k = s->k,
                            .a = s->a.bytes,
                            .b = s->b.bytes,
                            .c = element_at(s->row, s->c.bytes, s->middle),
                            .row = s->offset,
                            .half = s->half,
                            .is_paired = s->is_paired,
                            .m = m,
                            .n = n,
                            .alpha = is_f32 ? (void *)&alpha32 : (void *)&alpha,
                            .beta = is_f32 ? (void *)&beta32 : (void *)&beta,
                            .next_a = s->a.pages, /* hints may name what must not be touched */
                            .next_b = s->b.pages };
    row->tile(&tile);
    for (int64_t i = 0; i < C_SIZE; i++)
        if (!is_same(s, element_at(s->row, s->c.bytes, i), element_at(s->row, s->expected, i), 1))
            fail_msg("%s m=%d n=%d k=%lld alpha=%g beta=%g: element %lld of C's memory", row->name, m, n,
                     (long long)s->k, alpha, beta, (long long)i);
    if (beta == 0 && alpha == 1 && memcmp(s->c.bytes, s->expected, C_SIZE * s->size) != 0)
        fail_msg("%s m=%d n=%d k=%lld: bits", row->name, m, n, (long long)s->k);
}

/* Edges shrink from the full tile, so that what was spoiled stays outside. */
static void every_edge_has_the_contracts_bits(void **state)
{
    const lay_kernel *row = *state;
    if (!is_runnable(row))
        return; /* Meson takes skip() for a failure */
    static const double betas[] = { 0, 1, -0.5, -0.0, NAN }, alphas[] = { 1, -0.75, 0 };
    const int64_t ks[] = { 1, 2, 3, 7, LAY_KC };
    uint64_t seed = 1;
    for (size_t q = 0; q < sizeof ks / sizeof ks[0]; q++)
        for (int m = row->mr; m > 0; m--) {
            scene s = set_scene(row, ks[q], (uint64_t)q + 7);
            for (int n = row->nr; n > 0; n--) {
                spoil_padding(&s, m, n);
                for (size_t i = 0; i < sizeof betas / sizeof betas[0]; i++)
                    check(&s, m, n, alphas[draw_bits(&seed) % 3], betas[i], &seed);
                for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; i++)
                    check(&s, m, n, alphas[i], betas[draw_bits(&seed) % 3], &seed);
            }
            strike_scene(&s);
        }
}

/* Not-a-number and infinity in one entry of A and one of B reach their row and column only. */
static void special_values_stay_in_their_row_and_column(void **state)
{
    const lay_kernel *row = *state;
    if (!is_runnable(row))
        return; /* Meson takes skip() for a failure */
    static const double values[] = { NAN, INFINITY, -INFINITY, 3e38 };
    uint64_t seed = 2;
    for (size_t q = 0; q < sizeof values / sizeof values[0]; q++)
        for (int i = 0; i < row->mr; i++) {
            scene s = set_scene(row, 9, q + 1);
            set_element(row, s.a.bytes, 4 * row->mr + i, values[q]);
            set_element(row, s.b.bytes, 5 * row->nr + (i * 5) % row->nr, values[q]);
            sum_by_contract(row, s.k, s.a.bytes, s.b.bytes, s.acc);
            check(&s, row->mr, row->nr, 1, 0, &seed);
            check(&s, row->mr, row->nr, -2, 1, &seed);
            check(&s, i + 1, row->nr - i % row->nr, 1, 0.25, &seed);
            check(&s, row->mr, row->nr, values[q], values[(q + 1) % 4], &seed);
            strike_scene(&s);
        }
}

static void the_table_is_in_order(void **state)
{
    (void)state;
    assert_true(lay_kernel_count >= 2);
    assert_int_equal(lay_kernels[0]->isa, LAY_ISA_C);
    for (int i = 0; i < lay_kernel_count; i++) {
        const lay_kernel *row = lay_kernels[i];
        char name[64];
        static const char *const types[] = { "f32", "f64" };
        snprintf(name, sizeof name, "lay_gemm_%s_%dx%d_%s", types[row->type], row->mr, row->nr, lay_isa_name(row->isa));
        assert_string_equal(row->name, name);
        assert_in_range(row->mr, 1, LAY_MAX_MR);
        assert_in_range(row->nr, 1, LAY_MAX_NR);
        assert_true(row->flops_per_cycle > 0);
        assert_non_null(row->tile);
        for (int c = 0; c < LAY_PACK_CLASSES; c++) {
            assert_non_null(row->pack_a[c]);
            assert_non_null(row->pack_b[c]);
        }
        for (int before = 0; before < i; before++) /* no level stands before one that it includes */
            assert_true(lay_kernels[before]->isa == row->isa || !lay_isa_includes(lay_kernels[before]->isa, row->isa));
    }
}

int main(void)
{
    enum { PER_ROW = 2 };
    const int count = 1 + lay_kernel_count * PER_ROW;
    struct CMUnitTest *tests = calloc((size_t)count, sizeof *tests);
    char(*names)[120] = calloc((size_t)count, sizeof *names);
    if (!tests || !names)
        return 1;
    tests[0] = (struct CMUnitTest)cmocka_unit_test(the_table_is_in_order);
    for (int i = 0; i < lay_kernel_count; i++) {
        const int t = 1 + i * PER_ROW;
        snprintf(names[t], sizeof *names, "%s: every edge has the contract's bits", lay_kernels[i]->name);
        snprintf(names[t + 1], sizeof *names, "%s: special values stay in their row and column", lay_kernels[i]->name);
        tests[t].test_func = every_edge_has_the_contracts_bits;
        tests[t + 1].test_func = special_values_stay_in_their_row_and_column;
        for (int q = t; q < t + PER_ROW; q++) {
            tests[q].name = names[q];
            tests[q].initial_state = (void *)lay_kernels[i];
        }
    }
    const int failed = _cmocka_run_group_tests("tiles", tests, (size_t)count, NULL, NULL);
    free(tests);
    free(names);
    return failed;
}
