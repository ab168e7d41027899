/* Products of operands in device memory have the same bits whatever else changes, and those that docs/numerics.md
 * writes down. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_kernel.h"
#include "device/device.h"
#include "elsewhere.h"

/* Numbers of one case, which a seed names: the same in any layout. */
static trial trial_of_bits(lay_type type, int shape)
{
    return (trial){ .type = type,
                    .m = remote_shapes[shape].m,
                    .n = remote_shapes[shape].n,
                    .k = remote_shapes[shape].k,
                    .alpha = 1.25,
                    .beta = -0.75,
                    .data = TRIAL_SIGNED,
                    .options = LAY_OPTIONS_INIT };
}

static void insist_on_bits(const remote *x, const char *wanted, const char *got, const char *what)
{
    char story[6000];
    if (memcmp(wanted, got, remote_size(x)) == 0)
        return;
    trial_story(&x->t, story, sizeof story);
    fail_msg("%s changes the bits of\n  %s", what, story);
}

static void layouts_change_no_bits(void **state)
{
    (void)state;
    for (int shape = 0; shape < REMOTE_SHAPES; shape++)
        for (int type = LAY_F32; type <= LAY_F64; type++) {
            char *wanted = NULL;
            for (int number = 0; number < 2 * LAYOUT_USUAL; number++) {
                const int layout[] = { number % LAYOUT_USUAL, number * 3 % LAYOUT_USUAL,
                                       (number * 5 + number / LAYOUT_USUAL) % LAYOUT_USUAL };
                random_source from = random_case(91, (uint64_t)shape);
                const trial t = trial_of_bits((lay_type)type, shape);
                remote x;
                remote_make(&x, &t, layout, &from);
                assert_int_equal(remote_call(&x), LAY_OK);
                char *const got = remote_bits(&x);
                if (wanted)
                    insist_on_bits(&x, wanted, got, "a layout");
                else
                    remote_insist_on_right(&x);
                if (wanted)
                    free(got);
                else
                    wanted = got;
                remote_free(&x);
            }
            free(wanted);
        }
}

static lay_status run_some_way(remote *x, int way)
{
    lay_plan *plan = NULL;
    lay_status status;
    if (way < 2)
        return remote_call(x);
    if ((status = remote_plan(x, &plan)) == LAY_OK && (way == 2 || (status = lay_plan_reserve(plan)) == LAY_OK))
        status = remote_run(x, plan);
    lay_plan_destroy(plan);
    return status;
}

static void streams_plans_and_repeats_change_no_bits(void **state)
{
    (void)state;
    static const int layout[] = { 5, 0, 2 };
    cudaStream_t own = NULL;
    assert_int_equal(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), cudaSuccess);
    cudaStream_t const streams[] = { NULL, own, cudaStreamPerThread, cudaStreamLegacy };
    for (int shape = 0; shape < REMOTE_SHAPES; shape++) {
        random_source from = random_case(92, (uint64_t)shape);
        const trial t = trial_of_bits(shape % 2 ? LAY_F64 : LAY_F32, shape);
        remote x;
        remote_make(&x, &t, layout, &from);
        assert_int_equal(remote_call(&x), LAY_OK);
        char *const wanted = remote_bits(&x);
        remote_insist_on_right(&x);
        for (int which = 0; which < 4; which++)
            for (int way = 0; way <= 3; way++) { /* called, again, planned, reserved */
                x.t.options.stream = streams[which];
                remote_restore(&x);
                const lay_status status = run_some_way(&x, way);
                if (status == LAY_ERR_UNSUPPORTED && way == 3 && which == 2)
                    continue; /* runs without an order share no workspace */
                assert_int_equal(status, LAY_OK);
                char *const got = remote_bits(&x);
                insist_on_bits(&x, wanted, got, "a stream or a plan");
                free(got);
            }
        free(wanted);
        remote_free(&x);
    }
    cudaStreamDestroy(own);
}

