/* Products of several types that are refused, and why. */
#include "fixed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "case.h"

/* Every four types: served by the rule, or refused with a sentence that names another. */
void types_that_do_not_mix_are_refused_with_the_nearest(void **state)
{
    (void)state;
    lay_desc *desc;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 3, 3 }, &desc), LAY_OK);
    for (int nth = 0; nth < TYPES * TYPES * TYPES * TYPES; nth++) {
        const lay_type type[] = { (lay_type)(nth % TYPES), (lay_type)(nth / TYPES % TYPES),
                                  (lay_type)(nth / TYPES / TYPES % TYPES), (lay_type)(nth / TYPES / TYPES / TYPES) };
        lay_product product = LAY_PRODUCT_INIT;
        lay_plan *plan = NULL;
        product.type_a = type[A];
        product.type_b = type[B];
        product.type_c = type[C];
        product.type_d = type[D];
        product.a = product.b = product.c = product.d = desc;
        product.labels = "ik,kj->ij";
        const lay_status status = lay_plan_create_product(&product, NULL, &plan);
        assert_int_equal(status, mixed_is_served(type) ? LAY_OK : LAY_ERR_TYPE);
        if (status != LAY_OK)
            assert_non_null(strstr(lay_last_error(), " may be "));
        lay_plan_destroy(plan);
    }
    lay_desc_destroy(desc);
}

/* Elements of two sizes may not even lie between each other. */
void outputs_between_inputs_of_another_size_are_refused(void **state)
{
    (void)state;
    static char memory[400];
    const float one = 1, zero = 0;
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    lay_desc *apart, *close;
    assert_int_equal(lay_desc_parse("[3:12][3:4]", &apart), LAY_OK); /* of f32, every other 8 bytes */
    assert_int_equal(lay_desc_parse("[3:3][3:1]", &close), LAY_OK);
    product.type_a = LAY_F16;
    product.a = product.b = close;
    product.c = apart;
    product.labels = "ik,kj->ij";
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_run(plan, &one, memory + 8, memory + 300, &zero, memory), LAY_ERR_OVERLAP);
    assert_int_equal(lay_plan_run(plan, &one, memory + 220, memory + 300, &zero, memory), LAY_OK);
    lay_plan_destroy(plan);
    lay_desc_destroy(apart);
    lay_desc_destroy(close);
}

/* To a device they would have to go there, and nobody takes them. */
void operands_of_a_device_in_host_memory_are_refused(void **state)
{
    (void)state;
    lay_desc *square;
    lay_plan *plan = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    lay_product product = LAY_PRODUCT_INIT;
    const uint16_t a[9] = { 0 };
    const float b[9] = { 0 }, one = 1, zero = 0;
    float c[9] = { 5 };
    options.backend = LAY_BACKEND_CUDA;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 3, 3 }, &square), LAY_OK);
    product.type_a = LAY_BF16;
    product.a = product.b = product.c = square;
    product.labels = "ik,kj->ij";
    const lay_status status = lay_plan_create_product(&product, &options, &plan);
    assert_int_equal(status, plan ? LAY_OK : LAY_ERR_UNSUPPORTED); /* there is no device */
    if (plan) {
        assert_int_equal(lay_plan_run(plan, &one, a, b, &zero, c), LAY_ERR_UNSUPPORTED);
        assert_non_null(strstr(lay_last_error(), "several types"));
    }
    assert_true(c[0] == 5);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
}
