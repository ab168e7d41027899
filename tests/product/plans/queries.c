/* What programs ask: a plan's choices in numbers, a descriptor once more, and how many plans are remembered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layoutgemm.h"

enum { MOST = 300 };

static lay_desc *parse(const char *text)
{
    lay_desc *desc = NULL;
    assert_int_equal(lay_desc_parse(text, &desc), LAY_OK);
    return desc;
}

static lay_plan *make_plan(lay_type type, const char *a, const char *b, const char *c)
{
    lay_desc *const desc[] = { parse(a), parse(b), parse(c) };
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan *plan = NULL;
    options.threads = 1;
    options.backend = LAY_BACKEND_CPU;
    assert_int_equal(lay_plan_create(type, desc[0], desc[1], desc[2], &options, &plan), LAY_OK);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return plan;
}

/* All that a query says, the explanation says too. */
static void a_query_agrees_with_the_explanation(void **state)
{
    (void)state;
    static const struct {
        lay_type type;
        const char *a, *b, *c;
        double flops;
    } cases[] = {
        { LAY_F32, "[200][300]", "[300][100]", "[200][100]", 2e0 * 200 * 300 * 100 },
        { LAY_F64, "[20][30]", "[30][10]", "[20:1][10:20]", 2e0 * 20 * 30 * 10 },
        { LAY_C32, "[40][50]", "[50][60]", "[40][60]", 8e0 * 40 * 50 * 60 },
        { LAY_F32, "[7][20][30]", "[30][10]", "[7][20][10]", 2e0 * 7 * 20 * 30 * 10 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static char text[20000];
        char line[60];
        lay_plan *plan = make_plan(cases[i].type, cases[i].a, cases[i].b, cases[i].c);
        lay_plan_info info = LAY_PLAN_INFO_INIT;
        assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, &info), LAY_OK);
        assert_true(lay_plan_explain(plan, text, sizeof text) < (int)sizeof text);
        assert_true(info.flops == cases[i].flops && info.seconds > 0 && info.threads == 1);
        assert_non_null(strstr(text, info.kernel));
        assert_non_null(strstr(text, info.way));
        snprintf(line, sizeof line, "workspace %zu bytes\n", info.workspace);
        assert_non_null(strstr(text, line));
        snprintf(line, sizeof line, "taken, predicted %.3g us\n", info.seconds * 1e6);
        assert_non_null(strstr(text, line));
        lay_plan_destroy(plan);
    }
}

static void a_query_that_is_refused_writes_nothing(void **state)
{
    (void)state;
    lay_plan *plan = make_plan(LAY_F32, "[2][3]", "[3][5]", "[2][5]");
    lay_plan_info info = LAY_PLAN_INFO_INIT, before;
    info.flops = 17;
    memcpy(&before, &info, sizeof info);
    assert_int_equal(lay_plan_query(NULL, LAY_MEMORY_HOST, &info), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, NULL), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_plan_query(plan, (lay_memory)3, &info), LAY_ERR_OPTION);
    assert_int_equal(lay_plan_query(plan, (lay_memory)-1, &info), LAY_ERR_OPTION);
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_DEVICE, &info), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "no way to run the product"));
    const char *const reason = strstr(lay_last_error(), "no CUDA part"); /* once, of all whom it holds for */
    assert_true(!reason || !strstr(reason + 1, "no CUDA part"));
    assert_memory_equal(&before, &info, sizeof info);
    info.struct_size = 8;
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, &info), LAY_ERR_OPTION);
    assert_true(info.flops == 17);
    lay_plan_destroy(plan);
}

static void a_clone_is_equal_and_lives_on(void **state)
{
    (void)state;
    static const char *const texts[] = { "[6][4]", "[2:60][3:-5][4:0]", "A=[4][6][2]; [#A_1][[#A_0][#A_2]]",
                                         "T=[8][8]; [[2][4]#T_0][5@2#T_1]", "[5[2][3]][0]" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char wanted[200], has[200];
        lay_desc *first = parse(texts[i]), *second = NULL;
        assert_int_equal(lay_desc_clone(first, &second), LAY_OK);
        assert_true(first != second && lay_desc_equal(first, second));
        lay_desc_format(first, wanted, sizeof wanted);
        lay_desc_destroy(first);
        lay_desc_format(second, has, sizeof has);
        assert_string_equal(has, wanted);
        assert_int_equal(lay_desc_clone(second, NULL), LAY_ERR_ARGUMENT);
        lay_desc_destroy(second);
    }
    lay_desc *none = NULL;
    assert_int_equal(lay_desc_clone(NULL, &none), LAY_ERR_ARGUMENT);
    assert_null(none);
}

