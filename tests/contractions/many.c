/* Many runs of one plan: the bits of a loop, and nothing written where an address is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../product/support/refusal.h"
#include "contraction.h"

enum { RUNS = 5, ELEMENTS_OF_MATRIX = 12 };

/* "ik,kj->ij" of 3 x 4, 4 x 3, 3 x 3 in f64, each run at its own places. */
typedef struct runs {
    lay_plan *plan;
    double memory[4][RUNS][ELEMENTS_OF_MATRIX];
    const void *a[RUNS], *b[RUNS];
    void *c[RUNS], *d[RUNS];
} runs;

static void expect_ok(lay_status status)
{
    if (status != LAY_OK)
        fail_msg("%s", lay_last_error());
}

static runs *make_runs(int has_d, int64_t k)
{
    runs *const of = calloc(1, sizeof *of);
    random_source from = { 3 };
    assert_non_null(of);
    lay_desc *a = NULL, *b = NULL, *c = NULL;
    expect_ok(lay_desc_strided(2, (const int64_t[]){ 3, k }, (const int64_t[]){ 1, 3 }, &a));
    expect_ok(lay_desc_natural(2, (const int64_t[]){ k, 3 }, &b));
    expect_ok(lay_desc_natural(2, (const int64_t[]){ 3, 3 }, &c));
    lay_product product = LAY_PRODUCT_INIT;
    product.type_a = product.type_b = product.type_c = product.type_d = LAY_F64;
    product.labels = "ik,kj->ij";
    product.a = a;
    product.b = b;
    product.c = c;
    product.d = has_d ? c : NULL;
    expect_ok(lay_plan_create_product(&product, NULL, &of->plan));
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    for (int i = 0; i < RUNS; i++) {
        for (int which = A; which <= D; which++)
            for (int at = 0; at < ELEMENTS_OF_MATRIX; at++)
                of->memory[which][i][at] = 2 * random_unit(&from) - 1;
        of->a[i] = of->memory[A][i];
        of->b[i] = of->memory[B][i];
        of->c[i] = of->memory[C][i];
        of->d[i] = of->memory[D][i];
    }
    return of;
}

static void free_runs(runs *of)
{
    lay_plan_destroy(of->plan);
    free(of);
}

static lay_status run_many(runs *of, int64_t count, double beta, const void *const *a, void *const *c, void *const *d)
{
    const double alpha = 0.3;
    return lay_plan_run_many(of->plan, count, &alpha, a, of->b, &beta, c, d);
}

static void many_runs_have_the_bits_of_a_loop(void **state)
{
    (void)state;
    for (int has_d = 0; has_d <= 1; has_d++)
        for (int has_beta = 0; has_beta <= 1; has_beta++) {
            const double alpha = 0.3, beta = 1.1 * has_beta;
            runs *const one = make_runs(has_d, 4), *const other = make_runs(has_d, 4);
            expect_ok(run_many(one, RUNS, beta, one->a, has_d && !has_beta ? NULL : one->c, has_d ? one->d : NULL));
            for (int i = 0; i < RUNS; i++)
                expect_ok(lay_plan_run_product(other->plan, &alpha, other->a[i], other->b[i], &beta, other->c[i],
                                               has_d ? other->d[i] : NULL));
            assert_memory_equal(one->memory, other->memory, sizeof one->memory);
            free_runs(one);
            free_runs(other);
        }
}

/* C's runs one after the other: each reads what the one before it wrote. */
static void runs_are_in_their_order(void **state)
{
    (void)state;
    runs *const of = make_runs(0, 4), *const loop = make_runs(0, 4);
    const double alpha = 0.3, beta = 1;
    for (int i = 0; i < RUNS; i++) {
        of->c[i] = of->memory[C][0];
        expect_ok(lay_plan_run(loop->plan, &alpha, loop->a[i], loop->b[i], &beta, loop->memory[C][0]));
    }
    expect_ok(run_many(of, RUNS, beta, of->a, of->c, NULL));
    assert_memory_equal(of->memory[C], loop->memory[C], sizeof of->memory[C]);
    free_runs(of);
    free_runs(loop);
}

static void expect_untouched(const runs *of, int has_d)
{
    runs *const fresh = make_runs(has_d, 4);
    assert_memory_equal(of->memory, fresh->memory, sizeof of->memory);
    free_runs(fresh);
}

/* What is missing and how its sentence calls it. */
static void a_missing_address_stops_all_of_it(void **state)
{
    (void)state;
    static const char *const said[] = { "a[4] is NULL", "b[4] is NULL", "c[4] is NULL", "d[4] is NULL" };
    for (int has_d = 0; has_d <= 1; has_d++)
        for (int which = A; which <= C + has_d; which++) {
            runs *const of = make_runs(has_d, 4);
            of->a[4] = which == A ? NULL : of->a[4];
            of->b[4] = which == B ? NULL : of->b[4];
            of->c[4] = which == C ? NULL : of->c[4];
            of->d[4] = which == D ? NULL : of->d[4];
            expect_refusal(said[which], run_many(of, RUNS, 1.1, of->a, of->c, has_d ? of->d : NULL), LAY_ERR_ARGUMENT,
                           said[which]);
            expect_untouched(of, has_d);
            free_runs(of);
        }
}

