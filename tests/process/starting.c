/* Threads: started when the work is worth it, and done without where there are none to be had. Each case
 * is a run of this program, since threads stay. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "layoutgemm.h"

enum { N = 600, MANY = 16, UNLIMITED = 1000 };

/* ---- pthread_create with a limit --------------------------------------------------------------- */

static _Atomic int alive, limit = UNLIMITED;

typedef struct beginning {
    void *(*run)(void *);
    void *argument;
} beginning;

static void *run_and_leave(void *argument)
{
    const beginning own = *(beginning *)argument;
    free(argument);
    void *const result = own.run(own.argument);
    alive--;
    return result;
}

/* Not hidden, so that libraries find this one. */
LAY_API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *const found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&create, &found, sizeof create);
    if (++alive > limit) {
        alive--;
        return EAGAIN;
    }
    beginning *const own = malloc(sizeof *own);
    *own = (beginning){ run, argument };
    const int status = create(thread, attributes, run_and_leave, own);
    if (status != 0) {
        alive--;
        free(own);
    }
    return status;
}

/* ---- the cases, each in a process of its own; 1 when all is well ------------------------------- */

static float a[N * N], c[N * N];

static int call(int64_t n, int threads, float alpha, float beta)
{
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *square = NULL;
    options.threads = threads;
    if (lay_desc_natural(2, (int64_t[]){ n, n }, &square) != LAY_OK)
        return 0;
    const lay_status status = lay_sgemm(square, square, square, alpha, a, a, beta, c, &options);
    lay_desc_destroy(square);
    return status == LAY_OK;
}

static int multiplies(int threads)
{
    for (int i = 0; i < N * N; i++)
        a[i] = 1;
    memset(c, 0, sizeof c);
    if (!call(N, threads, 1, 0))
        return 0;
    for (int i = 0; i < N * N; i++)
        if (c[i] != N)
            return 0;
    return 1;
}

static int products_start_threads(void)
{
    return multiplies(4) && alive == 3;
}

static int scaling_starts_threads(void)
{
    return call(N, 4, 0, 2) && alive == 3;
}

static int small_work_starts_none(void)
{
    return call(30, 4, 1, 0) && call(100, 4, 0, 2) && alive == 0;
}

static int products_do_without(void)
{
    limit = 0;
    return multiplies(MANY) && multiplies(2) && alive == 0;
}

static int products_do_with_a_few(void)
{
    limit = 5;
    return multiplies(MANY) && alive >= 1 && multiplies(3) && multiplies(2 * MANY) && multiplies(2);
}

static void *multiply_interleaved(void *right)
{
    *(int *)right = multiplies(MANY);
    return NULL;
}

/* The limit is there when the first caller has its threads and a second one comes. */
static int a_second_caller_does_without(void)
{
    pthread_t second;
    int right = 0;
    if (!multiplies(4))
        return 0;
    limit = 4;
    return pthread_create(&second, NULL, multiply_interleaved, &right) == 0 && pthread_join(second, NULL) == 0 && right;
}

static const struct {
    const char *name;
    int (*holds)(void);
} cases[] = {
    { "products_start_threads", products_start_threads },
    { "scaling_starts_threads", scaling_starts_threads },
    { "small_work_starts_none", small_work_starts_none },
    { "products_do_without", products_do_without },
    { "products_do_with_a_few", products_do_with_a_few },
    { "a_second_caller_does_without", a_second_caller_does_without },
};

enum { CASES = sizeof cases / sizeof cases[0] };

static const char *program;

static void run_case(void **state)
{
    char command[2000];
    snprintf(command, sizeof command, "'%s' %d", program, *(const int *)*state);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1)
        return !cases[atoi(argv[1])].holds();
    struct CMUnitTest tests[CASES];
    static int number[CASES];
    for (int q = 0; q < CASES; q++) {
        number[q] = q;
        tests[q] = (struct CMUnitTest){ .name = cases[q].name, .test_func = run_case, .initial_state = &number[q] };
    }
    return _cmocka_run_group_tests("starting", tests, CASES, NULL, NULL);
}
