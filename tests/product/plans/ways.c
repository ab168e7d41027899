/* Tables of ways other than the library's: who has a product, and what is said where none has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/ways.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "rewrite/ways.h"

static const char *refuse_nothing(const lay_problem *problem, const lay_setting *setting)
{
    (void)problem, (void)setting;
    return NULL;
}

static const char not_mine[] = "is for others";
static const char *refuse_as_not_mine(const lay_problem *problem, const lay_setting *setting)
{
    (void)problem, (void)setting;
    return not_mine;
}

static const char *refuse_layout(lay_branch *branch)
{
    (void)branch;
    return "the layout does not please it";
}

static const lay_order picky = { .name = "picky", .backend = LAY_BACKEND_CPU, .refuse = refuse_nothing };
static const lay_order other = { .name = "other", .not_mine = not_mine, .refuse = refuse_as_not_mine };
static const lay_way way_of_picky = { .name = "picky", .order = &picky, .prepare = refuse_layout };

static lay_status plan_of(const char *layout, const lay_order *const orders[], const lay_way *const ways[])
{
    const lay_table table = { orders, ways };
    lay_desc *square = NULL;
    lay_plan *plan = NULL;
    assert_int_equal(lay_desc_parse(layout, &square), LAY_OK);
    const lay_status status = lay_plan_make(&table, LAY_F32, square, square, square, NULL, &plan);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
    return status;
}

static lay_status plan_with(const lay_order *const orders[], const lay_way *const ways[])
{
    return plan_of("[5][5]", orders, ways);
}

/* Else layouts would choose among orders, and so bits. */
static void an_order_that_does_not_refuse_has_the_product_even_if_no_way_of_it_serves(void **state)
{
    (void)state;
    const lay_order *const orders[] = { &picky, &lay_order_cpu, NULL };
    const lay_way *const ways[] = { &way_of_picky, &lay_way_in_place, &lay_way_packed, NULL };
    assert_int_equal(plan_with(orders, ways), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "picky: the layout does not please it"));
}

static void a_product_that_is_nobodys_is_no_want_of_memory(void **state)
{
    (void)state;
    const lay_order *const orders[] = { &other, NULL }, *const none[] = { NULL };
    const lay_way *const ways[] = { &way_of_picky, NULL };
    assert_int_equal(plan_with(orders, ways), LAY_ERR_UNSUPPORTED);
    assert_int_equal(plan_with(none, ways), LAY_ERR_UNSUPPORTED);
}

static void a_table_of_one_way_serves_as_it_can(void **state)
{
    (void)state;
    const lay_order *const orders[] = { &other, &lay_order_cpu, NULL };
    const lay_way *const in_place[] = { &lay_way_in_place, &lay_way_transposed, NULL };
    const lay_way *const vector[] = { &lay_way_vector, NULL };
    assert_int_equal(plan_with(orders, vector), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "it is no product with a vector"));
    assert_int_equal(plan_with(orders, in_place), LAY_OK);
}

static void nobody_is_asked_about_a_batch_who_does_not_take_it(void **state)
{
    (void)state;
    const lay_order *const orders[] = { &lay_order_cpu, NULL };
    const lay_way *const leaves[] = { &lay_way_in_place, &lay_way_packed, &lay_way_transposed, NULL };
    const lay_way *const vector[] = { &lay_way_vector, &lay_way_batch, NULL };
    const lay_way *const all[] = { &lay_way_in_place, &lay_way_batch, NULL };
    const lay_way *const batch[] = { &lay_way_batch, NULL };
    assert_int_equal(plan_of("[2][5][5]", orders, leaves), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "computes one product, not a batch of them"));
    assert_int_equal(plan_of("[2][5][5]", orders, vector), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "it is no product with a vector")); /* of its product, not of the batch */
    assert_int_equal(plan_of("[2][5][5]", orders, all), LAY_OK);
    assert_int_equal(plan_of("[5][5]", orders, batch), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "there is one product alone"));
}

/* Posed by hand: no public call asks for such a product yet. Rewriters hand it on, kernels of one type do not take it.
 */
static void nobody_is_asked_about_mixed_types_who_does_not_take_them(void **state)
{
    (void)state;
    const lay_order *const orders[] = { &picky, NULL };
    const lay_way *const ways[] = { &way_of_picky, &lay_way_transposed, NULL };
    const lay_table table = { orders, ways };
    const lay_options options = LAY_OPTIONS_INIT;
    const lay_setting setting = { .table = &table, .options = &options };
    lay_desc *square = NULL;
    const char *refusal;
    assert_int_equal(lay_desc_parse("[5][5]", &square), LAY_OK);
    lay_posed posed = { .types = lay_types_of(LAY_F32), .a = square, .b = square, .c = square };
    static lay_problem problem, transposed;
    posed.types.left = LAY_F16;
    lay_problem_pose(&posed, &problem);
    lay_problem_transpose(&problem, &transposed);
    assert_int_equal(transposed.types.left, LAY_F32);
    assert_int_equal(transposed.types.right, LAY_F16);
    assert_null(lay_branch_find(&problem, &setting, &refusal, NULL));
    assert_string_equal(refusal, "takes operands of one type alone");
    posed.types.left = LAY_F32;
    lay_problem_pose(&posed, &problem);
    assert_null(lay_branch_find(&problem, &setting, &refusal, NULL));
    assert_string_equal(refusal, "the layout does not please it");
    lay_desc_destroy(square);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_that_does_not_refuse_has_the_product_even_if_no_way_of_it_serves),
        cmocka_unit_test(a_product_that_is_nobodys_is_no_want_of_memory),
        cmocka_unit_test(a_table_of_one_way_serves_as_it_can),
        cmocka_unit_test(nobody_is_asked_about_a_batch_who_does_not_take_it),
        cmocka_unit_test(nobody_is_asked_about_mixed_types_who_does_not_take_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
