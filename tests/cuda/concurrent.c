/* While a stream is captured, in whatever mode, the library may be used beside it, by the same thread or another:
 * what it takes, frees and waits for on its own account spoils no capture. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "elsewhere.h"

static cudaStream_t captured;

/* What is done beside it, and the stream for that: all of it made beforehand. */
static struct {
    cudaStream_t stream;
    remote small, large; /* tables and slices; more partial sums than plans keep unasked */
    trial host;
    operand source, target;
    elsewhere source_there, target_there;
} beside;

/* ---- guests ----------------------------------------------------------------------------------- */

static lay_status multiply_first(void)
{
    return remote_call(&beside.small);
}

static lay_status plan_and_multiply(void)
{
    lay_plan *plan = NULL;
    lay_status status = remote_plan(&beside.large, &plan);
    if (status == LAY_OK)
        status = remote_run(&beside.large, plan);
    lay_plan_destroy(plan);
    return status;
}

static lay_status reserve_and_multiply(void)
{
    lay_plan *plan = NULL;
    lay_status status = remote_plan(&beside.large, &plan);
    if (status == LAY_OK && (status = lay_plan_reserve(plan)) == LAY_OK)
        status = remote_run(&beside.large, plan);
    lay_plan_destroy(plan);
    return status;
}

static lay_status multiply_in_host_memory(void)
{
    return trial_run(&beside.host, TRIAL_TYPED);
}

static lay_status copy(const void *from, void *to)
{
    lay_options options = LAY_OPTIONS_INIT;
    options.stream = beside.stream;
    return lay_copy(LAY_F32, beside.source.desc, from, beside.target.desc, to, &options);
}

static lay_status copy_there(void)
{
    return copy(beside.source_there.zero, beside.target_there.zero);
}

static lay_status copy_in_and_out(void)
{
    const lay_status status = copy(beside.source.zero, beside.target_there.zero);
    return status ? status : copy(beside.source_there.zero, beside.target.zero);
}

static lay_status allocate(void)
{
    void *there = NULL, *pinned = NULL;
    lay_status status = lay_alloc(LAY_F32, beside.source.desc, LAY_MEMORY_DEVICE, &there);
    if (status == LAY_OK)
        status = lay_alloc(LAY_F32, beside.source.desc, LAY_MEMORY_PINNED, &pinned);
    lay_free(there);
    lay_free(pinned);
    return status;
}

/* Those of a copy, with no plans to forget. */
static lay_status forget_buffers(void)
{
    lay_cache_clear();
    return LAY_OK;
}

static void check_small(void)
{
    remote_insist_on_right(&beside.small);
    remote_restore(&beside.small);
}

static void check_large_one(void)
{
    remote_insist_on_right(&beside.large);
    remote_restore(&beside.large);
}

static void check_host(void)
{
    char why[300];
    if (!trial_is_right(&beside.host, why, sizeof why))
        fail_msg("%s", why);
    oracle_scatter(LAY_F32, beside.host.out.desc, beside.host.out.zero, beside.host.c);
}

static void insist_on_copy(void)
{
    static float wanted[300 * 200], got[300 * 200];
    operand_bytes(&beside.source, wanted);
    operand_bytes(&beside.target, got);
    assert_memory_equal(wanted, got, sizeof got);
}

static void check_copy(void)
{
    elsewhere_read(&beside.target_there);
    insist_on_copy();
    memset(beside.target.memory, 0x5a, beside.target.bytes);
    elsewhere_write(&beside.target_there);
}

static void check_copies(void)
{
    insist_on_copy();
    check_copy();
}

static void check_nothing(void)
{
}

typedef struct guest {
    const char *name;
    lay_status (*act)(void);
    void (*oracle)(void);
} guest;

static const guest guests[] = {
    { "a capture stays whole during a first product", multiply_first, check_small },
    { "a capture stays whole during a planned product", plan_and_multiply, check_large_one },
    { "a capture stays whole during a reserved product", reserve_and_multiply, check_large_one },
    { "a capture stays whole during a product in host memory", multiply_in_host_memory, check_host },
    { "a capture stays whole during a copy on the device", copy_there, check_copy },
    { "a capture stays whole during copies in and out", copy_in_and_out, check_copies },
    { "a capture stays whole during allocations", allocate, check_nothing },
    { "a capture stays whole when buffers are forgotten", forget_buffers, check_nothing },
};
enum { GUESTS = sizeof guests / sizeof guests[0] };

/* ---- a visit ---------------------------------------------------------------------------------- */

/* One visit, which may be another thread's: there nothing of cmocka may be called. */
typedef struct visit {
    const guest *of;
    int has_acted;
    lay_status status;
    char story[300];
} visit;

static void *act(void *at)
{
    visit *const own = at;
    own->status = own->of->act();
    own->has_acted = 1;
    snprintf(own->story, sizeof own->story, "%s", own->status ? lay_last_error() : "");
    return NULL;
}

