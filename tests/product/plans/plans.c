/* Plans: remembered ones serve only what they were made for; every plan explains itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/trial.h"

enum { M = 37, N = 41, K = 29 };

/* Runs t by lay_sgemm and by a plan of its own; the bits agree and are right. */
static void compare_with_own_plan(trial *t, const int layout[3], random_source *from)
{
    const size_t bytes = (size_t)(t->m * t->n) * lay_type_size(t->type);
    char *const remembered = oracle_memory(bytes), *const own = oracle_memory(bytes);
    char why[300], story[6000];
    trial_place(t, layout_usual(layout[0], t->m, t->k), layout_usual(layout[1], t->k, t->n),
                layout_usual(layout[2], t->m, t->n), OPERAND_ANYWHERE, from);
    trial_story(t, story, sizeof story);
    assert_int_equal(trial_run(t, TRIAL_CACHED), LAY_OK);
    if (!trial_is_right(t, why, sizeof why))
        fail_msg("%s\n%s", why, story);
    operand_bytes(&t->out, remembered);
    trial_unplace(t);
    trial_place(t, layout_usual(layout[0], t->m, t->k), layout_usual(layout[1], t->k, t->n),
                layout_usual(layout[2], t->m, t->n), OPERAND_ANYWHERE, from);
    assert_int_equal(trial_run(t, TRIAL_PLANNED), LAY_OK);
    operand_bytes(&t->out, own);
    trial_unplace(t);
    if (memcmp(remembered, own, bytes) != 0)
        fail_msg("a remembered plan has other bits\n%s", story);
    free(remembered);
    free(own);
}

/* One shape; every level, type and thread count in turn, twice, so that each finds the others' plans. */
static void a_remembered_plan_serves_only_its_own_options(void **state)
{
    (void)state;
    lay_isa isas[TRIAL_LEVELS];
    const int levels = trial_isas(isas);
    random_source from = random_case(22, 0);
    trial t[2] = { { .type = LAY_F32 }, { .type = LAY_F64 } };
    for (int q = 0; q < 2; q++) {
        t[q].m = M;
        t[q].n = N;
        t[q].k = K;
        t[q].alpha = 0.7;
        t[q].beta = 1.1;
        t[q].data = TRIAL_SIGNED;
        t[q].options = (lay_options)LAY_OPTIONS_INIT;
        trial_fill(&t[q], &from);
    }
    for (int round = 0; round < 2 * 2 * levels * 2; round++) {
        trial *now = &t[round % 2];
        now->options.isa = isas[round / 2 % levels];
        now->options.threads = 1 + round / 2 / levels % 2;
        compare_with_own_plan(now, (const int[]){ 0, 0, 0 }, &from);
    }
    trial_free(&t[0]);
    trial_free(&t[1]);
}

/* One shape; every usual layout of every operand in turn, the other two staying. */
static void a_remembered_plan_serves_only_its_own_layouts(void **state)
{
    (void)state;
    random_source from = random_case(23, 0);
    trial t = { .type = LAY_F32, .m = M, .n = N, .k = K, .alpha = 1, .beta = 1, .data = TRIAL_INTEGERS };
    t.options = (lay_options)LAY_OPTIONS_INIT;
    trial_fill(&t, &from);
    for (int round = 0; round < 2; round++)
        for (int changed = 0; changed < 3; changed++)
            for (int usual = 0; usual < LAYOUT_USUAL; usual++) {
                int layout[3] = { 0, 0, 0 };
                layout[changed] = usual;
                compare_with_own_plan(&t, layout, &from);
            }
    trial_free(&t);
}

