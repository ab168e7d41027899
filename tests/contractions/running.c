/* Runs of a contraction's plan that are refused, and odd ones that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../product/support/refusal.h"
#include "layoutgemm.h"

/* "ik,kj->ij" of 3 x 4 by 4 x 5: A, B, C and D lie 100 elements apart. */
static double memory[400], before[400];
static const double one = 1, zero = 0;

static lay_desc *parse(const char *text)
{
    lay_desc *made = NULL;
    if (lay_desc_parse(text, &made) != LAY_OK)
        fail_msg("%s: %s", text, lay_last_error());
    return made;
}

static lay_plan *make_plan_of(lay_type type, const char *layout_of_d, unsigned conjugated)
{
    lay_desc *const a = parse("[3][4]"), *const b = parse("[4][5]"), *const c = parse("[3][5]");
    lay_desc *const d = layout_of_d ? parse(layout_of_d) : NULL;
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan = NULL;
    product.type_a = product.type_b = product.type_c = product.type_d = type;
    product.labels = "ik,kj->ij";
    product.a = a;
    product.b = b;
    product.c = c;
    product.d = d;
    product.conjugated = conjugated;
    if (lay_plan_create_product(&product, NULL, &plan) != LAY_OK)
        fail_msg("%s", lay_last_error());
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    lay_desc_destroy(d);
    for (int i = 0; i < 400; i++)
        memory[i] = before[i] = i % 13;
    return plan;
}

static lay_plan *make_plan(const char *layout_of_d, unsigned conjugated)
{
    return make_plan_of(LAY_F64, layout_of_d, conjugated);
}

static void expect_bad(lay_status got, lay_status status, const char *fact)
{
    expect_refusal(fact, got, status, fact);
    assert_memory_equal(memory, before, sizeof memory);
}

static double *const a = memory, *const b = memory + 100, *const c = memory + 200, *const d = memory + 300;

static void a_plan_with_d_is_run_with_d(void **state)
{
    (void)state;
    lay_plan *const plan = make_plan("[3:1][5:3]", 0);
    expect_bad(lay_plan_run(plan, &one, a, b, &one, c), LAY_ERR_ARGUMENT, "lay_plan_run_product");
    expect_bad(lay_plan_run_packed(plan, &one, a, NULL, b, NULL, &one, c), LAY_ERR_ARGUMENT, "lay_plan_run_product");
    expect_bad(lay_plan_run_product(plan, &one, a, b, &one, c, NULL), LAY_ERR_ARGUMENT, "d is NULL");
    expect_bad(lay_plan_run_product(plan, &one, a, b, &one, NULL, d), LAY_ERR_ARGUMENT, "c is NULL, but beta is not 0");
    expect_bad(lay_plan_run_product(plan, &one, NULL, b, &one, c, d), LAY_ERR_ARGUMENT, "a is NULL");
    expect_bad(lay_plan_run_product(plan, &one, a, NULL, &one, c, d), LAY_ERR_ARGUMENT, "b is NULL");
    expect_bad(lay_plan_run_product(NULL, &one, a, b, &one, c, d), LAY_ERR_ARGUMENT, "plan is NULL");
    expect_bad(lay_plan_run_product(plan, NULL, a, b, &one, c, d), LAY_ERR_ARGUMENT, "alpha is NULL");
    expect_bad(lay_plan_run_product(plan, &one, a, b, NULL, c, d), LAY_ERR_ARGUMENT, "beta is NULL");
    lay_plan_destroy(plan);
}

/* In another layout than C's D may be neither C nor lie in it in part; in the same it may be C. A, B stay clear. */
static void d_that_overlaps_is_refused(void **state)
{
    (void)state;
    lay_plan *const turned = make_plan("[3:1][5:3]", 0), *const same = make_plan("[3][5]", 0);
    expect_bad(lay_plan_run_product(turned, &one, a, b, &one, c, c), LAY_ERR_OVERLAP, "D is neither C nor");
    expect_bad(lay_plan_run_product(turned, &one, a, b, &one, c, c + 14), LAY_ERR_OVERLAP, "D is neither C nor");
    expect_bad(lay_plan_run_product(same, &one, a, b, &one, c, c + 1), LAY_ERR_OVERLAP, "D is neither C nor");
    expect_bad(lay_plan_run_product(same, &zero, a, b, &one, c, c + 1), LAY_ERR_OVERLAP, "D is neither C nor");
    expect_bad(lay_plan_run_product(same, &one, a, b, &one, c, a), LAY_ERR_OVERLAP,
               "D cannot be shown to stay clear of A");
    expect_bad(lay_plan_run_product(same, &one, a, b, &zero, NULL, b + 19), LAY_ERR_OVERLAP,
               "D cannot be shown to stay clear of B");
    lay_plan_destroy(turned);
    lay_plan_destroy(same);
}

