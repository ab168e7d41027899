/* Tuned plans: what a tree tells is followed, by every candidate and by random numbers, at no bit's cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "cpu/ways.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "plan/routes.h"
#include "plan/tuning/key.h"
#include "plan/tuning/search.h"
#include "plan/tuning/store.h"
#include "products.h"
#include "ways.h"

static lay_options with(int threads, lay_effort effort)
{
    lay_options options = LAY_OPTIONS_INIT;
    options.backend = LAY_BACKEND_CPU;
    options.threads = threads;
    options.effort = effort;
    options.effort_seconds = 0.005;
    return options;
}

/* A product with its plan, problem and what it writes. */
typedef struct posed {
    product of;
    lay_plan *plan;
    lay_problem problem;
    lay_setting setting;
    const lay_order *order;
    char *wanted, key[LAY_KEY_BYTES];
} posed;

static posed *pose(int number, int threads)
{
    static lay_desc *const none[2];
    const lay_places places = lay_places_all(LAY_PLACE_HOST, 0);
    const lay_options options = with(threads, LAY_EFFORT_ESTIMATE);
    lay_route *route;
    posed *const made = malloc(sizeof *made);
    assert_non_null(made);
    made->of = product_make(number);
    made->plan = product_plan(&made->of, &options);
    lay_route_pose(made->plan, &places, none, &made->problem, &made->setting);
    assert_int_equal(lay_plan_find_route(made->plan, &places, &route), LAY_OK);
    made->order = route->root->setting.order;
    lay_text text = { .to = made->key, .size = sizeof made->key };
    assert_null(lay_key_write(&made->problem, &made->setting, made->order, &text));
    assert_int_equal(product_run(&made->of, made->plan), LAY_OK);
    made->wanted = malloc(made->of.bytes[2]);
    assert_non_null(made->wanted);
    memcpy(made->wanted, made->of.memory[2], made->of.bytes[2]);
    return made;
}

static void drop(posed *of)
{
    lay_plan_destroy(of->plan);
    product_free(&of->of);
    free(of->wanted);
    free(of);
}

/* A plan with this recipe in the store writes what is wanted. 1 where the recipe was followed. */
static int has_equal_bits(const posed *of, const lay_recipe *recipe, int threads)
{
    static char text[20000];
    const lay_options options = with(threads, LAY_EFFORT_ESTIMATE);
    const lay_tuning tuning = { .recipe = *recipe, .seconds = 1, .estimate = 2, .from = "planted" };
    lay_entries one = { .count = 0 };
    lay_tuning_forget();
    assert_true(lay_entries_put(&one, of->key, &tuning) && lay_store_put(&one, NULL));
    lay_entries_free(&one);
    lay_plan *const plan = product_plan(&of->of, &options);
    assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
    lay_status status = product_run(&of->of, plan);
    if (status == LAY_OK) /* runs but the first may take a fast lane */
        status = product_run(&of->of, plan);
    if (status != LAY_OK || memcmp(of->wanted, of->of.memory[2], of->of.bytes[2]) != 0) {
        char steps[1000];
        lay_text as = { .to = steps, .size = sizeof steps };
        lay_recipe_write(recipe, &as);
        fail_msg("%s, %s: %s\n%s", of->key, steps, status == LAY_OK ? "other bits" : lay_last_error(), text);
    }
    lay_plan_destroy(plan);
    return strstr(text, "tuning    planted: 1e+06 us, what the estimate takes 2e+06 us") != NULL;
}

static void every_candidate_is_followed_and_has_equal_bits(void **state)
{
    (void)state;
    lay_search *const in = malloc(sizeof *in);
    assert_non_null(in);
    for (int number = 0; number < PRODUCTS; number++)
        for (int threads = 1; threads <= 2; threads++) {
            posed *const of = pose(number, threads);
            assert_true(lay_search_start(&of->problem, &of->setting, of->order, in));
            assert_true(in->count >= 1);
            for (int i = 0; i < in->count; i++)
                if (!has_equal_bits(of, &in->candidate[i].recipe, threads))
                    fail_msg("%s: candidate %d was not followed", of->key, i);
            lay_search_end(in);
            drop(of);
        }
    free(in);
    lay_tuning_forget();
}

