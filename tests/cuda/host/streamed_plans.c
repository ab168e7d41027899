/* Plans of products that pass through devices, without a GPU (streams.h): how many devices they take, what they say of
 * it, and which lists they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "plan/routes.h"

#include "../../product/support/layouts.h"
#include "streamed_table.h"
#include "streams.h"

static lay_plan *make_plan(lay_type type, int64_t n, const lay_options *options, lay_status wanted, const char *words)
{
    lay_plan *plan = NULL;
    lay_desc *const square = layout_usual(0, n, n);
    const lay_status status = lay_plan_make(&streamed_table, type, square, square, square, options, &plan);
    if (status != wanted || (words && !strstr(lay_last_error(), words)))
        fail_msg("not %s with \"%s\" but %s: %s", lay_status_name(wanted), words ? words : "", lay_status_name(status),
                 lay_last_error());
    lay_desc_destroy(square);
    return plan;
}

static lay_options on_devices(const int devices[], int count)
{
    lay_options options = LAY_OPTIONS_INIT;
    options.backend = LAY_BACKEND_CUDA;
    options.devices = devices;
    options.device_count = count;
    streams_now = (streams_setting){ .slices = { 1, 1, 1 }, .still = -1, .calls = -1 };
    streams_forget_places();
    return options;
}

static void a_plan_takes_as_many_devices_as_pay_and_says_why(void **state)
{
    static const int devices[] = { 0, 2 };
    static const struct {
        int64_t n;
        int devices;
        const char *words;
    } wanted[] = { { 100, 1, "shared    by 1 of 2 devices: 1 x 1 parts of 100 x 100 of C, which device 0 has" },
                   { 16384, 2,
                     "shared    by 2 of 2 devices: 2 x 1 parts of 8192 x 16384 of C, which devices 0, 2 have" } };
    (void)state;
    for (int i = 0; i < 2; i++) {
        static char text[16384];
        const lay_options options = on_devices(devices, 2);
        lay_plan *const plan = make_plan(LAY_F32, wanted[i].n, &options, LAY_OK, NULL);
        lay_plan_info info = LAY_PLAN_INFO_INIT;
        assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, &info), LAY_OK);
        assert_int_equal(info.devices, wanted[i].devices);
        assert_string_equal(info.way, "in tiles");
        lay_plan_explain(plan, text, sizeof text);
        if (!strstr(text, wanted[i].words) || !strstr(text, "predicted 1 in "))
            fail_msg("no \"%s\" in\n%s", wanted[i].words, text);
        lay_plan_destroy(plan);
    }
}

static double predict(int64_t n, const int devices[], int count)
{
    const lay_options options = on_devices(devices, count);
    lay_plan *const plan = make_plan(LAY_F32, n, &options, LAY_OK, NULL);
    lay_plan_info info = LAY_PLAN_INFO_INIT;
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_PINNED, &info), LAY_OK);
    lay_plan_destroy(plan);
    return info.seconds;
}

static void two_devices_are_predicted_to_take_little_more_than_half(void **state)
{
    static const int devices[] = { 0, 1 };
    (void)state;
    const double one = predict(16384, devices, 1), two = predict(16384, devices, 2);
    assert_true(two > one / 2 && two < one / 1.8);
}

static void the_plan_keeps_its_own_list(void **state)
{
    int devices[] = { 0, 2 };
    static char text[16384];
    (void)state;
    const lay_options options = on_devices(devices, 2);
    lay_plan *const plan = make_plan(LAY_F32, 8192, &options, LAY_OK, NULL);
    devices[0] = devices[1] = 77;
    lay_plan_explain(plan, text, sizeof text);
    assert_non_null(strstr(text, "devices 0, 2 have"));
    lay_plan_destroy(plan);
}

static void lists_that_cannot_be_are_refused_with_the_reason(void **state)
{
    static const int absent[] = { 0, 7 }, both[] = { 0, 1 };
    (void)state;
    lay_options options = on_devices(absent, 2);
    make_plan(LAY_F32, 100, &options, LAY_ERR_UNSUPPORTED,
              "options.devices[1] is 7, but there is no device of that number");
    options.backend = LAY_BACKEND_AUTO;
    make_plan(LAY_F32, 100, &options, LAY_ERR_UNSUPPORTED, "options.devices[1] is 7");
    options.devices = (const int[]){ 0, -1 };
    make_plan(LAY_F32, 100, &options, LAY_ERR_OPTION, "options.devices[1] is -1, which is no device");
    options.devices = NULL;
    make_plan(LAY_F32, 100, &options, LAY_ERR_OPTION, "options.device_count is 2 but options.devices is NULL");
    options.device_count = LAY_DEVICES_MOST + 1;
    make_plan(LAY_F32, 100, &options, LAY_ERR_OPTION, "options.device_count is 65, not 0 to 64");
    options = on_devices(both, 2);
    options.device = 1;
    make_plan(LAY_F32, 100, &options, LAY_ERR_OPTION, "options.device is 1 but options.devices begins with 0");
    options = on_devices(absent, 2);
    options.backend = LAY_BACKEND_CPU; /* looks at no device */
    lay_plan_destroy(make_plan(LAY_F32, 100, &options, LAY_OK, NULL));
    /* Another order of the sum. */
    options = on_devices(both, 2);
    streams_now.slices[1] = 2;
    lay_plan *const plan = make_plan(LAY_F32, 100, &options, LAY_OK, NULL);
    const lay_places places = lay_places_all(LAY_PLACE_HOST, 0);
    lay_route *route;
    assert_int_equal(lay_plan_find_route(plan, &places, &route), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "options.devices has one that adds in another order than the first"));
    lay_plan_destroy(plan);
}