static double wanted_at(int i, int j, double beta)
{
    double sum = beta * before[200 + 5 * i + j];
    for (int p = 0; p < 4; p++)
        sum += before[4 * i + p] * before[100 + 5 * p + j];
    return sum;
}

/* beta == 0: C is not read, and may lie where D does or nowhere. C in place counts as C alone. */
static void c_is_not_looked_at_without_beta(void **state)
{
    (void)state;
    for (int where = 0; where < 3; where++) {
        lay_plan *const turned = make_plan("[3:1][5:3]", 0);
        double *const read = where == 0 ? NULL : where == 1 ? d : d + 3;
        memory[300] = __builtin_nan("");
        assert_int_equal(lay_plan_run_product(turned, &one, a, b, &zero, read, d), LAY_OK);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 5; j++)
                assert_true(d[i + 3 * j] == wanted_at(i, j, 0));
        lay_plan_destroy(turned);
    }
}

/* Which may not be C then: it is copied to D, and changed on the way. */
static void a_conjugated_c_is_added_to_a_d_apart(void **state)
{
    (void)state;
    static const double complex_one[] = { 1, 0 };
    lay_plan *const plan = make_plan_of(LAY_C64, "[3][5]", LAY_CONJUGATED_C);
    expect_bad(lay_plan_run_product(plan, complex_one, a, b, complex_one, c, c), LAY_ERR_OVERLAP, "D is neither C nor");
    assert_int_equal(lay_plan_run_product(plan, complex_one, a, b, complex_one, c, d), LAY_OK);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 5; j++) {
            double re = before[200 + 2 * (5 * i + j)], im = -before[201 + 2 * (5 * i + j)];
            for (int p = 0; p < 4; p++) {
                const double *const x = before + 2 * (4 * i + p), *const y = before + 100 + 2 * (5 * p + j);
                re += x[0] * y[0] - x[1] * y[1];
                im += x[0] * y[1] + x[1] * y[0];
            }
            assert_true(d[2 * (5 * i + j)] == re && d[2 * (5 * i + j) + 1] == im);
        }
    lay_plan_destroy(plan);
}

static void conjugating_real_numbers_changes_nothing(void **state)
{
    (void)state;
    lay_plan *const plan = make_plan("[3][5]", LAY_CONJUGATED_A | LAY_CONJUGATED_B | LAY_CONJUGATED_C);
    assert_int_equal(lay_plan_run_product(plan, &one, a, b, &one, c, d), LAY_OK);
    for (int at = 0; at < 15; at++)
        assert_true(d[at] == wanted_at(at / 5, at % 5, 1));
    lay_plan_destroy(plan);
}

/* 120 labels, where letters end at 52: B has 60, C has 120, of which all but a few have one index. */
static void arrays_have_more_labels_than_there_are_letters(void **state)
{
    (void)state;
    enum { MANY = 60 };
    int64_t ones[2 * MANY], label[2 * MANY];
    for (int i = 0; i < 2 * MANY; i++) {
        ones[i] = i % MANY < 2 ? 3 : 1;
        label[i] = INT64_MAX - i * (int64_t)1000003;
    }
    double x[9], y[9], z[81];
    for (int i = 0; i < 9; i++) {
        x[i] = i + 1;
        y[i] = 10 - i;
    }
    lay_desc *each = NULL, *both = NULL;
    lay_plan *plan = NULL;
    assert_int_equal(lay_desc_natural(MANY, ones, &each), LAY_OK);
    assert_int_equal(lay_desc_natural(2 * MANY, ones, &both), LAY_OK);
    lay_product product = LAY_PRODUCT_INIT;
    product.type_a = product.type_b = product.type_c = LAY_F64;
    product.a = product.b = each;
    product.c = both;
    product.labels_a = label;
    product.labels_b = label + MANY;
    product.labels_c = label;
    if (lay_plan_create_product(&product, NULL, &plan) != LAY_OK)
        fail_msg("%s", lay_last_error());
    assert_int_equal(lay_plan_run(plan, &one, x, y, &zero, z), LAY_OK);
    for (int at = 0; at < 81; at++)
        assert_true(z[at] == x[at / 9] * y[at % 9]);
    lay_plan_destroy(plan);
    lay_desc_destroy(each);
    lay_desc_destroy(both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_with_d_is_run_with_d),
        cmocka_unit_test(d_that_overlaps_is_refused),
        cmocka_unit_test(c_is_not_looked_at_without_beta),
        cmocka_unit_test(a_conjugated_c_is_added_to_a_d_apart),
        cmocka_unit_test(conjugating_real_numbers_changes_nothing),
        cmocka_unit_test(arrays_have_more_labels_than_there_are_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
