/* Products in device memory in CUDA graphs, and what a reserved plan takes when it runs: nothing. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "elsewhere.h"

/* ---- counting what is taken ------------------------------------------------------------------- */

static _Thread_local int is_counting, taken;
static _Thread_local int depth; /* of CUDA calls, whose own memory is no matter of the library's */

static void note(void)
{
    taken += is_counting && depth == 0;
}

#define LEAD(type, call, parameters, arguments)                                                                        \
    type __real_##call parameters;                                                                                     \
    type __wrap_##call parameters;                                                                                     \
    type __wrap_##call parameters                                                                                      \
    {                                                                                                                  \
        note();                                                                                                        \
        depth++;                                                                                                       \
        const type result = __real_##call arguments;                                                                   \
        depth--;                                                                                                       \
        return result;                                                                                                 \
    }
#define LEAD_MALLOC(type, call, parameters, arguments)                                                                 \
    type __real_##call parameters;                                                                                     \
    type __wrap_##call parameters;                                                                                     \
    type __wrap_##call parameters                                                                                      \
    {                                                                                                                  \
        note();                                                                                                        \
        return __real_##call arguments;                                                                                \
    }
#define LEAD_THROUGH(call, parameters, arguments)                                                                      \
    cudaError_t __real_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters;                                                                              \
    cudaError_t __wrap_##call parameters                                                                               \
    {                                                                                                                  \
        depth++;                                                                                                       \
        const cudaError_t error = __real_##call arguments;                                                             \
        depth--;                                                                                                       \
        return error;                                                                                                  \
    }