static double *copy_of(const double *numbers, int64_t count)
{
    double *made = oracle_memory((size_t)count * sizeof *made);
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
        remote shared = { .t = { .type = i % 2 ? LAY_F64 : LAY_F32,
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
        remote_send(&shared);
        remote_send(&dense);
        assert_int_equal(remote_call(&shared), LAY_OK);
        assert_int_equal(remote_call(&dense), LAY_OK);
        char *const wanted = remote_bits(&dense), *const got = remote_bits(&shared);
        remote_insist_on_right(&shared);
        insist_on_bits(&shared, wanted, got, "a broadcast or a step backwards");
        free(wanted);
        free(got);
        remote_free(&shared);
        remote_free(&dense);
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

/* An explanation speaks of operands in host memory first, and then of the same in the device's. */
static int64_t find_slice(const remote *x)
{
    static char text[65536];
    long long slices = 0, length = 0;
    lay_plan *plan = NULL;
    assert_int_equal(remote_plan(x, &plan), LAY_OK);
    assert_in_range(lay_plan_explain(plan, text, sizeof text), 1, sizeof text - 1);
    lay_plan_destroy(plan);
    const char *const there = strstr(text, "operands in its memory");
    assert_non_null(there);
    const char *const grid = strstr(there, "\ngrid ");
    assert_non_null(grid);
    assert_int_equal(
        sscanf(grid, "\ngrid %*d x %*d tiles of %*d x %*d, k in %lld slice%*[s ]of %lld", &slices, &length), 2);
    assert_true(slices >= 1 && length >= 1 && (slices - 1) * length < x->t.k && slices * length >= x->t.k);
    return length;
}

/* 0 where the row does not serve. */
static int check_row(const lay_cuda_kernel *row, int shape)
{
    static const int layout[] = { 2, 5, 1 };
    random_source from = random_case(94, (uint64_t)shape);
    trial t = trial_of_bits(row->type, shape);
    remote x;
    double got;
    t.options.kernel = row->name;
    t.options.backend = LAY_BACKEND_CUDA;
    remote_make(&x, &t, layout, &from);
    const lay_status status = remote_call(&x);
    if (status == LAY_OK) {
        const int64_t slice_k = find_slice(&x);
        remote_insist_on_right(&x);
        for (int64_t i = 0; i < t.m; i += 1 + i / 9)
            for (int64_t j = 0; j < t.n; j += 1 + j / 9) {
                const double wanted = find_element(&x.t, i, j, slice_k);
                got = oracle_load(t.type, x.t.out.zero, x.t.out.row[i] + x.t.out.column[j]);
                if (got != wanted)
                    fail_msg("%s: C(%lld,%lld) of %lld x %lld x %lld is %a, not %a", row->name, (long long)i,
                             (long long)j, (long long)t.m, (long long)t.n, (long long)t.k, got, wanted);
            }
    }
    remote_free(&x);
    if (status != LAY_OK && status != LAY_ERR_UNSUPPORTED)
        fail_msg("%s: %s", row->name, lay_last_error());
    return status == LAY_OK;
}

static void every_kernel_of_a_chain_sums_in_the_order_that_is_written_down(void **state)
{
    (void)state;
    static const char *const needed[] = { "naive", "tiled", "parray", "simt" };
    int served[4] = { 0 };
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        for (int shape = 0; shape < REMOTE_SHAPES && row->order != LAY_CUDA_LANES; shape++) {
            const int serves = check_row(row, shape);
            for (int i = 0; i < 4; i++)
                served[i] += serves && strcmp(row->family, needed[i]) == 0;
        }
    for (int i = 0; i < 4; i++)
        if (!served[i])
            fail_msg("no row of %s serves any of the shapes", needed[i]);
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_change_no_bits),
        cmocka_unit_test(streams_plans_and_repeats_change_no_bits),
        cmocka_unit_test(a_broadcast_has_the_bits_of_what_it_stands_for),
        cmocka_unit_test(every_kernel_of_a_chain_sums_in_the_order_that_is_written_down),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP there is no GPU: %s\n", reason);
        return 0;
    }
    setenv("LAY_TEST_PLACE", "device", 1); /* for the oracle: sums are cut as there */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
