/* Products of split operands on a device: right in every layout and on every path, with the same bits, and the path
 * that the values ask for. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../there.h"
#include "cuda_split.h"
#include "elsewhere.h"
#include "split_rows.h"

/* The bound of a plain sum holds for split operands from 64 steps on. */
static const int64_t shapes[][3] = {
    { 70, 90, 150 }, { 257, 129, 200 }, { 1, 1, 64 }, { 33, 65, 1097 }, { 5, 300, 64 }
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static trial trial_of(int shape, trial_data data, const char *kernel)
{
    trial made = { .type = LAY_F32,
                   .m = shapes[shape][0],
                   .n = shapes[shape][1],
                   .k = shapes[shape][2],
                   .alpha = 1.25,
                   .beta = -0.75,
                   .data = data,
                   .options = LAY_OPTIONS_INIT };
    if (data == TRIAL_INTEGERS)
        made.alpha = 2, made.beta = -1;
    made.options.kernel = kernel;
    made.options.compute = LAY_COMPUTE_F32_SPLIT;
    return made;
}

/* Its name. */
static const char *first_row(void)
{
    lay_cuda_walk walk = lay_cuda_rows(contract);
    return lay_cuda_next(&walk)->name;
}

static void every_row_is_right(void **state)
{
    (void)state;
    int number = 0;
    lay_cuda_walk walk = lay_cuda_rows(contract);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int data = 0; data < TRIAL_DATA_KINDS; data++, number++) {
                const int layout[] = { number % LAYOUT_USUAL, number * 3 % LAYOUT_USUAL, number * 5 % LAYOUT_USUAL };
                random_source from = random_case(97, (uint64_t)number);
                const trial t = trial_of(shape, (trial_data)data, row->name);
                remote x;
                remote_make(&x, &t, layout, &from);
                assert_int_equal(remote_call(&x), LAY_OK);
                remote_insist_on_right(&x);
                remote_free(&x);
            }
}

/* Rows of the table are as good as layouts: none changes a bit. */
static void rows_and_layouts_change_no_bits(void **state)
{
    (void)state;
    static const trial_data kinds[] = { TRIAL_SIGNED, TRIAL_GRADED, TRIAL_SPECIAL };
    for (int kind = 0; kind < 3; kind++) {
        char *wanted = NULL;
        lay_cuda_walk walk = lay_cuda_rows(contract);
        for (int number = 0; number < 2 * LAYOUT_USUAL; number++) {
            const lay_cuda_kernel *row = lay_cuda_next(&walk);
            if (!row) { /* all over again */
                walk = lay_cuda_rows(contract);
                row = lay_cuda_next(&walk);
            }
            const int layout[] = { number % LAYOUT_USUAL, number * 3 % LAYOUT_USUAL, number * 5 % LAYOUT_USUAL };
            random_source from = random_case(98, (uint64_t)kind);
            const trial t = trial_of(1, kinds[kind], row->name);
            remote x;
            remote_make(&x, &t, layout, &from);
            assert_int_equal(remote_call(&x), LAY_OK);
            if (!remote_has_bits(&x, &wanted))
                fail_msg("%s and layouts %d,%d,%d change bits", row->name, layout[0], layout[1], layout[2]);
            remote_free(&x);
        }
        free(wanted);
    }
}

/* Slices of k, segments of corrections on both paths, and more tiles than multiprocessors: C by rows and by columns has
 * the same bits. */
static void many_slices_and_tiles_are_right(void **state)
{
    (void)state;
    static const int64_t large[][3] = { { 70, 200, 9000 }, { 1500, 1510, 70 } };
    for (int shape = 0; shape < 2; shape++)
        for (int data = TRIAL_SIGNED; data <= TRIAL_GRADED; data++) {
            char *bits[2];
            size_t size = 0;
            for (int by_columns = 0; by_columns < 2; by_columns++) {
                const int layout[] = { by_columns, 0, by_columns };
                random_source from = random_case(109, (uint64_t)(shape * 8 + data));
                trial t = trial_of(0, (trial_data)data, first_row());
                t.m = large[shape][0], t.n = large[shape][1], t.k = large[shape][2];
                remote x;
                remote_make(&x, &t, layout, &from);
                assert_int_equal(remote_call(&x), LAY_OK);
                remote_insist_on_right(&x);
                bits[by_columns] = remote_bits(&x);
                size = remote_size(&x);
                remote_free(&x);
            }
            assert_memory_equal(bits[0], bits[1], size);
            free(bits[0]);
            free(bits[1]);
        }
}