/* Nothing of the descriptors is kept: they may go before the plan runs. */
static void a_plan_outlives_its_descriptors(void **state)
{
    (void)state;
    random_source from = random_case(24, 0);
    trial t = { .type = LAY_F64, .m = M, .n = N, .k = K, .alpha = 1, .beta = 0, .data = TRIAL_INTEGERS };
    t.options = (lay_options)LAY_OPTIONS_INIT;
    trial_fill(&t, &from);
    trial_place(&t, layout_usual(5, M, K), layout_usual(6, K, N), layout_usual(5, M, N), OPERAND_ANYWHERE, &from);
    lay_plan *plan = NULL;
    const double one = 1, none = 0;
    char why[300];
    assert_int_equal(lay_plan_create(LAY_F64, t.in_a.desc, t.in_b.desc, t.out.desc, NULL, &plan), LAY_OK);
    lay_desc_destroy(t.in_a.desc);
    lay_desc_destroy(t.in_b.desc);
    lay_desc_destroy(t.out.desc);
    for (int q = 0; q < 100; q++) /* other descriptors where those were */
        lay_desc_destroy(layout_usual(q % LAYOUT_USUAL, q + 1, 2 * q + 1));
    assert_int_equal(lay_plan_run(plan, &one, t.in_a.zero, t.in_b.zero, &none, t.out.zero), LAY_OK);
    lay_plan_destroy(plan);
    t.in_a.desc = layout_usual(5, M, K);
    t.in_b.desc = layout_usual(6, K, N);
    t.out.desc = layout_usual(5, M, N);
    assert_true(trial_is_right(&t, why, sizeof why));
    trial_free(&t);
}

/* What a later run of one plan may not take for granted: a small product's is a few comparisons and a call. */
static void ask_again(int64_t n)
{
    enum { MOST = 40 };
    static float memory[4 * MOST * MOST], nan[MOST * MOST];
    const size_t bytes = (size_t)(n * n) * sizeof(float);
    float *const a = memory, *const b = a + n * n, *const c = b + n * n, expected[MOST * MOST];
    const float one = 1, half = 0.5f, none = 0;
    const int64_t shape[2] = { n, n };
    lay_desc *desc = NULL;
    lay_plan *plan = NULL;
    for (int64_t i = 0; i < 2 * n * n; i++)
        memory[i] = (float)(i % 7) - 3;
    for (int64_t i = 0; i < n * n; i++)
        nan[i] = NAN;
    assert_int_equal(lay_desc_natural(2, shape, &desc), LAY_OK);
    assert_int_equal(lay_plan_create(LAY_F32, desc, desc, desc, NULL, &plan), LAY_OK);
    for (int run = 0; run < 3; run++) {
        memset(c, 0xff, bytes); /* NaN */
        assert_int_equal(lay_plan_run(plan, &one, a, b, &none, c), LAY_OK);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                float sum = 0;
                for (int64_t p = 0; p < n; p++)
                    sum += a[i * n + p] * b[p * n + j];
                assert_true(c[i * n + j] == sum); /* integers */
            }
        memcpy(expected, c, bytes);
        assert_int_equal(lay_plan_run(plan, &one, NULL, b, &none, c), LAY_ERR_ARGUMENT);
        assert_int_equal(lay_plan_run(plan, &one, a, NULL, &none, c), LAY_ERR_ARGUMENT);
        assert_int_equal(lay_plan_run(plan, &one, a, b, &none, NULL), LAY_ERR_ARGUMENT);
        assert_int_equal(lay_plan_run(plan, NULL, a, b, &none, c), LAY_ERR_ARGUMENT);
        assert_int_equal(lay_plan_run(plan, &one, a, b, NULL, c), LAY_ERR_ARGUMENT);
        assert_int_equal(lay_plan_run(plan, &one, c, b, &none, c), LAY_ERR_OVERLAP);
        assert_int_equal(lay_plan_run(plan, &one, a, c, &none, c), LAY_ERR_OVERLAP);
        assert_int_equal(lay_plan_run(plan, &one, a, b, &none, c - 1), LAY_ERR_OVERLAP);
        assert_int_equal(lay_plan_run(plan, &one, c + n * n - 1, b, &none, c), LAY_ERR_OVERLAP);
        assert_memory_equal(c, expected, bytes);
        c[0] = 0.5f;
        assert_int_equal(lay_plan_run(plan, &none, NULL, NULL, &half, c), LAY_OK);
        for (int64_t i = 1; i < n * n; i++)
            assert_true(c[i] == 0.5f * expected[i]);
        assert_int_equal(lay_plan_run(plan, &none, nan, nan, &one, c), LAY_OK);
        for (int64_t i = 1; i < n * n; i++)
            assert_true(c[i] == 0.5f * expected[i]);
        c[0] = 2; /* both factors, and an element that they change */
        c[n * n - 1] = 3;
        assert_int_equal(lay_plan_run(plan, &c[0], a, b, &c[0], c), LAY_OK);
        assert_true(c[0] == 2 * expected[0] + 4);
        assert_true(c[n * n - 1] == 2 * expected[n * n - 1] + 6);
    }
    lay_plan_destroy(plan);
    lay_desc_destroy(desc);
}

