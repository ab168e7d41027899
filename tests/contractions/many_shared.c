/* Many runs of one plan, shared by threads: the bits of a loop, and one after the other where a run sees what another
 * one writes. Threads are lent, so it can be seen who was asked; they do the last share first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../product/support/refusal.h"
#include "contraction.h"

enum { RUNS = 96, SIDE = 24, MATRIX = SIDE * SIDE, THREADS = 3 };

static void expect_ok(lay_status status)
{
    if (status != LAY_OK)
        fail_msg("%s", lay_last_error());
}

static void backwards(void *context, int64_t count, void (*task)(void *, int64_t), void *argument)
{
    *(int *)context += 1;
    assert_true(count <= THREADS);
    while (count-- > 0)
        task(argument, count);
}

/* Runs over one memory of doubles, in which a case says where each one's matrices lie. */
typedef struct scene {
    int asked; /* how often for threads */
    int has_d;
    lay_plan *plan;
    double *memory;
    const void *a[RUNS], *b[RUNS];
    void *c[RUNS], *d[RUNS];
    const double *alpha, *beta;
} scene;

enum { BLOCKS = 4 * RUNS + 2 };
static const double third = 1. / 3, one = 1, zero = 0;

static void refill(scene *on)
{
    random_source from = { 5 };
    for (int64_t i = 0; i < (int64_t)BLOCKS * MATRIX; i++)
        on->memory[i] = (2 * random_unit(&from) - 1) / SIDE;
}

static scene *make_mixed(const char *labels, const lay_type type[4], int has_d)
{
    scene *const on = calloc(1, sizeof *on);
    assert_non_null(on);
    on->memory = malloc(sizeof(double) * BLOCKS * MATRIX);
    assert_non_null(on->memory);
    lay_desc *square = NULL;
    const int64_t side = type[0] == LAY_C64 ? SIDE / 2 : SIDE;
    expect_ok(lay_desc_natural(2, (const int64_t[]){ side, side }, &square));
    lay_product product = LAY_PRODUCT_INIT;
    product.type_a = type[0], product.type_b = type[1], product.type_c = type[2], product.type_d = type[3];
    product.labels = labels;
    product.a = product.b = product.c = square;
    product.d = has_d ? square : NULL;
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = THREADS;
    options.backend = LAY_BACKEND_CPU;
    options.parallel = backwards;
    options.parallel_context = &on->asked;
    expect_ok(lay_plan_create_product(&product, &options, &on->plan));
    lay_desc_destroy(square);
    on->has_d = has_d;
    on->alpha = &third;
    on->beta = &one;
    refill(on);
    return on;
}

static scene *make_scene(const char *labels, lay_type type, int has_d)
{
    return make_mixed(labels, (const lay_type[]){ type, type, type, type }, has_d);
}

static double *block(const scene *on, int index)
{
    return on->memory + (int64_t)index * MATRIX;
}

/* A's, B's and C's side by side, each apart from the others. */
static void lay_out(scene *on)
{
    for (int i = 0; i < RUNS; i++) {
        on->a[i] = block(on, i);
        on->b[i] = block(on, RUNS + i);
        on->c[i] = block(on, 2 * RUNS + i);
        on->d[i] = on->has_d ? block(on, 3 * RUNS + i) : on->c[i];
    }
}

/* Whether threads were asked; the bits are a loop's. */
static int run(scene *on)
{
    const size_t bytes = sizeof(double) * BLOCKS * MATRIX;
    double *const expected = malloc(bytes);
    assert_non_null(expected);
    refill(on);
    for (int i = 0; i < RUNS; i++)
        expect_ok(lay_plan_run_product(on->plan, on->alpha, on->a[i], on->b[i], on->beta, on->c[i], on->d[i]));
    memcpy(expected, on->memory, bytes);
    refill(on);
    on->asked = 0;
    expect_ok(lay_plan_run_many(on->plan, RUNS, on->alpha, on->a, on->b, on->beta, on->c, on->has_d ? on->d : NULL));
    assert_memory_equal(expected, on->memory, bytes);
    free(expected);
    return on->asked;
}

static void free_scene(scene *on)
{
    lay_plan_destroy(on->plan);
    free(on->memory);
    free(on);
}

static void swap(void **x, void **y)
{
    void *const kept = *x;
    *x = *y;
    *y = kept;
}

static void runs_apart_are_shared(void **state)
{
    (void)state;
    scene *const on = make_scene("ik,kj->ij", LAY_F64, 0);
    lay_out(on);
    assert_int_equal(run(on), 1);
    on->beta = &zero;
    assert_int_equal(run(on), 1);
    for (int i = 0; i < RUNS / 2; i++) /* descending */
        swap(&on->c[i], &on->c[RUNS - 1 - i]);
    memcpy(on->d, on->c, sizeof on->d);
    assert_int_equal(run(on), 1);
    for (int i = 0; i < RUNS; i++) /* an A, a B and a C, and again */
        on->a[i] = block(on, 3 * i), on->b[i] = block(on, 3 * i + 1), on->c[i] = on->d[i] = block(on, 3 * i + 2);
    assert_int_equal(run(on), 1);
    for (int i = 0; i < RUNS; i++) /* one A and one B for all, and they are one */
        on->a[i] = on->b[i] = block(on, 0);
    assert_int_equal(run(on), 1);
    free_scene(on);
}

