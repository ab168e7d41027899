/* Groups of runs, each of its own plan: the bits of a loop, shared by threads where no run sees what another one
 * writes. Threads are lent, so it can be seen who was asked; they do the last share first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../product/support/refusal.h"
#include "contraction.h"

enum { GROUPS = 4, RUNS = 96, BLOCK = 600, THREADS = 3 };

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

/* "ik,kj->ij" of m x k, k x n, in this many runs. */
typedef struct shape {
    lay_type type;
    int64_t m, n, k, count;
} shape;

static const shape shapes[GROUPS] = {
    { LAY_F64, 24, 22, 24, 30 }, { LAY_F32, 24, 24, 25, 40 }, { LAY_C64, 12, 13, 14, 1 }, { LAY_F64, 20, 22, 23, RUNS }
};

/* Groups over one memory; each run's matrices are blocks of it. */
typedef struct scene {
    int asked; /* how often for threads */
    double *memory;
    const void *a[GROUPS][RUNS], *b[GROUPS][RUNS];
    void *c[GROUPS][RUNS], *d[GROUPS][RUNS];
    lay_plan *plan[GROUPS];
    lay_runs of[GROUPS];
} scene;

enum { BLOCKS = GROUPS * RUNS * 4 };
static const double third[] = { 1. / 3, 0.25 }, one[] = { 1, 0 };
static const float half = 0.5f;

static double *block(const scene *on, int group, int run, int which)
{
    return on->memory + (((int64_t)group * RUNS + run) * 4 + which) * BLOCK;
}

static void refill(scene *on)
{
    random_source from = { 7 };
    for (int group = 0; group < GROUPS; group++)
        for (int64_t i = 0; i < RUNS * 4 * BLOCK; i++) {
            const double value = 2 * random_unit(&from) - 1;
            double *const at = block(on, group, 0, 0) + i;
            if (shapes[group].type == LAY_F32)
                *(float *)at = ((float *)at)[1] = (float)value;
            else
                *at = value;
        }
}

static lay_plan *make_plan(const shape *of, const lay_options *options, int has_d)
{
    lay_desc *a = NULL, *b = NULL, *c = NULL;
    lay_plan *plan = NULL;
    expect_ok(lay_desc_natural(2, (const int64_t[]){ of->m, of->k }, &a));
    expect_ok(lay_desc_natural(2, (const int64_t[]){ of->k, of->n }, &b));
    expect_ok(lay_desc_natural(2, (const int64_t[]){ of->m, of->n }, &c));
    lay_product product = LAY_PRODUCT_INIT;
    product.type_a = product.type_b = product.type_c = product.type_d = of->type;
    product.labels = "ik,kj->ij";
    product.a = a, product.b = b, product.c = c, product.d = has_d ? c : NULL;
    expect_ok(lay_plan_create_product(&product, options, &plan));
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return plan;
}

static scene *make_scene(void)
{
    scene *const on = calloc(1, sizeof *on);
    assert_non_null(on);
    on->memory = malloc(sizeof(double) * BLOCKS * BLOCK);
    assert_non_null(on->memory);
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = THREADS;
    options.backend = LAY_BACKEND_CPU;
    options.parallel = backwards;
    options.parallel_context = &on->asked;
    for (int group = 0; group < GROUPS; group++) {
        const void *const factor = shapes[group].type == LAY_F32 ? (const void *)&half : third;
        on->plan[group] = make_plan(&shapes[group], &options, 0);
        on->of[group] = (lay_runs){ on->plan[group], shapes[group].count, factor, on->a[group], on->b[group],
                                    factor,          on->c[group],        NULL };
        for (int run = 0; run < RUNS; run++) {
            on->a[group][run] = block(on, group, run, A);
            on->b[group][run] = block(on, group, run, B);
            on->c[group][run] = block(on, group, run, C);
            on->d[group][run] = block(on, group, run, D);
        }
    }
    refill(on);
    return on;
}

static void free_scene(scene *on)
{
    for (int group = 0; group < GROUPS; group++)
        lay_plan_destroy(on->plan[group]);
    free(on->memory);
    free(on);
}

