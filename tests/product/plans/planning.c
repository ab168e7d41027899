/* Planning is quick for however many threads, and no extent is too small or too large for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "../support/layouts.h"

/* Split products by the model in C, which every machine has. */
typedef enum mode { PLAIN_F32, PLAIN_F64, PLAIN_BF16, SPLIT, MODES } mode;

static lay_type type_of(mode of)
{
    return of == PLAIN_F64 ? LAY_F64 : of == PLAIN_BF16 ? LAY_BF16 : LAY_F32;
}

static lay_options options_of(mode of, int threads)
{
    lay_options made = LAY_OPTIONS_INIT;
    made.backend = LAY_BACKEND_CPU;
    made.threads = threads;
    if (of == SPLIT) {
        made.compute = LAY_COMPUTE_F32_SPLIT;
        made.kernel = "lay_split_f32_32x32_c";
    }
    return made;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The shortest of some plans, which a busy machine cannot make longer than it is; one that is quick enough will do. */
static double time_plan(mode of, const lay_desc *const desc[3], int threads, double enough)
{
    enum { TRIES = 20 };
    const lay_options options = options_of(of, threads);
    double shortest = 1e9;
    for (int i = 0; i < TRIES && shortest > enough; i++) {
        lay_plan *plan = NULL;
        const double start = seconds_now();
        if (lay_plan_create(type_of(of), desc[0], desc[1], desc[2], &options, &plan) != LAY_OK)
            fail_msg("%s", lay_last_error());
        const double took = seconds_now() - start;
        lay_plan_destroy(plan);
        shortest = took < shortest ? took : shortest;
        if (took > 100 * enough)
            break; /* no luck will help */
    }
    return shortest;
}

/* They take some hundredths of a millisecond; sanitizers and slow machines have the rest. */
static void plans_of_many_threads_take_no_time(void **state)
{
    static const double enough = 5e-3;
    static const int64_t shapes[][3] = { { 512, 512, 512 },       { 10000, 10000, 10000 }, { 1000000, 1000000, 1 },
                                         { 65536, 65536, 65536 }, { 100000, 100000, 8 },   { 1000, 30000, 20 },
                                         { 16, 40000, 500 } };
    static const int threads[] = { 1, 2, 16, 64, 256, 1024, 4096 };
    (void)state;
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        const int64_t *size = shapes[shape];
        lay_desc *a = layout_usual(0, size[0], size[2]), *b = layout_usual(0, size[2], size[1]);
        lay_desc *c = layout_usual(0, size[0], size[1]);
        for (mode of = 0; of < MODES; of++)
            for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
                const double took = time_plan(of, (const lay_desc *const[]){ a, b, c }, threads[i], enough);
                if (took > enough)
                    fail_msg("%lldx%lldx%lld, mode %d, %d threads: %.1f ms", (long long)size[0], (long long)size[1],
                             (long long)size[2], (int)of, threads[i], 1e3 * took);
            }
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
}

/* C = beta C where k is 0, and nothing where m or n is: in every mode, for one thread and for many. */
static void no_extent_is_too_small(void **state)
{
    (void)state;
    for (int number = 0; number < MODES * 8 * 2; number++) {
        const mode of = (mode)(number % MODES);
        const int64_t m = number / MODES % 2 * 40, n = number / MODES / 2 % 2 * 50, k = number / MODES / 4 % 2 * 30;
        const lay_options options = options_of(of, number / MODES / 8 ? 16 : 1);
        static double a[40 * 30], b[30 * 50], c[40 * 50]; /* room for any type; all zeros */
        lay_desc *desc_a = layout_usual(0, m, k), *desc_b = layout_usual(0, k, n), *desc_c = layout_usual(0, m, n);
        lay_plan *plan = NULL;
        char text[20000];
        const double zeros[2] = { 0 }; /* a scalar of any type */
        if (lay_plan_create(type_of(of), desc_a, desc_b, desc_c, &options, &plan) != LAY_OK ||
            lay_plan_run(plan, zeros, a, b, zeros, c) != LAY_OK)
            fail_msg("%lldx%lldx%lld, mode %d: %s", (long long)m, (long long)n, (long long)k, (int)of,
                     lay_last_error());
        assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
        lay_plan_destroy(plan);
        lay_desc_destroy(desc_a);
        lay_desc_destroy(desc_b);
        lay_desc_destroy(desc_c);
    }
}

/* 2^60 steps of a stride of 0. Sanitizers see what overflows. */
static void no_sum_is_too_long(void **state)
{
    const long long k = 1LL << 60;
    (void)state;
    for (mode of = 0; of < MODES; of++)
        for (int threads = 1; threads <= 64; threads *= 64)
            for (int n = 1; n <= 4; n *= 4) {
                lay_desc *a = layout_parse("[2:1][%lld:0]", k), *b = layout_parse("[%lld:0][%d:1]", k, n);
                lay_desc *c = layout_parse("[2][%d]", n);
                const lay_options options = options_of(of, threads);
                lay_plan *plan = NULL;
                if (lay_plan_create(type_of(of), a, b, c, &options, &plan) != LAY_OK)
                    fail_msg("%s", lay_last_error());
                lay_plan_destroy(plan);
                lay_desc_destroy(a);
                lay_desc_destroy(b);
                lay_desc_destroy(c);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_many_threads_take_no_time),
        cmocka_unit_test(no_extent_is_too_small),
        cmocka_unit_test(no_sum_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