/* So many elements of a row of A by so much. */
static lay_path path_with_some(trial_data data, int count, double factor, double element)
{
    random_source from = random_case(99, 0);
    remote x = { .t = trial_of(0, data, first_row()) };
    trial_fill(&x.t, &from);
    for (int i = 0; i < count; i++)
        x.t.a[7 + i] = element * factor;
    x.t.data = TRIAL_SIGNED; /* no longer exact */
    trial_place(&x.t, layout_usual(0, x.t.m, x.t.k), layout_usual(1, x.t.k, x.t.n), layout_usual(0, x.t.m, x.t.n),
                OPERAND_ANYWHERE, &from);
    remote_send(&x);
    const lay_path path = remote_path(&x);
    char why[2000];
    if (!remote_is_right(&x, why, sizeof why))
        fail_msg("with an element of %g, path %d: %s", element * factor, (int)path, why);
    remote_free(&x);
    return path;
}

static lay_path path_with(trial_data data, double factor, double element)
{
    return path_with_some(data, 1, factor, element);
}

/* A tiny element in each of so many rows of A. */
static lay_path path_with_rows(int rows)
{
    random_source from = random_case(109, 0);
    remote x = { .t = trial_of(0, TRIAL_SIGNED, first_row()) };
    trial_fill(&x.t, &from);
    for (int i = 0; i < rows; i++)
        x.t.a[i * x.t.k + 2 * i] = 0x1p-60;
    trial_place(&x.t, layout_usual(1, x.t.m, x.t.k), layout_usual(0, x.t.k, x.t.n), layout_usual(1, x.t.m, x.t.n),
                OPERAND_ANYWHERE, &from);
    remote_send(&x);
    const lay_path path = remote_path(&x);
    remote_insist_on_right(&x);
    remote_free(&x);
    return path;
}

static void values_choose_the_path(void **state)
{
    (void)state;
    assert_int_equal(path_with(TRIAL_INTEGERS, 1, 3), LAY_PATH_FP16X3);
    assert_int_equal(path_with(TRIAL_INTEGERS, 0x1p28, 1), LAY_PATH_FP16X3);
    assert_int_equal(path_with(TRIAL_INTEGERS, 0x1p40, 1), LAY_PATH_BF16X6); /* all others are tiny */
    assert_int_equal(path_with(TRIAL_INTEGERS, 0x1p-100, 1), LAY_PATH_FP16X3);
    assert_int_equal(path_with_some(TRIAL_INTEGERS, LAY_SPLIT_TINY, 0x1p-100, 1), LAY_PATH_FP16X3);
    assert_int_equal(path_with_some(TRIAL_INTEGERS, LAY_SPLIT_TINY + 1, 0x1p-100, 1), LAY_PATH_BF16X6);
    assert_int_equal(path_with(TRIAL_GRADED, 1, 1), LAY_PATH_BF16X6);
    assert_int_equal(path_with(TRIAL_INTEGERS, 0x1p-149, 1), LAY_PATH_FP16X3);
    assert_int_equal(path_with_some(TRIAL_INTEGERS, LAY_SPLIT_TINY + 1, 0x1p-149, 1), LAY_PATH_STRICT);
    assert_int_equal(path_with_rows(9), LAY_PATH_FP16X3); /* of 70: one in eight */
    assert_int_equal(path_with_rows(10), LAY_PATH_BF16X6);
    assert_int_equal(path_with(TRIAL_INTEGERS, 1, NAN), LAY_PATH_FP16X3);
    assert_int_equal(path_with(TRIAL_INTEGERS, 1, INFINITY), LAY_PATH_FP16X3);
}

