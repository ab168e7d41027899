/* Products on threads that the caller lends (options.parallel): the bits of OpenMP's, whoever does what in whatever
 * order, and nobody else's threads are used. */
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include <cmocka.h>

#include "support/trial.h"

enum { MOST = 16 };

/* What a lender was asked for. */
typedef struct lender {
    _Atomic int calls;
    int64_t most; /* of count */
} lender;

typedef struct errand {
    void (*task)(void *, int64_t);
    void *argument;
    int64_t number;
    pthread_t thread;
} errand;

static void note(lender *of, int64_t count)
{
    of->calls++;
    of->most = count > of->most ? count : of->most;
}

static void *run_errand(void *of)
{
    const errand *own = of;
    own->task(own->argument, own->number);
    return NULL;
}

/* A thread each, of its own. */
static void on_threads(void *context, int64_t count, void (*task)(void *, int64_t), void *argument)
{
    errand one[MOST];
    note(context, count);
    assert_in_range(count, 1, MOST);
    for (int64_t i = 0; i < count; i++) {
        one[i] = (errand){ .task = task, .argument = argument, .number = i };
        assert_int_equal(pthread_create(&one[i].thread, NULL, run_errand, &one[i]), 0);
    }
    for (int64_t i = 0; i < count; i++)
        pthread_join(one[i].thread, NULL);
}

/* One after the other, the last first. */
static void backwards(void *context, int64_t count, void (*task)(void *, int64_t), void *argument)
{
    note(context, count);
    while (count-- > 0)
        task(argument, count);
}

static lay_parallel_fn *const lenders[] = { on_threads, backwards };

/* Large enough for several threads. */
static void place(trial *t, random_source *from)
{
    trial_fill(t, from);
    trial_place(t, layout_random(from, LAYOUT_INPUT, t->m, t->k), layout_random(from, LAYOUT_INPUT, t->k, t->n),
                layout_random(from, LAYOUT_OUTPUT, t->m, t->n), OPERAND_ANYWHERE, from);
}

static trial pose(random_source *from)
{
    trial t = { .type = random_one_in(from, 2) ? LAY_F32 : LAY_F64,
                .m = random_in(from, 200, 400),
                .n = random_in(from, 200, 400),
                .k = random_in(from, 200, 700),
                .alpha = 1.5,
                .beta = 0.5,
                .data = TRIAL_SIGNED,
                .options = LAY_OPTIONS_INIT };
    place(&t, from);
    return t;
}

static char *keep(const trial *t)
{
    char *bits = oracle_memory(t->out.bytes);
    memcpy(bits, t->out.memory, t->out.bytes);
    return bits;
}

static void lent_threads_change_no_bits(void **state)
{
    (void)state;
    for (int number = 0; number < 12; number++) {
        random_source from = random_case(61, (uint64_t)number);
        trial t = pose(&from);
        t.options.threads = 4;
        assert_int_equal(trial_run(&t, TRIAL_PLANNED), LAY_OK);
        char *const wanted = keep(&t);
        for (int i = 0; i < 2; i++)
            for (trial_way way = 0; way < TRIAL_WAYS; way++) {
                lender of = { 0 };
                trial_restore(&t);
                t.options.parallel = lenders[i];
                t.options.parallel_context = &of;
                assert_int_equal(trial_run(&t, way), LAY_OK);
                assert_memory_equal(t.out.memory, wanted, t.out.bytes);
                assert_true(of.calls > 0);
                assert_in_range(of.most, 2, 4);
            }
        free(wanted);
        trial_free(&t);
    }
}

