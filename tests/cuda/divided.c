/* Products in device memory that take two launches, the last wave by smaller tiles: right in every layout, with the
 * same bits, whichever way round they are divided. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../there.h"
#include "cuda/launch/launch.h"
#include "elsewhere.h"
#include "plan/problem.h"

/* Whether the planner would divide it; transposed: C^T = B^T A^T. */
static int is_divided(lay_type type, int64_t m, int64_t n, int64_t k, int is_transposed, const lay_device *device)
{
    static lay_problem problem;
    lay_desc *a = layout_usual(0, m, k), *b = layout_usual(0, k, n), *c = layout_usual(0, m, n);
    lay_launch launch[2];
    const char *reason;
    lay_problem_make(type, a, b, c, is_transposed, &problem);
    assert_true(lay_launch_choose(&problem, device, NULL, 2, launch, &reason) > 0);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return launch[1].kernel != NULL;
}

/* Sizes that are multiples of nothing, divided one way round at least; 0 where this device has none. */
static int find_size(lay_type type, int slot, int64_t *m, int64_t *n, int64_t *k)
{
    const char *reason;
    const lay_device *device = lay_device_get(0, &reason);
    assert_non_null(device);
    *k = type == LAY_F32 ? 515 : 261;
    for (*m = 603 + 200 * slot; *m < 2600; *m += 57)
        for (*n = 707; *n < 1400; *n += 61)
            if (is_divided(type, *m, *n, *k, slot % 2, device))
                return 1;
    return 0;
}

static void check_in_layouts(lay_type type, int64_t m, int64_t n, int64_t k, trial_data data)
{
    static const int layouts[][3] = { { 0, 0, 0 }, { 1, 1, 1 }, { 5, 0, 1 }, { 0, 5, 5 }, { 4, 3, 2 }, { 2, 6, 3 } };
    char *wanted = NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        random_source from = random_case(96, (uint64_t)type);
        const trial t = {
            .type = type, .m = m, .n = n, .k = k, .alpha = 2, .beta = -1, .data = data, .options = LAY_OPTIONS_INIT
        };
        remote x;
        remote_make(&x, &t, layouts[i], &from);
        assert_int_equal(remote_call(&x), LAY_OK);
        char *const got = remote_bits(&x);
        if (!wanted)
            remote_insist_on_right(&x);
        else if (memcmp(wanted, got, remote_size(&x)) != 0)
            fail_msg("layouts %d,%d,%d change the bits of %lldx%lldx%lld", layouts[i][0], layouts[i][1], layouts[i][2],
                     (long long)m, (long long)n, (long long)k);
        if (wanted)
            free(got);
        else
            wanted = got;
        remote_free(&x);
    }
    free(wanted);
}

static void check_type(lay_type type)
{
    int64_t m, n, k;
    for (int slot = 0; slot < 2; slot++)
        if (find_size(type, slot, &m, &n, &k))
            check_in_layouts(type, m, n, k, slot ? TRIAL_SIGNED : TRIAL_INTEGERS);
        else
            print_message("# this device divides no product of %d x %d or so\n", 603 + 200 * slot, 707);
}

static void floats_have_the_same_bits_in_every_layout(void **state)
{
    (void)state;
    check_type(LAY_F32);
}

static void doubles_have_the_same_bits_in_every_layout(void **state)
{
    (void)state;
    check_type(LAY_F64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_have_the_same_bits_in_every_layout),
        cmocka_unit_test(doubles_have_the_same_bits_in_every_layout),
    };
    setenv("LAY_TEST_PLACE", "device", 1); /* for the oracle: sums are cut as there */
    if (!there_exists())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