/* Sums of a few terms: one of so many elements of both operands is not zero. */
static lay_path path_of_sparse(int one_of)
{
    random_source from = random_case(106, 0);
    remote x = { .t = trial_of(3, TRIAL_SIGNED, first_row()) };
    trial_fill(&x.t, &from);
    for (int64_t at = 0; at < x.t.m * x.t.k; at++)
        x.t.a[at] *= random_one_in(&from, one_of);
    for (int64_t at = 0; at < x.t.k * x.t.n; at++)
        x.t.b[at] *= random_one_in(&from, one_of);
    trial_place(&x.t, layout_usual(1, x.t.m, x.t.k), layout_usual(0, x.t.k, x.t.n), layout_usual(0, x.t.m, x.t.n),
                OPERAND_ANYWHERE, &from);
    remote_send(&x);
    const lay_path path = remote_path(&x);
    remote_insist_on_right(&x);
    remote_free(&x);
    return path;
}

static void few_terms_choose_the_path(void **state)
{
    (void)state;
    assert_int_equal(path_of_sparse(1), LAY_PATH_FP16X3);
    assert_int_equal(path_of_sparse(2), LAY_PATH_FP16X3);
    assert_int_equal(path_of_sparse(16), LAY_PATH_BF16X6);
}

static void a_nan_stays_in_its_row(void **state)
{
    (void)state;
    char *bits[2];
    size_t size = 0;
    for (int has_nan = 0; has_nan <= 1; has_nan++) {
        random_source from = random_case(100, 0);
        remote x = { .t = trial_of(1, TRIAL_SIGNED, NULL) };
        x.t.options.kernel = first_row();
        trial_fill(&x.t, &from);
        if (has_nan)
            x.t.a[3 * x.t.k + 11] = NAN;
        trial_place(&x.t, layout_usual(0, x.t.m, x.t.k), layout_usual(0, x.t.k, x.t.n), layout_usual(0, x.t.m, x.t.n),
                    OPERAND_ANYWHERE, &from);
        remote_send(&x);
        assert_int_equal(remote_call(&x), LAY_OK);
        remote_insist_on_right(&x);
        bits[has_nan] = remote_bits(&x);
        size = remote_size(&x);
        remote_free(&x);
    }
    const size_t row = (size_t)shapes[1][1] * sizeof(float);
    assert_memory_equal(bits[0], bits[1], 3 * row);
    assert_memory_equal(bits[0] + 4 * row, bits[1] + 4 * row, size - 4 * row);
    free(bits[0]);
    free(bits[1]);
}

/* Packs A, B or both (bits of which) of an operand in device memory, whose storage is then overwritten. */
static void pack(remote *x, const lay_plan *plan, int which, lay_packed *packed[2])
{
    elsewhere *const source[2] = { &x->a, &x->b };
    for (int i = 0; i < 2; i++) {
        packed[i] = NULL;
        if (!(which >> i & 1))
            continue;
        if (lay_pack(plan, (lay_operand)i, source[i]->zero, &packed[i]) != LAY_OK)
            fail_msg("%s", lay_last_error());
        assert_true(lay_packed_size(packed[i]) > 0);
        assert_int_equal(cudaMemsetAsync(source[i]->block, 0xff, source[i]->of->bytes, x->t.options.stream),
                         cudaSuccess);
    }
}

static lay_status run_packed(const remote *x, const lay_plan *plan, lay_packed *const packed[2])
{
    const float alpha = (float)x->t.alpha, beta = (float)x->t.beta;
    return lay_plan_run_packed(plan, &alpha, packed[0] ? NULL : x->a.zero, packed[0], packed[1] ? NULL : x->b.zero,
                               packed[1], &beta, x->c.zero);
}

