/* A batch as launches, planned for a made-up H200: how many products each has, and how their operands are fetched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../product/layouts.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "made_up.h"

static const lay_device h200 = MADE_UP_H200;

/* A batch of count products of n x n x k, the matrices of A so many elements apart. */
static void choose(int64_t count, int64_t n, int64_t k, int64_t apart, lay_launch launch[2], lay_problem *problem)
{
    lay_desc *a = layout_parse("[%lld:%lld][%lld:%lld][%lld:1]", (long long)count, (long long)apart, (long long)n,
                               (long long)k, (long long)k);
    lay_desc *b = layout_parse("[%lld][%lld][%lld]", (long long)count, (long long)k, (long long)n);
    lay_desc *c = layout_parse("[%lld][%lld][%lld]", (long long)count, (long long)n, (long long)n);
    const char *reason;
    lay_problem_make(LAY_F32, a, b, c, 0, problem);
    assert_true(lay_launch_choose(problem, &h200, NULL, 2, launch, &reason) > 0);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
}

static void a_batch_is_one_launch(void **state)
{
    static lay_problem problem;
    lay_launch launch[2];
    (void)state;
    choose(256, 64, 64, 64 * 64, launch, &problem);
    assert_int_equal(launch[0].batch, 256);
    assert_null(launch[1].kernel);
}

static void more_than_a_grid_counts_are_several(void **state)
{
    static lay_problem problem;
    lay_launch launch[2];
    (void)state;
    choose(100000, 16, 16, 256, launch, &problem);
    assert_int_equal(launch[0].batch, LAY_CUDA_MOST_BATCH);
}

static void vectors_need_every_index_aligned(void **state)
{
    static lay_problem problem;
    lay_launch launch[2];
    (void)state;
    choose(8, 64, 64, 64 * 64, launch, &problem);
    assert_int_equal(launch[0].left, LAY_CUDA_ALONG_VECTOR);
    choose(8, 64, 64, 64 * 64 + 1, launch, &problem);
    assert_int_equal(launch[0].left, LAY_CUDA_ALONG);
    assert_int_equal(launch[0].right, LAY_CUDA_ACROSS_VECTOR);
}

static void slices_are_those_of_one_product(void **state)
{
    static lay_problem problem;
    lay_launch launch[2], one[2];
    (void)state;
    choose(300, 64, 20000, 64 * 20000, launch, &problem);
    choose(1, 64, 20000, 64 * 20000, one, &problem);
    assert_true(one[0].slices > 1);
    assert_int_equal(launch[0].slices, one[0].slices);
    assert_int_equal(launch[0].slice_k, one[0].slice_k);
    assert_true(launch[0].is_together || lay_launch_partial(launch) >= (size_t)launch[0].batch * 64 * 64 * 4);
}

static void indices_lead_to_their_matrices(void **state)
{
    static lay_problem problem;
    lay_launch launch[2];
    lay_cuda_args args = { 0 };
    (void)state;
    choose(12, 8, 8, 100, launch, &problem);
    int64_t *tables = malloc(lay_offsets_bytes(&problem) + 1);
    lay_offsets_fill(&problem, &args, tables, tables);
    for (int64_t i = 0; i < 12; i++) {
        const lay_cuda_steps *of = &args.left_batch;
        assert_int_equal(of->table ? of->table[i] : i * of->stride, 100 * i);
    }
    free(tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_one_launch),
        cmocka_unit_test(more_than_a_grid_counts_are_several),
        cmocka_unit_test(vectors_need_every_index_aligned),
        cmocka_unit_test(slices_are_those_of_one_product),
        cmocka_unit_test(indices_lead_to_their_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
