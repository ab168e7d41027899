/* Products with operands in host memory on the device, in every mix of places and under every cap on memory: right,
 * inside their gaps, and with the bits that operands in device memory have. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../elsewhere.h"
#include "cuda/stream/staging.h"
#include "device/device.h"

#include "streaming.h"

enum { CASES = 300 };

static lay_status run_at(trial *t, const lay_place place[3])
{
    const trial_scalar alpha = trial_scalar_of(t->type, t->alpha), beta = trial_scalar_of(t->type, t->beta);
    elsewhere a = elsewhere_put(&t->in_a, place[0]), b = elsewhere_put(&t->in_b, place[1]),
              c = elsewhere_put(&t->out, place[2]);
    const lay_status status =
        lay_gemm(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &alpha, a.zero, b.zero, &beta, c.zero, &t->options);
    elsewhere_fetch(&a);
    elsewhere_fetch(&b);
    elsewhere_fetch(&c);
    return status;
}

/* ---- random products -------------------------------------------------------------------------- */

static const char *name_of(lay_place place)
{
    return place == LAY_PLACE_HOST ? "host" : place == LAY_PLACE_PINNED ? "pinned" : "device";
}

static void give_up(const trial *t, const lay_place place[3], uint64_t number, const char *why)
{
    char story[6000];
    trial_story(t, story, sizeof story);
    fail_msg("case %llu: %s\n  %s\n  %s %s %s, at most %zu bytes", (unsigned long long)number, why, story,
             name_of(place[0]), name_of(place[1]), name_of(place[2]), t->options.device_memory);
}

static lay_status run_placed(trial *t, void *place)
{
    return run_at(t, place);
}

static lay_status run_on_device(trial *t, void *place)
{
    static const lay_place device[] = { LAY_PLACE_DEVICE, LAY_PLACE_DEVICE, LAY_PLACE_DEVICE };
    (void)place;
    return run_at(t, device);
}

/* 0 where the cap held not even the smallest tiles. */
static int run_case(uint64_t number)
{
    static const lay_type types[] = { LAY_F32, LAY_F32, LAY_F64 };
    static const streaming_limits limits = { .types = types,
                                             .type_count = 3,
                                             .small = 90,
                                             .small_k = 90,
                                             .large = 260,
                                             .large_k = 400,
                                             .longest = 3000,
                                             .long_k = 60,
                                             .sliced_k = 6000,
                                             .threads = 4,
                                             .least_memory = 16,
                                             .most_memory = 23 };
    random_source from = random_case(11, number);
    trial t = { 0 };
    int is_done;
    lay_place place[3];
    streaming_choose(&t, &limits, &from);
    do
        for (int i = 0; i < 3; i++)
            place[i] = (lay_place)random_in(&from, LAY_PLACE_HOST, LAY_PLACE_DEVICE);
    while (place[0] == LAY_PLACE_DEVICE && place[1] == LAY_PLACE_DEVICE && place[2] == LAY_PLACE_DEVICE);
    trial_fill(&t, &from);
    trial_place(&t, layout_random(&from, LAYOUT_INPUT, t.m, t.k), layout_random(&from, LAYOUT_INPUT, t.k, t.n),
                layout_random(&from, LAYOUT_OUTPUT, t.m, t.n), OPERAND_ANYWHERE, &from);
    const streaming_runs runs = {
        .run = run_placed, .wanted = run_on_device, .of = place, .whose = "operands in device memory"
    };
    const char *const wrong = streaming_check(&t, &runs, &from, &is_done);
    if (wrong)
        give_up(&t, place, number, wrong);
    trial_free(&t);
    return is_done;
}

static void any_mix_of_places_under_any_cap_is_right_and_has_the_device_s_bits(void **state)
{
    (void)state;
    const int cases = trial_rounds(CASES);
    int done = 0;
    for (int number = 0; number < cases; number++)
        done += run_case((uint64_t)number);
    assert_true(done > cases * 8 / 10);
}

/* ---- single promises -------------------------------------------------------------------------- */

static void make(trial *t, int64_t m, int64_t n, int64_t k, random_source *from)
{
    *t = (trial){ .type = LAY_F32, .m = m, .n = n, .k = k, .alpha = 1, .beta = 1, .data = TRIAL_INTEGERS };
    t->options = (lay_options)LAY_OPTIONS_INIT;
    t->options.backend = LAY_BACKEND_CUDA;
    trial_fill(t, from);
    trial_place(t, layout_usual(0, m, k), layout_usual(0, k, n), layout_usual(0, m, n), OPERAND_ANYWHERE, from);
}

static void a_cap_below_the_smallest_tiles_is_refused_and_C_stays(void **state)
{
    static const lay_place host[3] = { LAY_PLACE_HOST, LAY_PLACE_HOST, LAY_PLACE_HOST };
    (void)state;
    random_source from = random_case(12, 0);
    trial t;
    make(&t, 50, 60, 70, &from);
    t.options.device_memory = 100;
    assert_int_equal(run_at(&t, host), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "device_memory"));
    assert_true(operand_is_untouched(&t.out));
    trial_free(&t);
}