/* Whatever the path: usual numbers, a wide range, Inf and NaN. */
static void packed_operands_change_no_bits(void **state)
{
    (void)state;
    static const trial_data kinds[] = { TRIAL_SIGNED, TRIAL_GRADED, TRIAL_SPECIAL, TRIAL_TINY };
    for (int number = 0; number < 4 * SHAPES * 2; number++) {
        const int shape = number / 4 % SHAPES;
        const int layout[] = { number % LAYOUT_USUAL, number * 3 % LAYOUT_USUAL, number * 5 % LAYOUT_USUAL };
        char *wanted = NULL;
        lay_path wanted_path = LAY_PATH_NONE;
        for (int which = 0; which < 4; which++) {
            random_source from = random_case(103, (uint64_t)number);
            /* small products have no limbs unless a kernel is named */
            const trial t = trial_of(shape, kinds[number % 4], number < 4 * SHAPES ? "split_f32_128x128" : NULL);
            remote x;
            lay_plan *plan = NULL;
            lay_packed *packed[2];
            lay_path path = LAY_PATH_NONE;
            remote_make(&x, &t, layout, &from);
            assert_int_equal(remote_plan(&x, &plan), LAY_OK);
            pack(&x, plan, which, packed);
            assert_int_equal(lay_plan_reserve(plan), LAY_OK);
            if (run_packed(&x, plan, packed) != LAY_OK)
                fail_msg("%s", lay_last_error());
            assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
            char *const got = remote_bits(&x);
            if (wanted && (memcmp(wanted, got, remote_size(&x)) != 0 || path != wanted_path))
                fail_msg("case %d: %s packed changes bits, or path %d", number,
                         which == 1   ? "A"
                         : which == 2 ? "B"
                                      : "A, B",
                         (int)path);
            if (wanted)
                free(got);
            else
                wanted = got;
            wanted_path = path;
            lay_packed_destroy(packed[0]);
            lay_packed_destroy(packed[1]);
            lay_plan_destroy(plan);
            remote_free(&x);
        }
        free(wanted);
    }
}

/* Packed for a plan of limbs, used by one of another number of rows and a plain one. */
static void one_packed_operand_serves_other_plans(void **state)
{
    (void)state;
    static const lay_compute computes[] = { LAY_COMPUTE_F32_SPLIT, LAY_COMPUTE_F32_SPLIT, LAY_COMPUTE_STRICT };
    static const int64_t rows[] = { 300, 70, 150 };
    lay_packed *packed[2] = { NULL, NULL };
    for (int number = 0; number < 3; number++) {
        random_source from = random_case(104, 0), same = random_case(105, 0);
        trial t = trial_of(1, TRIAL_SIGNED, NULL);
        t.m = rows[number];
        t.options.compute = computes[number];
        t.options.kernel = number < 2 ? first_row() : NULL;
        remote x = { .t = t };
        trial_fill(&x.t, &from);
        for (int64_t at = 0; at < t.k * t.n; at++)
            x.t.b[at] = (double)(float)(random_unit(&same) - 0.5);
        trial_place(&x.t, layout_usual(0, t.m, t.k), layout_usual(number, t.k, t.n), layout_usual(0, t.m, t.n),
                    OPERAND_ANYWHERE, &from);
        remote_send(&x);
        lay_plan *plan = NULL;
        assert_int_equal(remote_plan(&x, &plan), LAY_OK);
        if (number == 0)
            assert_int_equal(lay_pack(plan, LAY_OPERAND_B, x.b.zero, &packed[1]), LAY_OK);
        assert_int_equal(remote_run(&x, plan), LAY_OK);
        char *const wanted = remote_bits(&x);
        remote_restore(&x);
        if (run_packed(&x, plan, packed) != LAY_OK)
            fail_msg("%s", lay_last_error());
        remote_insist_on_right(&x);
        char *const got = remote_bits(&x);
        assert_memory_equal(wanted, got, remote_size(&x));
        free(wanted);
        free(got);
        lay_plan_destroy(plan);
        remote_free(&x);
    }
    lay_packed_destroy(packed[1]);
}

