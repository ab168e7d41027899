/* Runs of plans with an ending: what is refused, and odd cases that are not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/layouts.h"
#include "../support/refusal.h"

enum { M = 3, N = 5, K = 4, COUNT = 2 };
static float a[COUNT * M * K], b[COUNT * K * N], c[COUNT * M * N], bias[N] = { 1, -1, 2, -2, 0.5f };
static const float one = 1, zero = 0;

typedef struct made {
    lay_desc *a, *b, *c, *bias;
    lay_product product;
    lay_ending ending;
    lay_plan *plan;
} made;

static lay_status make(made *of, lay_type type, const char *labels, const char *of_bias, lay_activation activation)
{
    const int is_batch = labels[0] == 'x';
    memset(of, 0, sizeof *of);
    of->a = layout_parse(is_batch ? "[2][3][4]" : "[3][4]");
    of->b = layout_parse(is_batch ? "[2][4][5]" : "[4][5]");
    of->c = layout_parse(is_batch ? "[2][3][5]" : "[3][5]");
    of->product = (lay_product)LAY_PRODUCT_INIT;
    of->ending = (lay_ending)LAY_ENDING_INIT;
    of->product.type_a = of->product.type_b = of->product.type_c = type;
    of->product.a = of->a;
    of->product.b = of->b;
    of->product.c = of->c;
    of->product.labels = labels;
    of->product.ending = &of->ending;
    if (of_bias) {
        of->bias = layout_parse("[5]");
        of->ending.bias = (lay_ending_tensor){ .desc = of->bias, .labels = of_bias, .type = LAY_F32 };
    }
    of->ending.activation = activation;
    return lay_plan_create_product(&of->product, NULL, &of->plan);
}

static void drop(made *of)
{
    lay_plan_destroy(of->plan);
    lay_desc_destroy(of->a);
    lay_desc_destroy(of->b);
    lay_desc_destroy(of->c);
    lay_desc_destroy(of->bias);
}

static void fill(void)
{
    for (int i = 0; i < COUNT * M * K; i++)
        a[i] = (float)(i % 5 - 2);
    for (int i = 0; i < COUNT * K * N; i++)
        b[i] = (float)(i % 3 - 1);
    for (int i = 0; i < COUNT * M * N; i++)
        c[i] = NAN;
}

static lay_arguments arguments_of(const float *alpha, const float *beta)
{
    lay_arguments arguments = LAY_ARGUMENTS_INIT;
    arguments.alpha = alpha;
    arguments.beta = beta;
    arguments.a = a;
    arguments.b = b;
    arguments.d = c;
    arguments.bias = bias;
    return arguments;
}

static float sum_of(int x, int i, int j)
{
    float sum = 0;
    for (int p = 0; p < K; p++)
        sum += a[(x * M + i) * K + p] * b[(x * K + p) * N + j];
    return sum;
}

static void expect_ended(int count, float alpha)
{
    for (int x = 0; x < count; x++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                assert_true(c[(x * M + i) * N + j] == fmaxf(0, alpha * sum_of(x, i, j) + bias[j]));
}

static void plans_are_refused(void **state)
{
    (void)state;
    made of;
    expect_refusal("complex", make(&of, LAY_C32, "ik,kj->ij", NULL, LAY_ACTIVATION_RELU), LAY_ERR_UNSUPPORTED,
                   "an activation is of real numbers");
    drop(&of);
    expect_refusal("value", make(&of, LAY_F32, "ik,kj->ij", NULL, (lay_activation)9), LAY_ERR_OPTION, "no value 9");
    drop(&of);
    expect_refusal("limits", make(&of, LAY_F32, "ik,kj->ij", "k", LAY_ACTIVATION_NONE), LAY_ERR_REFERENCE,
                   "which C has not");
    drop(&of);
    const int64_t tab = '\t'; /* a number where the product has letters */
    lay_plan *none = NULL;
    assert_int_equal(make(&of, LAY_F32, "ik,kj->ij", "j", LAY_ACTIVATION_NONE), LAY_OK);
    of.ending.bias.labels = NULL;
    of.ending.bias.labels_numbers = &tab;
    expect_refusal("number", lay_plan_create_product(&of.product, NULL, &none), LAY_ERR_REFERENCE,
                   "ending.bias has label 9, which C has not");
    drop(&of);
    expect_refusal("extent", make(&of, LAY_F32, "ik,kj->ij", "i", LAY_ACTIVATION_NONE), LAY_ERR_SHAPE, "extent 3");
    drop(&of);
    expect_refusal("rank", make(&of, LAY_F32, "ik,kj->ij", "ij", LAY_ACTIVATION_NONE), LAY_ERR_RANK, "2 labels");
    drop(&of);
    expect_refusal("text", make(&of, LAY_F32, "ik,kj->ij", "3", LAY_ACTIVATION_NONE), LAY_ERR_SYNTAX, "a letter");
    drop(&of);
    assert_int_equal(make(&of, LAY_F32, "ik,kj->ij", "j", LAY_ACTIVATION_CLAMP), LAY_OK);
    of.ending.low = 2;
    of.ending.high = 1;
    expect_refusal("limits", lay_plan_create_product(&of.product, NULL, &none), LAY_ERR_OPTION, "at most ending.high");
    of.ending.low = 0;
    of.ending.bias.type = LAY_F64;
    expect_refusal("f64", lay_plan_create_product(&of.product, NULL, &none), LAY_ERR_TYPE, "would be rounded");
    drop(&of);
}