/* What lay_sgemm remembers, by the linker: of the ways that are here. */
lay_status __wrap_lay_plan_create(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c,
                                  const lay_options *options, lay_plan **out);
lay_status __wrap_lay_plan_create(lay_type type, const lay_desc *a, const lay_desc *b, const lay_desc *c,
                                  const lay_options *options, lay_plan **out)
{
    return lay_plan_make(&streamed_table, type, a, b, c, options, out);
}

/* A product that a device is predicted to do soonest, C = 2 B, by a plan of the caller's, which is made first if it is
 * not there, or by a remembered one (NULL); 0: it failed, and C may be anything. */
static int multiply_large(lay_plan **own)
{
    enum { N = 400 };
    static float a[N * N], b[N * N], c[N * N];
    lay_options options = LAY_OPTIONS_INIT;
    options.isa = LAY_ISA_C;
    options.threads = 1;
    for (int i = 0; i < N * N; i++) {
        a[i] = i % (N + 1) ? 0 : 2;
        b[i] = (float)(i % 1000);
        c[i] = -1;
    }
    lay_desc *const square = layout_usual(0, N, N);
    const float one = 1, zero = 0;
    if (own && !*own)
        assert_int_equal(lay_plan_make(&streamed_table, LAY_F32, square, square, square, &options, own), LAY_OK);
    const lay_status status =
        own ? lay_plan_run(*own, &one, a, b, &zero, c) : lay_sgemm(square, square, square, 1, a, b, 0, c, &options);
    int right = 0;
    while (status == LAY_OK && right < N * N && c[right] == 2 * b[right])
        right++;
    lay_desc_destroy(square);
    return right == N * N;
}

static void a_child_plans_anew_what_its_parent_s_device_did(void **state)
{
    lay_plan *own = NULL;
    (void)state;
    streams_now = (streams_setting){ .slices = { 1, 1, 1 }, .still = -1, .calls = -1 };
    streams_forget_places();
    for (int round = 0; round < 4; round++) {
        lay_plan **const plan = round % 2 ? &own : NULL;
        int status = -1;
        streams_begin();
        assert_true(multiply_large(plan));
        assert_true(streams_seen.launches[0] > 0);
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            streams_now.is_gone = 1;
            streams_begin();
            _exit(multiply_large(plan) && streams_seen.launches[0] == 0 ? 0 : 1);
        }
        assert_true(child > 0 && waitpid(child, &status, 0) == child);
        assert_int_equal(status, 0);
    }
    lay_plan_destroy(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_takes_as_many_devices_as_pay_and_says_why),
        cmocka_unit_test(two_devices_are_predicted_to_take_little_more_than_half),
        cmocka_unit_test(the_plan_keeps_its_own_list),
        cmocka_unit_test(lists_that_cannot_be_are_refused_with_the_reason),
        cmocka_unit_test(a_child_plans_anew_what_its_parent_s_device_did),
    };
    streams_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
