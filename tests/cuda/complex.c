/* Complex products of operands in device memory: each side expanded, by strides and by tables, in graphs, and what is
 * refused there. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "elsewhere.h"
#include "storage/copy.h"

/* A part of something in 8 x 6 blocks that begins inside of one: radices of its rows and columns divide nothing. */
static lay_desc *cut_from_blocks(int64_t rows, int64_t columns)
{
    return layout_parse("A=[%lld][%lld][8][6]; U=[[#A_0][#A_2]][[#A_1][#A_3]]; [%lld@3#U_0][%lld@2#U_1]",
                        (long long)(rows / 8 + 2), (long long)(columns / 6 + 2), (long long)rows, (long long)columns);
}

static int has_tables(const lay_copy_axes *axes)
{
    for (int i = 0; i < axes->count; i++)
        if (axes->axis[i].from_map)
            return 1;
    return 0;
}

/* Whether a copy to a plain matrix goes by tables, as that of an operand to its image does then. */
static int is_copied_by_tables(const lay_desc *desc)
{
    static char nowhere;
    lay_copy_job job;
    const lay_change change = lay_change_none(LAY_C32);
    lay_desc *const plain = layout_usual(0, lay_desc_extent(desc, "0"), lay_desc_extent(desc, "1"));
    lay_copy_prepare(&change, desc, &nowhere, plain, &nowhere, &job);
    const int has = has_tables(&job.columns) || has_tables(&job.rows) || has_tables(&job.outers);
    lay_desc_destroy(plain);
    return has;
}

static trial trial_of(lay_type type, const int64_t shape[3], trial_data data)
{
    trial made = { .type = type,
                   .m = shape[0],
                   .n = shape[1],
                   .k = shape[2],
                   .alpha = 2,
                   .alpha_i = data == TRIAL_INTEGERS ? -1 : 0.7,
                   .beta = -1,
                   .beta_i = data == TRIAL_INTEGERS ? 3 : 0,
                   .data = data,
                   .options = LAY_OPTIONS_INIT };
    return made;
}

/* More rows than columns, more columns than rows, as many; one of either; k in slices. */
static const int64_t shapes[][3] = { { 25, 20, 23 }, { 20, 25, 23 },  { 40, 40, 130 }, { 1, 60, 70 },
                                     { 60, 1, 70 },  { 33, 9, 3000 }, { 9, 33, 3000 } };
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* The same numbers in blocks cut through, and by rows: right, and of the same bits. */
static void operands_whose_copies_go_by_tables_are_multiplied(void **state)
{
    (void)state;
    for (int number = 0; number < 4 * SHAPES; number++) {
        const int64_t *shape = shapes[number % SHAPES];
        const trial_data data = number / SHAPES % 2 ? TRIAL_SIGNED : TRIAL_INTEGERS;
        const lay_type type = number / SHAPES / 2 ? LAY_C64 : LAY_C32;
        char *bits[2];
        for (int is_plain = 0; is_plain < 2; is_plain++) {
            random_source from = random_case(61, (uint64_t)number);
            remote x = { .t = trial_of(type, shape, data) };
            trial *const t = &x.t;
            trial_fill(t, &from);
            trial_place(t, is_plain ? layout_usual(0, t->m, t->k) : cut_from_blocks(t->m, t->k),
                        is_plain ? layout_usual(1, t->k, t->n) : cut_from_blocks(t->k, t->n),
                        is_plain ? layout_usual(0, t->m, t->n) : cut_from_blocks(t->m, t->n), OPERAND_ANYWHERE, &from);
            if (!is_plain && t->m > 8 && t->n > 8) {
                assert_true(is_copied_by_tables(t->in_a.desc));
                assert_true(is_copied_by_tables(t->in_b.desc));
            }
            remote_send(&x);
            if (remote_call(&x) != LAY_OK)
                fail_msg("%s", lay_last_error());
            bits[is_plain] = remote_bits(&x);
            remote_insist_on_right(&x);
            if (is_plain && memcmp(bits[0], bits[1], remote_size(&x)) != 0)
                fail_msg("case %d: operands by tables have other bits than plain ones", number);
            remote_free(&x);
        }
        free(bits[0]);
        free(bits[1]);
    }
}

