/* Products of split operands on the CPU: right in every layout, with the same bits, whatever the values. Every kernel
 * that splits is named and run where it can be: the model of the matrix unit everywhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../product/support/trial.h"

enum { THREADS = 4, REPEATS = 2 };

static const int64_t shapes[][3] = { { 1, 1, 1 },    { 5, 3, 7 },      { 31, 33, 32 },   { 32, 32, 8 },
                                     { 33, 31, 64 }, { 64, 40, 31 },   { 70, 100, 150 }, { 3, 200, 129 },
                                     { 90, 7, 513 }, { 40, 37, 1100 }, { 700, 40, 600 } };
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static int runs_here(const char *kernel)
{
    const int runs = trial_splits_here(kernel);
    if (!runs)
        print_message("# %s is not run: %s\n", kernel, lay_last_error());
    return runs;
}

static trial trial_of(const int64_t shape[3], trial_data data, const char *kernel)
{
    trial made = { .type = LAY_F32,
                   .m = shape[0],
                   .n = shape[1],
                   .k = shape[2],
                   .alpha = 1.25,
                   .beta = -0.75,
                   .data = data,
                   .options = LAY_OPTIONS_INIT };
    if (data == TRIAL_INTEGERS)
        made.alpha = 2, made.beta = -1;
    made.options.kernel = kernel;
    made.options.compute = LAY_COMPUTE_F32_SPLIT;
    return made;
}

static void insist_on_right(const trial *t)
{
    char why[500], story[6000];
    if (trial_is_right(t, why, sizeof why))
        return;
    trial_story(t, story, sizeof story);
    fail_msg("%s: %s\n%s", t->options.kernel, why, story);
}

static char *bytes_of(trial *t)
{
    char *const bytes = oracle_memory((size_t)(t->m * t->n) * sizeof(float));
    if (trial_run(t, TRIAL_PLANNED) != LAY_OK)
        fail_msg("%s", lay_last_error());
    operand_bytes(&t->out, bytes);
    return bytes;
}

static void place(trial *t, const int layout[3], random_source *from)
{
    trial_place(t, layout_usual(layout[0], t->m, t->k), layout_usual(layout[1], t->k, t->n),
                layout_usual(layout[2], t->m, t->n), OPERAND_ANYWHERE, from);
}

static const int row_major[] = { 0, 0, 0 };

static void every_shape_layout_and_kind_of_number_is_right(void **state)
{
    const char *kernel = *state;
    int number = 0;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int data = 0; data < TRIAL_DATA_KINDS; data++)
            for (int round = 0; round < 2; round++, number++) {
                const int layout[] = { number % LAYOUT_USUAL, number * 3 % LAYOUT_USUAL, number * 5 % LAYOUT_USUAL };
                random_source from = random_case(197, (uint64_t)number);
                trial t = trial_of(shapes[shape], (trial_data)data, kernel);
                t.beta = number % 4 ? t.beta : 0;
                t.options.threads = 1 + number % 3;
                trial_fill(&t, &from);
                if (round)
                    place(&t, layout, &from);
                else
                    trial_place(&t, layout_random(&from, LAYOUT_INPUT, t.m, t.k),
                                layout_random(&from, LAYOUT_INPUT, t.k, t.n),
                                layout_random(&from, LAYOUT_OUTPUT, t.m, t.n), OPERAND_FLUSH_HIGH, &from);
                if (trial_run(&t, (trial_way)(number % TRIAL_WAYS)) != LAY_OK)
                    fail_msg("%s", lay_last_error());
                insist_on_right(&t);
                trial_free(&t);
            }
}

static void layouts_threads_and_repeats_change_no_bits(void **state)
{
    static const int64_t shape[3] = { 230, 150, 530 }; /* work for 4 threads */
    static const trial_data kinds[] = { TRIAL_SIGNED, TRIAL_TINY, TRIAL_SPECIAL };
    for (int kind = 0; kind < 3; kind++) {
        random_source from = random_case(198, (uint64_t)kind);
        trial t = trial_of(shape, kinds[kind], *state);
        trial_fill(&t, &from);
        place(&t, row_major, &from);
        t.options.threads = 1;
        char *const wanted = bytes_of(&t);
        trial_unplace(&t);
        for (int number = 0; number < trial_rounds(LAYOUT_USUAL + 3); number++) {
            const int layout[] = { number % LAYOUT_USUAL, number * 3 % LAYOUT_USUAL, number * 5 % LAYOUT_USUAL };
            if (number % 3)
                place(&t, layout, &from);
            else
                trial_place(&t, layout_random(&from, LAYOUT_OUTPUT, t.m, t.k),
                            layout_random(&from, LAYOUT_OUTPUT, t.k, t.n),
                            layout_random(&from, LAYOUT_OUTPUT, t.m, t.n), OPERAND_ANYWHERE, &from);
            for (int run = 0; run < (number % 5 ? 1 : THREADS * REPEATS); run++) {
                t.options.threads = run < THREADS * REPEATS - 1 ? 1 + run % THREADS : 16;
                trial_restore(&t);
                char *const got = bytes_of(&t);
                if (memcmp(wanted, got, (size_t)(t.m * t.n) * sizeof(float)) != 0) {
                    char story[6000];
                    trial_story(&t, story, sizeof story);
                    fail_msg("other bits: %s", story);
                }
                free(got);
            }
            trial_unplace(&t);
        }
        free(wanted);
        trial_free(&t);
    }
}