static void bytes_are_those_from_the_lowest_element_to_the_end_of_the_highest(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        lay_type type;
        int64_t bytes;
    } cases[] = { { "[6][4]", LAY_F32, 96 },
                  { "[6:10][4:1]", LAY_F64, 432 },
                  { "[6:-10][4:1]", LAY_F16, 108 },
                  { "[6:0][4:0]", LAY_C64, 16 },
                  { "[0][4]", LAY_F32, 0 },
                  { "[2:2305843009213693952]", LAY_F32, -1 },
                  { "[2:2305843009213693950]", LAY_F16, 4611686018427387902 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lay_desc *const desc = parse(cases[i].text);
        assert_true(lay_desc_bytes(cases[i].type, desc) == cases[i].bytes);
        lay_desc_destroy(desc);
    }
    lay_desc *const slice = parse("T=[8][8]; [4@2#T_0][#T_1]");
    assert_true(lay_desc_bytes(LAY_C32, slice) == 8 * 4 * 8);
    assert_true(lay_desc_bytes((lay_type)6, slice) == -1);
    assert_string_equal(lay_last_error(), "6 is no lay_type");
    assert_true(lay_desc_bytes(LAY_F32, NULL) == -1);
    lay_desc_destroy(slice);
}

/* Products of one row and column each, of 1 to count numbers. */
static void multiply_each(int count)
{
    static float a[MOST], b[MOST];
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    for (int k = 1; k <= count; k++) {
        lay_desc *row = NULL, *column = NULL, *one = NULL;
        float c = 1;
        a[k - 1] = b[k - 1] = 1;
        assert_int_equal(lay_desc_natural(2, (int64_t[]){ 1, k }, &row), LAY_OK);
        assert_int_equal(lay_desc_natural(2, (int64_t[]){ k, 1 }, &column), LAY_OK);
        assert_int_equal(lay_desc_natural(2, (int64_t[]){ 1, 1 }, &one), LAY_OK);
        assert_int_equal(lay_sgemm(row, column, one, 1, a, b, 0, &c, &options), LAY_OK);
        assert_true(c == (float)k);
        lay_desc_destroy(row);
        lay_desc_destroy(column);
        lay_desc_destroy(one);
    }
}

static int count_remembered(void)
{
    int plans = -1;
    lay_cache_query(&plans, NULL);
    return plans;
}

static void a_limit_is_kept(void **state)
{
    (void)state;
    int limit = 0;
    lay_cache_query(NULL, &limit);
    assert_int_equal(limit, 256);
    lay_cache_query(NULL, NULL);
    lay_cache_clear();
    assert_int_equal(count_remembered(), 0);
    multiply_each(3);
    assert_int_equal(count_remembered(), 3);
    static const int limits[] = { 0, 1, 3, 4, 7, 64, 100, 256, 300, LAY_CACHE_MOST };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        assert_int_equal(lay_cache_limit(limits[i]), LAY_OK);
        assert_int_equal(count_remembered(), 0);
        lay_cache_query(NULL, &limit);
        assert_int_equal(limit, limits[i]);
        multiply_each(MOST);
        const int most = limits[i] > 0 ? limits[i] + 4 : 0; /* with this thread's own */
        assert_in_range(count_remembered(), limits[i] < MOST ? limits[i] / 2 : MOST / 2, most);
    }
    assert_int_equal(lay_cache_limit(-1), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_cache_limit(LAY_CACHE_MOST + 1), LAY_ERR_ARGUMENT);
    lay_cache_query(NULL, &limit);
    assert_int_equal(limit, LAY_CACHE_MOST);
    assert_int_equal(lay_cache_limit(256), LAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_agrees_with_the_explanation),
        cmocka_unit_test(a_query_that_is_refused_writes_nothing),
        cmocka_unit_test(a_clone_is_equal_and_lives_on),
        cmocka_unit_test(bytes_are_those_from_the_lowest_element_to_the_end_of_the_highest),
        cmocka_unit_test(a_limit_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
