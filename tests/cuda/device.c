/* Products of operands in device memory: in the order of their stream, waiting for nothing, and from any thread. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "device/device.h"
#include "elsewhere.h"

static cudaStream_t make_stream(void)
{
    cudaStream_t stream = NULL;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    return stream;
}

/* ---- a stream that stands still --------------------------------------------------------------- */

/* Work of the stream waits here until it is let through; should that never come, it goes on by itself. */
typedef struct gate {
    atomic_int is_open, has_given_up;
} gate;

enum { PATIENCE = 10000 }; /* milliseconds */

static void CUDART_CB wait_at(void *at)
{
    gate *const own = at;
    const struct timespec moment = { .tv_nsec = 1000000 };
    int waited = 0;
    while (!atomic_load(&own->is_open) && waited++ < PATIENCE)
        nanosleep(&moment, NULL);
    if (!atomic_load(&own->is_open))
        atomic_store(&own->has_given_up, 1);
}

static gate *stop(cudaStream_t stream)
{
    static gate gates[64]; /* for good: work may come to one when its test has failed */
    static int next;
    gate *const made = &gates[next++ % 64];
    atomic_store(&made->is_open, 0);
    atomic_store(&made->has_given_up, 0);
    assert_int_equal(cudaLaunchHostFunc(stream, wait_at, made), cudaSuccess);
    return made;
}

static void insist_on_standing(const gate *at, cudaStream_t stream)
{
    assert_false(atomic_load(&at->has_given_up));
    assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
}

static void go_on(gate *at, cudaStream_t stream)
{
    atomic_store(&at->is_open, 1);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    assert_false(atomic_load(&at->has_given_up));
}

static void make_shape(remote *x, int shape, cudaStream_t stream, random_source *from)
{
    remote_make_integers(x, remote_shapes[shape].m, remote_shapes[shape].n, remote_shapes[shape].k,
                         remote_shapes[shape].layout, stream, from);
}

static void a_call_returns_while_its_stream_stands_still(void **state)
{
    (void)state;
    cudaStream_t stream = make_stream();
    for (int shape = 0; shape < REMOTE_SHAPES; shape++)
        for (int is_planned = 0; is_planned <= 2; is_planned++) { /* 2: and reserved */
            random_source from = random_case(61, (uint64_t)shape);
            remote x;
            lay_plan *plan = NULL;
            make_shape(&x, shape, stream, &from);
            if (is_planned)
                assert_int_equal(remote_plan(&x, &plan), LAY_OK);
            if (is_planned == 2)
                assert_int_equal(lay_plan_reserve(plan), LAY_OK);
            for (int run = 0; run < 2; run++) { /* the first loads kernels */
                remote_restore(&x);
                gate *const here = run ? stop(stream) : NULL;
                assert_int_equal(plan ? remote_run(&x, plan) : remote_call(&x), LAY_OK);
                if (here) {
                    insist_on_standing(here, stream);
                    go_on(here, stream);
                }
                remote_insist_on_right(&x);
            }
            lay_plan_destroy(plan);
            remote_free(&x);
        }
    cudaStreamDestroy(stream);
}

static void a_first_run_waits_for_nothing_either(void **state)
{
    (void)state;
    cudaStream_t other = make_stream(), stream = make_stream();
    for (int shape = 0; shape < REMOTE_SHAPES; shape++) {
        random_source from = random_case(62, (uint64_t)shape);
        remote x;
        lay_plan *plan = NULL;
        make_shape(&x, shape, other, &from);
        assert_int_equal(remote_call(&x), LAY_OK); /* so that the kernel is loaded */
        remote_insist_on_right(&x);
        remote_restore(&x);
        x.t.options.stream = stream;
        assert_int_equal(remote_plan(&x, &plan), LAY_OK);
        gate *const here = stop(stream);
        assert_int_equal(remote_run(&x, plan), LAY_OK);
        insist_on_standing(here, stream);
        go_on(here, stream);
        remote_insist_on_right(&x);
        lay_plan_destroy(plan);
        remote_free(&x);
    }
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
}

static void factors_and_plan_may_go_when_the_call_has_returned(void **state)
{
    (void)state;
    cudaStream_t stream = make_stream();
    for (int shape = 0; shape < REMOTE_SHAPES; shape++) {
        random_source from = random_case(63, (uint64_t)shape);
        remote x;
        lay_plan *plan = NULL;
        float factor[] = { 1, 1 };
        make_shape(&x, shape, stream, &from);
        assert_int_equal(remote_plan(&x, &plan), LAY_OK);
        assert_int_equal(lay_plan_reserve(plan), LAY_OK);
        gate *const here = stop(stream);
        assert_int_equal(lay_plan_run(plan, &factor[0], x.a.zero, x.b.zero, &factor[1], x.c.zero), LAY_OK);
        factor[0] = factor[1] = NAN;
        lay_plan_destroy(plan);
        assert_int_equal(remote_plan(&x, &plan), LAY_OK); /* perhaps where the other was */
        lay_plan_destroy(plan);
        insist_on_standing(here, stream);
        go_on(here, stream);
        remote_insist_on_right(&x);
        remote_free(&x);
    }
    cudaStreamDestroy(stream);
}

