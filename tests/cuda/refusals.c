/* What the CUDA side refuses, with a status, a sentence and C as it was: on any machine, and where there is a GPU. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_kernel.h"
#include "device/device.h"
#include "layoutgemm.h"
#include "levels.h"
#include "machine/machine.h"

enum { N = 48 };

static lay_desc *square;
static float a[N * N], c[N * N];
static float *device_a, *device_c; /* NULL where there is no GPU */

static int has_gpu(void)
{
    const char *reason;
    return lay_device_count(&reason) > 0;
}

static lay_options usual(void)
{
    lay_options options = LAY_OPTIONS_INIT;
    return options;
}

/* The products of these operands, and a plan where they lie in host memory, are refused in such words. */
static void insist_at(const float *in, float *out, const lay_options *options, lay_status wanted, const char *word)
{
    const lay_status status = lay_sgemm(square, square, square, 1, in, in, 0, out, options);
    if (status != wanted || !strstr(lay_last_error(), word))
        fail_msg("not %s with \"%s\" but %s: %s", lay_status_name(wanted), word, lay_status_name(status),
                 lay_last_error());
}

static void insist(const lay_options *options, lay_status wanted, const char *word)
{
    lay_plan *plan = NULL;
    c[7] = 5;
    insist_at(a, c, options, wanted, word);
    assert_float_equal(c[7], 5, 0);
    assert_int_equal(lay_plan_create(LAY_F32, square, square, square, options, &plan), wanted);
    assert_non_null(strstr(lay_last_error(), word));
    assert_null(plan);
}

/* The same of operands on the device. */
static void insist_there(const lay_options *options, lay_status wanted, const char *word)
{
    float before = 5, after = 0;
    assert_int_equal(cudaMemcpy(device_c, &before, sizeof before, cudaMemcpyHostToDevice), cudaSuccess);
    insist_at(device_a, device_c, options, wanted, word);
    assert_int_equal(cudaMemcpy(&after, device_c, sizeof after, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_float_equal(after, 5, 0);
}

/* ---- with a GPU and without ------------------------------------------------------------------- */

static void a_name_of_no_kernel_is_refused_with_the_families(void **state)
{
    (void)state;
    static const char *const names[] = { "", "nonsense", "Simt", "simt ", "gemm_f32_1x1x1_simt", "%s%n" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        lay_options options = usual();
        options.kernel = names[i];
        insist(&options, LAY_ERR_OPTION, "no kernel of this build");
        for (int family = 0; lay_cuda_families[family]; family++)
            assert_non_null(strstr(lay_last_error(), lay_cuda_families[family]->family));
        if (has_gpu())
            insist_there(&options, LAY_ERR_OPTION, "no kernel of this build");
    }
}

static void a_long_name_of_no_kernel_is_cut_short(void **state)
{
    (void)state;
    char name[5000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    lay_options options = usual();
    options.kernel = name;
    insist(&options, LAY_ERR_OPTION, "no kernel of this build");
    assert_in_range(strlen(lay_last_error()), 1, 1000);
}

static void a_kernel_of_another_type_is_refused(void **state)
{
    (void)state;
    int asked = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        lay_options options = usual();
        options.kernel = row->name;
        if (row->type == LAY_F32)
            continue;
        insist(&options, LAY_ERR_UNSUPPORTED, has_gpu() ? "another type" : "there is no CUDA driver");
        asked++;
    }
    assert_true(asked > 0);
}

static void a_kernel_of_gpus_is_refused_to_the_cpu_backend(void **state)
{
    (void)state;
    lay_options options = usual();
    options.kernel = "simt";
    options.backend = LAY_BACKEND_CPU;
    insist(&options, LAY_ERR_UNSUPPORTED, "CPU");
}

/* With a kernel's name or without, on a CPU, in host memory and of doubles. */
static void split_operands_are_refused_where_nothing_splits_them(void **state)
{
    (void)state;
    lay_options options = usual();
    lay_plan *plan = NULL;
    options.compute = LAY_COMPUTE_F32_SPLIT;
    if (!lay_isa_is_in(lay_machine_get()->levels, LAY_ISA_AMX)) { /* there the CPU splits them */
        options.backend = LAY_BACKEND_CPU;
        insist(&options, LAY_ERR_UNSUPPORTED, "cpu-split");
        options.backend = LAY_BACKEND_AUTO;
        insist_at(a, c, &options, LAY_ERR_UNSUPPORTED, has_gpu() ? "host memory" : "split");
    }
    assert_int_equal(lay_plan_create(LAY_F64, square, square, square, &options, &plan), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "only f32"));
    options.kernel = "simt";
    insist(&options, LAY_ERR_OPTION, "splits no operands");
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_SPLIT);
    const lay_cuda_kernel *row = lay_cuda_next(&walk);
    options.kernel = row ? row->name : NULL; /* a build without code for 9.0 has none */
    options.compute = LAY_COMPUTE_STRICT;
    if (options.kernel)
        insist(&options, LAY_ERR_OPTION, "options.compute is strict");
    options.compute = (lay_compute)99;
    insist(&options, LAY_ERR_OPTION, "no lay_compute");
    assert_int_equal(lay_plan_path(NULL, NULL), LAY_ERR_ARGUMENT);
}