/* The visit takes place while the plan's run has been captured and the capture goes on. */
static void receive(visit *own, enum cudaStreamCaptureMode mode, int is_elsewhere, const remote *x,
                    const lay_plan *plan, cudaGraph_t *graph)
{
    pthread_t thread;
    assert_int_equal(cudaStreamBeginCapture(captured, mode), cudaSuccess);
    own->status = remote_run(x, plan);
    if (own->status == LAY_OK && !is_elsewhere)
        act(own);
    else if (own->status == LAY_OK && pthread_create(&thread, NULL, act, own) == 0)
        pthread_join(thread, NULL);
    const cudaError_t ended = cudaStreamEndCapture(captured, graph);
    cudaGetLastError();
    if (!own->has_acted || own->status || ended)
        fail_msg("mode %d, %s thread: %s %s; the capture: %s", (int)mode, is_elsewhere ? "another" : "the same",
                 lay_status_name(own->status), own->story, cudaGetErrorString(ended));
}

static void a_capture_stays_whole(void **state)
{
    static const enum cudaStreamCaptureMode modes[] = { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                                        cudaStreamCaptureModeRelaxed };
    const guest *const of = *state;
    random_source from = random_case(46, 0);
    remote x;
    lay_plan *plan = NULL;
    remote_make_integers(&x, 130, 72, 90, 5, captured, &from);
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    assert_int_equal(lay_plan_reserve(plan), LAY_OK);
    for (int round = 0; round < 6; round++) {
        visit own = { .of = of };
        cudaGraph_t graph = NULL;
        cudaGraphExec_t ready = NULL;
        lay_cache_clear(); /* so that plans and buffers are made anew */
        if (of->act == forget_buffers)
            assert_int_equal(copy_in_and_out(), LAY_OK);
        receive(&own, modes[round / 2], round % 2, &x, plan, &graph);
        assert_int_equal(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
        remote_restore(&x);
        assert_int_equal(cudaGraphLaunch(ready, captured), cudaSuccess);
        remote_insist_on_right(&x);
        of->oracle();
        cudaGraphExecDestroy(ready);
        cudaGraphDestroy(graph);
    }
    lay_plan_destroy(plan);
    remote_free(&x);
}

/* ---- all of it -------------------------------------------------------------------------------- */

static void make_interleaved(void)
{
    static double values[300 * 200];
    random_source from = random_case(50, 0);
    assert_int_equal(cudaStreamCreateWithFlags(&beside.stream, cudaStreamNonBlocking), cudaSuccess);
    remote_make_integers(&beside.small, 40, 24, 12000, 5, beside.stream, &from);
    remote_make_integers(&beside.large, 1000, 800, 4000, 0, beside.stream, &from); /* an H200's partial sums: 15 MiB */
    beside.host = (trial){ .type = LAY_F32,
                           .m = 200,
                           .n = 150,
                           .k = 300,
                           .alpha = 1,
                           .beta = 1,
                           .data = TRIAL_INTEGERS,
                           .options = LAY_OPTIONS_INIT };
    beside.host.options.backend = LAY_BACKEND_CUDA;
    trial_fill(&beside.host, &from);
    trial_place(&beside.host, layout_usual(0, 200, 300), layout_usual(1, 300, 150), layout_usual(0, 200, 150),
                OPERAND_ANYWHERE, &from);
    for (int i = 0; i < 300 * 200; i++)
        values[i] = (double)i;
    beside.source = operand_make(LAY_F32, layout_usual(5, 300, 200), values, OPERAND_ANYWHERE, &from);
    beside.target = operand_make(LAY_F32, layout_usual(4, 300, 200), NULL, OPERAND_ANYWHERE, &from);
    beside.source_there = elsewhere_put(&beside.source, LAY_PLACE_DEVICE);
    beside.target_there = elsewhere_put(&beside.target, LAY_PLACE_DEVICE);
}

static int make_all(void **state)
{
    (void)state;
    if (cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking) != cudaSuccess)
        return -1;
    make_interleaved();
    return 0;
}

static int free_all(void **state)
{
    (void)state;
    remote_free(&beside.small);
    remote_free(&beside.large);
    trial_free(&beside.host);
    elsewhere_free(&beside.source_there);
    elsewhere_free(&beside.target_there);
    operand_free(&beside.source);
    operand_free(&beside.target);
    return cudaStreamDestroy(beside.stream) || cudaStreamDestroy(captured) ? -1 : 0;
}

int main(void)
{
    const char *reason = "";
    struct CMUnitTest tests[GUESTS] = { { 0 } };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP there is no GPU: %s\n", reason);
        return 0;
    }
    for (int i = 0; i < GUESTS; i++)
        tests[i] = (struct CMUnitTest){ .name = guests[i].name,
                                        .test_func = a_capture_stays_whole,
                                        .initial_state = (void *)(uintptr_t)&guests[i] };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
