/* Special values: docs/numerics.md's table, row by row, on whole and on edge tiles at every level. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "../../there.h"
#include "../support/trial.h"

/* One element; edges of every kernel's tile; whole tiles; several tiles; several blocks of k. */
static const int64_t sizes[][3] = { { 1, 1, 1 },   { 3, 5, 7 },    { 4, 8, 2 },    { 6, 16, 9 },  { 12, 32, 5 },
                                    { 12, 16, 1 }, { 13, 33, 17 }, { 25, 15, 64 }, { 40, 70, 3 }, { 7, 9, 800 } };

/* A scene is a trial of integers; each test runs in all of them. */
typedef void act(trial *t, random_source *from);

static void place_usually(trial *t, int layout, random_source *from)
{
    trial_place(t, layout_usual(layout, t->m, t->k), layout_usual((layout + 1) % LAYOUT_USUAL, t->k, t->n),
                layout_usual((layout + 3) % LAYOUT_USUAL, t->m, t->n), OPERAND_ANYWHERE, from);
}

static void in_every_scene(act *play)
{
    lay_isa isas[TRIAL_LEVELS];
    const int levels = trial_isas(isas);
    random_source from = random_case(3, 0);
    for (int level = 0; level < levels; level++)
        for (lay_type type = LAY_F32; type <= LAY_C64; type++)
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
                for (int threads = 1; threads <= 2; threads++) {
                    trial t = { .type = type, .m = sizes[s][0], .n = sizes[s][1], .k = sizes[s][2], .alpha = 1 };
                    t.options = (lay_options)LAY_OPTIONS_INIT;
                    t.options.isa = isas[level];
                    t.options.threads = threads;
                    t.data = TRIAL_INTEGERS;
                    trial_fill(&t, &from);
                    play(&t, &from);
                    trial_free(&t);
                }
}

/* Runs t in its layouts and fails the test unless C is right. */
static void check(trial *t, int layout, random_source *from)
{
    char why[300], story[6000];
    place_usually(t, layout, from);
    const lay_status status = trial_run(t, (trial_way)(layout % TRIAL_WAYS));
    trial_story(t, story, sizeof story);
    if (status != LAY_OK)
        fail_msg("%s\n%s", lay_last_error(), story);
    if (!trial_is_right(t, why, sizeof why))
        fail_msg("%s\n%s", why, story);
}

static void *unreadable(void)
{
    void *page = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(page != MAP_FAILED);
    return page;
}

/* ---- alpha 0, k 0 ----------------------------------------------------------------------------- */

static const double betas[] = { 0, -0.0, 1, 2.5, -1, NAN, INFINITY };

/* C := beta C in one rounding, bit by bit; +0 where beta is 0. */
static void check_scaled(const trial *t, double beta)
{
    const int parts = oracle_parts(t->type);
    const lay_type real = oracle_real(t->type);
    for (int64_t i = 0; i < t->m; i++)
        for (int64_t j = 0; j < t->n * parts; j++) {
            const double got =
                oracle_load(real, t->out.zero, (t->out.row[i] + t->out.column[j / parts]) * parts + j % parts);
            const double old = t->c[i * t->n * parts + j];
            const double wanted = beta == 0         ? 0.0
                                  : real == LAY_F64 ? beta * old
                                                    : oracle_round(real, (double)((float)beta * (float)old));
            if (!(isnan(wanted) ? isnan(got) : got == wanted && !signbit(got) == !signbit(wanted)))
                fail_msg("beta %g times %g gave %g", beta, old, got);
        }
    assert_true(operand_gaps_are_kept(&t->out));
}

static void scale_without(trial *t, random_source *from, const void *a, const void *b)
{
    for (size_t q = 0; q < sizeof betas / sizeof betas[0]; q++) {
        const trial_scalar alpha = trial_scalar_of(t->type, t->alpha), beta = trial_scalar_of(t->type, betas[q]);
        t->beta = betas[q];
        place_usually(t, (int)q, from);
        assert_int_equal(
            lay_gemm(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &alpha, a, b, &beta, t->out.zero, &t->options),
            LAY_OK);
        check_scaled(t, betas[q]);
        trial_unplace(t);
    }
}

static void play_alpha_zero(trial *t, random_source *from)
{
    static void *page;
    page = page ? page : unreadable();
    t->alpha = random_one_in(from, 2) ? 0.0 : -0.0;
    scale_without(t, from, NULL, NULL);
    scale_without(t, from, (char *)page + (1 << 19), (char *)page + (1 << 19));
}