static void lists_of_no_devices_are_refused(void **state)
{
    (void)state;
    static const int absent[] = { 0, 1023 }, negative[] = { 0, -2 }, first[] = { 0 };
    lay_options options = usual();
    options.devices = absent;
    options.device_count = 2;
    insist(&options, LAY_ERR_UNSUPPORTED, "options.devices[1] is 1023, but");
    options.device_count = LAY_DEVICES_MOST + 1;
    insist(&options, LAY_ERR_OPTION, "device_count is 65, not 0 to 64");
    options.device_count = 1;
    options.devices = NULL;
    insist(&options, LAY_ERR_OPTION, "options.devices is NULL");
    options.device_count = -1;
    insist(&options, LAY_ERR_OPTION, "device_count is -1");
    options.devices = negative;
    options.device_count = 2;
    insist(&options, LAY_ERR_OPTION, "devices[1] is -2");
    options.devices = first;
    options.device_count = 1;
    options.device = 1;
    insist(&options, LAY_ERR_OPTION, "options.device is 1 but options.devices begins with 0");
}

static void a_number_of_no_device_is_refused(void **state)
{
    (void)state;
    const char *reason;
    const int count = lay_device_count(&reason);
    lay_options options = usual();
    options.device = -2;
    insist(&options, LAY_ERR_OPTION, "-2");
    options.device = count; /* of operands in host memory, too */
    insist(&options, LAY_ERR_UNSUPPORTED, count ? "no device of that number" : reason);
    options.backend = LAY_BACKEND_CUDA;
    insist(&options, LAY_ERR_UNSUPPORTED, count ? "no device of that number" : reason);
    options.device = 1 << 30;
    insist(&options, LAY_ERR_UNSUPPORTED, count ? "no device of that number" : reason);
}

static void a_structure_of_no_size_is_refused_and_an_old_one_read(void **state)
{
    (void)state;
    lay_options options = usual();
    options.struct_size = 0;
    insist(&options, LAY_ERR_OPTION, "struct_size");
    options.struct_size = offsetof(lay_options, isa);
    insist(&options, LAY_ERR_OPTION, "struct_size");
    /* A caller who knows no field of CUDA's: what lies behind is not read. */
    options.struct_size = offsetof(lay_options, device);
    options.device = -77;
    options.kernel = "nonsense";
    options.device_count = -1;
    assert_int_equal(lay_sgemm(square, square, square, 1, a, a, 0, c, &options), LAY_OK);
    assert_float_equal(c[7], N, 0);
}

/* ---- with a GPU ------------------------------------------------------------------------------- */

static void device_memory_is_refused_to_the_cpu_backend(void **state)
{
    (void)state;
    if (!has_gpu())
        return; /* Meson takes skip() for a failure */
    lay_options options = usual();
    options.backend = LAY_BACKEND_CPU;
    insist_there(&options, LAY_ERR_UNSUPPORTED, "C lies in device memory, but options.backend is the CPU");
    insist_at(device_a, c, &options, LAY_ERR_UNSUPPORTED, "A lies in device memory");
    assert_int_equal(lay_sgemm(square, square, square, 1, a, device_a, 0, c, &options), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "B lies in device memory"));
}

static void operands_on_another_device_than_named_are_refused(void **state)
{
    (void)state;
    if (!has_gpu())
        return; /* Meson takes skip() for a failure */
    lay_options options = usual();
    options.device = lay_device_current() + 1;
    const char *reason;
    const int is_there = lay_device_count(&reason) > options.device;
    insist_there(&options, is_there ? LAY_ERR_ARGUMENT : LAY_ERR_UNSUPPORTED,
                 is_there ? "but options.device is" : "no device of that number");
    assert_int_equal(lay_copy(LAY_F32, square, a, square, device_c, &options), LAY_ERR_ARGUMENT);
    assert_non_null(strstr(lay_last_error(), "but options.device is"));
}

