/* Remembered plans: a repeated call takes no lock, and what threads remember goes when it should. The
 * linker leads the library's locking and allocations through here. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "layoutgemm.h"

enum { N = 4, SHAPES = 12 };

static _Atomic long locked, allocated, live, destroyed;
static _Thread_local int held; /* locks */

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
void __real_lay_plan_destroy(lay_plan *plan);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void __real_free(void *memory);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
void __wrap_lay_plan_destroy(lay_plan *plan);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __wrap_free(void *memory);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    locked++;
    held++;
    return __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    held--;
    return __real_pthread_mutex_unlock(mutex);
}

/* Memory of a plan's on a device has a lock of its own: who took it with another one held would wait for a fork, which
 * takes all locks, and the fork for him. */
void __wrap_lay_plan_destroy(lay_plan *plan)
{
    assert_int_equal(held, 0);
    destroyed++;
    __real_lay_plan_destroy(plan);
}

void *__wrap_malloc(size_t size)
{
    allocated++;
    live++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocated++;
    live++;
    return __real_calloc(count, size);
}

void __wrap_free(void *memory)
{
    live -= memory != NULL;
    __real_free(memory);
}

/* A square product of order n; without descriptors left behind. */
static void multiply(int64_t n)
{
    static const float a[(N + SHAPES) * (N + SHAPES)];
    float c[(N + SHAPES) * (N + SHAPES)];
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *square = NULL;
    options.threads = 1;
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ n, n }, &square), LAY_OK);
    assert_int_equal(lay_sgemm(square, square, square, 1, a, a, 0, c, &options), LAY_OK);
    lay_desc_destroy(square);
}

static void a_repeated_call_takes_no_lock(void **state)
{
    (void)state;
    multiply(N);
    locked = 0;
    multiply(N);
    assert_int_equal(locked, 0);
    multiply(N + 1);
    assert_true(locked > 0); /* it would have been seen */
}

/* C beside A in the rows of one matrix: at a distance that is known, nothing is searched (which would
 * allocate), at others all is. */
static void a_repeated_distance_of_c_is_not_searched_again(void **state)
{
    (void)state;
    static float whole[N * 64], b[N * N], before[N * 64];
    lay_desc *side = NULL, *square = NULL;
    assert_int_equal(lay_desc_strided(2, (int64_t[]){ N, N }, (int64_t[]){ 64, 1 }, &side), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ N, N }, &square), LAY_OK);
    for (int i = 0; i < N * 64; i++)
        before[i] = whole[i] = (float)i;
    assert_int_equal(lay_sgemm(side, square, side, 1, whole, b, 1, whole + 20, NULL), LAY_OK);
    const long first = allocated;
    assert_int_equal(lay_sgemm(side, square, side, 1, whole, b, 1, whole + 20, NULL), LAY_OK);
    assert_int_equal(lay_sgemm(side, square, side, 1, whole + 1, b, 1, whole + 21, NULL), LAY_OK);
    assert_int_equal(allocated, first);
    for (int by = -8; by <= 8; by++) {
        const lay_status wanted = abs(by) < N ? LAY_ERR_OVERLAP : LAY_OK;
        assert_int_equal(lay_sgemm(side, square, side, 1, whole + 20, b, 1, whole + 20 + by, NULL), wanted);
        assert_int_equal(lay_sgemm(side, square, side, 1, whole + 20, b, 1, whole + 20 + by, NULL), wanted);
    }
    assert_true(allocated > first);                   /* it would have been seen */
    assert_memory_equal(whole, before, sizeof whole); /* B is 0 */
    lay_desc_destroy(side);
    lay_desc_destroy(square);
}

/* A thread that works, waits while others look, and ends. */
typedef struct worker {
    pthread_barrier_t barrier;
    pthread_t thread;
} worker;

static void *work_and_wait(void *argument)
{
    worker *own = argument;
    for (int64_t n = N; n < N + SHAPES; n++)
        multiply(n);
    pthread_barrier_wait(&own->barrier);
    pthread_barrier_wait(&own->barrier);
    return NULL;
}

static void start(worker *own)
{
    assert_int_equal(pthread_barrier_init(&own->barrier, NULL, 2), 0);
    assert_int_equal(pthread_create(&own->thread, NULL, work_and_wait, own), 0);
    pthread_barrier_wait(&own->barrier); /* it has worked */
}

static void end(worker *own)
{
    pthread_barrier_wait(&own->barrier);
    assert_int_equal(pthread_join(own->thread, NULL), 0);
    pthread_barrier_destroy(&own->barrier);
}

static void clearing_frees_what_other_threads_remember(void **state)
{
    (void)state;
    worker idle;
    multiply(N);
    lay_cache_clear();
    const long before = live;
    start(&idle);
    assert_true(live > before + SHAPES);
    lay_cache_clear();
    assert_true(live <= before + 1); /* the idle thread's list of places */
    end(&idle);
    assert_int_equal(live, before);
}

/* Those that this thread used last, and all others. */
static void plans_are_destroyed_under_no_lock(void **state)
{
    (void)state;
    lay_cache_clear();
    for (int64_t n = N; n < N + SHAPES; n++)
        multiply(n);
    destroyed = 0;
    lay_cache_clear();
    assert_int_equal(destroyed, SHAPES);
}

static void a_thread_that_ends_leaves_nothing_of_its_own(void **state)
{
    (void)state;
    worker gone;
    multiply(N);
    lay_cache_clear();
    const long before = live;
    start(&gone);
    end(&gone);
    lay_cache_clear();
    assert_int_equal(live, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeated_call_takes_no_lock),
        cmocka_unit_test(a_repeated_distance_of_c_is_not_searched_again),
        cmocka_unit_test(clearing_frees_what_other_threads_remember),
        cmocka_unit_test(plans_are_destroyed_under_no_lock),
        cmocka_unit_test(a_thread_that_ends_leaves_nothing_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