static void runs_are_refused(void **state)
{
    (void)state;
    made of;
    fill();
    assert_int_equal(make(&of, LAY_F32, "ik,kj->ij", "j", LAY_ACTIVATION_RELU), LAY_OK);
    lay_arguments arguments = arguments_of(&one, &zero);
    expect_refusal("run", lay_plan_run(of.plan, &one, a, b, &zero, c), LAY_ERR_ARGUMENT, "lay_plan_run_arguments");
    arguments.bias = NULL;
    expect_refusal("bias", lay_plan_run_arguments(of.plan, &arguments), LAY_ERR_ARGUMENT, "bias is NULL");
    arguments.bias = c + 2;
    expect_refusal("clear", lay_plan_run_arguments(of.plan, &arguments), LAY_ERR_OVERLAP, "bias");
    arguments.bias = bias;
    arguments.scale[1] = bias;
    expect_refusal("scale", lay_plan_run_arguments(of.plan, &arguments), LAY_ERR_ARGUMENT, "scale[1] is given");
    for (int i = 0; i < M * N; i++)
        assert_true(isnan(c[i]));
    drop(&of);
}

static void c_is_not_read_where_beta_is_0(void **state)
{
    (void)state;
    made of;
    fill();
    assert_int_equal(make(&of, LAY_F32, "ik,kj->ij", "j", LAY_ACTIVATION_RELU), LAY_OK);
    lay_arguments arguments = arguments_of(&one, &zero);
    for (int run = 0; run < 3; run++) { /* later ones might take a fast lane */
        assert_int_equal(lay_plan_run_arguments(of.plan, &arguments), LAY_OK);
        expect_ended(1, 1);
    }
    arguments.alpha = &zero; /* the ending of beta C */
    arguments.a = arguments.b = NULL;
    assert_int_equal(lay_plan_run_arguments(of.plan, &arguments), LAY_OK);
    expect_ended(1, 0);
    arguments.beta = &one; /* which it is once more, of C as it is now */
    assert_int_equal(lay_plan_run_arguments(of.plan, &arguments), LAY_OK);
    for (int i = 0; i < M * N; i++)
        assert_true(c[i] == fmaxf(0, fmaxf(0, bias[i % N]) + bias[i % N]));
    drop(&of);
}

static void a_batch_and_packed_operands_are_ended(void **state)
{
    (void)state;
    made of;
    fill();
    assert_int_equal(make(&of, LAY_F32, "xik,xkj->xij", "j", LAY_ACTIVATION_RELU), LAY_OK);
    lay_arguments arguments = arguments_of(&one, &zero);
    assert_int_equal(lay_plan_run_arguments(of.plan, &arguments), LAY_OK);
    expect_ended(COUNT, 1);
    drop(&of);
    fill();
    lay_packed *packed[2];
    assert_int_equal(make(&of, LAY_F32, "ik,kj->ij", "j", LAY_ACTIVATION_RELU), LAY_OK);
    assert_int_equal(lay_pack(of.plan, LAY_OPERAND_A, a, &packed[0]), LAY_OK);
    assert_int_equal(lay_pack(of.plan, LAY_OPERAND_B, b, &packed[1]), LAY_OK);
    arguments.packed_a = packed[0];
    arguments.packed_b = packed[1];
    arguments.a = arguments.b = NULL;
    assert_int_equal(lay_plan_run_arguments(of.plan, &arguments), LAY_OK);
    expect_ended(1, 1);
    lay_packed_destroy(packed[0]);
    lay_packed_destroy(packed[1]);
    drop(&of);
}

