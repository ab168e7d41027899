/* Products of operands in device memory: in the order of their stream, waiting for nothing, from any thread, and with
 * the same bits whatever else changes. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cuda/device.h"
#include "cuda_kernel.h"
#include "elsewhere.h"

static cudaStream_t make_stream(void)
{
    cudaStream_t stream = NULL;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    return stream;
}

/* Whole numbers in device memory; layout 5 is in tiles, whose walks come from tables. */
static void make(afar *x, int64_t m, int64_t n, int64_t k, int layout, cudaStream_t stream, random_source *from)
{
    trial t = {
        .type = LAY_F32, .m = m, .n = n, .k = k, .alpha = 1, .beta = 1, .data = TRIAL_WHOLE, .options = LAY_OPTIONS_INIT
    };
    t.options.stream = stream;
    afar_make(x, &t, (const int[]){ layout, layout, layout }, from);
}

static void insist_on_right(afar *x)
{
    char why[300], story[6000];
    if (afar_is_right(x, why, sizeof why))
        return;
    trial_story(&x->t, story, sizeof story);
    fail_msg("%s\n  %s", why, story);
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

/* Even strides, tables, slices, both. */
static const struct {
    int64_t m, n, k;
    int layout;
} shapes[] = {
    { 300, 200, 100, 0 }, { 130, 90, 110, 5 }, { 32, 40, 9000, 0 }, { 48, 36, 6000, 5 }, { 1, 2000, 900, 1 }
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void make_shape(afar *x, int shape, cudaStream_t stream, random_source *from)
{
    make(x, shapes[shape].m, shapes[shape].n, shapes[shape].k, shapes[shape].layout, stream, from);
}

static void a_call_returns_while_its_stream_stands_still(void **state)
{
    (void)state;
    cudaStream_t stream = make_stream();
    for (int shape = 0; shape < SHAPES; shape++)
        for (int is_planned = 0; is_planned <= 2; is_planned++) { /* 2: and reserved */
            random_source from = random_case(61, (uint64_t)shape);
            afar x;
            lay_plan *plan = NULL;
            make_shape(&x, shape, stream, &from);
            if (is_planned)
                assert_int_equal(afar_plan(&x, &plan), LAY_OK);
            if (is_planned == 2)
                assert_int_equal(lay_plan_reserve(plan), LAY_OK);
            for (int run = 0; run < 2; run++) { /* the first loads kernels */
                afar_restore(&x);
                gate *const here = run ? stop(stream) : NULL;
                assert_int_equal(plan ? afar_run(&x, plan) : afar_call(&x), LAY_OK);
                if (here) {
                    insist_on_standing(here, stream);
                    go_on(here, stream);
                }
                insist_on_right(&x);
            }
            lay_plan_destroy(plan);
            afar_free(&x);
        }
    cudaStreamDestroy(stream);
}

static void a_first_run_waits_for_nothing_either(void **state)
{
    (void)state;
    cudaStream_t other = make_stream(), stream = make_stream();
    for (int shape = 0; shape < SHAPES; shape++) {
        random_source from = random_case(62, (uint64_t)shape);
        afar x;
        lay_plan *plan = NULL;
        make_shape(&x, shape, other, &from);
        assert_int_equal(afar_call(&x), LAY_OK); /* so that the kernel is loaded */
        insist_on_right(&x);
        afar_restore(&x);
        x.t.options.stream = stream;
        assert_int_equal(afar_plan(&x, &plan), LAY_OK);
        gate *const here = stop(stream);
        assert_int_equal(afar_run(&x, plan), LAY_OK);
        insist_on_standing(here, stream);
        go_on(here, stream);
        insist_on_right(&x);
        lay_plan_destroy(plan);
        afar_free(&x);
    }
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
}

static void factors_and_plan_may_go_when_the_call_has_returned(void **state)
{
    (void)state;
    cudaStream_t stream = make_stream();
    for (int shape = 0; shape < SHAPES; shape++) {
        random_source from = random_case(63, (uint64_t)shape);
        afar x;
        lay_plan *plan = NULL;
        float factor[] = { 1, 1 };
        make_shape(&x, shape, stream, &from);
        assert_int_equal(afar_plan(&x, &plan), LAY_OK);
        assert_int_equal(lay_plan_reserve(plan), LAY_OK);
        gate *const here = stop(stream);
        assert_int_equal(lay_plan_run(plan, &factor[0], x.a.zero, x.b.zero, &factor[1], x.c.zero), LAY_OK);
        factor[0] = factor[1] = NAN;
        lay_plan_destroy(plan);
        assert_int_equal(afar_plan(&x, &plan), LAY_OK); /* perhaps where the other was */
        lay_plan_destroy(plan);
        insist_on_standing(here, stream);
        go_on(here, stream);
        insist_on_right(&x);
        afar_free(&x);
    }
    cudaStreamDestroy(stream);
}

static void runs_of_a_plan_come_one_after_the_other(void **state)
{
    enum { RUNS = 6 };
    (void)state;
    cudaStream_t stream = make_stream();
    for (int shape = 0; shape < SHAPES; shape++)
        for (int is_reserved = 0; is_reserved <= 1; is_reserved++) {
            random_source from = random_case(64, (uint64_t)shape);
            afar x;
            lay_plan *plan = NULL;
            make_shape(&x, shape, stream, &from);
            assert_int_equal(afar_plan(&x, &plan), LAY_OK);
            if (is_reserved)
                assert_int_equal(lay_plan_reserve(plan), LAY_OK);
            for (int run = 0; run < RUNS; run++) /* C = A B + C */
                assert_int_equal(afar_run(&x, plan), LAY_OK);
            x.t.alpha = RUNS;
            insist_on_right(&x);
            lay_plan_destroy(plan);
            afar_free(&x);
        }
    cudaStreamDestroy(stream);
}

/* ---- threads ---------------------------------------------------------------------------------- */

enum { THREADS = 6 };

typedef struct worker {
    pthread_t thread;
    afar x;
    const lay_plan *plan; /* that all share, or NULL */
    int number, wrong;
} worker;

/* Runs beside the others; what became of it is looked at when all have ended. */
static void *run_plan(void *at)
{
    worker *const own = at;
    for (int run = 0; run < 25; run++)
        own->wrong += afar_run(&own->x, own->plan) != LAY_OK;
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
        make_shape(&own->x, run % SHAPES, stream, &from);
        own->wrong += afar_call(&own->x) != LAY_OK || !afar_is_right(&own->x, why, sizeof why);
        if (run % 4 == 3 && own->number % 2)
            lay_cache_clear();
        afar_free(&own->x);
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
    for (int shape = 0; shape < SHAPES; shape++)
        for (int which = 0; which < 3; which++)
            for (int is_reserved = 0; is_reserved <= (which < 2); is_reserved++) {
                lay_plan *plan = NULL;
                memset(workers, 0, sizeof workers);
                for (int i = 0; i < THREADS; i++) {
                    random_source from = random_case(75 + (uint64_t)i, (uint64_t)shape);
                    make_shape(&workers[i].x, shape, streams[which], &from);
                    workers[i].x.t.beta = 0;
                }
                assert_int_equal(afar_plan(&workers[0].x, &plan), LAY_OK);
                if (is_reserved)
                    assert_int_equal(lay_plan_reserve(plan), LAY_OK);
                for (int i = 0; i < THREADS; i++)
                    workers[i].plan = plan;
                run_all(workers, run_plan);
                for (int i = 0; i < THREADS; i++) {
                    insist_on_right(&workers[i].x);
                    afar_free(&workers[i].x);
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
    static afar all[PRODUCTS];
    for (int i = 0; i < STREAMS; i++)
        streams[i] = make_stream();
    for (int clears = 0; clears <= 1; clears++) {
        for (int i = 0; i < PRODUCTS; i++) {
            random_source from = random_case(81, (uint64_t)i);
            make(&all[i], 15 + i % 40, 10 + i % 37, i % 50 == 0 ? 5000 : 20 + i / 7, i % 3 ? 5 : 6,
                 streams[i % STREAMS], &from);
        }
        for (int i = 0; i < PRODUCTS; i++) {
            assert_int_equal(afar_call(&all[i]), LAY_OK);
            if (clears && i % 90 == 50)
                lay_cache_clear();
        }
        for (int i = 0; i < PRODUCTS; i++) {
            insist_on_right(&all[i]);
            afar_free(&all[i]);
        }
    }
    for (int i = 0; i < STREAMS; i++)
        cudaStreamDestroy(streams[i]);
}

/* A remembered plan and a plan of the caller's, whose stream is gone when they go. */
static void a_stream_may_go_before_its_plans(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        random_source from = random_case(82, (uint64_t)i);
        afar x;
        lay_plan *plan = NULL;
        cudaStream_t stream = make_stream();
        make_shape(&x, i % SHAPES, stream, &from);
        assert_int_equal(afar_plan(&x, &plan), LAY_OK);
        assert_int_equal(afar_run(&x, plan), LAY_OK);
        assert_int_equal(afar_call(&x), LAY_OK);
        assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
        lay_plan_destroy(plan);
        lay_cache_clear();
        x.t.alpha = 2; /* C = A B + C, twice */
        insist_on_right(&x);
        afar_free(&x);
    }
}

/* ---- the same bits ---------------------------------------------------------------------------- */

/* Numbers of one case, which a seed names: the same in any layout. */
static trial trial_of_bits(lay_type type, int shape)
{
    return (trial){ .type = type,
                    .m = shapes[shape].m,
                    .n = shapes[shape].n,
                    .k = shapes[shape].k,
                    .alpha = 1.25,
                    .beta = -0.75,
                    .data = TRIAL_SIGNED,
                    .options = LAY_OPTIONS_INIT };
}

static void insist_on_bits(const afar *x, const char *wanted, const char *got, const char *what)
{
    char story[6000];
    if (memcmp(wanted, got, afar_size(x)) == 0)
        return;
    trial_story(&x->t, story, sizeof story);
    fail_msg("%s changes the bits of\n  %s", what, story);
}

static void layouts_change_no_bits(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int type = LAY_F32; type <= LAY_F64; type++) {
            char *wanted = NULL;
            for (int number = 0; number < 2 * LAYOUT_USUAL; number++) {
                const int layout[] = { number % LAYOUT_USUAL, number * 3 % LAYOUT_USUAL,
                                       (number * 5 + number / LAYOUT_USUAL) % LAYOUT_USUAL };
                random_source from = random_case(91, (uint64_t)shape);
                const trial t = trial_of_bits((lay_type)type, shape);
                afar x;
                afar_make(&x, &t, layout, &from);
                assert_int_equal(afar_call(&x), LAY_OK);
                char *const got = afar_bits(&x);
                if (wanted)
                    insist_on_bits(&x, wanted, got, "a layout");
                else
                    insist_on_right(&x);
                if (wanted)
                    free(got);
                else
                    wanted = got;
                afar_free(&x);
            }
            free(wanted);
        }
}

static lay_status run_some_way(afar *x, int way)
{
    lay_plan *plan = NULL;
    lay_status status;
    if (way < 2)
        return afar_call(x);
    if ((status = afar_plan(x, &plan)) == LAY_OK && (way == 2 || (status = lay_plan_reserve(plan)) == LAY_OK))
        status = afar_run(x, plan);
    lay_plan_destroy(plan);
    return status;
}

static void streams_plans_and_repeats_change_no_bits(void **state)
{
    (void)state;
    static const int layout[] = { 5, 0, 2 };
    cudaStream_t own = make_stream();
    cudaStream_t const streams[] = { NULL, own, cudaStreamPerThread, cudaStreamLegacy };
    for (int shape = 0; shape < SHAPES; shape++) {
        random_source from = random_case(92, (uint64_t)shape);
        const trial t = trial_of_bits(shape % 2 ? LAY_F64 : LAY_F32, shape);
        afar x;
        afar_make(&x, &t, layout, &from);
        assert_int_equal(afar_call(&x), LAY_OK);
        char *const wanted = afar_bits(&x);
        insist_on_right(&x);
        for (int which = 0; which < 4; which++)
            for (int way = 0; way <= 3; way++) { /* called, again, planned, reserved */
                x.t.options.stream = streams[which];
                afar_restore(&x);
                const lay_status status = run_some_way(&x, way);
                if (status == LAY_ERR_UNSUPPORTED && way == 3 && which == 2)
                    continue; /* runs without an order share no workspace */
                assert_int_equal(status, LAY_OK);
                char *const got = afar_bits(&x);
                insist_on_bits(&x, wanted, got, "a stream or a plan");
                free(got);
            }
        free(wanted);
        afar_free(&x);
    }
    cudaStreamDestroy(own);
}

static double *copy_of(const double *numbers, int64_t count)
{
    double *made = judge_memory((size_t)count * sizeof *made);
    memcpy(made, numbers, (size_t)count * sizeof *made);
    return made;
}

/* Strides of 0 and backwards, against the same matrices written out. */
static void a_broadcast_has_the_bits_of_what_it_stands_for(void **state)
{
    enum { M = 70, N = 60, K = 90 };
    (void)state;
    static const char *const text[][3] = { { "[70:0][90:1]", "[90:60][60:1]", "[70:60][60:1]" },
                                           { "[70:90][90:1]", "[90:-1][60:0]", "[70:-60][60:-1]" },
                                           { "[70:-3][90:0]", "[90:0][60:-2]", "[70:1][60:-70]" },
                                           { "[70:1][90:1]", "[90:0][60:0]", "[70:-2][60:140]" } };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        random_source from = random_case(93, (uint64_t)i);
        afar shared = { .t = { .type = i % 2 ? LAY_F64 : LAY_F32,
                               .m = M,
                               .n = N,
                               .k = K,
                               .alpha = 1.5,
                               .beta = 0.5,
                               .data = TRIAL_SIGNED,
                               .options = LAY_OPTIONS_INIT } },
             dense;
        trial_fill(&shared.t, &from);
        trial_place(&shared.t, layout_parse("%s", text[i][0]), layout_parse("%s", text[i][1]),
                    layout_parse("%s", text[i][2]), OPERAND_ANYWHERE, &from);
        dense.t = shared.t;
        dense.t.a = copy_of(shared.t.a, M * K);
        dense.t.b = copy_of(shared.t.b, K * N);
        dense.t.c = copy_of(shared.t.c, M * N);
        trial_place(&dense.t, layout_usual(0, M, K), layout_usual(0, K, N), layout_usual(0, M, N), OPERAND_ANYWHERE,
                    &from);
        afar_send(&shared);
        afar_send(&dense);
        assert_int_equal(afar_call(&shared), LAY_OK);
        assert_int_equal(afar_call(&dense), LAY_OK);
        char *const wanted = afar_bits(&dense), *const got = afar_bits(&shared);
        insist_on_right(&shared);
        insist_on_bits(&shared, wanted, got, "a broadcast or a step backwards");
        free(wanted);
        free(got);
        afar_free(&shared);
        afar_free(&dense);
    }
}

/* ---- the order of the sum --------------------------------------------------------------------- */

static double multiply_add(lay_type type, double x, double y, double z)
{
    return type == LAY_F32 ? (double)fmaf((float)x, (float)y, (float)z) : fma(x, y, z);
}

static double round_to(lay_type type, double x)
{
    return type == LAY_F32 ? (double)(float)x : x;
}

/* An element as docs/numerics.md writes it: chains of slices, added in ascending order. A double holds a product of
 * two floats, and a sum of two as far as its rounding to one goes. */
static double find_element(const trial *t, int64_t i, int64_t j, int64_t slice_k)
{
    double sum = 0;
    for (int64_t first = 0; first < t->k; first += slice_k) {
        double chain = 0;
        for (int64_t p = first; p < t->k && p < first + slice_k; p++)
            chain = multiply_add(t->type, t->a[i * t->k + p], t->b[p * t->n + j], chain);
        sum = first ? round_to(t->type, sum + chain) : chain;
    }
    if (t->beta == 0)
        return round_to(t->type, t->alpha * sum);
    return multiply_add(t->type, t->alpha, sum, round_to(t->type, t->beta * t->c[i * t->n + j]));
}

static int64_t find_slice(const afar *x)
{
    static char text[65536];
    long long slices = 0, length = 0;
    lay_plan *plan = NULL;
    assert_int_equal(afar_plan(x, &plan), LAY_OK);
    lay_plan_explain(plan, text, sizeof text);
    lay_plan_destroy(plan);
    const char *const grid = strstr(text, ", k in ");
    assert_non_null(grid);
    assert_true(sscanf(grid, ", k in %lld slice%*[s ]of %lld", &slices, &length) == 2);
    assert_true(slices >= 1 && length >= 1 && (slices - 1) * length < x->t.k && slices * length >= x->t.k);
    return length;
}

/* 0 where the row does not serve. */
static int check_row(const lay_cuda_kernel *row, int shape)
{
    static const int layout[] = { 2, 5, 1 };
    random_source from = random_case(94, (uint64_t)shape);
    trial t = trial_of_bits(row->type, shape);
    afar x;
    double got;
    t.options.kernel = row->name;
    t.options.backend = LAY_BACKEND_CUDA;
    afar_make(&x, &t, layout, &from);
    const lay_status status = afar_call(&x);
    if (status == LAY_OK) {
        const int64_t slice_k = find_slice(&x);
        insist_on_right(&x);
        for (int64_t i = 0; i < t.m; i += 1 + i / 9)
            for (int64_t j = 0; j < t.n; j += 1 + j / 9) {
                const double wanted = find_element(&x.t, i, j, slice_k);
                got = judge_load(t.type, x.t.out.zero, x.t.out.row[i] + x.t.out.column[j]);
                if (got != wanted)
                    fail_msg("%s: C(%lld,%lld) of %lld x %lld x %lld is %a, not %a", row->name, (long long)i,
                             (long long)j, (long long)t.m, (long long)t.n, (long long)t.k, got, wanted);
            }
    }
    afar_free(&x);
    if (status != LAY_OK && status != LAY_ERR_UNSUPPORTED)
        fail_msg("%s: %s", row->name, lay_last_error());
    return status == LAY_OK;
}

static void every_kernel_of_a_chain_sums_in_the_order_that_is_written_down(void **state)
{
    (void)state;
    static const char *const needed[] = { "naive", "tiled", "parray", "simt" };
    int served[4] = { 0 };
    for (int family = 0; lay_cuda_families[family]; family++)
        for (const lay_cuda_kernel *row = lay_cuda_families[family]; row->name; row++)
            for (int shape = 0; shape < SHAPES && row->order != LAY_CUDA_LANES; shape++) {
                const int serves = check_row(row, shape);
                for (int i = 0; i < 4; i++)
                    served[i] += serves && strcmp(row->family, needed[i]) == 0;
            }
    for (int i = 0; i < 4; i++)
        if (!served[i])
            fail_msg("no row of %s serves any of the shapes", needed[i]);
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
        cmocka_unit_test(a_stream_may_go_before_its_plans),
        cmocka_unit_test(layouts_change_no_bits),
        cmocka_unit_test(streams_plans_and_repeats_change_no_bits),
        cmocka_unit_test(a_broadcast_has_the_bits_of_what_it_stands_for),
        cmocka_unit_test(every_kernel_of_a_chain_sums_in_the_order_that_is_written_down),
        cmocka_unit_test(managed_memory_is_a_devices),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP there is no GPU: %s\n", reason);
        return 0;
    }
    setenv("LAY_TEST_PLACE", "device", 1); /* for the judge: sums are cut as there */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
