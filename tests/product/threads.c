/* Callers in many threads, in the caller's own parallel regions, on small stacks and in forked
 * children: the bits are those of one caller alone. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <omp.h>

#include <cmocka.h>

#include "support/trial.h"

enum { CALLERS = 8, SHAPES = 24 };

/* ThreadSanitizer does not see how OpenMP's threads wait for each other and takes all they share for
 * a race: it watches callers only, each with one thread. */
#if defined(__SANITIZE_THREAD__)
enum { MAY_USE_OPENMP = 0 };
#else
enum { MAY_USE_OPENMP = 1 };
#endif

/* Products of several shapes, prepared and answered before anybody runs in parallel. The operands
 * are read by all; each caller writes into a C of its own. */
typedef struct errand {
    trial t;
    lay_plan *plan;
    char *wanted;
    size_t bytes; /* of C's storage */
} errand;

static errand errands[SHAPES];

static void prepare(void)
{
    random_source from = random_case(18, 0);
    for (int q = 0; q < SHAPES; q++) {
        errand *e = &errands[q];
        const int64_t least = q % 6 == 0 ? 140 : 1; /* some give 4 threads work */
        e->t = (trial){ .type = q % 2 ? LAY_F32 : LAY_F64,
                        .m = random_in(&from, least, least + 40),
                        .n = random_in(&from, least, least + 40),
                        .k = random_in(&from, least, 2 * least + 40),
                        .alpha = 1.5,
                        .beta = q % 3 ? 0.5 : 0,
                        .data = TRIAL_SIGNED,
                        .options = LAY_OPTIONS_INIT };
        e->t.options.threads = 1;
        trial_fill(&e->t, &from);
        trial_place(&e->t, layout_random(&from, LAYOUT_INPUT, e->t.m, e->t.k),
                    layout_random(&from, LAYOUT_INPUT, e->t.k, e->t.n),
                    layout_random(&from, LAYOUT_OUTPUT, e->t.m, e->t.n), OPERAND_ANYWHERE, &from);
        assert_int_equal(trial_run(&e->t, TRIAL_PLANNED), LAY_OK);
        e->bytes = e->t.out.bytes;
        e->wanted = oracle_memory(e->bytes);
        memcpy(e->wanted, e->t.out.memory, e->bytes);
        trial_restore(&e->t);
        const lay_options *const options = MAY_USE_OPENMP ? NULL : &e->t.options;
        assert_int_equal(lay_plan_create(e->t.type, e->t.in_a.desc, e->t.in_b.desc, e->t.out.desc, options, &e->plan),
                         LAY_OK);
    }
}

static void dismiss(void)
{
    for (int q = 0; q < SHAPES; q++) {
        lay_plan_destroy(errands[q].plan);
        free(errands[q].wanted);
        trial_free(&errands[q].t);
    }
}

/* Runs the errand into a C of its own; 1 when its bits are the serial ones. */
static int run_errand(const errand *e, trial_way way, int threads)
{
    char *const own = oracle_memory(e->bytes);
    memcpy(own, e->t.out.before, e->bytes);
    void *const c = own + ((char *)e->t.out.zero - e->t.out.memory);
    const trial_scalar alpha = trial_scalar_of(e->t.type, e->t.alpha), beta = trial_scalar_of(e->t.type, e->t.beta);
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = MAY_USE_OPENMP ? threads : 1;
    const lay_status status = way == TRIAL_PLANNED
                                  ? lay_plan_run(e->plan, &alpha, e->t.in_a.zero, e->t.in_b.zero, &beta, c)
                                  : lay_gemm(e->t.type, e->t.in_a.desc, e->t.in_b.desc, e->t.out.desc, &alpha,
                                             e->t.in_a.zero, e->t.in_b.zero, &beta, c, &options);
    const int same = status == LAY_OK && memcmp(own, e->wanted, e->bytes) == 0;
    free(own);
    return same;
}

/* ---- many callers ----------------------------------------------------------------------------- */

typedef struct caller {
    uint64_t seed;
    int rounds, clears;
    int wrong;
    pthread_t thread;
} caller;

static void *call_often(void *argument)
{
    caller *own = argument;
    random_source from = random_case(19, own->seed);
    for (int round = 0; round < own->rounds; round++) {
        own->wrong += !run_errand(&errands[random_in(&from, 0, SHAPES - 1)], (trial_way)random_in(&from, 0, 2),
                                  (int)random_in(&from, 1, 3));
        if (own->clears && random_one_in(&from, 20))
            lay_cache_clear();
    }
    return NULL;
}

static void call_at_once(int clears, size_t stack)
{
    caller callers[CALLERS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack)
        assert_int_equal(pthread_attr_setstacksize(&attributes, stack), 0);
    for (int q = 0; q < CALLERS; q++) {
        callers[q] = (caller){ .seed = (uint64_t)q, .rounds = trial_rounds(400), .clears = clears };
        assert_int_equal(pthread_create(&callers[q].thread, &attributes, call_often, &callers[q]), 0);
    }
    pthread_attr_destroy(&attributes);
    for (int q = 0; q < CALLERS; q++) {
        pthread_join(callers[q].thread, NULL);
        assert_int_equal(callers[q].wrong, 0);
    }
}

static void many_callers_get_the_bits_of_one(void **state)
{
    (void)state;
    call_at_once(0, 0);
}

static void callers_may_clear_the_cache_under_each_other(void **state)
{
    (void)state;
    call_at_once(1, 0);
}

/* A sanitizer's frames are larger: a tile's function alone takes 96 KiB there with gcc -O1. */
#if defined __SANITIZE_ADDRESS__
enum { SMALL_STACK = 512 << 10 };
#else
enum { SMALL_STACK = 128 << 10 };
#endif