static void relu_alone_needs_no_arguments(void **state)
{
    (void)state;
    made of;
    char text[8192];
    fill();
    assert_int_equal(make(&of, LAY_F32, "ik,kj->ij", NULL, LAY_ACTIVATION_RELU), LAY_OK);
    for (int run = 0; run < 3; run++) {
        assert_int_equal(lay_plan_run(of.plan, &one, a, b, &zero, c), LAY_OK);
        for (int i = 0; i < M * N; i++)
            assert_true(c[i] == fmaxf(0, sum_of(0, i / N, i % N)));
    }
    assert_true(lay_plan_explain(of.plan, text, sizeof text) > 0);
    assert_non_null(strstr(text, "ending    ReLU"));
    drop(&of);
}

/* Enough runs that threads would share them. */
enum { MANY = 20000 };

static void many_runs_take_no_scales_and_no_bias(void **state)
{
    (void)state;
    made of;
    float *const to = malloc(MANY * sizeof c), *const before = malloc(MANY * sizeof c);
    const void **const left = malloc(2 * MANY * sizeof *left), **const right = left + MANY;
    void **const result = malloc(MANY * sizeof *result);
    assert_true(to && before && left && result);
    memset(to, 0xff, MANY * sizeof c);
    memset(before, 0xff, MANY * sizeof c);
    for (int i = 0; i < MANY; i++) {
        left[i] = a;
        right[i] = b;
        result[i] = to + (size_t)i * COUNT * M * N;
    }
    assert_int_equal(make(&of, LAY_F32, "ik,kj->ij", "j", LAY_ACTIVATION_NONE), LAY_OK);
    const lay_runs groups[] = { { of.plan, 0, &one, NULL, NULL, &zero, NULL, NULL },
                                { of.plan, MANY, &one, left, right, &zero, result, NULL } };
    expect_refusal("many", lay_plan_run_many(of.plan, MANY, &one, left, right, &zero, result, NULL), LAY_ERR_ARGUMENT,
                   "the plan's ending has a bias: lay_plan_run_arguments");
    expect_refusal("groups", lay_plan_run_groups(2, groups), LAY_ERR_ARGUMENT, "group 1: the plan's ending has a bias");
    assert_memory_equal(to, before, MANY * sizeof c);
    drop(&of);
    free(to);
    free(before);
    free(left);
    free(result);
}

/* alpha is 0 and beta 1: without an ending C would not be touched. */
static void many_runs_of_an_ending_alone_need_c(void **state)
{
    (void)state;
    made of;
    void *const result[] = { c, NULL };
    fill();
    c[0] = -1;
    assert_int_equal(make(&of, LAY_F32, "ik,kj->ij", NULL, LAY_ACTIVATION_RELU), LAY_OK);
    expect_refusal("c", lay_plan_run_many(of.plan, 2, &zero, NULL, NULL, &one, result, NULL), LAY_ERR_ARGUMENT,
                   "c[1] is NULL");
    assert_true(c[0] == -1);
    assert_int_equal(lay_plan_run_many(of.plan, 1, &zero, NULL, NULL, &one, result, NULL), LAY_OK);
    assert_true(c[0] == 0);
    drop(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_refused),
        cmocka_unit_test(runs_are_refused),
        cmocka_unit_test(c_is_not_read_where_beta_is_0),
        cmocka_unit_test(a_batch_and_packed_operands_are_ended),
        cmocka_unit_test(relu_alone_needs_no_arguments),
        cmocka_unit_test(many_runs_take_no_scales_and_no_bias),
        cmocka_unit_test(many_runs_of_an_ending_alone_need_c),
    };
    return cmocka_run_group_tests_name("calls of endings", tests, NULL, NULL);
}