static int is_same_step(const lay_step *x, const lay_step *y)
{
    return x->way == y->way && x->kernel == y->kernel && memcmp(x->value, y->value, sizeof x->value) == 0;
}

static void who_follows_a_tree_tells_the_same(void **state)
{
    (void)state;
    lay_search *const in = malloc(sizeof *in);
    assert_non_null(in);
    for (int number = 0; number < PRODUCTS; number++) {
        posed *const of = pose(number, 2);
        assert_true(lay_search_start(&of->problem, &of->setting, of->order, in));
        for (int i = 0; i < in->count; i++) {
            const char *refusal;
            lay_recipe again;
            lay_setting setting = of->setting;
            setting.step = in->candidate[i].recipe.step;
            lay_branch *const root = lay_branch_find(&of->problem, &setting, &refusal, NULL);
            assert_non_null(root);
            assert_true(lay_recipe_tell(root, &again));
            for (int step = 1; in->candidate[i].recipe.step[step].way || again.step[step].way; step++)
                assert_true(is_same_step(&in->candidate[i].recipe.step[step], &again.step[step]));
            lay_branch_destroy(root);
        }
        lay_search_end(in);
        drop(of);
    }
    free(in);
}

/* A number that may be right, or none that makes sense. */
static int64_t draw_value(random_source *from, int i)
{
    static const int64_t odd[] = { 1, 2, 3, 4, 5, 7, 9, 16, 33, 64, 100, 1000, 1 << 20, 1 << 30 };
    const lay_tunable_row *row = &lay_tunable_rows[i];
    if (row->most <= 16)
        return random_in(from, row->least, row->most);
    const int64_t value = odd[random_in(from, 0, sizeof odd / sizeof odd[0] - 1)];
    return value > row->most ? row->most : value;
}

static lay_step draw_step(random_source *from, const lay_order *order)
{
    const lay_way *way;
    int ways = 0;
    while (lay_all_ways.ways[ways])
        ways++;
    do
        way = lay_all_ways.ways[random_in(from, 0, ways - 1)];
    while (way->order && way->order != order);
    lay_step step = lay_step_of(way);
    for (int i = 0; i < LAY_TUNABLES; i++)
        if ((way->tunes & 1u << i) && random_one_in(from, 3))
            step.value[i] = draw_value(from, i);
    if ((way->tunes & LAY_TUNES_KERNEL) && random_one_in(from, 3))
        step.kernel = lay_kernels[random_in(from, 0, lay_kernel_count - 1)]->name;
    return step;
}

static void random_recipes_are_refused_or_have_equal_bits(void **state)
{
    (void)state;
    enum { EACH = 400, LEAST_FOLLOWED = 150 };
    int followed = 0;
    for (int number = 0; number < PRODUCTS; number++)
        for (int threads = 1; threads <= 2; threads++) {
            posed *const of = pose(number, threads);
            for (int i = 0; i < EACH / 2; i++) {
                random_source from = random_case(7, (uint64_t)(number * 1000000 + threads * 10000 + i));
                lay_recipe recipe;
                int64_t steps = random_in(&from, 1, 3);
                recipe.step[0] = recipe.step[steps + 1] = lay_step_of(NULL);
                for (; steps > 0; steps--)
                    recipe.step[steps] = draw_step(&from, of->order);
                followed += has_equal_bits(of, &recipe, threads);
            }
            drop(of);
        }
    lay_tuning_forget();
    if (followed < LEAST_FOLLOWED)
        fail_msg("%d recipes alone were followed", followed);
}

/* Its reason is told, and the estimate is followed. */
static void a_size_that_the_product_has_no_room_for_is_refused(void **state)
{
    (void)state;
    static const lay_way *const ways[] = { &lay_way_in_place, &lay_way_packed, &lay_way_swept };
    char text[20000];
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const lay_options options = with(1, LAY_EFFORT_ESTIMATE);
        posed *const of = pose(3, 1);
        lay_recipe recipe;
        recipe.step[0] = recipe.step[2] = lay_step_of(NULL);
        recipe.step[1] = lay_step_of(ways[i]);
        recipe.step[1].value[LAY_TUNE_NC] = 1000;
        assert_false(has_equal_bits(of, &recipe, 1));
        lay_plan *const plan = product_plan(&of->of, &options);
        assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
        assert_non_null(
            strstr(text, "planted, not followed: tuning has a block size that the product has no room for"));
        lay_plan_destroy(plan);
        drop(of);
    }
    lay_tuning_forget();
}