static void runs_of_every_kind_are_shared(void **state)
{
    (void)state;
    static const struct {
        const char *labels;
        lay_type type;
    } kinds[] = { { "ik,kj->ij", LAY_C64 }, { "ki,kj->ji", LAY_F64 }, { "ik,jk->ij", LAY_F64 } };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const double factor[] = { 0.5, 0.25 };
        scene *const on = make_scene(kinds[i].labels, kinds[i].type, 0);
        on->alpha = on->beta = factor;
        lay_out(on);
        assert_int_equal(run(on), 1);
        free_scene(on);
    }
}

static void a_d_is_written_instead(void **state)
{
    (void)state;
    scene *const on = make_scene("ik,kj->ij", LAY_F64, 1);
    lay_out(on);
    assert_int_equal(run(on), 0); /* C is copied before: one after the other */
    on->beta = &zero;
    assert_int_equal(run(on), 1);
    on->beta = &one;
    memcpy(on->d, on->c, sizeof on->d);
    assert_int_equal(run(on), 1);
    free_scene(on);
}

/* D's elements are as large as C's, and at their addresses, but they are others: as a loop refuses them. */
static void a_c_of_another_type_is_not_in_place(void **state)
{
    (void)state;
    static const lay_type types[] = { LAY_C32, LAY_C32, LAY_F64, LAY_C32 };
    static const double factor[] = { 1, 0 };
    const size_t bytes = sizeof(double) * BLOCKS * MATRIX;
    scene *const on = make_mixed("ik,kj->ij", types, 1);
    double *const before = malloc(bytes);
    assert_non_null(before);
    lay_out(on);
    memcpy(on->d, on->c, sizeof on->d);
    memcpy(before, on->memory, bytes);
    expect_refusal("C is f64, D is c32", lay_plan_run_many(on->plan, RUNS, factor, on->a, on->b, factor, on->c, on->d),
                   LAY_ERR_OVERLAP, "run 0: D is neither C nor can it be shown to stay clear of it");
    assert_int_equal(on->asked, 0);
    assert_memory_equal(before, on->memory, bytes);
    free(before);
    free_scene(on);
}

/* Each of these gives other bits where the last share is done first. */
static void a_run_that_sees_another_one_waits_for_it(void **state)
{
    (void)state;
    scene *const on = make_scene("ik,kj->ij", LAY_F64, 0);
    lay_out(on);
    for (int i = 0; i < RUNS; i++)
        on->c[i] = on->d[i] = block(on, 2 * RUNS); /* one C: a sum over the runs */
    assert_int_equal(run(on), 0);
    lay_out(on);
    on->c[RUNS - 1] = on->d[RUNS - 1] = (double *)on->c[0] + 1; /* in part */
    assert_int_equal(run(on), 0);
    for (int which = 0; which < 2; which++)
        for (int at = 0; at < 2; at++) {
            lay_out(on);
            (which ? on->b : on->a)[at ? RUNS - 1 : 0] = (const double *)on->c[at ? 0 : RUNS - 1] + (at ? 5 : -5);
            assert_int_equal(run(on), 0);
        }
    for (int which = 0; which < 2; which++) {
        lay_out(on);
        on->alpha = which ? &one : (const double *)on->c[RUNS / 2] + MATRIX - 1;
        on->beta = which ? (const double *)on->c[0] : &one;
        assert_int_equal(run(on), 0);
    }
    free_scene(on);
}

/* A plan of one thread asks for none, and nobody is woken for what is done before. */
static void few_runs_are_not_shared(void **state)
{
    (void)state;
    scene *const on = make_scene("ik,kj->ij", LAY_F64, 0);
    lay_out(on);
    expect_ok(lay_plan_run_many(on->plan, 1, on->alpha, on->a, on->b, on->beta, on->c, NULL));
    expect_ok(lay_plan_run_many(on->plan, 2, on->alpha, on->a, on->b, on->beta, on->c, NULL));
    assert_int_equal(on->asked, 0);
    free_scene(on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_apart_are_shared),
        cmocka_unit_test(runs_of_every_kind_are_shared),
        cmocka_unit_test(a_d_is_written_instead),
        cmocka_unit_test(a_run_that_sees_another_one_waits_for_it),
        cmocka_unit_test(a_c_of_another_type_is_not_in_place),
        cmocka_unit_test(few_runs_are_not_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
