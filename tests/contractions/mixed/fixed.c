/* Special values, packed operands, labels, blocks and explanations of products of several types. */
#include "fixed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "case.h"

/* Numbers that only widening keeps: too large for f16, and a NaN and an infinity where they are. */
void special_values_go_where_they_belong(void **state)
{
    (void)state;
    const uint16_t a[] = { 0x7bff, 0x7c00, 0x7e00, 0x0001 }; /* 65504, infinity, NaN, 2^-24 */
    const float b[] = { 65504, 0x1p100f };
    float d[4];
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    lay_desc *column, *row, *matrix;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 4, 1 }, &column), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 1, 1 }, &row), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 4, 1 }, &matrix), LAY_OK);
    product.type_a = LAY_F16;
    product.a = column;
    product.b = row;
    product.c = matrix;
    product.labels = "ik,kj->ij";
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    for (int i = 0; i < 2; i++) {
        const float one = 1, zero = 0;
        assert_int_equal(lay_plan_run(plan, &one, a, &b[i], &zero, d), LAY_OK);
        assert_true(d[0] == 65504 * b[i]);
        assert_true(d[1] == b[i] / 0.0f);
        assert_true(d[2] != d[2]);
        assert_true(d[3] == 0x1p-24f * b[i]);
    }
    lay_plan_destroy(plan);
    lay_desc_destroy(column);
    lay_desc_destroy(row);
    lay_desc_destroy(matrix);
}

/* Of a plan of several types an operand is packed as a copy, in its own type. */
void packed_operands_keep_their_type(void **state)
{
    (void)state;
    enum { SIDE = 600 };
    static uint16_t a[SIDE * SIDE];
    static float b[SIDE * SIDE], c[2][SIDE * SIDE];
    const float one = 1, zero = 0;
    random_source from = random_case(3, 3);
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    lay_packed *packed[2];
    lay_desc *square;
    for (int i = 0; i < SIDE * SIDE; i++) {
        oracle_store(LAY_BF16, a, i, random_unit(&from));
        b[i] = (float)random_unit(&from);
    }
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ SIDE, SIDE }, &square), LAY_OK);
    product.type_a = LAY_BF16;
    product.a = product.b = product.c = square;
    product.labels = "ik,kj->ij";
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_run(plan, &one, a, b, &zero, c[0]), LAY_OK);
    assert_int_equal(lay_pack(plan, LAY_OPERAND_A, a, &packed[0]), LAY_OK);
    assert_int_equal(lay_pack(plan, LAY_OPERAND_B, b, &packed[1]), LAY_OK);
    assert_int_equal(lay_plan_run_packed(plan, &one, NULL, packed[0], NULL, packed[1], &zero, c[1]), LAY_OK);
    assert_memory_equal(c[0], c[1], sizeof c[0]);
    lay_packed_destroy(packed[0]);
    lay_packed_destroy(packed[1]);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
}

/* A tensor of labels of its own, a diagonal and a scalar C: what is in front of products knows no types. */
void labels_mix_types_too(void **state)
{
    (void)state;
    const uint16_t a[] = { 0x3f80, 0x4000, 0x4040, 0x4080 }; /* bfloat16: 1 2 3 4 */
    const double b[] = { 10, 100 };
    const float c = 3;
    float d = 0;
    const double alpha = 1, beta = 2;
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    lay_desc *square, *line;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 2, 2 }, &square), LAY_OK);
    assert_int_equal(lay_desc_natural(1, (const int64_t[]){ 2 }, &line), LAY_OK);
    product.type_a = LAY_BF16;
    product.type_b = LAY_F64;
    product.a = square;
    product.b = line;
    product.labels = "ii,i->";
    product.has_d = 1;
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_run_product(plan, &alpha, a, b, &beta, &c, &d), LAY_OK);
    assert_true(d == 416);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
    lay_desc_destroy(line);
}

/* Row-major matrices of a shape whose images are made in blocks of columns, where caches are as they mostly are. */
void blocks_of_columns_are_not_seen(void **state)
{
    (void)state;
    enum { M = 64, N = 4096, K = 256 };
    static float a[M * K], b[K * N], c[M * N], wanted[M * N];
    static uint16_t narrow[K * N], d[M * N];
    const float one = 1, half = 0.5f;
    random_source from = random_case(5, 5);
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan;
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ M, K }, (lay_desc **)&product.a), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ K, N }, (lay_desc **)&product.b), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ M, N }, (lay_desc **)&product.c), LAY_OK);
    for (int i = 0; i < M * K; i++)
        a[i] = (float)random_unit(&from);
    for (int i = 0; i < K * N; i++) {
        oracle_store(LAY_BF16, narrow, i, random_unit(&from));
        b[i] = (float)oracle_load(LAY_BF16, narrow, i);
    }
    for (int i = 0; i < M * N; i++)
        c[i] = wanted[i] = (float)random_unit(&from);
    assert_int_equal(lay_sgemm(product.a, product.b, product.c, one, a, b, half, wanted, &options), LAY_OK);
    product.type_b = LAY_BF16;
    product.type_d = LAY_BF16;
    product.d = product.c;
    product.labels = "ik,kj->ij";
    assert_int_equal(lay_plan_create_product(&product, &options, &plan), LAY_OK);
    assert_int_equal(lay_plan_run_product(plan, &one, a, narrow, &half, c, d), LAY_OK);
    lay_plan_destroy(plan);
    for (int i = 0; i < M * N; i++)
        assert_true(oracle_load(LAY_BF16, d, i) == oracle_round(LAY_BF16, wanted[i]));
    product.d = NULL;
    assert_int_equal(lay_plan_create_product(&product, &options, &plan), LAY_OK);
    assert_int_equal(lay_plan_run(plan, &one, a, narrow, &half, c), LAY_OK);
    assert_memory_equal(c, wanted, sizeof c);
    lay_plan_destroy(plan);
    lay_desc_destroy((lay_desc *)product.a);
    lay_desc_destroy((lay_desc *)product.b);
    lay_desc_destroy((lay_desc *)product.c);
}

/* What a plan says of its images. */
void explanations_name_the_types(void **state)
{
    (void)state;
    char text[8000];
    lay_desc *square;
    lay_plan *plan;
    lay_product product = LAY_PRODUCT_INIT;
    lay_options options = LAY_OPTIONS_INIT;
    options.backend = LAY_BACKEND_CPU; /* where there is a device, its sentences are others */
    assert_int_equal(lay_desc_natural(2, (const int64_t[]){ 100, 100 }, &square), LAY_OK);
    product.type_a = LAY_BF16;
    product.type_b = LAY_C64;
    product.type_c = product.type_d = LAY_C32;
    product.a = product.b = product.c = square;
    product.labels = "ik,kj->ij";
    assert_int_equal(lay_plan_create_product(&product, &options, &plan), LAY_OK);
    assert_true(lay_plan_explain(plan, text, sizeof text) < (int)sizeof text);
    assert_non_null(strstr(text, "A bf16, B c64, C c32, D c32, summed in c64"));
    assert_non_null(strstr(text, "A widened as [100"));
    assert_null(strstr(text, "B widened as"));
    assert_non_null(strstr(text, "D rounded from [100"));
    assert_non_null(strstr(text, "of B and C are columns of their own"));
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
}