/* One thread has nothing to lend for, and a small product nothing to share. */
static void what_one_thread_does_asks_nobody(void **state)
{
    (void)state;
    random_source from = random_case(62, 0);
    lender of = { 0 };
    trial t = pose(&from);
    t.options.threads = 1;
    t.options.parallel = on_threads;
    t.options.parallel_context = &of;
    assert_int_equal(trial_run(&t, TRIAL_PLANNED), LAY_OK);
    assert_int_equal(of.calls, 0);
    trial_free(&t);
    t = (trial){ .type = LAY_F32, .m = 3, .n = 4, .k = 5, .alpha = 1, .data = TRIAL_SIGNED, .options = t.options };
    place(&t, &from);
    t.options.threads = 8;
    assert_int_equal(trial_run(&t, TRIAL_PLANNED), LAY_OK);
    assert_int_equal(of.calls, 0);
    trial_free(&t);
}

/* Where OpenMP's own would not be asked for a second level. */
static void a_parallel_region_can_lend(void **state)
{
    (void)state;
    random_source from = random_case(63, 0);
    lender of = { 0 };
    trial t = pose(&from);
    t.options.threads = 4;
    t.options.parallel = on_threads;
    t.options.parallel_context = &of;
    lay_status status = LAY_ERR_MEMORY;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        status = trial_run(&t, TRIAL_PLANNED);
    assert_int_equal(status, LAY_OK);
    char why[512];
    assert_true(trial_is_right(&t, why, sizeof why));
    assert_true(of.calls > 0);
    trial_free(&t);
}

/* The threads may be older than the caller's choice. */
static void lent_threads_round_as_their_caller(void **state)
{
    (void)state;
    random_source from = random_case(64, 0);
    trial t = pose(&from);
    t.options.threads = 1;
    fesetround(FE_UPWARD);
    assert_int_equal(trial_run(&t, TRIAL_PLANNED), LAY_OK);
    fesetround(FE_TONEAREST);
    char *const wanted = keep(&t);
    for (int i = 0; i < 2; i++) {
        lender of = { 0 };
        trial_restore(&t);
        t.options.threads = 4;
        t.options.parallel = lenders[i];
        t.options.parallel_context = &of;
        fesetround(FE_UPWARD);
        const lay_status status = trial_run(&t, TRIAL_PLANNED);
        fesetround(FE_TONEAREST);
        assert_int_equal(status, LAY_OK);
        assert_memory_equal(t.out.memory, wanted, t.out.bytes);
    }
    free(wanted);
    trial_free(&t);
}

/* What a call was lent ends with it. */
static void nothing_is_lent_to_the_next_call(void **state)
{
    (void)state;
    enum { N = 2048 };
    lay_desc *rows, *columns;
    lender of = { 0 };
    lay_options options = LAY_OPTIONS_INIT;
    float *const from = oracle_memory(N * N * sizeof *from), *const to = oracle_memory(N * N * sizeof *to);
    for (int64_t i = 0; i < (int64_t)N * N; i++)
        from[i] = (float)i;
    assert_int_equal(lay_desc_strided(2, (const int64_t[]){ N, N }, (const int64_t[]){ N, 1 }, &rows), LAY_OK);
    assert_int_equal(lay_desc_strided(2, (const int64_t[]){ N, N }, (const int64_t[]){ 1, N }, &columns), LAY_OK);
    options.threads = 4;
    options.parallel = backwards;
    options.parallel_context = &of;
    assert_int_equal(lay_copy(LAY_F32, rows, from, columns, to, &options), LAY_OK);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            assert_true(to[i + j * N] == from[i * N + j]);
    const int calls = of.calls;
    assert_true(calls > 0);
    options.parallel = NULL;
    assert_int_equal(lay_copy(LAY_F32, rows, from, columns, to, &options), LAY_OK);
    assert_int_equal(of.calls, calls);
    lay_desc_destroy(rows);
    lay_desc_destroy(columns);
    free(from);
    free(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lent_threads_change_no_bits),      cmocka_unit_test(what_one_thread_does_asks_nobody),
        cmocka_unit_test(a_parallel_region_can_lend),       cmocka_unit_test(lent_threads_round_as_their_caller),
        cmocka_unit_test(nothing_is_lent_to_the_next_call),
    };
    return cmocka_run_group_tests_name("lent", tests, NULL, NULL);
}