static void with_alpha_zero_a_and_b_are_not_read(void **state)
{
    (void)state;
    in_every_scene(play_alpha_zero);
}

static void play_k_zero(trial *t, random_source *from)
{
    t->k = 0;
    t->alpha = random_one_in(from, 2) ? 1 : NAN;
    scale_without(t, from, NULL, NULL);
}

static void with_k_zero_c_is_scaled_by_beta(void **state)
{
    (void)state;
    in_every_scene(play_k_zero);
}

/* C in several blocks, some of them cut, for several threads; segments of all lengths. */
static void a_large_c_is_scaled_by_several_threads(void **state)
{
    (void)state;
    random_source from = random_case(3, 1);
    for (lay_type type = LAY_F32; type <= LAY_C64; type++)
        for (int layout = 0; layout < LAYOUT_USUAL; layout++)
            for (int q = 0; q < 3; q++) {
                static const double some[] = { 0, 2.5, -1 };
                const double alpha = 0;
                trial t = { .type = type, .m = layout % 2 ? 300 : 2100, .n = layout % 2 ? 2100 : 300, .k = 1 };
                t.options = (lay_options)LAY_OPTIONS_INIT;
                t.options.threads = 3;
                t.beta = some[q];
                t.data = TRIAL_INTEGERS;
                trial_fill(&t, &from);
                place_usually(&t, layout, &from);
                const trial_scalar zero = trial_scalar_of(type, alpha), beta = trial_scalar_of(type, t.beta);
                assert_int_equal(lay_gemm(type, t.in_a.desc, t.in_b.desc, t.out.desc, &zero, NULL, NULL, &beta,
                                          t.out.zero, &t.options),
                                 LAY_OK);
                check_scaled(&t, t.beta);
                trial_free(&t);
            }
}

/* alpha and beta, one after the other, are an element of C. */
static void a_factor_may_be_an_element_of_c(void **state)
{
    (void)state;
    random_source from = random_case(3, 2);
    for (int threads = 1; threads <= 2; threads++)
        for (int is_beta = 0; is_beta <= 1; is_beta++)
            for (int64_t k = 0; k <= 100; k += 50) {
                char why[300];
                trial t = { .type = LAY_F64, .m = 150, .n = 170, .k = k, .alpha = 3, .beta = 3 };
                t.options = (lay_options)LAY_OPTIONS_INIT;
                t.options.threads = threads;
                t.data = TRIAL_INTEGERS;
                trial_fill(&t, &from);
                t.c[0] = 3;
                trial_place(&t, layout_usual(0, t.m, k), layout_usual(0, k, t.n), layout_usual(0, t.m, t.n),
                            OPERAND_ANYWHERE, &from);
                const double three = 3;
                const void *const inside = t.out.zero;
                assert_int_equal(lay_gemm(t.type, t.in_a.desc, t.in_b.desc, t.out.desc, is_beta ? &three : inside,
                                          t.in_a.zero, t.in_b.zero, is_beta ? inside : &three, t.out.zero, &t.options),
                                 LAY_OK);
                if (!trial_is_right(&t, why, sizeof why))
                    fail_msg("%s is in C: %s", is_beta ? "beta" : "alpha", why);
                trial_free(&t);
            }
}

/* C lies where reading faults, then where there is nothing at all. */
static void play_nothing_to_do(trial *t, random_source *from)
{
    static void *page;
    page = page ? page : unreadable();
    const trial_scalar none = trial_scalar_of(t->type, 0), one = trial_scalar_of(t->type, 1);
    place_usually(t, 0, from);
    void *const places[] = { (char *)page + (1 << 19), NULL };
    for (int q = 0; q < 2; q++)
        assert_int_equal(
            lay_gemm(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &none, NULL, NULL, &one, places[q], &t->options),
            LAY_OK);
}

static void with_alpha_zero_and_beta_one_c_is_not_touched(void **state)
{
    (void)state;
    in_every_scene(play_nothing_to_do);
}