static void runs_of_a_plan_come_one_after_the_other(void **state)
{
    enum { RUNS = 6 };
    (void)state;
    cudaStream_t stream = make_stream();
    for (int shape = 0; shape < REMOTE_SHAPES; shape++)
        for (int is_reserved = 0; is_reserved <= 1; is_reserved++) {
            random_source from = random_case(64, (uint64_t)shape);
            remote x;
            lay_plan *plan = NULL;
            make_shape(&x, shape, stream, &from);
            assert_int_equal(remote_plan(&x, &plan), LAY_OK);
            if (is_reserved)
                assert_int_equal(lay_plan_reserve(plan), LAY_OK);
            for (int run = 0; run < RUNS; run++) /* C = A B + C */
                assert_int_equal(remote_run(&x, plan), LAY_OK);
            x.t.alpha = RUNS;
            remote_insist_on_right(&x);
            lay_plan_destroy(plan);
            remote_free(&x);
        }
    cudaStreamDestroy(stream);
}

/* ---- threads ---------------------------------------------------------------------------------- */

enum { THREADS = 6 };

typedef struct worker {
    pthread_t thread;
    remote x;
    const lay_plan *plan; /* that all share, or NULL */
    int number, wrong;
} worker;

/* Runs at the same time as the others; what became of it is looked at when all have ended. */
static void *run_plan(void *at)
{
    worker *const own = at;
    for (int run = 0; run < 25; run++)
        own->wrong += remote_run(&own->x, own->plan) != LAY_OK;
    return NULL;
}

static void *run_in_own_stream(void *at)
{
    worker *const own = at;
    cudaStream_t stream;
    char why[300];
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
        own->wrong = 1;
        return NULL;
    }
    for (int run = 0; run < 15; run++) {
        random_source from = random_case(65 + (uint64_t)own->number, (uint64_t)run);
        make_shape(&own->x, run % REMOTE_SHAPES, stream, &from);
        own->wrong += remote_call(&own->x) != LAY_OK || !remote_is_right(&own->x, why, sizeof why);
        if (run % 4 == 3 && own->number % 2)
            lay_cache_clear();
        remote_free(&own->x);
    }
    own->wrong += cudaStreamDestroy(stream) != cudaSuccess;
    return NULL;
}

static void run_all(worker workers[], void *(*work)(void *))
{
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(workers[i].wrong, 0);
}

static void threads_run_in_streams_of_their_own(void **state)
{
    (void)state;
    static worker workers[THREADS];
    run_all(workers, run_in_own_stream);
}

/* The plan's first runs too, unless it is reserved; and in cudaStreamPerThread there is no order among runs. */
static void threads_share_a_plan(void **state)
{
    (void)state;
    static worker workers[THREADS];
    cudaStream_t own = make_stream();
    cudaStream_t const streams[] = { own, NULL, cudaStreamPerThread };
    for (int shape = 0; shape < REMOTE_SHAPES; shape++)
        for (int which = 0; which < 3; which++)
            for (int is_reserved = 0; is_reserved <= (which < 2); is_reserved++) {
                lay_plan *plan = NULL;
                memset(workers, 0, sizeof workers);
                for (int i = 0; i < THREADS; i++) {
                    random_source from = random_case(75 + (uint64_t)i, (uint64_t)shape);
                    make_shape(&workers[i].x, shape, streams[which], &from);
                    workers[i].x.t.beta = 0;
                }
                assert_int_equal(remote_plan(&workers[0].x, &plan), LAY_OK);
                if (is_reserved)
                    assert_int_equal(lay_plan_reserve(plan), LAY_OK);
                for (int i = 0; i < THREADS; i++)
                    workers[i].plan = plan;
                run_all(workers, run_plan);
                for (int i = 0; i < THREADS; i++) {
                    remote_insist_on_right(&workers[i].x);
                    remote_free(&workers[i].x);
                }
                lay_plan_destroy(plan);
            }
    cudaStreamDestroy(own);
}

/* ---- remembered plans that go ----------------------------------------------------------------- */

