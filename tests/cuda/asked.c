/* What the driver is asked by runs of a plan that has its way already: nothing of the heap and the caller's own stack,
 * each address of what else there is. The driver is a fake one. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_driver.h"
#include "layoutgemm.h"

enum { N = 2, RUNS = 10, BYTES = 4096, PLANS = 2 };

static fake_state *driver;
static lay_plan *plan[PLANS]; /* number q has its elements q + 1 apart: the first is done at once */

typedef struct operands {
    float a[N * N * PLANS], b[N * N * PLANS], c[N * N * PLANS];
} operands;

/* 1 when the product came out right. */
static int run(int number, operands *x)
{
    static const float one = 1, zero = 0, right[] = { 19, 22, 43, 50 };
    const int step = number + 1;
    for (int i = 0; i < N * N; i++) {
        x->a[i * step] = (float)(1 + i);
        x->b[i * step] = (float)(5 + i);
        x->c[i * step] = 0;
    }
    if (lay_plan_run(plan[number], &one, x->a, x->b, &zero, x->c) != LAY_OK)
        return 0;
    int is_right = 1;
    for (int i = 0; i < N * N; i++)
        is_right &= x->c[i * step] == right[i];
    return is_right;
}

/* How often the driver is asked by a run, of whichever plan; -1: a product is wrong, or plans differ. */
static long count_questions(operands *x)
{
    long asked[PLANS];
    for (int q = 0; q < PLANS; q++) {
        const long before = driver->asked;
        for (int i = 0; i < RUNS; i++)
            if (!run(q, x))
                return -1;
        asked[q] = (driver->asked - before) / RUNS;
    }
    return asked[0] == asked[1] ? asked[0] : -1;
}

static operands *map(void)
{
    operands *mapped = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    return mapped;
}

static void the_heap_is_not_asked_about(void **state)
{
    (void)state;
    operands *grown = sbrk(BYTES);
    assert_int_equal(count_questions(grown), 0);
}

static void the_callers_stack_is_not_asked_about(void **state)
{
    (void)state;
    operands own;
    assert_int_equal(count_questions(&own), 0);
}

static void mapped_memory_is_asked_about(void **state)
{
    (void)state;
    operands *mapped = map();
    assert_int_equal(count_questions(mapped), 3);
    munmap(mapped, BYTES);
}

/* A and B in one place and C in the other. */
static void the_heap_and_the_stack_together_are_not_asked_about(void **state)
{
    (void)state;
    static const float one = 1, zero = 0;
    operands own, *grown = sbrk(BYTES);
    const long before = driver->asked;
    for (int q = 0; q < PLANS; q++) {
        assert_true(run(q, &own));
        assert_int_equal(lay_plan_run(plan[q], &one, own.a, own.b, &zero, grown->c), LAY_OK);
        assert_memory_equal(grown->c, own.c, sizeof(float));
    }
    assert_int_equal(driver->asked, before);
}

/* What the starter has on its stack, and what a thread has on its own. */
typedef struct counts {
    operands *starters;
    long starters_asked, own_asked;
} counts;

static void *count_in_thread(void *argument)
{
    counts *of = argument;
    operands own;
    of->own_asked = count_questions(&own);
    of->starters_asked = count_questions(of->starters);
    return NULL;
}

static void a_stack_is_asked_about_by_another_thread(void **state)
{
    (void)state;
    operands own;
    counts of = { .starters = &own };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, count_in_thread, &of), 0);
    pthread_join(thread, NULL);
    assert_int_equal(of.own_asked, 0);
    assert_int_equal(of.starters_asked, 3);
}

/* Each operand in turn where the driver says that a device's memory is, the others on the stack. */
static void device_memory_is_noticed_whichever_operand_lies_there(void **state)
{
    (void)state;
    static const float one = 1, zero = 0;
    operands own, *there = map();
    driver->first = (uintptr_t)there;
    driver->bytes = BYTES;
    for (int q = 0; q < PLANS; q++)
        for (int i = 0; i < 3; i++) {
            const float *a = i == 0 ? there->a : own.a, *b = i == 1 ? there->b : own.b;
            assert_true(run(q, &own));
            assert_int_equal(lay_plan_run(plan[q], &one, a, b, &zero, i == 2 ? there->c : own.c), LAY_ERR_UNSUPPORTED);
            assert_int_equal(there->c[0], 0);
        }
    driver->bytes = 0;
    assert_int_equal(count_questions(there), 3);
    munmap(there, BYTES);
}

static int make_plans(void **state)
{
    (void)state;
    lay_options options = LAY_OPTIONS_INIT;
    operands own;
    options.threads = 1;
    for (int q = 0; q < PLANS; q++) {
        lay_desc *square;
        assert_int_equal(lay_desc_strided(2, (int64_t[]){ N, N }, (int64_t[]){ N * (q + 1), q + 1 }, &square), LAY_OK);
        assert_int_equal(lay_plan_create(LAY_F32, square, square, square, &options, &plan[q]), LAY_OK);
        lay_desc_destroy(square);
        assert_true(run(q, &own));
    }
    return 0;
}

static int destroy_plans(void **state)
{
    (void)state;
    for (int q = 0; q < PLANS; q++)
        lay_plan_destroy(plan[q]);
    return 0;
}

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    driver = library ? dlsym(library, "fake_driver") : NULL;
    if (!driver)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heap_is_not_asked_about),
        cmocka_unit_test(the_callers_stack_is_not_asked_about),
        cmocka_unit_test(the_heap_and_the_stack_together_are_not_asked_about),
        cmocka_unit_test(mapped_memory_is_asked_about),
        cmocka_unit_test(a_stack_is_asked_about_by_another_thread),
        cmocka_unit_test(device_memory_is_noticed_whichever_operand_lies_there),
    };
    return cmocka_run_group_tests(tests, make_plans, destroy_plans);
}