static void empty_products_touch_nothing(void **state)
{
    (void)state;
    static const int64_t empty[][3] = { { 0, 5, 3 }, { 5, 0, 3 }, { 0, 0, 3 }, { 0, 5, 0 }, { 0, 0, 0 } };
    for (lay_type type = LAY_F32; type <= LAY_C64; type++)
        for (size_t s = 0; s < sizeof empty / sizeof empty[0]; s++) {
            const int64_t m = empty[s][0], n = empty[s][1], k = empty[s][2];
            lay_desc *a = layout_usual(0, m, k), *b = layout_usual(1, k, n), *c = layout_usual(2, m, n);
            const trial_scalar scalar = trial_scalar_of(type, NAN);
            assert_int_equal(lay_gemm(type, a, b, c, &scalar, NULL, NULL, &scalar, NULL, NULL), LAY_OK);
            lay_desc_destroy(a);
            lay_desc_destroy(b);
            lay_desc_destroy(c);
        }
}

/* ---- beta 0 ----------------------------------------------------------------------------------- */

/* C's elements are NaN where beta is 0: trial_place makes them so. */
static void play_beta_zero(trial *t, random_source *from)
{
    for (int q = 0; q < 4; q++) {
        t->alpha = q < 2 ? 1 : -2;
        t->beta = q % 2 ? -0.0 : 0.0;
        check(t, q, from);
        trial_unplace(t);
    }
}

static void with_beta_zero_c_is_not_read(void **state)
{
    (void)state;
    in_every_scene(play_beta_zero);
}

/* ---- not a number, infinity ------------------------------------------------------------------- */

/* C's bytes after a product, row-major. */
static char *multiply(trial *t, int layout, random_source *from)
{
    char *const bytes = oracle_memory((size_t)(t->m * t->n) * lay_type_size(t->type));
    check(t, layout, from);
    operand_bytes(&t->out, bytes);
    trial_unplace(t);
    return bytes;
}

/* Element (i, j) is NaN where spoiled, else has the bits that it has without. */
static void compare(const trial *t, const char *clean, const char *dirty, int64_t row, int64_t column)
{
    const size_t size = lay_type_size(t->type);
    for (int64_t i = 0; i < t->m; i++)
        for (int64_t j = 0; j < t->n; j++) {
            const int64_t at = i * t->n + j;
            const int spoiled = (row < 0 || i == row) && (column < 0 || j == column);
            if (spoiled && !isnan(oracle_load(t->type, dirty, at)))
                fail_msg("C(%lld,%lld) is not NaN", (long long)i, (long long)j);
            if (!spoiled && memcmp(clean + (size_t)at * size, dirty + (size_t)at * size, size) != 0)
                fail_msg("C(%lld,%lld) changed with a NaN elsewhere", (long long)i, (long long)j);
        }
}

/* One number becomes value for one product. */
static void spoil(trial *t, double *number, double value, int64_t row, int64_t column, random_source *from)
{
    const int layout = (int)random_in(from, 0, LAYOUT_USUAL - 1);
    char *const clean = multiply(t, layout, from);
    const double old = *number;
    *number = value;
    char *const dirty = multiply(t, layout, from);
    compare(t, clean, dirty, row, column);
    *number = old;
    free(clean);
    free(dirty);
}

static void play_nan(trial *t, random_source *from)
{
    const int64_t rows[] = { 0, t->m / 2, t->m - 1 }, columns[] = { 0, t->n / 2, t->n - 1 };
    const int parts = oracle_parts(t->type);
    for (int q = 0; q < 3; q++) {
        const int64_t p = random_in(from, 0, t->k - 1);
        t->beta = q == 0 ? 0 : q;
        spoil(t, &t->a[(rows[q] * t->k + p) * parts], NAN, rows[q], -1, from);
        spoil(t, &t->b[(p * t->n + columns[q]) * parts], NAN, -1, columns[q], from);
        t->beta = q == 0 ? -2 : q;
        spoil(t, &t->c[(rows[q] * t->n + columns[q]) * parts], NAN, rows[q], columns[q], from);
    }
}

static void a_nan_stays_in_its_row_column_or_element(void **state)
{
    (void)state;
    in_every_scene(play_nan);
}

/* A row of B is 0: what is infinite there in A makes its row of C NaN. */
static void play_infinity_times_zero(trial *t, random_source *from)
{
    const int64_t p = random_in(from, 0, t->k - 1), i = random_in(from, 0, t->m - 1), j = random_in(from, 0, t->n - 1);
    const int parts = oracle_parts(t->type);
    for (int64_t q = 0; q < t->n * parts; q++)
        t->b[p * t->n * parts + q] = 0;
    spoil(t, &t->a[(i * t->k + p) * parts], INFINITY, i, -1, from);
    for (int64_t q = 0; q < t->m * parts; q++)
        t->a[(q / parts * t->k + p) * parts + q % parts] = -0.0;
    spoil(t, &t->b[(p * t->n + j) * parts], -INFINITY, -1, j, from);
}