/* More products than plans are remembered, each with tables, none waited for. */
static void plans_that_make_room_leave_their_work_alone(void **state)
{
    enum { PRODUCTS = 600, STREAMS = 3 };
    (void)state;
    cudaStream_t streams[STREAMS];
    static remote all[PRODUCTS];
    for (int i = 0; i < STREAMS; i++)
        streams[i] = make_stream();
    for (int clears = 0; clears <= 1; clears++) {
        for (int i = 0; i < PRODUCTS; i++) {
            random_source from = random_case(81, (uint64_t)i);
            remote_make_integers(&all[i], 15 + i % 40, 10 + i % 37, i % 50 == 0 ? 5000 : 20 + i / 7, i % 3 ? 5 : 6,
                                 streams[i % STREAMS], &from);
        }
        for (int i = 0; i < PRODUCTS; i++) {
            assert_int_equal(remote_call(&all[i]), LAY_OK);
            if (clears && i % 90 == 50)
                lay_cache_clear();
        }
        for (int i = 0; i < PRODUCTS; i++) {
            remote_insist_on_right(&all[i]);
            remote_free(&all[i]);
        }
    }
    for (int i = 0; i < STREAMS; i++)
        cudaStreamDestroy(streams[i]);
}

/* Each gives back what it was reserved, an H200's partial sums: 15 MiB, while the stream has not come to its work. */
static void come_and_go(int layout, int plans)
{
    random_source from = random_case(83, (uint64_t)layout);
    cudaStream_t stream = make_stream();
    remote x;
    lay_plan *plan = NULL;
    remote_make_integers(&x, 1000, 800, 4000, layout, stream, &from);
    assert_int_equal(remote_call(&x), LAY_OK); /* so that the kernel is loaded */
    gate *const here = stop(stream);
    for (int i = 1; i < plans; i++) {
        assert_int_equal(remote_plan(&x, &plan), LAY_OK);
        assert_int_equal(lay_plan_reserve(plan), LAY_OK);
        assert_int_equal(remote_run(&x, plan), LAY_OK);
        lay_plan_destroy(plan);
    }
    insist_on_standing(here, stream);
    go_on(here, stream);
    x.t.alpha = plans; /* C = A B + C, so often */
    remote_insist_on_right(&x);
    remote_free(&x);
    cudaStreamDestroy(stream);
}

/* More memory than may lie about. */
static void plans_come_and_go_while_their_stream_stands_still(void **state)
{
    (void)state;
    come_and_go(0, 40);
}

/* Each has 93 KiB of them; of some MiB on their way to a stream that stands still CUDA waits. */
static void plans_with_tables_come_and_go_while_their_stream_stands_still(void **state)
{
    (void)state;
    come_and_go(5, 20);
}

/* A remembered plan and a plan of the caller's, whose stream is gone when they go. */
static void a_stream_may_go_before_its_plans(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        random_source from = random_case(82, (uint64_t)i);
        remote x;
        lay_plan *plan = NULL;
        cudaStream_t stream = make_stream();
        make_shape(&x, i % REMOTE_SHAPES, stream, &from);
        assert_int_equal(remote_plan(&x, &plan), LAY_OK);
        assert_int_equal(remote_run(&x, plan), LAY_OK);
        assert_int_equal(remote_call(&x), LAY_OK);
        assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
        lay_plan_destroy(plan);
        lay_cache_clear();
        x.t.alpha = 2; /* C = A B + C, twice */
        remote_insist_on_right(&x);
        remote_free(&x);
    }
}

/* ---- managed memory --------------------------------------------------------------------------- */

static void managed_memory_is_a_devices(void **state)
{
    enum { N = 100 };
    (void)state;
    lay_desc *square = layout_usual(0, N, N);
    float *a = NULL, *c = NULL;
    assert_int_equal(cudaMallocManaged((void **)&a, N * N * sizeof *a, cudaMemAttachGlobal), cudaSuccess);
    assert_int_equal(cudaMalloc((void **)&c, N * N * sizeof *c), cudaSuccess);
    for (int i = 0; i < N * N; i++)
        a[i] = (float)(i % 7);
    assert_int_equal(lay_sgemm(square, square, square, 1, a, a, 0, c, NULL), LAY_OK);
    float got[N * N];
    assert_int_equal(cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float wanted = 0;
            for (int p = 0; p < N; p++)
                wanted += (float)((i * N + p) % 7 * ((p * N + j) % 7));
            assert_true(got[i * N + j] == wanted);
        }
    cudaFree(a);
    cudaFree(c);
    lay_desc_destroy(square);
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_returns_while_its_stream_stands_still),
        cmocka_unit_test(a_first_run_waits_for_nothing_either),
        cmocka_unit_test(factors_and_plan_may_go_when_the_call_has_returned),
        cmocka_unit_test(runs_of_a_plan_come_one_after_the_other),
        cmocka_unit_test(threads_run_in_streams_of_their_own),
        cmocka_unit_test(threads_share_a_plan),
        cmocka_unit_test(plans_that_make_room_leave_their_work_alone),
        cmocka_unit_test(plans_come_and_go_while_their_stream_stands_still),
        cmocka_unit_test(plans_with_tables_come_and_go_while_their_stream_stands_still),
        cmocka_unit_test(a_stream_may_go_before_its_plans),
        cmocka_unit_test(managed_memory_is_a_devices),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP there is no GPU: %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