static void a_plan_that_has_run_asks_again(void **state)
{
    (void)state;
    for (int64_t n = 2; n <= 40; n += n < 10 ? 1 : 10)
        ask_again(n);
}

static void expect_words(const char *text, const char *const words[], int count)
{
    for (int q = 0; q < count; q++)
        if (!strstr(text, words[q]))
            fail_msg("no \"%s\" in:\n%s", words[q], text);
}

static void an_explanation_names_what_was_taken_and_what_was_refused(void **state)
{
    (void)state;
    static const char *const words[] = { "m ",      "n ",          "k ", "lay_gemm_f32_4x8_c", "lay_gemm_f64_4x4_c",
                                         "threads", "another type" };
    lay_desc *a = layout_parse("A=[2][2][32][32]; [[#A_0][#A_2]][[#A_1][#A_3]]"), *b = layout_parse("[64][64]");
    lay_plan *plan = NULL;
    char text[30000], part[40];
    assert_int_equal(lay_plan_create(LAY_F32, a, b, b, NULL, &plan), LAY_OK);
    const int length = lay_plan_explain(plan, text, sizeof text);
    assert_int_equal(length, strlen(text));
    expect_words(text, words, sizeof words / sizeof words[0]);
    assert_int_equal(lay_plan_explain(plan, NULL, 0), length);
    assert_int_equal(lay_plan_explain(plan, part, sizeof part), length);
    assert_int_equal(strlen(part), sizeof part - 1);
    assert_memory_equal(part, text, sizeof part - 1);
    lay_plan_destroy(plan);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
}

/* Numbers that pieces serve, NaN that they do not, and numbers again, by one plan; packed operands are another route.
 */
static void the_path_is_that_of_the_last_run(void **state)
{
    enum { SIDE = 64 };
    static float a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE], nan[SIDE * SIDE];
    (void)state;
    const float one = 1, zero = 0;
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *square = NULL;
    lay_plan *plan = NULL;
    lay_packed *packed = NULL;
    lay_path path = LAY_PATH_STRICT;
    options.kernel = "lay_split_f32_32x32_c";
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i] = b[i] = (float)(i % 13 - 6);
        nan[i] = NAN;
    }
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ SIDE, SIDE }, &square), LAY_OK);
    assert_int_equal(lay_plan_create(LAY_F32, square, square, square, &options, &plan), LAY_OK);
    assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
    assert_int_equal(path, LAY_PATH_NONE);
    assert_int_equal(lay_pack(plan, LAY_OPERAND_A, a, &packed), LAY_OK);
    assert_int_equal(lay_plan_run_packed(plan, &one, NULL, packed, b, NULL, &zero, c), LAY_OK);
    assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
    assert_int_equal(path, LAY_PATH_BF16X6);
    assert_int_equal(lay_plan_run(plan, &one, nan, nan, &zero, c), LAY_OK);
    assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
    assert_int_equal(path, LAY_PATH_STRICT);
    lay_packed_destroy(packed);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_remembered_plan_serves_only_its_own_options),
        cmocka_unit_test(a_remembered_plan_serves_only_its_own_layouts),
        cmocka_unit_test(a_plan_outlives_its_descriptors),
        cmocka_unit_test(a_plan_that_has_run_asks_again),
        cmocka_unit_test(the_path_is_that_of_the_last_run),
        cmocka_unit_test(an_explanation_names_what_was_taken_and_what_was_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
