/* CUDA fails in the middle of a product that passes through the device: one call after the other, by way of the linker.
 * The product is refused with CUDA's text, C is untouched or said to be partly written, and the next one is right. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../product/support/trial.h"
#include "device/device.h"

static long calls_left = -1; /* before one fails; negative: none does */
static const char *failed_call;

static int fails(const char *call)
{
    if (calls_left < 0 || calls_left-- > 0)
        return 0;
    failed_call = call;
    return 1;
}

#define LEAD(call, parameters, arguments)                                                                              \
    cudaError_t __real_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters                                                                               \
    {                                                                                                                  \
        return fails(#call) ? cudaErrorUnknown : __real_##call arguments;                                              \
    }
LEAD(cudaStreamCreateWithFlags, (cudaStream_t * to, unsigned flags), (to, flags))
LEAD(cudaEventCreateWithFlags, (cudaEvent_t * to, unsigned flags), (to, flags))
LEAD(cudaHostAlloc, (void **to, size_t bytes, unsigned flags), (to, bytes, flags))
LEAD(cudaMallocFromPoolAsync, (void **to, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
     (to, bytes, pool, stream))
LEAD(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream))
LEAD(cudaMemcpy2DAsync,
     (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
      enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, to_pitch, from, from_pitch, width, height, kind, stream))
LEAD(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
LEAD(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
LEAD(cudaLaunchKernel, (const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
     (function, grid, block, args, shared, stream))

static lay_status run(trial *t, void *a, void *c)
{
    const trial_scalar alpha = trial_scalar_of(t->type, t->alpha), beta = trial_scalar_of(t->type, t->beta);
    return lay_gemm(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &alpha, a, t->in_b.zero, &beta, c, &t->options);
}

/* With call number to fail; 0 when it was never made. A lies in page-locked memory, and C if is_pinned. */
static int fail_at(long number, int is_pinned)
{
    random_source from = random_case(31, 1);
    trial t = { .type = LAY_F32, .m = 330, .n = 310, .k = 500, .alpha = 2, .beta = 1, .data = TRIAL_INTEGERS };
    char why[300], *a = NULL, *c = NULL;
    t.options = (lay_options)LAY_OPTIONS_INIT;
    t.options.backend = LAY_BACKEND_CUDA;
    t.options.device_memory = 700000; /* several tiles, k cut */
    trial_fill(&t, &from);
    trial_place(&t, layout_usual(0, t.m, t.k), layout_usual(1, t.k, t.n), layout_usual(0, t.m, t.n), OPERAND_ANYWHERE,
                &from);
    assert_int_equal(cudaMallocHost((void **)&a, t.in_a.bytes), cudaSuccess);
    assert_int_equal(cudaMallocHost((void **)&c, t.out.bytes), cudaSuccess);
    memcpy(a, t.in_a.memory, t.in_a.bytes);
    memcpy(c, t.out.memory, t.out.bytes);
    void *const a_zero = a + ((char *)t.in_a.zero - t.in_a.memory);
    void *const c_zero = is_pinned ? c + ((char *)t.out.zero - t.out.memory) : t.out.zero;

    lay_cache_clear(); /* so that streams, events and buffers are made anew, and may fail */
    failed_call = NULL;
    calls_left = number;
    lay_status status = run(&t, a_zero, c_zero);
    calls_left = -1;
    if (failed_call) {
        const char *const story = lay_last_error();
        if (status != LAY_ERR_DEVICE || !strstr(story, cudaGetErrorString(cudaErrorUnknown)))
            fail_msg("%s failed as call %ld: %s, %s", failed_call, number, lay_status_name(status), story);
        const int is_kept = is_pinned ? memcmp(c, t.out.before, t.out.bytes) == 0 : operand_is_untouched(&t.out);
        if (!is_kept && !strstr(story, "a part of C has been written"))
            fail_msg("%s failed as call %ld: C was written without a word", failed_call, number);
        trial_restore(&t);
        memcpy(c, t.out.before, t.out.bytes);
        status = run(&t, a_zero, c_zero);
    }
    if (status != LAY_OK)
        fail_msg("after call %ld: %s", number, lay_last_error());
    if (is_pinned)
        memcpy(t.out.memory, c, t.out.bytes);
    if (!trial_is_right(&t, why, sizeof why))
        fail_msg("after call %ld: %s", number, why);
    assert_int_equal(cudaFreeHost(a), cudaSuccess);
    assert_int_equal(cudaFreeHost(c), cudaSuccess);
    trial_free(&t);
    return failed_call != NULL;
}

static void any_call_may_fail_once(void **state)
{
    (void)state;
    for (int is_pinned = 0; is_pinned <= 1; is_pinned++) {
        long number = 0;
        /* All streams, some events, some of the steps' calls: each failure makes all buffers anew. */
        while (fail_at(number, is_pinned))
            number += number < 6 ? 1 : 211;
        assert_true(number > 100);
    }
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = { cmocka_unit_test(any_call_may_fail_once) };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