static void callers_may_have_small_stacks(void **state)
{
    (void)state;
    call_at_once(0, SMALL_STACK);
}

/* More shapes than the cache holds, so that plans are dropped while others run them. */
static void *churn(void *argument)
{
    enum { MOST = 12 };
    caller *own = argument;
    random_source from = random_case(20, own->seed);
    float ones[MOST * MOST], out[MOST * MOST];
    for (int at = 0; at < MOST * MOST; at++)
        ones[at] = 1;
    for (int round = 0; round < own->rounds; round++) {
        const int64_t m = random_in(&from, 1, MOST), n = random_in(&from, 1, MOST), k = random_in(&from, 1, MOST);
        lay_desc *a = layout_usual(round % 2, m, k), *b = layout_usual(1, k, n), *c = layout_usual(0, m, n);
        own->wrong += lay_sgemm(a, b, c, 1, ones, ones, 0, out, NULL) != LAY_OK;
        for (int64_t at = 0; at < m * n; at++)
            own->wrong += !(out[at] == (float)k);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
    return NULL;
}

static void plans_are_dropped_from_the_cache_only_after_use(void **state)
{
    (void)state;
    caller callers[CALLERS];
    for (int q = 0; q < CALLERS; q++) {
        callers[q] = (caller){ .seed = (uint64_t)q, .rounds = trial_rounds(4000) };
        assert_int_equal(pthread_create(&callers[q].thread, NULL, churn, &callers[q]), 0);
    }
    for (int q = 0; q < CALLERS; q++) {
        pthread_join(callers[q].thread, NULL);
        assert_int_equal(callers[q].wrong, 0);
    }
}

/* Returns its argument when it read another thread's sentence. */
static void *fail_otherwise(void *argument)
{
    lay_desc *out;
    char text[40], wanted[16];
    snprintf(text, sizeof text, "A=[4]; [#B%d]", *(int *)argument);
    snprintf(wanted, sizeof wanted, "B%d", *(int *)argument);
    for (int round = 0; round < 2000; round++) {
        if (lay_desc_parse(text, &out) == LAY_OK || !strstr(lay_last_error(), wanted))
            return argument;
    }
    return NULL;
}

static void the_last_sentence_is_a_threads_own(void **state)
{
    (void)state;
    pthread_t thread[CALLERS];
    int number[CALLERS];
    for (int q = 0; q < CALLERS; q++) {
        number[q] = q;
        assert_int_equal(pthread_create(&thread[q], NULL, fail_otherwise, &number[q]), 0);
    }
    for (int q = 0; q < CALLERS; q++) {
        void *wrong;
        pthread_join(thread[q], &wrong);
        assert_null(wrong);
    }
}

/* ---- the caller's parallel regions ------------------------------------------------------------ */

static void products_work_inside_a_parallel_region(void **state)
{
    (void)state;
    _Atomic int wrong = 0;
#pragma omp parallel for num_threads(4) schedule(dynamic)
    for (int q = 0; q < 4 * SHAPES; q++)
        wrong += !run_errand(&errands[q % SHAPES], (trial_way)(q % 3), 1 + q % 4);
    assert_int_equal(wrong, 0);
}

/* ---- fork ------------------------------------------------------------------------------------- */

/* All errands with several threads in a child; it must end by itself, and soon. */
static int runs_in_a_child(int generations)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        int wrong = 0;
        for (int q = 0; q < SHAPES; q++)
            wrong += !run_errand(&errands[q], (trial_way)(q % 3), 4);
        if (generations > 1)
            wrong += !runs_in_a_child(generations - 1);
        _exit(wrong ? 1 : 0);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void products_work_in_a_child_and_its_child(void **state)
{
    (void)state;
    assert_true(run_errand(&errands[0], TRIAL_CACHED, 4)); /* threads exist before the fork */
    assert_true(runs_in_a_child(2));
    for (int q = 0; q < SHAPES; q++)
        assert_true(run_errand(&errands[q], TRIAL_CACHED, 4));
}

/* A child of a process that has used OpenMP, but not yet this library: a fresh program decides. */
static int ran_as_stranger(void)
{
    int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
    sum += omp_get_thread_num();
    prepare();
    const int right = sum == 6 && runs_in_a_child(1);
    dismiss();
    return right;
}

static const char *program;

static void products_work_in_a_child_of_a_process_with_threads_of_its_own(void **state)
{
    (void)state;
    char command[2000];
    snprintf(command, sizeof command, "'%s' stranger", program);
    assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
    (void)state;
    prepare();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    dismiss();
    return 0;
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1 && strcmp(argv[1], "stranger") == 0)
        return !ran_as_stranger();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_callers_get_the_bits_of_one),
        cmocka_unit_test(callers_may_clear_the_cache_under_each_other),
        cmocka_unit_test(callers_may_have_small_stacks),
        cmocka_unit_test(plans_are_dropped_from_the_cache_only_after_use),
        cmocka_unit_test(the_last_sentence_is_a_threads_own),
        cmocka_unit_test(products_work_inside_a_parallel_region),
        cmocka_unit_test(products_work_in_a_child_and_its_child),
        cmocka_unit_test(products_work_in_a_child_of_a_process_with_threads_of_its_own),
    };
    enum { TESTS = sizeof tests / sizeof tests[0], CALLERS_ONLY = 5 };
    return _cmocka_run_group_tests("threads", tests, MAY_USE_OPENMP ? TESTS : CALLERS_ONLY, set_up, tear_down);
}
