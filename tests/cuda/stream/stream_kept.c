/* What products of host operands make on their way through a device stays with the process: calls that make or end
 * page-locked memory, streams and events are counted, by way of the linker. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../../product/support/trial.h"
#include "device/device.h"

/* ---- calls that are counted ------------------------------------------------------------------- */

static _Atomic long made, alive; /* blocks, streams and events */
static _Atomic size_t locked;    /* bytes asked for */

#define LEAD_MAKING(call, parameters, arguments)                                                                       \
    cudaError_t __real_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters                                                                               \
    {                                                                                                                  \
        const cudaError_t error = __real_##call arguments;                                                             \
        made += error == cudaSuccess;                                                                                  \
        alive += error == cudaSuccess;                                                                                 \
        return error;                                                                                                  \
    }
#define LEAD_ENDING(call, parameters, arguments)                                                                       \
    cudaError_t __real_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters                                                                               \
    {                                                                                                                  \
        const cudaError_t error = __real_##call arguments;                                                             \
        alive -= error == cudaSuccess;                                                                                 \
        return error;                                                                                                  \
    }
LEAD_MAKING(cudaStreamCreateWithFlags, (cudaStream_t * to, unsigned flags), (to, flags))
LEAD_MAKING(cudaEventCreateWithFlags, (cudaEvent_t * to, unsigned flags), (to, flags))
LEAD_ENDING(cudaStreamDestroy, (cudaStream_t gone), (gone))
LEAD_ENDING(cudaEventDestroy, (cudaEvent_t gone), (gone))
LEAD_ENDING(cudaFreeHost, (void *block), (block))

cudaError_t __real_cudaHostAlloc(void **to, size_t bytes, unsigned flags);
cudaError_t __wrap_cudaHostAlloc(void **to, size_t bytes, unsigned flags);
cudaError_t __wrap_cudaHostAlloc(void **to, size_t bytes, unsigned flags)
{
    const cudaError_t error = __real_cudaHostAlloc(to, bytes, flags);
    made += error == cudaSuccess;
    alive += error == cudaSuccess;
    locked += error == cudaSuccess ? bytes : 0;
    return error;
}

/* Threads' products meet on their way out, where each has all that it borrows: none ends before all are there. */
static _Atomic int awaited, arrived;
static _Thread_local int has_met;

static void meet(void)
{
    const time_t start = time(NULL);
    if (has_met)
        return;
    has_met = 1;
    arrived++;
    while (arrived < awaited && time(NULL) - start < 60)
        sched_yield();
}

cudaError_t __real_cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                   cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                   cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                   cudaStream_t stream)
{
    if (kind == cudaMemcpyDeviceToHost)
        meet();
    return __real_cudaMemcpyAsync(to, from, bytes, kind, stream);
}

/* ---- products --------------------------------------------------------------------------------- */

static void make(trial *t, int64_t n, uint64_t seed)
{
    random_source from = random_case(seed, 0);
    *t = (trial){ .type = LAY_F32, .m = n, .n = n, .k = n, .alpha = 1, .beta = 1, .data = TRIAL_INTEGERS };
    t->options = (lay_options)LAY_OPTIONS_INIT;
    t->options.backend = LAY_BACKEND_CUDA;
    trial_fill(t, &from);
    trial_place(t, layout_usual(0, n, n), layout_usual(1, n, n), layout_usual(0, n, n), OPERAND_ANYWHERE, &from);
}

static void run(trial *t, trial_way way)
{
    char why[300];
    oracle_scatter(t->type, t->out.desc, t->out.zero, t->c); /* what C held */
    if (trial_run(t, way) != LAY_OK)
        fail_msg("%s", lay_last_error());
    if (!trial_is_right(t, why, sizeof why))
        fail_msg("%s", why);
}

static int forget(void **state)
{
    (void)state;
    lay_cache_clear();
    awaited = 0;
    return 0;
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void a_second_call_makes_nothing(void **state)
{
    (void)state;
    trial t;
    make(&t, 300, 1);
    run(&t, TRIAL_TYPED);
    made = 0;
    run(&t, TRIAL_TYPED);
    assert_int_equal(made, 0);
    trial_free(&t);
}

static void a_plan_made_for_one_product_finds_what_others_left(void **state)
{
    (void)state;
    trial t, other;
    make(&t, 300, 2);
    make(&other, 300, 3);
    run(&t, TRIAL_PLANNED);
    made = 0;
    run(&t, TRIAL_PLANNED);
    run(&other, TRIAL_PLANNED);
    run(&other, TRIAL_TYPED);
    assert_int_equal(made, 0);
    trial_free(&t);
    trial_free(&other);
}

static void a_small_product_locks_no_more_than_it_moves_twice(void **state)
{
    (void)state;
    trial t;
    make(&t, 500, 4);
    locked = 0;
    run(&t, TRIAL_TYPED);
    const size_t operands = 4 * (size_t)(t.m * t.k + t.k * t.n + 2 * t.m * t.n); /* C there and back */
    assert_in_range(locked, 1, 2 * operands);
    trial_free(&t);
}

static void *run_elsewhere(void *of)
{
    trial *const own = of;
    char why[300];
    oracle_scatter(own->type, own->out.desc, own->out.zero, own->c);
    return trial_run(own, TRIAL_TYPED) == LAY_OK && trial_is_right(own, why, sizeof why) ? of : NULL;
}

static void many_callers_at_once_find_what_they_left(void **state)
{
    enum { CALLERS = 8 };
    (void)state;
    trial t[CALLERS];
    pthread_t thread[CALLERS];
    void *fine;
    for (int i = 0; i < CALLERS; i++)
        make(&t[i], 100, 5 + (uint64_t)i); /* one tile */
    for (int round = 0; round < 3; round++) {
        made = 0;
        arrived = 0;
        awaited = CALLERS;
        for (int i = 0; i < CALLERS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, run_elsewhere, &t[i]), 0);
        for (int i = 0; i < CALLERS; i++) {
            assert_int_equal(pthread_join(thread[i], &fine), 0);
            assert_non_null(fine);
        }
        assert_int_equal(arrived, CALLERS);
        if (round > 0)
            assert_int_equal(made, 0);
    }
    for (int i = 0; i < CALLERS; i++)
        trial_free(&t[i]);
}

static void clearing_the_cache_gives_all_back(void **state)
{
    (void)state;
    trial t;
    make(&t, 300, 20);
    const long before = alive;
    run(&t, TRIAL_TYPED);
    assert_true(alive > before);
    lay_cache_clear();
    assert_int_equal(alive, before);
    run(&t, TRIAL_TYPED);
    trial_free(&t);
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_second_call_makes_nothing, forget),
        cmocka_unit_test_setup(a_plan_made_for_one_product_finds_what_others_left, forget),
        cmocka_unit_test_setup(a_small_product_locks_no_more_than_it_moves_twice, forget),
        cmocka_unit_test_setup(many_callers_at_once_find_what_they_left, forget),
        cmocka_unit_test_setup(clearing_the_cache_gives_all_back, forget),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP there is no GPU: %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