static void a_plan_is_measured_once(void **state)
{
    (void)state;
    const lay_options options = with(1, LAY_EFFORT_MEASURE), plain = with(1, LAY_EFFORT_ESTIMATE);
    char text[20000];
    product of = product_make(3);
    lay_plan_destroy(product_plan(&of, &options));
    const unsigned before = lay_store_generation();
    lay_plan_destroy(product_plan(&of, &options));
    assert_int_equal(lay_store_generation(), before);
    lay_plan *const plan = product_plan(&of, &plain);
    assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
    assert_non_null(strstr(text, "tuning    measured here: "));
    assert_non_null(strstr(text, "taken: tuned, predicted "));
    lay_plan_destroy(plan);
    product_free(&of);
    lay_tuning_forget();
}

/* By what the second says of it, which has threads of its own. */
static void other_threads_are_another_product(void **state)
{
    (void)state;
    const lay_options options = with(1, LAY_EFFORT_MEASURE), other = with(2, LAY_EFFORT_ESTIMATE);
    char text[20000];
    product of = product_make(3);
    lay_plan_destroy(product_plan(&of, &options));
    lay_plan *const plan = product_plan(&of, &other);
    assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
    assert_non_null(strstr(text, "tuning    none: it knows nothing of this product"));
    lay_plan_destroy(plan);
    product_free(&of);
    lay_tuning_forget();
}

static void what_cannot_be_measured_is_planned_by_prediction(void **state)
{
    (void)state;
    lay_options options = with(1, LAY_EFFORT_MEASURE);
    char text[20000];
    product of = product_make(0);
    options.kernel = "lay_gemm_f32_8x8_c";
    for (int i = 0; i < lay_kernel_count; i++)
        if (lay_kernels[i]->type == LAY_F32 && lay_kernels[i]->isa == LAY_ISA_C)
            options.kernel = lay_kernels[i]->name;
    options.isa = LAY_ISA_C;
    lay_plan *const plan = product_plan(&of, &options);
    assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
    assert_non_null(strstr(text, "tuning    none: options.kernel names one"));
    lay_plan_destroy(plan);
    product_free(&of);
}

static void efforts_that_there_are_not_are_refused(void **state)
{
    (void)state;
    lay_plan *plan = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    product of = product_make(0);
    options.effort = (lay_effort)2;
    assert_int_equal(lay_plan_create(of.type, of.desc[0], of.desc[1], of.desc[2], &options, &plan), LAY_ERR_OPTION);
    options.effort = LAY_EFFORT_MEASURE;
    const double bad[] = { -1, 1e9, __builtin_nan("") };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        options.effort_seconds = bad[i];
        assert_int_equal(lay_plan_create(of.type, of.desc[0], of.desc[1], of.desc[2], &options, &plan), LAY_ERR_OPTION);
    }
    assert_null(plan);
    options.struct_size = offsetof(lay_options, effort); /* a caller that knows nothing of it */
    assert_int_equal(lay_plan_create(of.type, of.desc[0], of.desc[1], of.desc[2], &options, &plan), LAY_OK);
    lay_plan_destroy(plan);
    product_free(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_candidate_is_followed_and_has_equal_bits),
        cmocka_unit_test(who_follows_a_tree_tells_the_same),
        cmocka_unit_test(random_recipes_are_refused_or_have_equal_bits),
        cmocka_unit_test(a_size_that_the_product_has_no_room_for_is_refused),
        cmocka_unit_test(a_plan_is_measured_once),
        cmocka_unit_test(other_threads_are_another_product),
        cmocka_unit_test(what_cannot_be_measured_is_planned_by_prediction),
        cmocka_unit_test(efforts_that_there_are_not_are_refused),
    };
    return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
