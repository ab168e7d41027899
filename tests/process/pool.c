/* A pool of things that are dear to make, here of counted ones: they are made once, found again, and given back. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "threads/pool.h"

enum { MOST_BYTES = 1000, MOST_THINGS = 6 };

static _Atomic int made, alive, refusals; /* refusals: calls that are still to be told that there is no memory */
static int is_child;                      /* where nothing but the pool itself is asked: no allocator */

static lay_status make(int device, size_t bytes, lay_pooled **out)
{
    if (is_child || refusals > 0) {
        refusals--;
        return LAY_ERR_MEMORY;
    }
    *out = malloc(sizeof **out);
    if (!*out)
        return LAY_ERR_MEMORY;
    **out = (lay_pooled){ .bytes = bytes, .device = device };
    made++;
    alive++;
    return LAY_OK;
}

static void unmake(lay_pooled *gone)
{
    alive--;
    if (!is_child)
        free(gone);
}

static lay_pool pool = {
    .make = make, .unmake = unmake, .most_bytes = MOST_BYTES, .most_things = MOST_THINGS, .lock = LAY_LOCK_INIT
};

__attribute__((constructor)) static void start(void)
{
    lay_lock_enlist(&pool.lock);
}

static lay_pooled *take(int device, size_t bytes)
{
    lay_pooled *taken = NULL;
    assert_int_equal(lay_pool_take(&pool, device, bytes, &taken), LAY_OK);
    assert_int_equal(taken->device, device);
    assert_true(taken->bytes >= bytes);
    return taken;
}

static void give_fresh(int device, size_t bytes)
{
    lay_pooled *fresh = NULL;
    assert_int_equal(make(device, bytes, &fresh), LAY_OK);
    lay_pool_give(&pool, fresh);
}

static int begin(void **state)
{
    (void)state;
    lay_pool_clear(&pool);
    made = refusals = 0;
    return alive == 0 ? 0 : -1;
}

static void what_was_given_is_taken_again(void **state)
{
    (void)state;
    lay_pooled *const first = take(0, 100);
    lay_pool_give(&pool, first);
    assert_ptr_equal(take(0, 100), first);
    lay_pooled *const second = take(0, 100);
    assert_ptr_not_equal(second, first);
    lay_pool_give(&pool, first);
    lay_pool_give(&pool, second);
    lay_pool_give(&pool, NULL);
    assert_ptr_equal(take(0, 100), second); /* the last given */
    lay_pool_give(&pool, second);
    assert_int_equal(made, 2);
}

static void the_smallest_that_is_large_enough_serves(void **state)
{
    (void)state;
    static const size_t sizes[] = { 300, 100, 200 };
    for (int i = 0; i < 3; i++)
        give_fresh(0, sizes[i]);
    lay_pooled *const taken[] = { take(0, 101), take(0, 50), take(0, 1) };
    assert_int_equal(taken[0]->bytes, 200);
    assert_int_equal(taken[1]->bytes, 100);
    assert_int_equal(taken[2]->bytes, 300);
    assert_int_equal(made, 3);
    for (int i = 0; i < 3; i++)
        lay_pool_give(&pool, taken[i]);
}

static void a_device_has_things_and_limits_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < MOST_THINGS; i++)
        give_fresh(0, 10);
    lay_pooled *const other = take(1, 10);
    assert_int_equal(made, MOST_THINGS + 1);
    lay_pool_give(&pool, other);
    assert_int_equal(alive, MOST_THINGS + 1);
    assert_ptr_equal(take(1, 10), other);
    lay_pool_give(&pool, other);
}

static void no_more_than_so_many_lie_idle(void **state)
{
    (void)state;
    for (int i = 0; i < 3 * MOST_THINGS; i++)
        give_fresh(0, (size_t)i);
    assert_int_equal(alive, MOST_THINGS);
    for (int i = 0; i < MOST_THINGS; i++) {
        lay_pooled *const left = take(0, 0);
        assert_true(left->bytes >= 2 * MOST_THINGS); /* the largest */
        unmake(left);
    }
    assert_int_equal(made, 3 * MOST_THINGS);
}