static void what_the_callers_stream_still_computes_is_waited_for(void **state)
{
    enum { N = 1500 };
    (void)state;
    random_source from = random_case(13, 0);
    trial t;
    char why[300];
    cudaStream_t stream;
    make(&t, N, N, 40, &from);
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    void *late = NULL;
    assert_int_equal(cudaMalloc(&late, t.in_b.bytes), cudaSuccess);
    char *pinned = NULL;
    assert_int_equal(cudaHostAlloc((void **)&pinned, t.in_b.bytes, cudaHostAllocDefault), cudaSuccess);
    memcpy(pinned, t.in_b.memory, t.in_b.bytes);
    /* B arrives behind a long line of other things. */
    for (int i = 0; i < 200; i++)
        assert_int_equal(cudaMemsetAsync(late, i, t.in_b.bytes, stream), cudaSuccess);
    assert_int_equal(cudaMemcpyAsync(late, pinned, t.in_b.bytes, cudaMemcpyHostToDevice, stream), cudaSuccess);
    const trial_scalar one = trial_scalar_of(LAY_F32, 1);
    t.options.stream = stream;
    assert_int_equal(lay_gemm(LAY_F32, t.in_a.desc, t.in_b.desc, t.out.desc, &one, t.in_a.zero,
                              (char *)late + ((char *)t.in_b.zero - t.in_b.memory), &one, t.out.zero, &t.options),
                     LAY_OK);
    if (!trial_is_right(&t, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
    assert_int_equal(cudaFree(late), cudaSuccess);
    assert_int_equal(cudaFreeHost(pinned), cudaSuccess);
    trial_free(&t);
}

static void buffers_come_back_after_the_cache_was_cleared(void **state)
{
    static const lay_place host[3] = { LAY_PLACE_HOST, LAY_PLACE_HOST, LAY_PLACE_HOST };
    (void)state;
    char why[300];
    for (int i = 0; i < 3; i++) {
        random_source from = random_case(14, (uint64_t)i);
        trial t;
        make(&t, 100, 90, 80, &from);
        assert_int_equal(run_at(&t, host), LAY_OK);
        if (!trial_is_right(&t, why, sizeof why))
            fail_msg("%s", why);
        trial_free(&t);
        lay_cache_clear();
    }
}

/* One thread's products: the number of those that were wrong. */
static void *run_some(void *number)
{
    intptr_t wrong = 0;
    for (int i = 0; i < 10; i++) {
        static const lay_place host[3] = { LAY_PLACE_HOST, LAY_PLACE_HOST, LAY_PLACE_HOST };
        random_source from = random_case(15 + (uint64_t)(uintptr_t)number, (uint64_t)i);
        trial t;
        char why[300];
        make(&t, 150 + 10 * i, 170, 300, &from);
        t.options.device_memory = (size_t)1 << 20;
        wrong += run_at(&t, host) != LAY_OK || !trial_is_right(&t, why, sizeof why);
        trial_free(&t);
    }
    return (void *)wrong;
}

static void threads_stream_at_the_same_time(void **state)
{
    enum { THREADS = LAY_STAGING_CALLERS + 2 }; /* more than streams are kept for */
    pthread_t thread[THREADS];
    (void)state;
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_some, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(thread[i], &wrong), 0);
        assert_null(wrong);
    }
}

static int passes_through_device(int64_t n, lay_backend backend)
{
    char text[16384];
    lay_plan *plan = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *square = layout_usual(0, n, n);
    options.backend = backend;
    assert_int_equal(lay_plan_create(LAY_F32, square, square, square, &options, &plan), LAY_OK);
    lay_plan_explain(plan, text, sizeof text);
    lay_plan_destroy(plan);
    lay_desc_destroy(square);
    return strstr(text, "passes through device") != NULL;
}

static void sizes_decide_who_has_a_product_in_host_memory(void **state)
{
    (void)state;
    assert_true(passes_through_device(8192, LAY_BACKEND_AUTO));
    assert_true(passes_through_device(64, LAY_BACKEND_CUDA));
    assert_false(passes_through_device(64, LAY_BACKEND_AUTO));
    assert_false(passes_through_device(8192, LAY_BACKEND_CPU));
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_mix_of_places_under_any_cap_is_right_and_has_the_device_s_bits),
        cmocka_unit_test(a_cap_below_the_smallest_tiles_is_refused_and_C_stays),
        cmocka_unit_test(what_the_callers_stream_still_computes_is_waited_for),
        cmocka_unit_test(buffers_come_back_after_the_cache_was_cleared),
        cmocka_unit_test(threads_stream_at_the_same_time),
        cmocka_unit_test(sizes_decide_who_has_a_product_in_host_memory),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