static void a_missing_array_stops_all_of_it(void **state)
{
    (void)state;
    runs *const plain = make_runs(0, 4), *const with_d = make_runs(1, 4);
    const double one = 1;
    expect_refusal("a", run_many(plain, RUNS, 1, NULL, plain->c, NULL), LAY_ERR_ARGUMENT, "a is NULL");
    expect_refusal("c", run_many(plain, RUNS, 1, plain->a, NULL, NULL), LAY_ERR_ARGUMENT, "c is NULL");
    expect_refusal("d", run_many(with_d, RUNS, 1, with_d->a, with_d->c, NULL), LAY_ERR_ARGUMENT, "d is NULL");
    expect_refusal("c of d", run_many(with_d, RUNS, 1, with_d->a, NULL, with_d->d), LAY_ERR_ARGUMENT, "c is NULL");
    expect_refusal("count", run_many(plain, -1, 1, plain->a, plain->c, NULL), LAY_ERR_ARGUMENT, "count is -1");
    expect_refusal("plan", lay_plan_run_many(NULL, 1, &one, plain->a, plain->b, &one, plain->c, NULL), LAY_ERR_ARGUMENT,
                   "plan is NULL");
    expect_refusal("alpha", lay_plan_run_many(plain->plan, 1, NULL, plain->a, plain->b, &one, plain->c, NULL),
                   LAY_ERR_ARGUMENT, "alpha is NULL");
    expect_refusal("beta", lay_plan_run_many(plain->plan, 1, &one, plain->a, plain->b, NULL, plain->c, NULL),
                   LAY_ERR_ARGUMENT, "beta is NULL");
    expect_untouched(plain, 0);
    expect_untouched(with_d, 1);
    free_runs(plain);
    free_runs(with_d);
}

/* A plan without a D writes to C: another d is no place for it. */
/* The third one writes to its own A; the two before it are done. */
static void a_run_that_fails_is_told_by_its_number(void **state)
{
    (void)state;
    runs *const of = make_runs(0, 4);
    const double zero = 0, one = 1;
    double before[RUNS][ELEMENTS_OF_MATRIX];
    void *c[RUNS];
    memcpy(before, of->memory[A], sizeof before);
    memcpy(c, of->c, sizeof c);
    c[2] = of->memory[A][2];
    expect_refusal("of many", lay_plan_run_many(of->plan, RUNS, &one, of->a, of->b, &zero, c, NULL), LAY_ERR_OVERLAP,
                   "run 2: C cannot be shown to stay clear of A");
    const lay_runs groups[] = { { of->plan, 1, &one, of->a, of->b, &zero, c, NULL },
                                { of->plan, 3, &one, of->a, of->b, &zero, c, NULL },
                                { of->plan, 1, &one, of->a + 2, of->b, &zero, c + 2, NULL } };
    expect_refusal("of groups", lay_plan_run_groups(3, groups), LAY_ERR_OVERLAP,
                   "group 1: run 2: C cannot be shown to stay clear of A");
    expect_refusal("one alone", lay_plan_run_many(of->plan, 1, &one, of->a + 2, of->b, &zero, c + 2, NULL),
                   LAY_ERR_OVERLAP, "C cannot be shown to stay clear of A");
    assert_int_equal(lay_last_error()[0], 'C'); /* its number would say nothing */
    assert_memory_equal(of->memory[A], before, sizeof before);
    free_runs(of);
}

static void another_d_than_c_needs_a_plan_with_d(void **state)
{
    (void)state;
    const double one = 1;
    runs *const of = make_runs(0, 4), *const same = make_runs(0, 4);
    expect_refusal("d", run_many(of, RUNS, 1, of->a, of->c, of->d), LAY_ERR_ARGUMENT, "d is not c");
    expect_refusal("d of one run", lay_plan_run_product(of->plan, &one, of->a[0], of->b[0], &one, of->c[0], of->d[0]),
                   LAY_ERR_ARGUMENT, "d is not c");
    expect_untouched(of, 0);
    expect_ok(run_many(of, RUNS, 1, of->a, of->c, of->c));
    expect_ok(run_many(same, RUNS, 1, same->a, same->c, NULL));
    assert_memory_equal(of->memory, same->memory, sizeof of->memory);
    free_runs(of);
    free_runs(same);
}

/* As single runs do: no runs, no product, no elements. */
static void what_is_not_read_need_not_be_there(void **state)
{
    (void)state;
    const double zero = 0, one = 1;
    runs *const of = make_runs(0, 4), *const empty = make_runs(1, 0);
    expect_ok(lay_plan_run_many(of->plan, 0, &one, NULL, NULL, &one, NULL, NULL));
    expect_ok(lay_plan_run_many(of->plan, RUNS, &zero, NULL, NULL, &one, of->c, NULL));
    expect_untouched(of, 0);
    expect_ok(lay_plan_run_many(empty->plan, RUNS, &one, NULL, NULL, &zero, NULL, empty->d));
    for (int i = 0; i < RUNS; i++)
        for (int at = 0; at < 9; at++)
            assert_true(empty->memory[D][i][at] == 0);
    free_runs(of);
    free_runs(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_runs_have_the_bits_of_a_loop),
        cmocka_unit_test(runs_are_in_their_order),
        cmocka_unit_test(a_missing_address_stops_all_of_it),
        cmocka_unit_test(a_missing_array_stops_all_of_it),
        cmocka_unit_test(a_run_that_fails_is_told_by_its_number),
        cmocka_unit_test(another_d_than_c_needs_a_plan_with_d),
        cmocka_unit_test(what_is_not_read_need_not_be_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
