/* Where there is no GPU the library works, says why there is none, and refuses at once what needs one; and
 * wherever it runs, a product in host memory starts no CUDA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "layoutgemm.h"

enum { N = 48 };

static lay_desc *square;
static float a[N * N], c[N * N];

/* Why there is no device, as the machine's explanation has it; NULL where there is one. */
static const char *find_reason(void)
{
    static char text[4096];
    static const char title[] = "devices     none: ";
    assert_in_range(lay_machine_explain(text, sizeof text), 1, sizeof text - 1);
    char *const reason = strstr(text, title);
    if (!reason)
        return NULL;
    reason[strcspn(reason, "\n")] = 0;
    return reason + strlen(title);
}

/* As find_reason; the tests of what is refused for want of a GPU end at once where there is one. */
static const char *insist_on_reason(void)
{
    const char *reason = find_reason();
    assert_true(!reason || strlen(reason) > 0);
    return reason;
}

static lay_options options_for(lay_backend backend)
{
    lay_options options = LAY_OPTIONS_INIT;
    options.backend = backend;
    return options;
}

static int is_loaded(const char *library)
{
    char line[1024];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        found |= strstr(line, library) != NULL;
    fclose(maps);
    return found;
}

/* The first test: the others may ask for devices. */
static void a_product_in_host_memory_starts_no_cuda(void **state)
{
    (void)state;
    lay_plan *plan = NULL;
    const float one = 1, zero = 0;
    assert_true(is_loaded("libc.so"));
    assert_int_equal(lay_sgemm(square, square, square, 1, a, a, 0, c, NULL), LAY_OK);
    assert_int_equal(lay_plan_create(LAY_F32, square, square, square, NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_run(plan, &one, a, a, &zero, c), LAY_OK);
    lay_plan_destroy(plan);
    lay_cache_clear();
    assert_false(is_loaded("libcuda.so"));
    for (int i = 0; i < N * N; i++)
        assert_float_equal(c[i], N, 0);
}

static void the_cuda_backend_is_refused_with_the_reason_at_plan_time(void **state)
{
    (void)state;
    const char *reason = insist_on_reason();
    if (!reason)
        return;
    const lay_options options = options_for(LAY_BACKEND_CUDA);
    lay_plan *plan = NULL;
    assert_int_equal(lay_plan_create(LAY_F32, square, square, square, &options, &plan), LAY_ERR_UNSUPPORTED);
    assert_null(plan);
    assert_non_null(strstr(lay_last_error(), "options.backend is CUDA, but"));
    assert_non_null(strstr(lay_last_error(), reason));
    assert_null(strstr(lay_last_error(), "lies in device memory"));
    c[0] = 5;
    assert_int_equal(lay_sgemm(square, square, square, 1, a, a, 0, c, &options), LAY_ERR_UNSUPPORTED);
    assert_float_equal(c[0], 5, 0);
}

/* Where a device may be asked for and there is none. The CPU's backend has none, whatever the number. */
static void a_device_by_its_number_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const int list[] = { 3 };
    const char *reason = insist_on_reason();
    if (!reason)
        return;
    for (lay_backend backend = LAY_BACKEND_AUTO; backend <= LAY_BACKEND_CUDA; backend++)
        for (int is_list = 0; is_list <= 1; is_list++) {
            lay_options options = options_for(backend);
            options.device = is_list ? LAY_DEVICE_AUTO : 3;
            options.devices = list;
            options.device_count = is_list;
            const lay_status wanted = backend == LAY_BACKEND_CPU ? LAY_OK : LAY_ERR_UNSUPPORTED;
            assert_int_equal(lay_sgemm(square, square, square, 1, a, a, 0, c, &options), wanted);
            assert_true(wanted == LAY_OK || strstr(lay_last_error(), "options.device is 3, but"));
            assert_true(wanted == LAY_OK || strstr(lay_last_error(), reason));
            assert_int_equal(lay_copy(LAY_F32, square, a, square, c, &options), wanted);
        }
}

static void the_plan_explains_why_there_is_no_device(void **state)
{
    (void)state;
    char text[8192], wanted[256];
    lay_plan *plan = NULL;
    const char *reason = insist_on_reason();
    if (!reason)
        return;
    snprintf(wanted, sizeof wanted, "device    none: %s\n", reason);
    assert_int_equal(lay_plan_create(LAY_F32, square, square, square, NULL, &plan), LAY_OK);
    assert_in_range(lay_plan_explain(plan, text, sizeof text), 1, sizeof text - 1);
    lay_plan_destroy(plan);
    assert_non_null(strstr(text, wanted));
}

static void device_memory_is_refused_with_the_reason(void **state)
{
    (void)state;
    const char *reason = insist_on_reason();
    if (!reason)
        return;
    void *memory = &c;
    assert_int_equal(lay_alloc(LAY_F32, square, LAY_MEMORY_DEVICE, &memory), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), reason));
}

static void there_is_nothing_to_reserve(void **state)
{
    (void)state;
    if (!insist_on_reason())
        return;
    lay_plan *plan = NULL;
    assert_int_equal(lay_plan_create(LAY_F32, square, square, square, NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_reserve(plan), LAY_OK);
    lay_plan_destroy(plan);
}

static void a_kernel_for_gpus_is_refused(void **state)
{
    (void)state;
    if (!insist_on_reason())
        return;
    lay_options options = options_for(LAY_BACKEND_AUTO);
    options.kernel = "naive"; /* a build without CUDA has never heard of it */
    const lay_status status = lay_sgemm(square, square, square, 1, a, a, 0, c, &options);
    assert_true(status == LAY_ERR_UNSUPPORTED || status == LAY_ERR_OPTION);
    options.kernel = "no such kernel";
    assert_int_equal(lay_sgemm(square, square, square, 1, a, a, 0, c, &options), LAY_ERR_OPTION);
}

int main(void)
{
    for (int i = 0; i < N * N; i++)
        a[i] = 1;
    if (lay_desc_natural(2, (int64_t[]){ N, N }, &square) != LAY_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_in_host_memory_starts_no_cuda),
        cmocka_unit_test(the_cuda_backend_is_refused_with_the_reason_at_plan_time),
        cmocka_unit_test(a_device_by_its_number_is_refused_with_the_reason),
        cmocka_unit_test(the_plan_explains_why_there_is_no_device),
        cmocka_unit_test(device_memory_is_refused_with_the_reason),
        cmocka_unit_test(there_is_nothing_to_reserve),
        cmocka_unit_test(a_kernel_for_gpus_is_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lay_desc_destroy(square);
    return failed;
}
