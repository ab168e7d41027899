/* CUDA fails once in a product of operands in device memory, a reservation, an allocation or a copy: one call after the
 * other, by way of the linker. What was asked for is refused with CUDA's text, nothing of it is seen, nothing is
 * lost, and asked again it is done. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "failing_subjects.h"

/* ---- calls that fail -------------------------------------------------------------------------- */

static long calls_left = -1; /* before one fails; negative: none does */
static const char *only;     /* the calls that may fail; NULL: all */
static const char *failed_call;
static cudaError_t failure;
static long alive; /* what was made and is not gone yet: blocks, streams, events */

static int fails(const char *call)
{
    if (calls_left < 0 || (only && strcmp(only, call) != 0) || calls_left-- > 0)
        return 0;
    failed_call = call;
    return 1;
}

#define LEAD(call, parameters, arguments)                                                                              \
    cudaError_t __real_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters                                                                               \
    {                                                                                                                  \
        return fails(#call) ? failure : __real_##call arguments;                                                       \
    }
/* Calls that make something, and those that end it. */
#define LEAD_MAKING(call, parameters, arguments)                                                                       \
    cudaError_t __real_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters                                                                               \
    {                                                                                                                  \
        const cudaError_t error = fails(#call) ? failure : __real_##call arguments;                                    \
        alive += error == cudaSuccess;                                                                                 \
        return error;                                                                                                  \
    }
#define LEAD_ENDING(call, parameters, arguments, what)                                                                 \
    cudaError_t __real_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters                                                                               \
    {                                                                                                                  \
        const cudaError_t error = __real_##call arguments;                                                             \
        alive -= what && error == cudaSuccess;                                                                         \
        return error;                                                                                                  \
    }
LEAD(cudaFuncGetAttributes, (struct cudaFuncAttributes * to, const void *function), (to, function))
LEAD(cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute attribute, int value),
     (function, attribute, value))
LEAD(cudaMemPoolCreate, (cudaMemPool_t * to, const struct cudaMemPoolProps *asked), (to, asked))
LEAD(cudaMemPoolSetAttribute, (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value),
     (pool, attribute, value))
LEAD_MAKING(cudaMallocFromPoolAsync, (void **to, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
            (to, bytes, pool, stream))
LEAD_MAKING(cudaMalloc, (void **to, size_t bytes), (to, bytes))
LEAD_MAKING(cudaHostAlloc, (void **to, size_t bytes, unsigned flags), (to, bytes, flags))
LEAD_ENDING(cudaFreeAsync, (void *block, cudaStream_t stream), (block, stream), block)
LEAD_ENDING(cudaFree, (void *block), (block), block)
LEAD_ENDING(cudaFreeHost, (void *block), (block), block)
LEAD(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream))
LEAD(cudaMemsetAsync, (void *to, int value, size_t bytes, cudaStream_t stream), (to, value, bytes, stream))
LEAD(cudaLaunchKernel, (const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
     (function, grid, block, args, shared, stream))
LEAD_MAKING(cudaStreamCreateWithFlags, (cudaStream_t * to, unsigned flags), (to, flags))
LEAD_MAKING(cudaEventCreateWithFlags, (cudaEvent_t * to, unsigned flags), (to, flags))
LEAD_ENDING(cudaStreamDestroy, (cudaStream_t gone), (gone), 1)
LEAD_ENDING(cudaEventDestroy, (cudaEvent_t gone), (gone), 1)
LEAD(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
LEAD(cudaEventSynchronize, (cudaEvent_t event), (event))
LEAD(cudaStreamSynchronize, (cudaStream_t stream), (stream))

/* ---- one failure ------------------------------------------------------------------------------ */

/* What the sentence has to have: the call. Of launches the kernel, of pools their creation. */
static int names_call(const char *story)
{
    if (strcmp(failed_call, "cudaLaunchKernel") == 0)
        return strstr(story, failed_call) || strstr(story, "gemm_") || strstr(story, "lay_cuda_");
    return strstr(story, strcmp(failed_call, "cudaMemPoolSetAttribute") ? failed_call : "cudaMemPool") != NULL;
}

/* A failure may be without harm: memory is asked for twice. */
static int may_go_well(void)
{
    return strcmp(failed_call, "cudaMallocFromPoolAsync") == 0 && failure == cudaErrorMemoryAllocation;
}

static void insist_on_refusal(const failing_subject *of, lay_status status, long number)
{
    const char *const story = lay_last_error();
    const lay_status wanted = failure == cudaErrorMemoryAllocation ? LAY_ERR_MEMORY : LAY_ERR_DEVICE;
    if (status != wanted || !names_call(story) || !strstr(story, cudaGetErrorString(failure)))
        fail_msg("%s: %s failed as call %ld: %s, %s", of->name, failed_call, number, lay_status_name(status), story);
    if (!of->is_kept())
        fail_msg("%s: %s failed as call %ld, and something was written", of->name, failed_call, number);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
}

/* With call number to fail; 0 when it was never made. */
static int fail_at(const failing_subject *of, long number)
{
    char why[300];
    failing_take(of);
    lay_cache_clear(); /* so that plans and buffers are made anew, and may fail */
    of->restore();
    failed_call = NULL;
    calls_left = number;
    lay_status status = of->act();
    calls_left = -1;
    const int has_failed = failed_call != NULL;
    if (has_failed && (status != LAY_OK || !may_go_well())) {
        insist_on_refusal(of, status, number);
        of->restore();
        status = of->act();
    }
    if (status != LAY_OK)
        fail_msg("%s, after call %ld: %s", of->name, number, lay_last_error());
    if (!of->is_right(why, sizeof why))
        fail_msg("%s, after call %ld: %s", of->name, number, why);
    return has_failed;
}

/* ---- tests ------------------------------------------------------------------------------------ */

/* The first test: a pool is made once for all. */
static void a_pool_may_fail_to_be_made(void **state)
{
    (void)state;
    static const char *const calls[] = { "cudaMemPoolCreate", "cudaMemPoolSetAttribute" };
    failure = cudaErrorUnknown;
    const failing_subject *const of = &failing_subjects[0];
    failing_take(of);
    for (int i = 0; i < 2; i++) {
        only = calls[i];
        failed_call = NULL;
        of->restore();
        calls_left = 0;
        const lay_status status = of->act();
        calls_left = -1;
        assert_non_null(failed_call);
        insist_on_refusal(of, status, 0);
    }
    only = NULL;
    calls_left = -1;
    char why[300];
    assert_int_equal(of->act(), LAY_OK);
    if (!of->is_right(why, sizeof why))
        fail_msg("%s", why);
}

static void fail_all(cudaError_t error)
{
    static const long least[FAILING_SUBJECTS] = { 8, 8, 8, 8, 8, 5, 8, 8, 8, 5, 8, 8, 2, 8, 8, 4, 6, 2 };
    failure = error;
    for (int i = 0; i < FAILING_SUBJECTS; i++) {
        long number = 0;
        lay_cache_clear();
        const long before = alive;
        while (fail_at(&failing_subjects[i], number))
            number++;
        if (number < least[i])
            fail_msg("%s makes no more than %ld calls", failing_subjects[i].name, number);
        lay_cache_clear();
        if (alive != before)
            fail_msg("%s: %ld blocks, streams or events were lost", failing_subjects[i].name, alive - before);
    }
}

static void any_call_may_fail_once_and_nothing_is_lost(void **state)
{
    (void)state;
    fail_all(cudaErrorUnknown);
}

static void any_call_may_be_out_of_memory_once_and_nothing_is_lost(void **state)
{
    (void)state;
    fail_all(cudaErrorMemoryAllocation);
}

static int make_all(void **state)
{
    (void)state;
    return failing_make();
}

static int free_all(void **state)
{
    (void)state;
    return failing_free();
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_may_fail_to_be_made),
        cmocka_unit_test(any_call_may_fail_once_and_nothing_is_lost),
        cmocka_unit_test(any_call_may_be_out_of_memory_once_and_nothing_is_lost),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP there is no GPU: %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, make_all, free_all);
}
