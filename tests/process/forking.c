/* Children that are forked while other threads are inside the library: no lock stays behind. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "layoutgemm.h"

enum { WORKERS = 3, CHILDREN = 300, SMALL = 4, LARGE = 70 /* needs a workspace */ };

static lay_desc *small, *large;
static _Atomic int is_over;

/* Every kind of call that takes a lock. 1 when all went well. */
static int call_all(void)
{
    static const float a[LARGE * LARGE];
    float c[LARGE * LARGE];
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    void *memory;
    if (lay_alloc(LAY_F32, small, LAY_MEMORY_HOST, &memory) != LAY_OK)
        return 0;
    lay_free(memory);
    const int right = lay_sgemm(small, small, small, 1, a, a, 0, c, &options) == LAY_OK &&
                      lay_sgemm(large, large, large, 1, a, a, 0, c, &options) == LAY_OK;
    lay_cache_clear();
    return right;
}

static void *call_until_the_end(void *argument)
{
    while (!is_over)
        if (!call_all())
            return argument;
    return NULL;
}

static int child_ends(void)
{
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(call_all() ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void a_child_forked_beside_working_threads_can_work(void **state)
{
    (void)state;
    pthread_t worker[WORKERS];
    void *wrong;
#ifdef __clang__ /* its OpenMP runtime cannot be forked while it starts */
    assert_true(call_all());
#endif
    for (int q = 0; q < WORKERS; q++)
        assert_int_equal(pthread_create(&worker[q], NULL, call_until_the_end, &is_over), 0);
    int ended = 0;
    while (ended < CHILDREN && child_ends())
        ended++;
    is_over = 1;
    for (int q = 0; q < WORKERS; q++) {
        pthread_join(worker[q], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(ended, CHILDREN);
}

int main(void)
{
    if (lay_desc_natural(2, (int64_t[]){ SMALL, SMALL }, &small) != LAY_OK ||
        lay_desc_natural(2, (int64_t[]){ LARGE, LARGE }, &large) != LAY_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_forked_beside_working_threads_can_work),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lay_desc_destroy(small);
    lay_desc_destroy(large);
    return failed;
}