/* A slice of C from slices of A and B: each line is looked at by itself. */
static void a_part_of_c_alone_has_the_bits_of_the_whole(void **state)
{
    static const int64_t shape[3] = { 90, 75, 530 };
    static const trial_data kinds[] = { TRIAL_SIGNED, TRIAL_GRADED, TRIAL_TINY, TRIAL_SPECIAL };
    for (int round = 0; round < 12; round++) {
        random_source from = random_case(199, (uint64_t)round);
        trial t = trial_of(shape, kinds[round % 4], *state);
        trial_fill(&t, &from);
        place(&t, row_major, &from);
        char *const all = bytes_of(&t);
        const int64_t m = random_in(&from, 1, t.m), n = random_in(&from, 1, t.n);
        const int64_t row = random_in(&from, 0, t.m - m), column = random_in(&from, 0, t.n - n);
        trial part = trial_of((const int64_t[]){ m, n, t.k }, t.data, *state);
        trial_fill(&part, &from);
        for (int64_t i = 0; i < m; i++) {
            memcpy(part.a + i * t.k, t.a + (row + i) * t.k, (size_t)t.k * sizeof *t.a);
            memcpy(part.c + i * n, t.c + (row + i) * t.n + column, (size_t)n * sizeof *t.c);
        }
        for (int64_t p = 0; p < t.k; p++)
            memcpy(part.b + p * n, t.b + p * t.n + column, (size_t)n * sizeof *t.b);
        place(&part, (const int[]){ 1, 0, 1 }, &from);
        char *const got = bytes_of(&part);
        oracle_unite_nans(LAY_F32, all, t.m * t.n);
        oracle_unite_nans(LAY_F32, got, m * n);
        for (int64_t i = 0; i < m; i++)
            assert_memory_equal(got + (size_t)(i * n) * 4, all + (size_t)((row + i) * t.n + column) * 4, (size_t)n * 4);
        free(got);
        free(all);
        trial_free(&part);
        trial_free(&t);
    }
}

/* The path after a run with one element of A set, or times factor. */
static lay_path path_with(const char *kernel, double factor, double element)
{
    static const int64_t shape[3] = { 40, 50, 60 };
    random_source from = random_case(99, 0);
    trial t = trial_of(shape, TRIAL_INTEGERS, kernel);
    lay_plan *plan = NULL;
    lay_path path = LAY_PATH_STRICT;
    trial_fill(&t, &from);
    for (int64_t at = 0; at < t.m * t.k; at++)
        t.a[at] = t.a[at] == 0 ? 1 : t.a[at];
    for (int64_t i = 0; i < t.m; i++)
        t.a[i * t.k + 7] = element * factor;
    t.data = TRIAL_SIGNED; /* no longer exact */
    place(&t, row_major, &from);
    const trial_scalar alpha = trial_scalar_of(LAY_F32, t.alpha), beta = trial_scalar_of(LAY_F32, t.beta);
    assert_int_equal(lay_plan_create(LAY_F32, t.in_a.desc, t.in_b.desc, t.out.desc, &t.options, &plan), LAY_OK);
    assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
    assert_int_equal(path, LAY_PATH_NONE);
    assert_int_equal(lay_plan_run(plan, &alpha, t.in_a.zero, t.in_b.zero, &beta, t.out.zero), LAY_OK);
    assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
    insist_on_right(&t);
    lay_plan_destroy(plan);
    trial_free(&t);
    return path;
}

static void values_choose_the_path(void **state)
{
    assert_int_equal(path_with(*state, 1, 3), LAY_PATH_BF16X6);
    assert_int_equal(path_with(*state, 0x1p-60, 1), LAY_PATH_BF16X6);
    assert_int_equal(path_with(*state, 0x1p96, 1), LAY_PATH_BF16X6);
    assert_int_equal(path_with(*state, 0x1p-104, 1), LAY_PATH_STRICT);
    assert_int_equal(path_with(*state, 0x1p104, 1), LAY_PATH_STRICT);
    assert_int_equal(path_with(*state, 0x1p-149, 1), LAY_PATH_STRICT);
    assert_int_equal(path_with(*state, 1, NAN), LAY_PATH_STRICT);
    assert_int_equal(path_with(*state, 1, INFINITY), LAY_PATH_STRICT);
}

