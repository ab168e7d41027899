/* Threads that multiply while others load, save and forget; and remembered plans, which are planned anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pthread.h>

#include <cmocka.h>

#include "cache.h"
#include "plan/options.h"
#include "products.h"
#include "ways.h"

static char path[] = "/tmp/tuning-XXXXXX";

static lay_options with(lay_effort effort)
{
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    options.effort = effort;
    options.effort_seconds = 0.005;
    return options;
}

static int make_file(void **state)
{
    (void)state;
    const lay_options options = with(LAY_EFFORT_MEASURE);
    const int file = mkstemp(path);
    close(file);
    for (int number = 0; number < 4; number++) {
        product of = product_make(number);
        lay_plan_destroy(product_plan(&of, &options));
        product_free(&of);
    }
    const lay_status status = lay_tuning_save(path);
    lay_tuning_forget();
    return file < 0 || status != LAY_OK;
}

static int remove_file(void **state)
{
    (void)state;
    lay_tuning_forget();
    lay_cache_clear();
    return unlink(path);
}

/* Whether the plan that lay_gemm would use now is a tuned one. */
static int is_tuned(const product *of)
{
    static char text[20000];
    lay_options asked = with(LAY_EFFORT_ESTIMATE), complete;
    const lay_order *named;
    lay_held *held;
    assert_int_equal(lay_options_read(&asked, &lay_all_ways, &complete, &named), LAY_OK);
    assert_int_equal(lay_cache_borrow(of->type, of->desc[0], of->desc[1], of->desc[2], &complete, &held), LAY_OK);
    assert_true(lay_plan_explain(lay_held_plan(held), text, sizeof text) > 0);
    lay_cache_return(held);
    return strstr(text, "tuning    of /tmp/") != NULL;
}

static void remembered_plans_are_planned_anew(void **state)
{
    (void)state;
    product of = product_make(0);
    for (int i = 0; i < 3; i++) {
        assert_false(is_tuned(&of));
        assert_false(is_tuned(&of));
        assert_int_equal(lay_tuning_load(path), LAY_OK);
        assert_true(is_tuned(&of));
        assert_true(is_tuned(&of));
        lay_tuning_forget();
    }
    product_free(&of);
}

/* What threads share. */
typedef struct work {
    _Atomic int is_over, failed;
    char *wanted[4];
} work;

static void *multiply(void *argument)
{
    work *const of = argument;
    const lay_options options = with(LAY_EFFORT_ESTIMATE);
    const double one = 1, zero = 0;
    const float one32 = 1, zero32 = 0;
    for (int round = 0; !of->is_over; round++) {
        product own = product_make(round % 4);
        const int is_double = own.type == LAY_F64;
        const lay_status status =
            lay_gemm(own.type, own.desc[0], own.desc[1], own.desc[2], is_double ? (const void *)&one : &one32,
                     own.zero[0], own.zero[1], is_double ? (const void *)&zero : &zero32, own.zero[2], &options);
        if (status != LAY_OK || memcmp(own.memory[2], of->wanted[round % 4], own.bytes[2]) != 0)
            of->failed = 1;
        product_free(&own);
    }
    return NULL;
}

static void bits_stay_while_others_load_and_forget(void **state)
{
    (void)state;
    enum { THREADS = 3, ROUNDS = 150 };
    work of = { .is_over = 0 };
    product kept[4];
    pthread_t thread[THREADS];
    char beside[sizeof path + 8];
    snprintf(beside, sizeof beside, "%s.copy", path);
    for (int i = 0; i < 4; i++) {
        const lay_options options = with(LAY_EFFORT_ESTIMATE);
        kept[i] = product_make(i);
        lay_plan *const plan = product_plan(&kept[i], &options);
        assert_int_equal(product_run(&kept[i], plan), LAY_OK);
        lay_plan_destroy(plan);
        of.wanted[i] = kept[i].memory[2];
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, multiply, &of), 0);
    for (int round = 0; round < ROUNDS; round++) {
        assert_int_equal(lay_tuning_load(path), LAY_OK);
        assert_int_equal(lay_tuning_save(beside), LAY_OK);
        if (round % 3 == 0)
            lay_tuning_forget();
    }
    of.is_over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    unlink(beside);
    for (int i = 0; i < 4; i++)
        product_free(&kept[i]);
    assert_false(of.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remembered_plans_are_planned_anew),
        cmocka_unit_test(bits_stay_while_others_load_and_forget),
    };
    return cmocka_run_group_tests_name("together", tests, make_file, remove_file);
}