static cudaGraph_t captured(remote *x, const lay_plan *plan, lay_status *status)
{
    cudaGraph_t graph = NULL;
    cudaStream_t stream = x->t.options.stream;
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    *status = remote_run(x, plan);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    return graph;
}

/* What goes by strides is captured; a copy by tables needs memory for them, and is refused. */
static void a_reserved_complex_plan_is_captured_if_its_copies_need_no_tables(void **state)
{
    (void)state;
    cudaStream_t stream;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    for (int has_tables = 0; has_tables < 2; has_tables++) {
        random_source from = random_case(62, (uint64_t)has_tables);
        remote x = { .t = trial_of(LAY_C32, shapes[0], TRIAL_INTEGERS) };
        trial *const t = &x.t;
        lay_plan *plan = NULL;
        lay_status status;
        t->options.stream = stream;
        trial_fill(t, &from);
        trial_place(t, layout_usual(0, t->m, t->k),
                    has_tables ? cut_from_blocks(t->k, t->n) : layout_usual(0, t->k, t->n), layout_usual(0, t->m, t->n),
                    OPERAND_ANYWHERE, &from);
        remote_send(&x);
        assert_int_equal(remote_plan(&x, &plan), LAY_OK);
        assert_int_equal(lay_plan_reserve(plan), LAY_OK);
        cudaGraph_t graph = captured(&x, plan, &status);
        if (has_tables)
            assert_int_equal(status, LAY_ERR_UNSUPPORTED);
        else {
            cudaGraphExec_t ready = NULL;
            assert_int_equal(status, LAY_OK);
            assert_int_equal(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
            for (int replay = 0; replay < 3; replay++) {
                remote_restore(&x);
                assert_int_equal(cudaGraphLaunch(ready, stream), cudaSuccess);
                assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
                remote_insist_on_right(&x);
            }
            cudaGraphExecDestroy(ready);
        }
        cudaGraphDestroy(graph);
        remote_restore(&x);
        assert_int_equal(remote_run(&x, plan), LAY_OK);
        remote_insist_on_right(&x);
        lay_plan_destroy(plan);
        remote_free(&x);
    }
    assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
}

/* A B + the conjugate of C, 4 x 4 complex integers by rows. */
static void add_to_conjugate(const float a[32], const float b[32], const float c[32], float d[32])
{
    for (int at = 0; at < 16; at++) {
        float re = c[2 * at], im = -c[2 * at + 1];
        for (int p = 0; p < 4; p++) {
            const float *x = a + 2 * (at / 4 * 4 + p), *y = b + 2 * (p * 4 + at % 4);
            re += x[0] * y[0] - x[1] * y[1];
            im += x[0] * y[1] + x[1] * y[0];
        }
        d[2 * at] = re;
        d[2 * at + 1] = im;
    }
}

/* It is a copy that changes its elements, within one memory. */
static void a_conjugated_addend_is_added_there_and_refused_from_here(void **state)
{
    (void)state;
    lay_desc *const square = layout_usual(0, 4, 4);
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan = NULL;
    void *there[4];
    float host[4][32], back[32], wanted[32];
    const float one[] = { 1, 0 };
    product.type_a = product.type_b = product.type_c = product.type_d = LAY_C32;
    product.a = product.b = product.c = product.d = square;
    product.labels = "ik,kj->ij";
    product.conjugated = LAY_CONJUGATED_C;
    for (int i = 0; i < 4; i++) {
        for (int at = 0; at < 32; at++)
            host[i][at] = (float)(32 * i + at);
        assert_int_equal(lay_alloc(LAY_C32, square, LAY_MEMORY_DEVICE, &there[i]), LAY_OK);
        assert_int_equal(lay_copy(LAY_C32, square, host[i], square, there[i], NULL), LAY_OK);
    }
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_run_product(plan, one, there[0], there[1], one, host[2], there[3]), LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "in one memory"));
    assert_int_equal(lay_copy(LAY_C32, square, there[3], square, back, NULL), LAY_OK);
    assert_memory_equal(back, host[3], sizeof back);
    if (lay_plan_run_product(plan, one, there[0], there[1], one, there[2], there[3]) != LAY_OK)
        fail_msg("%s", lay_last_error());
    add_to_conjugate(host[0], host[1], host[2], wanted);
    assert_int_equal(lay_copy(LAY_C32, square, there[3], square, back, NULL), LAY_OK);
    assert_memory_equal(back, wanted, sizeof back);
    lay_plan_destroy(plan);
    for (int i = 0; i < 4; i++)
        lay_free(there[i]);
    lay_desc_destroy(square);
}

