/* A program that loads the library by dlopen and lets it go again, with threads at work in between. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "layoutgemm.h"

enum { N = 300, ROUNDS = 20 };

static const char *library;
static float a[N * N], c[N * N];

static int is_right(void)
{
    for (int i = 0; i < N * N; i++)
        if (c[i] != N)
            return 0;
    return 1;
}

/* 1 when a product by two threads came out right. */
static int load_multiply_unload(void)
{
    void *const handle = dlopen(library, RTLD_NOW);
    if (!handle)
        return 0;
    const __typeof__(&lay_desc_natural) natural = (__typeof__(natural))dlsym(handle, "lay_desc_natural");
    const __typeof__(&lay_desc_destroy) destroy = (__typeof__(destroy))dlsym(handle, "lay_desc_destroy");
    const __typeof__(&lay_sgemm) multiply = (__typeof__(multiply))dlsym(handle, "lay_sgemm");
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 2;
    lay_desc *square;
    if (natural(2, (int64_t[]){ N, N }, &square) != LAY_OK)
        return 0;
    const lay_status status = multiply(square, square, square, 1, a, a, 0, c, &options);
    destroy(square);
    return status == LAY_OK && is_right() && dlclose(handle) == 0;
}

/* In a child, since what is to be seen is a crash. */
static void the_library_may_be_unloaded_and_loaded_again(void **state)
{
    (void)state;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        int right = 1;
        for (int round = 0; round < ROUNDS && right; round++) {
            right = load_multiply_unload();
            usleep(2000); /* the threads that were at work run on for a while */
        }
        const pid_t grandchild = right ? fork() : -1; /* its handlers must still be there */
        int status = -1;
        if (grandchild == 0)
            _exit(0);
        right = right && waitpid(grandchild, &status, 0) == grandchild && status == 0;
        _exit(right ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    library = argv[1];
    for (int i = 0; i < N * N; i++)
        a[i] = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_may_be_unloaded_and_loaded_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