LEAD_MALLOC(void *, malloc, (size_t bytes), (bytes))
LEAD_MALLOC(void *, calloc, (size_t count, size_t bytes), (count, bytes))
LEAD_MALLOC(void *, realloc, (void *block, size_t bytes), (block, bytes))
LEAD_MALLOC(void *, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes))
LEAD_MALLOC(int, posix_memalign, (void **to, size_t alignment, size_t bytes), (to, alignment, bytes))
LEAD(cudaError_t, cudaMalloc, (void **to, size_t bytes), (to, bytes))
LEAD(cudaError_t, cudaMallocAsync, (void **to, size_t bytes, cudaStream_t stream), (to, bytes, stream))
LEAD(cudaError_t, cudaMallocFromPoolAsync, (void **to, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
     (to, bytes, pool, stream))
LEAD(cudaError_t, cudaMallocHost, (void **to, size_t bytes), (to, bytes))
LEAD(cudaError_t, cudaHostAlloc, (void **to, size_t bytes, unsigned flags), (to, bytes, flags))
LEAD_THROUGH(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status), (stream, status))
LEAD_THROUGH(cudaLaunchKernel,
             (const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
             (function, grid, block, args, shared, stream))

/* ---- subjects --------------------------------------------------------------------------------- */

static cudaStream_t stream;

typedef struct subject {
    const char *name;
    lay_type type;
    int64_t m, n, k;
    int layout[3];
    double alpha, beta;
} subject;

/* Layout 5 is in tiles: offsets from tables. Of the large C an H200 has 15 MiB of partial sums, more than plans keep
 * unasked. */
static const subject subjects[] = {
    { "even strides", LAY_F32, 1200, 1100, 40, { 0, 1, 0 }, 2, 0 },
    { "tables", LAY_F32, 130, 72, 90, { 5, 5, 5 }, 1, -1 },
    { "slices", LAY_F32, 32, 32, 16384, { 0, 0, 0 }, 1, 1 },
    { "slices and tables", LAY_F64, 40, 24, 12000, { 5, 5, 5 }, -1, 2 },
    { "slices of a large C", LAY_F32, 1000, 800, 4000, { 1, 0, 1 }, 1, 0 },
    { "a vector", LAY_F32, 1, 3000, 2000, { 0, 0, 0 }, 1, 1 },
    { "no product", LAY_F32, 300, 200, 50, { 5, 0, 5 }, 0, 3 },
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static void make(remote *x, const subject *of, random_source *from)
{
    trial t = { .type = of->type,
                .m = of->m,
                .n = of->n,
                .k = of->k,
                .alpha = of->alpha,
                .beta = of->beta,
                .data = TRIAL_INTEGERS,
                .options = LAY_OPTIONS_INIT };
    t.options.backend = LAY_BACKEND_CUDA;
    t.options.stream = stream;
    remote_make(x, &t, of->layout, from);
}

static void begin(void)
{
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
}

static cudaGraph_t end(void)
{
    cudaGraph_t graph = NULL;
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    return graph;
}

enum { MOST_NODES = 4 }; /* of a product: two launches, and for each the sum of its slices */

static size_t count_nodes(cudaGraph_t graph)
{
    size_t nodes = 0;
    assert_int_equal(cudaGraphGetNodes(graph, NULL, &nodes), cudaSuccess);
    return nodes;
}

static cudaGraphExec_t make_ready(cudaGraph_t graph)
{
    cudaGraphExec_t ready = NULL;
    assert_int_equal(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
    return ready;
}

static void launch(cudaGraphExec_t ready)
{
    assert_int_equal(cudaGraphLaunch(ready, stream), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
}

/* Other numbers in the same places, here and on the device. */
static void change_contents(remote *x, random_source *from)
{
    trial *t = &x->t;
    free(t->a);
    free(t->b);
    free(t->c);
    trial_fill(t, from);
    oracle_scatter(t->type, t->in_a.desc, t->in_a.zero, t->a);
    oracle_scatter(t->type, t->in_b.desc, t->in_b.zero, t->b);
    memcpy(t->in_a.before, t->in_a.memory, t->in_a.bytes);
    memcpy(t->in_b.before, t->in_b.memory, t->in_b.bytes);
    elsewhere_write(&x->a);
    elsewhere_write(&x->b);
    remote_restore(x);
}

/* ---- graphs ----------------------------------------------------------------------------------- */

static void a_graph_of_a_reserved_plan_computes_with_what_it_finds(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        random_source from = random_case(41, (uint64_t)i);
        remote x;
        lay_plan *plan = NULL;
        make(&x, &subjects[i], &from);
        assert_int_equal(remote_plan(&x, &plan), LAY_OK);
        assert_int_equal(lay_plan_reserve(plan), LAY_OK);
        begin();
        if (remote_run(&x, plan) != LAY_OK)
            fail_msg("%s: %s", subjects[i].name, lay_last_error());
        cudaGraph_t graph = end();
        assert_in_range(count_nodes(graph), 1, MOST_NODES);
        cudaGraphExec_t ready = make_ready(graph);
        const int replays = i == 4 ? 3 : 12;
        for (int replay = 0; replay < replays; replay++) {
            change_contents(&x, &from);
            launch(ready);
            remote_insist_on_right(&x);
            if (replay % 4 == 1) { /* and beside it the plan runs as ever */
                remote_restore(&x);
                assert_int_equal(remote_run(&x, plan), LAY_OK);
                remote_insist_on_right(&x);
            }
            lay_cache_clear(); /* frees nothing of a plan's */
        }
        assert_int_equal(cudaGraphExecDestroy(ready), cudaSuccess);
        assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
        lay_plan_destroy(plan);
        remote_free(&x);
    }
}

static void runs_in_a_graph_come_one_after_the_other(void **state)
{
    enum { RUNS = 8 };
    (void)state;
    random_source from = random_case(42, 0);
    remote x;
    lay_plan *plan = NULL;
    subject of = subjects[3]; /* C = A B + C, through one workspace */
    of.alpha = of.beta = 1;
    make(&x, &of, &from);
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    assert_int_equal(lay_plan_reserve(plan), LAY_OK);
    begin();
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(remote_run(&x, plan), LAY_OK);
    cudaGraph_t graph = end();
    cudaGraphExec_t ready = make_ready(graph);
    for (int replay = 0; replay < 5; replay++) {
        remote_restore(&x);
        launch(ready);
        x.t.alpha = RUNS;
        remote_insist_on_right(&x);
        x.t.alpha = 1;
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    lay_plan_destroy(plan);
    remote_free(&x);
}

static void a_plan_that_was_not_reserved_is_refused_and_the_capture_goes_on(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        random_source from = random_case(43, (uint64_t)i);
        remote x;
        lay_plan *plan = NULL;
        make(&x, &subjects[i], &from);
        assert_int_equal(remote_plan(&x, &plan), LAY_OK);
        begin();
        assert_int_equal(remote_run(&x, plan), LAY_ERR_UNSUPPORTED);
        assert_non_null(strstr(lay_last_error(), "lay_plan_reserve"));
        assert_int_equal(lay_plan_reserve(plan), LAY_ERR_UNSUPPORTED);
        cudaGraph_t graph = end();
        assert_int_equal(count_nodes(graph), 0);
        cudaGraphDestroy(graph);
        assert_int_equal(lay_plan_reserve(plan), LAY_OK);
        assert_int_equal(remote_run(&x, plan), LAY_OK);
        remote_insist_on_right(&x);
        lay_plan_destroy(plan);
        remote_free(&x);
    }
}

/* Slices or tables live in a plan that nobody holds. */
static void a_remembered_product_is_in_a_graph_only_if_it_keeps_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        random_source from = random_case(44, (uint64_t)i);
        remote x;
        make(&x, &subjects[i], &from);
        assert_int_equal(remote_call(&x), LAY_OK); /* its kernel is loaded, its plan remembered */
        remote_insist_on_right(&x);
        remote_restore(&x);
        begin();
        const lay_status status = remote_call(&x);
        cudaGraph_t graph = end();
        if (status == LAY_OK) {
            cudaGraphExec_t ready = make_ready(graph);
            lay_cache_clear();
            launch(ready);
            remote_insist_on_right(&x);
            cudaGraphExecDestroy(ready);
        } else if (status != LAY_ERR_UNSUPPORTED || count_nodes(graph) != 0) {
            fail_msg("%s: %s, %zu nodes", subjects[i].name, lay_last_error(), count_nodes(graph));
        }
        if ((i == 0 && status != LAY_OK) || (i == 1 && status == LAY_OK))
            fail_msg("%s: %s", subjects[i].name, lay_status_name(status));
        cudaGraphDestroy(graph);
        remote_free(&x);
    }
}

/* Work of two streams in one graph, by events as CUDA has it: the second begins when half of the first's is done, and
 * the first ends when the second has ended. */
static void a_graph_forks_into_streams_and_joins_them(void **state)
{
    (void)state;
    random_source from = random_case(45, 0);
    remote x, y;
    lay_plan *plan = NULL, *other_plan = NULL;
    cudaStream_t other;
    cudaEvent_t event;
    subject of = subjects[3], other_of = subjects[1];
    of.alpha = of.beta = other_of.alpha = other_of.beta = 1;
    assert_int_equal(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
    make(&x, &of, &from);
    make(&y, &other_of, &from);
    y.t.options.stream = other;
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    assert_int_equal(remote_plan(&y, &other_plan), LAY_OK);
    assert_int_equal(lay_plan_reserve(plan), LAY_OK);
    assert_int_equal(lay_plan_reserve(other_plan), LAY_OK);
    begin();
    assert_int_equal(remote_run(&x, plan), LAY_OK);
    assert_int_equal(cudaEventRecord(event, stream), cudaSuccess);
    assert_int_equal(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
    for (int run = 0; run < 3; run++)
        assert_int_equal(remote_run(&y, other_plan), LAY_OK);
    assert_int_equal(remote_run(&x, plan), LAY_OK);
    assert_int_equal(cudaEventRecord(event, other), cudaSuccess);
    assert_int_equal(cudaStreamWaitEvent(stream, event, 0), cudaSuccess);
    cudaGraph_t graph = end();
    cudaGraphExec_t ready = make_ready(graph);
    for (int replay = 0; replay < 5; replay++) {
        x.t.alpha = y.t.alpha = 1;
        change_contents(&x, &from);
        change_contents(&y, &from);
        launch(ready);
        x.t.alpha = 2; /* C = A B + C, so often */
        y.t.alpha = 3;
        remote_insist_on_right(&x);
        remote_insist_on_right(&y);
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    lay_plan_destroy(plan);
    lay_plan_destroy(other_plan);
    remote_free(&x);
    remote_free(&y);
    cudaEventDestroy(event);
    cudaStreamDestroy(other);
}

/* ---- nothing is taken ------------------------------------------------------------------------- */

static void a_reserved_plan_takes_nothing_when_it_runs(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        random_source from = random_case(47, (uint64_t)i);
        remote x;
        lay_plan *plan = NULL;
        lay_status status = LAY_OK;
        make(&x, &subjects[i], &from);
        assert_int_equal(remote_plan(&x, &plan), LAY_OK);
        assert_int_equal(lay_plan_reserve(plan), LAY_OK);
        taken = 0;
        is_counting = 1;
        for (int run = 0; run < 3 && status == LAY_OK; run++)
            status = remote_run(&x, plan);
        is_counting = 0;
        if (status != LAY_OK || taken != 0)
            fail_msg("%s: %s, and memory was taken %d times", subjects[i].name, lay_status_name(status), taken);
        remote_restore(&x);
        assert_int_equal(remote_run(&x, plan), LAY_OK);
        remote_insist_on_right(&x);
        lay_plan_destroy(plan);
        remote_free(&x);
    }
}

/* Else the test above could not fail. */
static void what_a_first_run_takes_is_counted(void **state)
{
    (void)state;
    random_source from = random_case(48, 0);
    remote x;
    lay_plan *plan = NULL;
    make(&x, &subjects[1], &from);
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    taken = 0;
    is_counting = 1;
    const lay_status status = remote_run(&x, plan);
    is_counting = 0;
    assert_int_equal(status, LAY_OK);
    assert_true(taken >= 3); /* the kept, its tables here and there */
    lay_plan_destroy(plan);
    remote_free(&x);
}

/* ---- copies ----------------------------------------------------------------------------------- */

static void a_copy_in_a_graph_copies_what_it_finds(void **state)
{
    enum { N = 60, REPLAYS = 6 };
    (void)state;
    for (int from_layout = 0; from_layout < LAYOUT_USUAL; from_layout++) {
        random_source from = random_case(49, (uint64_t)from_layout);
        operand source = operand_make(LAY_F32, layout_usual(from_layout, N, N), NULL, OPERAND_ANYWHERE, &from);
        operand target = operand_make(LAY_F32, layout_usual(1, N, N), NULL, OPERAND_ANYWHERE, &from);
        elsewhere there = elsewhere_put(&source, LAY_PLACE_DEVICE), here = elsewhere_put(&target, LAY_PLACE_DEVICE);
        lay_options options = LAY_OPTIONS_INIT;
        options.stream = stream;
        assert_int_equal(lay_copy(LAY_F32, source.desc, there.zero, target.desc, here.zero, &options), LAY_OK);
        begin();
        const lay_status status = lay_copy(LAY_F32, source.desc, there.zero, target.desc, here.zero, &options);
        cudaGraph_t graph = end();
        if (status != LAY_OK) /* with tables, which nobody would keep */
            assert_true(from_layout >= 5 && status == LAY_ERR_UNSUPPORTED && count_nodes(graph) == 0);
        cudaGraphExec_t ready = make_ready(graph);
        for (int replay = 0; replay < REPLAYS && status == LAY_OK; replay++) {
            float wanted[N * N], got[N * N];
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    oracle_store(LAY_F32, source.zero, source.row[i] + source.column[j], random_unit(&from));
            elsewhere_write(&there);
            launch(ready);
            elsewhere_read(&here);
            operand_bytes(&source, wanted);
            operand_bytes(&target, got);
            assert_memory_equal(wanted, got, sizeof got);
            assert_true(operand_gaps_are_kept(&target));
        }
        cudaGraphExecDestroy(ready);
        cudaGraphDestroy(graph);
        elsewhere_free(&there);
        elsewhere_free(&here);
        operand_free(&source);
        operand_free(&target);
    }
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_of_a_reserved_plan_computes_with_what_it_finds),
        cmocka_unit_test(runs_in_a_graph_come_one_after_the_other),
        cmocka_unit_test(a_graph_forks_into_streams_and_joins_them),
        cmocka_unit_test(a_plan_that_was_not_reserved_is_refused_and_the_capture_goes_on),
        cmocka_unit_test(a_remembered_product_is_in_a_graph_only_if_it_keeps_nothing),
        cmocka_unit_test(a_reserved_plan_takes_nothing_when_it_runs),
        cmocka_unit_test(what_a_first_run_takes_is_counted),
        cmocka_unit_test(a_copy_in_a_graph_copies_what_it_finds),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP there is no GPU: %s\n", reason);
        return 0;
    }
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cudaStreamDestroy(stream);
    return failed;
}