static void small_products_and_short_sums_stay_plain(void **state)
{
    static const int row_major[] = { 0, 0, 0 };
    (void)state;
    char text[20000];
    random_source from = random_case(101, 0);
    const trial t = trial_of(0, TRIAL_SIGNED, NULL);
    remote x;
    lay_plan *plan = NULL;
    lay_path path = LAY_PATH_NONE;
    remote_make(&x, &t, row_major, &from);
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    assert_int_equal(remote_run(&x, plan), LAY_OK);
    remote_insist_on_right(&x);
    assert_int_equal(lay_plan_path(plan, &path), LAY_OK);
    assert_int_equal(path, LAY_PATH_STRICT);
    assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
    assert_non_null(strstr(text, "refused: the plain product is predicted to be done as soon"));
    lay_plan_destroy(plan);
    remote_free(&x);
}

/* C = beta C, whatever kernel is named. */
static void a_sum_of_nothing_scales(void **state)
{
    static const int row_major[] = { 0, 0, 0 };
    (void)state;
    for (int named = 0; named < 2; named++) {
        random_source from = random_case(102, 0);
        trial t = trial_of(0, TRIAL_INTEGERS, named ? first_row() : NULL);
        remote x;
        t.k = 0;
        remote_make(&x, &t, row_major, &from);
        assert_int_equal(remote_call(&x), LAY_OK);
        remote_insist_on_right(&x);
        remote_free(&x);
    }
}

static void capture(int which)
{
    static const int layout[] = { 5, 1, 0 };
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    random_source from = random_case(102, 0);
    trial t = trial_of(1, TRIAL_SIGNED, first_row());
    t.beta = 0;
    remote x;
    lay_plan *plan = NULL;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    t.options.stream = stream;
    remote_make(&x, &t, layout, &from);
    assert_int_equal(remote_plan(&x, &plan), LAY_OK);
    lay_packed *packed[2], *none = NULL;
    pack(&x, plan, which, packed);
    assert_int_equal(lay_plan_reserve(plan), LAY_OK);
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    assert_int_equal(lay_pack(plan, LAY_OPERAND_A, x.a.zero, &none), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "captured"));
    assert_int_equal(run_packed(&x, plan, packed), LAY_OK);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&made, graph, 0), cudaSuccess);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cudaGraphLaunch(made, stream), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    elsewhere_write(&x.a); /* what packing was followed by */
    elsewhere_write(&x.b);
    remote_insist_on_right(&x);
    cudaGraphExecDestroy(made);
    cudaGraphDestroy(graph);
    lay_packed_destroy(packed[0]);
    lay_packed_destroy(packed[1]);
    lay_plan_destroy(plan);
    remote_free(&x);
    cudaStreamDestroy(stream);
}

static void a_reserved_plan_is_captured(void **state)
{
    (void)state;
    capture(0);
}

static void a_product_with_packed_operands_is_captured(void **state)
{
    (void)state;
    capture(2);
    capture(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_right),
        cmocka_unit_test(rows_and_layouts_change_no_bits),
        cmocka_unit_test(many_slices_and_tiles_are_right),
        cmocka_unit_test(values_choose_the_path),
        cmocka_unit_test(few_terms_choose_the_path),
        cmocka_unit_test(a_nan_stays_in_its_row),
        cmocka_unit_test(small_products_and_short_sums_stay_plain),
        cmocka_unit_test(a_sum_of_nothing_scales),
        cmocka_unit_test(packed_operands_change_no_bits),
        cmocka_unit_test(one_packed_operand_serves_other_plans),
        cmocka_unit_test(a_reserved_plan_is_captured),
        cmocka_unit_test(a_product_with_packed_operands_is_captured),
        ON_ANY_DEVICE(every_row_is_right),
        ON_ANY_DEVICE(rows_and_layouts_change_no_bits),
        ON_ANY_DEVICE(many_slices_and_tiles_are_right),
        ON_ANY_DEVICE(values_choose_the_path),
        ON_ANY_DEVICE(few_terms_choose_the_path),
        ON_ANY_DEVICE(a_nan_stays_in_its_row),
    };
    setenv("LAY_TEST_PLACE", "device", 1); /* for the oracle: sums are cut as there */
    if (!there_exists())
        return 0;
    find_own();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