static void no_more_than_so_many_bytes_lie_idle(void **state)
{
    (void)state;
    static const size_t sizes[] = { 400, 200, 300, 350 };
    for (int i = 0; i < 4; i++)
        give_fresh(0, sizes[i]);
    assert_int_equal(alive, 2); /* 400 and 350: with 300 they were 1050 */
    give_fresh(0, MOST_BYTES + 1);
    assert_int_equal(alive, 2); /* which would have pushed out both */
    give_fresh(0, MOST_BYTES);
    assert_int_equal(alive, 1);
    lay_pooled *const largest = take(0, 0);
    assert_int_equal(largest->bytes, MOST_BYTES);
    lay_pool_give(&pool, largest);
}

static void refused_memory_is_asked_for_again_when_idle_things_are_gone(void **state)
{
    (void)state;
    give_fresh(0, 10);
    give_fresh(1, 20);
    refusals = 1;
    lay_pooled *const taken = take(0, 500);
    assert_int_equal(alive, 1);
    lay_pool_give(&pool, taken);
}

static void memory_refused_with_nothing_idle_is_a_failure(void **state)
{
    (void)state;
    lay_pooled *taken = NULL;
    refusals = 1;
    assert_int_equal(lay_pool_take(&pool, 0, 10, &taken), LAY_ERR_MEMORY);
    assert_null(taken);
    assert_int_equal(refusals, 0);
    lay_pool_give(&pool, take(0, 10));
    assert_int_equal(alive, 1);
}

static void clearing_unmakes_all_that_is_idle(void **state)
{
    (void)state;
    lay_pooled *const in_use = take(0, 10);
    give_fresh(0, 10);
    give_fresh(1, 10);
    assert_int_equal(lay_pool_clear(&pool), 2);
    assert_int_equal(alive, 1);
    assert_int_equal(lay_pool_clear(&pool), 0);
    lay_pool_give(&pool, in_use);
}

/* One thread's borrowing: what it has is nobody else's meanwhile. */
static void *borrow_often(void *count)
{
    for (int i = 0; i < 2000; i++) {
        lay_pooled *own;
        if (lay_pool_take(&pool, i % 2, (size_t)(i % 150), &own) != LAY_OK)
            return NULL;
        own->next = (lay_pooled *)&own;
        for (int q = 0; q < 50; q++)
            if (*(lay_pooled *volatile *)&own->next != (lay_pooled *)&own)
                return NULL;
        lay_pool_give(&pool, own);
        if (i % 500 == 0)
            lay_pool_clear(&pool);
    }
    return count;
}

static void threads_never_share_a_thing(void **state)
{
    enum { THREADS = 6 };
    (void)state;
    pthread_t thread[THREADS];
    void *fine;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, borrow_often, &pool), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], &fine), 0);
        assert_ptr_equal(fine, &pool);
    }
    lay_pool_clear(&pool);
    assert_int_equal(alive, 0);
}

static void a_child_forked_beside_threads_may_use_it(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, borrow_often, &pool), 0);
    for (int i = 0; i < 50; i++) {
        int ended;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            lay_pooled *own = NULL;
            alarm(20); /* ends a child that waits for a lock */
            is_child = 1;
            lay_pool_take(&pool, 0, 10, &own);
            lay_pool_give(&pool, own);
            const int idle = lay_pool_clear(&pool);
            _exit(idle > 2 * MOST_THINGS || lay_pool_clear(&pool) != 0);
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_int_equal(ended, 0);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_was_given_is_taken_again, begin),
        cmocka_unit_test_setup(the_smallest_that_is_large_enough_serves, begin),
        cmocka_unit_test_setup(a_device_has_things_and_limits_of_its_own, begin),
        cmocka_unit_test_setup(no_more_than_so_many_lie_idle, begin),
        cmocka_unit_test_setup(no_more_than_so_many_bytes_lie_idle, begin),
        cmocka_unit_test_setup(refused_memory_is_asked_for_again_when_idle_things_are_gone, begin),
        cmocka_unit_test_setup(memory_refused_with_nothing_idle_is_a_failure, begin),
        cmocka_unit_test_setup(clearing_unmakes_all_that_is_idle, begin),
        cmocka_unit_test_setup(threads_never_share_a_thing, begin),
        cmocka_unit_test_setup(a_child_forked_beside_threads_may_use_it, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