static void infinity_times_zero_is_nan(void **state)
{
    (void)state;
    in_every_scene(play_infinity_times_zero);
}

/* Checked by class: trial_is_right knows what IEEE arithmetic makes of it. */
static void play_special_factors(trial *t, random_source *from)
{
    static const double factors[][2] = { { NAN, 0 },      { NAN, 1 },       { 1, NAN },      { 0, NAN },
                                         { INFINITY, 0 }, { -INFINITY, 1 }, { 1, INFINITY }, { 0, INFINITY },
                                         { -2, NAN },     { NAN, NAN } };
    const int parts = oracle_parts(t->type);
    for (int64_t at = 0; at < t->m * t->k * parts; at++)
        t->a[at] = at % parts ? 0 : fabs(t->a[at]); /* each block's sum has one sign: alpha meets blocks, not the sum */
    for (int64_t at = 0; at < t->k * t->n * parts; at++)
        t->b[at] = fabs(t->b[at]) + 1;
    for (size_t q = 0; q < sizeof factors / sizeof factors[0]; q++) {
        t->alpha = factors[q][0];
        t->beta = factors[q][1];
        check(t, (int)q % LAYOUT_USUAL, from);
        trial_unplace(t);
    }
}

static void alpha_and_beta_may_be_nan_or_infinite(void **state)
{
    (void)state;
    in_every_scene(play_special_factors);
}

static void play_infinities(trial *t, random_source *from)
{
    for (int q = 0; q < 6; q++) {
        t->a[random_in(from, 0, t->m * t->k - 1)] = q % 2 ? INFINITY : -INFINITY;
        t->b[random_in(from, 0, t->k * t->n - 1)] = q % 3 ? INFINITY : -INFINITY;
        t->c[random_in(from, 0, t->m * t->n - 1)] = INFINITY;
        t->beta = q;
        check(t, q, from);
        trial_unplace(t);
    }
}

static void infinities_go_where_ieee_takes_them(void **state)
{
    (void)state;
    in_every_scene(play_infinities);
}

/* ---- denormals -------------------------------------------------------------------------------- */

/* Multiples of the smallest denormal: every sum is exact. */
static void play_denormals(trial *t, random_source *from)
{
    static const double etas[] = {
        [LAY_F32] = 0x1p-149, [LAY_F64] = 0x1p-1074, [LAY_F16] = 0x1p-24, [LAY_BF16] = 0x1p-133
    };
    const double eta = etas[oracle_real(t->type)];
    const int parts = oracle_parts(t->type);
    const size_t bytes = (size_t)(t->m * t->k * parts) * sizeof *t->a;
    double *const was_a = oracle_memory(bytes);
    memcpy(was_a, t->a, bytes);
    for (int64_t at = 0; at < t->m * t->k * parts; at++)
        t->a[at] *= eta;
    for (int64_t at = 0; at < t->m * t->n * parts; at++)
        t->c[at] *= eta;
    t->beta = 1;
    check(t, 1, from); /* integers times eta: compared for equality */
    trial_unplace(t);
    for (int64_t at = 0; at < t->k * t->n * parts; at++)
        t->b[at] *= 0x1p100;
    t->beta = 0;
    check(t, 2, from);
    trial_unplace(t);
    memcpy(t->a, was_a, bytes);
    free(was_a);
}

static void denormals_are_kept(void **state)
{
    (void)state;
    in_every_scene(play_denormals);
}

int main(void)
{
    if (!there_exists())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_alpha_zero_a_and_b_are_not_read),
        cmocka_unit_test(with_k_zero_c_is_scaled_by_beta),
        cmocka_unit_test(a_large_c_is_scaled_by_several_threads),
        cmocka_unit_test(a_factor_may_be_an_element_of_c),
        cmocka_unit_test(with_alpha_zero_and_beta_one_c_is_not_touched),
        cmocka_unit_test(empty_products_touch_nothing),
        cmocka_unit_test(with_beta_zero_c_is_not_read),
        cmocka_unit_test(a_nan_stays_in_its_row_column_or_element),
        cmocka_unit_test(infinity_times_zero_is_nan),
        cmocka_unit_test(alpha_and_beta_may_be_nan_or_infinite),
        cmocka_unit_test(infinities_go_where_ieee_takes_them),
        cmocka_unit_test(denormals_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