/* 2 x 2 of integers: what is multiplied lies in host memory, D in a device's, C in either. */
static void a_d_is_scaled_by_a_complex_beta_where_it_lies(void **state)
{
    (void)state;
    static const float a[] = { 1, 2, 3, -1, 0, 1, 2, 2 }, b[] = { 2, 0, 1, 1, -1, 3, 4, -2 };
    static const float c[] = { 5, 1, -2, 2, 3, -3, 1, 0 }, alpha[] = { 1, -1 }, beta[] = { 2, 3 };
    float product[8], wanted[8];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int part = 0; part < 2; part++) {
                float sum = 0;
                for (int p = 0; p < 2; p++) {
                    const float *x = a + 4 * i + 2 * p, *y = b + 4 * p + 2 * j;
                    sum += part ? x[0] * y[1] + x[1] * y[0] : x[0] * y[0] - x[1] * y[1];
                }
                product[4 * i + 2 * j + part] = sum;
            }
    for (int at = 0; at < 8; at += 2) {
        const float *x = product + at, *y = c + at;
        wanted[at] = alpha[0] * x[0] - alpha[1] * x[1] + beta[0] * y[0] - beta[1] * y[1];
        wanted[at + 1] = alpha[0] * x[1] + alpha[1] * x[0] + beta[0] * y[1] + beta[1] * y[0];
    }
    lay_desc *const by_rows = layout_usual(0, 2, 2), *const by_columns = layout_usual(1, 2, 2);
    for (int number = 0; number < 4; number++) { /* C there or here; D as C lies, or by columns */
        lay_product asked = LAY_PRODUCT_INIT;
        lay_plan *plan = NULL;
        void *there[2];
        float d[8];
        asked.type_a = asked.type_b = asked.type_c = asked.type_d = LAY_C32;
        asked.a = asked.b = asked.c = by_rows;
        asked.d = number / 2 ? by_columns : by_rows;
        asked.labels = "ik,kj->ij";
        for (int i = 0; i < 2; i++)
            assert_int_equal(lay_alloc(LAY_C32, by_rows, LAY_MEMORY_DEVICE, &there[i]), LAY_OK);
        assert_int_equal(lay_copy(LAY_C32, by_rows, c, by_rows, there[0], NULL), LAY_OK);
        assert_int_equal(lay_plan_create_product(&asked, NULL, &plan), LAY_OK);
        if (lay_plan_run_product(plan, alpha, a, b, beta, number % 2 ? there[0] : c, there[1]) != LAY_OK)
            fail_msg("%s", lay_last_error());
        assert_int_equal(lay_copy(LAY_C32, asked.d, there[1], by_rows, d, NULL), LAY_OK);
        assert_memory_equal(d, wanted, sizeof d);
        lay_plan_destroy(plan);
        for (int i = 0; i < 2; i++)
            lay_free(there[i]);
    }
    lay_desc_destroy(by_rows);
    lay_desc_destroy(by_columns);
}

int main(void)
{
    const char *reason = "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_whose_copies_go_by_tables_are_multiplied),
        cmocka_unit_test(a_reserved_complex_plan_is_captured_if_its_copies_need_no_tables),
        cmocka_unit_test(a_conjugated_addend_is_added_there_and_refused_from_here),
        cmocka_unit_test(a_d_is_scaled_by_a_complex_beta_where_it_lies),
    };
    setenv("LAY_TEST_PLACE", "device", 1); /* for the oracle: sums are cut as there */
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP there is no GPU: %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
