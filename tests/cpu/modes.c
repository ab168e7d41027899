/* The caller's floating-point modes hold in every thread that works for it, however old that thread is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include <cmocka.h>

#include "layoutgemm.h"

enum { N = 320, THREADS = 4, REPEATS = 20, FLUSH = 0x8040 /* FTZ and DAZ */ };

static float a[N * N], b[N * N], c[N * N], first[N * N];

static void multiply(int threads)
{
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *square = NULL;
    options.threads = threads;
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ N, N }, &square), LAY_OK);
    assert_int_equal(lay_sgemm(square, square, square, 1, a, b, 0, c, &options), LAY_OK);
    lay_desc_destroy(square);
}

static int count_zeros(void)
{
    int zeros = 0;
    for (int i = 0; i < N * N; i++) {
        uint32_t bits;
        memcpy(&bits, &c[i], sizeof bits);
        zeros += bits == 0;
    }
    return zeros;
}

/* Every product and every sum is a denormal. */
static int fill_with_denormal_products(void **state)
{
    (void)state;
    for (int i = 0; i < N * N; i++) {
        a[i] = 1e-30f;
        b[i] = 1e-12f;
    }
    multiply(THREADS); /* the threads exist from here on */
    return 0;
}

static void denormals_are_kept_by_every_thread(void **state)
{
    (void)state;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        multiply(THREADS);
        assert_int_equal(count_zeros(), 0);
    }
}

static void flushing_to_zero_holds_in_every_thread(void **state)
{
    (void)state;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        const unsigned before = _mm_getcsr();
        _mm_setcsr(before | FLUSH);
        multiply(THREADS);
        _mm_setcsr(before);
        assert_int_equal(count_zeros(), N * N);
    }
}

static void the_threads_own_modes_come_back(void **state)
{
    flushing_to_zero_holds_in_every_thread(state);
    denormals_are_kept_by_every_thread(state);
}

static void rounding_upwards_has_the_same_bits_for_every_thread_count(void **state)
{
    (void)state;
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 101) / 7;
        b[i] = (float)(i % 89) / 13;
    }
    const unsigned before = _mm_getcsr();
    for (int threads = 1; threads <= THREADS; threads++)
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            _mm_setcsr((before & ~_MM_ROUND_MASK) | _MM_ROUND_UP);
            multiply(threads);
            _mm_setcsr(before);
            if (threads == 1)
                memcpy(first, c, sizeof c);
            assert_memory_equal(first, c, sizeof c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denormals_are_kept_by_every_thread),
        cmocka_unit_test(flushing_to_zero_holds_in_every_thread),
        cmocka_unit_test(the_threads_own_modes_come_back),
        cmocka_unit_test(rounding_upwards_has_the_same_bits_for_every_thread_count),
    };
    return cmocka_run_group_tests(tests, fill_with_denormal_products, NULL);
}