static void a_kernel_of_the_cpu_is_refused_device_memory(void **state)
{
    (void)state;
    if (!has_gpu())
        return; /* Meson takes skip() for a failure */
    lay_options options = usual();
    options.kernel = "lay_gemm_f32_4x8_c";
    insist_there(&options, LAY_ERR_UNSUPPORTED, "names a CPU kernel");
    options.kernel = "lay_split_f32_32x32_c";
    insist_there(&options, LAY_ERR_UNSUPPORTED, "names a CPU kernel");
}

/* Also of a machine with a GPU, whose executors are asked what they would do. */
static void a_kernel_of_the_cpu_is_explained(void **state)
{
    (void)state;
    static const char *const names[] = { "lay_gemm_f32_4x8_c", "lay_split_f32_32x32_c" };
    for (int i = 0; i < 2; i++) {
        char text[20000];
        lay_options options = LAY_OPTIONS_INIT;
        lay_plan *plan;
        options.isa = LAY_ISA_C;
        options.kernel = names[i];
        if (lay_plan_create(LAY_F32, square, square, square, &options, &plan) != LAY_OK)
            fail_msg("%s", lay_last_error());
        lay_plan_explain(plan, text, sizeof text);
        assert_non_null(strstr(text, names[i]));
        lay_plan_destroy(plan);
    }
}

static void c_over_a_in_device_memory_is_refused(void **state)
{
    (void)state;
    if (!has_gpu())
        return; /* Meson takes skip() for a failure */
    insist_at(device_a, device_a + 1, NULL, LAY_ERR_OVERLAP, "C cannot be shown to stay clear of A");
    assert_int_equal(lay_copy(LAY_F32, square, device_a, square, device_a + N, NULL), LAY_ERR_OVERLAP);
}

/* What waits for its end cannot be in a graph, and the capture goes on without it. */
static void host_memory_is_refused_to_a_capture(void **state)
{
    (void)state;
    if (!has_gpu())
        return; /* Meson takes skip() for a failure */
    cudaStream_t stream;
    cudaGraph_t graph;
    size_t nodes = 1;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    lay_options options = usual();
    options.backend = LAY_BACKEND_CUDA;
    options.stream = stream;
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    insist_at(a, device_c, &options, LAY_ERR_UNSUPPORTED, "captured");
    assert_int_equal(lay_copy(LAY_F32, square, a, square, device_c, &options), LAY_ERR_UNSUPPORTED);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphGetNodes(graph, NULL, &nodes), cudaSuccess);
    assert_int_equal(nodes, 0);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

static void nothing_at_all_is_refused_a_reservation(void **state)
{
    (void)state;
    assert_int_equal(lay_plan_reserve(NULL), LAY_ERR_ARGUMENT);
    assert_non_null(strstr(lay_last_error(), "plan is NULL"));
}

int main(void)
{
    for (int i = 0; i < N * N; i++)
        a[i] = 1;
    if (lay_desc_natural(2, (int64_t[]){ N, N }, &square) != LAY_OK)
        return 1;
    if (has_gpu() && (cudaMalloc((void **)&device_a, 2 * sizeof a) || cudaMalloc((void **)&device_c, sizeof c) ||
                      cudaMemset(device_a, 0, 2 * sizeof a)))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_of_no_kernel_is_refused_with_the_families),
        cmocka_unit_test(a_long_name_of_no_kernel_is_cut_short),
        cmocka_unit_test(a_kernel_of_another_type_is_refused),
        cmocka_unit_test(a_kernel_of_gpus_is_refused_to_the_cpu_backend),
        cmocka_unit_test(split_operands_are_refused_where_nothing_splits_them),
        cmocka_unit_test(lists_of_no_devices_are_refused),
        cmocka_unit_test(a_number_of_no_device_is_refused),
        cmocka_unit_test(a_structure_of_no_size_is_refused_and_an_old_one_read),
        cmocka_unit_test(nothing_at_all_is_refused_a_reservation),
        cmocka_unit_test(device_memory_is_refused_to_the_cpu_backend),
        cmocka_unit_test(operands_on_another_device_than_named_are_refused),
        cmocka_unit_test(a_kernel_of_the_cpu_is_refused_device_memory),
        cmocka_unit_test(a_kernel_of_the_cpu_is_explained),
        cmocka_unit_test(c_over_a_in_device_memory_is_refused),
        cmocka_unit_test(host_memory_is_refused_to_a_capture),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cudaFree(device_a);
    cudaFree(device_c);
    lay_desc_destroy(square);
    return failed;
}