/* Whether threads were asked; the bits are a loop's. */
static int run(scene *on)
{
    const size_t bytes = sizeof(double) * BLOCKS * BLOCK;
    double *const expected = malloc(bytes);
    assert_non_null(expected);
    refill(on);
    for (int g = 0; g < GROUPS; g++) {
        const lay_runs *const of = &on->of[g];
        for (int64_t i = 0; i < of->count; i++)
            expect_ok(lay_plan_run_product(of->plan, of->alpha, of->a[i], of->b[i], of->beta, of->c[i],
                                           of->d ? of->d[i] : NULL));
    }
    memcpy(expected, on->memory, bytes);
    refill(on);
    on->asked = 0;
    expect_ok(lay_plan_run_groups(GROUPS, on->of));
    assert_memory_equal(expected, on->memory, bytes);
    free(expected);
    return on->asked;
}

static void groups_apart_are_shared_as_one(void **state)
{
    (void)state;
    scene *const on = make_scene();
    assert_int_equal(run(on), 1);
    const lay_runs last = on->of[3]; /* in any order */
    on->of[3] = on->of[0];
    on->of[0] = last;
    assert_int_equal(run(on), 1);
    for (int i = 0; i < 20; i++) { /* descending */
        void *const kept = on->c[1][i];
        on->c[1][i] = on->c[1][39 - i];
        on->c[1][39 - i] = kept;
    }
    assert_int_equal(run(on), 1);
    for (int i = 0; i < RUNS; i++) /* one A and one B for all of a group, and they are one */
        on->a[3][i] = on->b[3][i] = on->a[3][0];
    assert_int_equal(run(on), 1);
    free_scene(on);
}

/* Idle groups are not looked at; one that only scales C is done in turn, as all are then. */
static void a_group_may_have_nothing_to_do(void **state)
{
    (void)state;
    scene *const on = make_scene();
    const lay_runs kept = on->of[1];
    on->of[1] = (lay_runs){ on->plan[1], 0, &half, NULL, NULL, &half, NULL, NULL };
    assert_int_equal(run(on), 1);
    lay_plan *const empty = make_plan(&(shape){ LAY_F64, 0, 3, 3, 0 }, NULL, 0);
    on->of[1] = (lay_runs){ empty, 2, third, NULL, NULL, third, NULL, NULL };
    expect_ok(lay_plan_run_groups(GROUPS, on->of));
    const float zero = 0;
    on->of[1] = kept;
    on->of[1].alpha = &zero;
    run(on);
    on->of[1].a = on->of[1].b = NULL;
    expect_ok(lay_plan_run_groups(GROUPS, on->of));
    expect_ok(lay_plan_run_groups(0, NULL));
    lay_plan_destroy(empty);
    free_scene(on);
}

/* Each of these gives other bits where the last share is done first. */
static void a_group_that_sees_another_one_waits_for_it(void **state)
{
    (void)state;
    for (int which = 0; which < 5; which++) {
        scene *const on = make_scene();
        if (which == 0)
            on->a[3][RUNS - 1] = (const double *)on->c[0][29] + 3; /* what a group before it writes */
        if (which == 1)
            on->b[0][0] = on->c[3][RUNS - 1]; /* and one behind it */
        if (which == 2)
            on->c[3][0] = (double *)on->c[0][29] + 24 * 22 - 1; /* the last element of two */
        if (which == 3)
            on->of[3].alpha = on->c[0][0];
        if (which == 4)
            on->of[0].beta = on->c[3][RUNS / 2];
        run(on);
        free_scene(on);
    }
}

/* A D that C is copied to keeps all in turn; without a C it is one more result. */
static void a_group_may_have_a_d(void **state)
{
    (void)state;
    scene *const on = make_scene();
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = THREADS;
    options.backend = LAY_BACKEND_CPU;
    options.parallel = backwards;
    options.parallel_context = &on->asked;
    lay_plan_destroy(on->plan[0]);
    on->of[0].plan = on->plan[0] = make_plan(&shapes[0], &options, 1);
    on->of[0].d = on->d[0];
    run(on);
    const double zero = 0;
    on->of[0].beta = &zero;
    assert_int_equal(run(on), 1);
    on->of[0].beta = one;
    on->of[0].d = on->c[0];
    assert_int_equal(run(on), 1);
    free_scene(on);
}