static void a_nan_stays_in_its_row(void **state)
{
    static const int64_t shape[3] = { 90, 70, 200 };
    char *bits[2];
    for (int has_nan = 0; has_nan <= 1; has_nan++) {
        random_source from = random_case(100, 0);
        trial t = trial_of(shape, TRIAL_SIGNED, *state);
        trial_fill(&t, &from);
        if (has_nan)
            t.a[33 * t.k + 11] = NAN;
        place(&t, row_major, &from);
        bits[has_nan] = bytes_of(&t);
        insist_on_right(&t);
        trial_free(&t);
    }
    const size_t row = (size_t)shape[1] * sizeof(float);
    assert_memory_equal(bits[0], bits[1], 33 * row);
    assert_memory_equal(bits[0] + 34 * row, bits[1] + 34 * row, (90 - 34) * row);
    free(bits[0]);
    free(bits[1]);
}

/* Infinities and NaN of both operands anywhere: C's classes are those of the plain product. */
static void classes_are_the_plain_products(void **state)
{
    for (int round = 0; round < 40; round++) {
        random_source from = random_case(101, (uint64_t)round);
        const int64_t shape[3] = { random_in(&from, 1, 80), random_in(&from, 1, 80), random_in(&from, 1, 700) };
        char *bits[2];
        for (int is_split = 0; is_split <= 1; is_split++) {
            from = random_case(102, (uint64_t)round);
            trial t = trial_of(shape, TRIAL_SIGNED, is_split ? *state : NULL);
            t.options.compute = is_split ? LAY_COMPUTE_F32_SPLIT : LAY_COMPUTE_STRICT;
            trial_fill(&t, &from);
            static const double strange[] = { NAN, INFINITY, -INFINITY, 0 };
            for (int64_t q = random_in(&from, 1, 12); q > 0; q--) {
                t.a[random_in(&from, 0, t.m * t.k - 1)] = random_of(&from, strange);
                t.b[random_in(&from, 0, t.n * t.k - 1)] = random_of(&from, strange);
            }
            place(&t, row_major, &from);
            bits[is_split] = bytes_of(&t);
            trial_free(&t);
        }
        for (int64_t at = 0; at < shape[0] * shape[1]; at++) {
            const float plain = ((float *)(void *)bits[0])[at], split = ((float *)(void *)bits[1])[at];
            const int is_same = isnan(plain) ? isnan(split) : isinf(plain) ? split == plain : isfinite(split);
            if (!is_same)
                fail_msg("element %lld is %g, plainly %g", (long long)at, (double)split, (double)plain);
        }
        free(bits[0]);
        free(bits[1]);
    }
}

/* By sizes alone, where no kernel is named; only where the matrix unit can be had. */
static void short_sums_and_thin_products_stay_plain(void **state)
{
    static const int64_t plain[][3] = { { 300, 300, 4 }, { 300, 1, 300 }, { 16, 16, 300 } };
    (void)state;
    for (int i = 0; i < 3; i++) {
        random_source from = random_case(103, 0);
        trial t = trial_of(plain[i], TRIAL_SIGNED, NULL);
        lay_plan *plan = NULL;
        lay_path path = LAY_PATH_NONE;
        char text[20000];
        t.options.backend = LAY_BACKEND_CPU;
        trial_fill(&t, &from);
        place(&t, row_major, &from);
        const trial_scalar alpha = trial_scalar_of(LAY_F32, t.alpha), beta = trial_scalar_of(LAY_F32, t.beta);
        if (lay_plan_create(LAY_F32, t.in_a.desc, t.in_b.desc, t.out.desc, &t.options, &plan) == LAY_OK) {
            assert_int_equal(lay_plan_run(plan, &alpha, t.in_a.zero, t.in_b.zero, &beta, t.out.zero), LAY_OK);
            assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
            assert_int_equal(path, LAY_PATH_STRICT);
            assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
            assert_non_null(strstr(text, i == 0 ? "refused: k is so short" : "refused: the plain product of so few"));
            insist_on_right(&t);
        } else {
            assert_non_null(strstr(lay_last_error(), "cpu-split"));
        }
        lay_plan_destroy(plan);
        trial_free(&t);
    }
}

/* split [PATTERN]: only tests whose names match, such as '*_amx*'. */
int main(int argc, char **argv)
{
    int count = 0;
    static char names[7 * TRIAL_SPLITTING][120];
    static struct CMUnitTest tests[7 * TRIAL_SPLITTING];
    const struct CMUnitTest each[] = {
        cmocka_unit_test(every_shape_layout_and_kind_of_number_is_right),
        cmocka_unit_test(layouts_threads_and_repeats_change_no_bits),
        cmocka_unit_test(a_part_of_c_alone_has_the_bits_of_the_whole),
        cmocka_unit_test(values_choose_the_path),
        cmocka_unit_test(a_nan_stays_in_its_row),
        cmocka_unit_test(classes_are_the_plain_products),
        cmocka_unit_test(short_sums_and_thin_products_stay_plain),
    };
    for (int i = 0; i < TRIAL_SPLITTING; i++)
        for (size_t q = 0; q < sizeof each / sizeof each[0] && runs_here(trial_splitting[i]); q++, count++) {
            snprintf(names[count], sizeof names[count], "%s: %s", trial_splitting[i], each[q].name);
            tests[count] = each[q];
            tests[count].name = names[count];
            tests[count].initial_state = (void *)trial_splitting[i];
        }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests("split", tests, (size_t)count, NULL, NULL);
}