/* One run of a long product keeps all threads busy, while the short ones are shared. */
static void a_long_product_is_done_by_all(void **state)
{
    (void)state;
    enum { SIDE = 300 };
    scene *const on = make_scene();
    const double zero = 0;
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = THREADS;
    options.backend = LAY_BACKEND_CPU;
    options.parallel = backwards;
    options.parallel_context = &on->asked;
    double *const wide = calloc(3 * SIDE * SIDE, sizeof *wide), *const again = calloc(SIDE * SIDE, sizeof *again);
    assert_true(wide && again);
    for (int i = 0; i < 2 * SIDE * SIDE; i++)
        wide[i] = (double)(i % 17) / 17;
    lay_plan *const long_one = make_plan(&(shape){ LAY_F64, SIDE, SIDE, SIDE, 1 }, &options, 0);
    const void *const a = wide, *const b = wide + SIDE * SIDE;
    void *const c = wide + 2 * SIDE * SIDE;
    expect_ok(lay_plan_run(long_one, one, a, b, &zero, again));
    const lay_runs kept = on->of[2];
    on->of[2] = (lay_runs){ long_one, 1, one, &a, &b, &zero, &c, NULL };
    assert_true(run(on) > 1);
    assert_memory_equal(c, again, SIDE * SIDE * sizeof *again);
    on->of[2] = kept;
    lay_plan_destroy(long_one);
    free(wide);
    free(again);
    free_scene(on);
}

/* Plans of one thread, or of other people's threads, are not shared. */
static void only_common_threads_share(void **state)
{
    (void)state;
    int asked = 0;
    scene *const on = make_scene();
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = THREADS;
    options.backend = LAY_BACKEND_CPU;
    options.parallel = backwards;
    options.parallel_context = &asked;
    for (int threads = THREADS; threads > 0; threads -= THREADS - 1) {
        options.threads = threads;
        lay_plan_destroy(on->plan[0]);
        on->of[0].plan = on->plan[0] = make_plan(&shapes[0], &options, 0);
        asked = 0;
        on->of[0].count = RUNS;
        assert_true(run(on) > 0); /* for groups by themselves */
        assert_int_equal(asked, threads > 1);
    }
    free_scene(on);
}

static void expect_untouched(const scene *on)
{
    scene *const fresh = make_scene();
    assert_memory_equal(on->memory, fresh->memory, sizeof(double) * BLOCKS * BLOCK);
    free_scene(fresh);
}

static void a_wrong_group_stops_all_of_it(void **state)
{
    (void)state;
    static const char *const said[] = { "group 3: a[4] is NULL",  "group 3: b is NULL",
                                        "group 3: c[95] is NULL", "group 3: plan is NULL",
                                        "group 3: alpha is NULL", "group 3: beta is NULL",
                                        "group 3: count is -2",   "group 3: the plan writes to C, but d is not c" };
    for (int which = 0; which < 8; which++) {
        scene *const on = make_scene();
        lay_runs *const last = &on->of[3];
        on->a[3][4] = which == 0 ? NULL : on->a[3][4];
        last->b = which == 1 ? NULL : last->b;
        on->c[3][95] = which == 2 ? NULL : on->c[3][95];
        last->plan = which == 3 ? NULL : last->plan;
        last->alpha = which == 4 ? NULL : last->alpha;
        last->beta = which == 5 ? NULL : last->beta;
        last->count = which == 6 ? -2 : last->count;
        last->d = which == 7 ? on->d[3] : NULL;
        expect_refusal(said[which], lay_plan_run_groups(GROUPS, on->of), LAY_ERR_ARGUMENT, said[which]);
        expect_untouched(on);
        free_scene(on);
    }
    scene *const on = make_scene();
    expect_refusal("groups", lay_plan_run_groups(GROUPS, NULL), LAY_ERR_ARGUMENT, "groups is NULL");
    expect_refusal("count", lay_plan_run_groups(-1, on->of), LAY_ERR_ARGUMENT, "count is -1");
    expect_untouched(on);
    free_scene(on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_apart_are_shared_as_one),
        cmocka_unit_test(a_group_may_have_nothing_to_do),
        cmocka_unit_test(a_group_that_sees_another_one_waits_for_it),
        cmocka_unit_test(a_group_may_have_a_d),
        cmocka_unit_test(a_long_product_is_done_by_all),
        cmocka_unit_test(only_common_threads_share),
        cmocka_unit_test(a_wrong_group_stops_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
