/* Products on the matrix units of GPUs that are made up: those of 8.0 and newer have rows of mma, 9.0 its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../product/support/layouts.h"
#include "cuda/launch/rows.h"
#include "cuda/mma/mma.h"
#include "cuda/ways.h"
#include "made_up.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "ways.h"

static int has_its_own(void)
{
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_NARROW);
    return lay_cuda_next(&walk) != NULL;
}

/* The leaf of a product of dense matrices by rows in device memory; NULL: refused. */
static const lay_branch *plan_on(int sm, lay_type type, const int64_t size[3], const lay_options *options,
                                 lay_plan **plan)
{
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, 0);
    lay_desc *const a = layout_usual(0, size[0], size[2]), *const b = layout_usual(0, size[2], size[1]);
    lay_desc *const c = layout_usual(0, size[0], size[1]);
    lay_route *route = NULL;
    made_up.sm = sm;
    made_up.shared_per_block = (sm == 80 ? 163 : sm == 90 ? 227 : 99) << 10;
    lay_status status = lay_plan_make(&lay_all_ways, type, a, b, c, options, plan);
    if (status == LAY_OK)
        status = lay_plan_find_route(*plan, &there, &route);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return status == LAY_OK ? lay_branch_leaf(route->root) : NULL;
}

static const lay_way *way_on(int sm, lay_type type, lay_compute compute, const char *kernel)
{
    static const int64_t size[] = { 2048, 2048, 2048 };
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan *plan = NULL;
    options.compute = compute;
    options.kernel = kernel;
    const lay_branch *leaf = plan_on(sm, type, size, &options, &plan);
    const lay_way *way = leaf ? leaf->way : NULL;
    if (leaf && leaf->way != &lay_way_launch && sm != 90)
        assert_non_null(strstr(leaf->job.kernel, "mma_"));
    lay_plan_destroy(plan);
    return way;
}

static void every_capability_has_its_rows(void **state)
{
    (void)state;
    static const int capabilities[] = { 80, 86, 89, 100, 120 };
    for (int i = 0; i < 5; i++) {
        const int sm = capabilities[i];
        assert_ptr_equal(way_on(sm, LAY_F16, LAY_COMPUTE_AUTO, NULL), &lay_way_device_mma);
        assert_ptr_equal(way_on(sm, LAY_BF16, LAY_COMPUTE_STRICT, NULL), &lay_way_device_mma);
        for (int compute = LAY_COMPUTE_TF32; compute <= LAY_COMPUTE_FP16; compute++)
            assert_ptr_equal(way_on(sm, LAY_F32, (lay_compute)compute, NULL), &lay_way_device_mma);
        assert_ptr_equal(way_on(sm, LAY_F32, LAY_COMPUTE_F32_SPLIT, "split_mma"), &lay_way_device_split);
        assert_ptr_equal(way_on(sm, LAY_F32, LAY_COMPUTE_AUTO, NULL), &lay_way_launch);
    }
    const lay_way *const own = has_its_own() ? &lay_way_device_narrow : &lay_way_device_mma;
    assert_ptr_equal(way_on(90, LAY_BF16, LAY_COMPUTE_AUTO, NULL), own);
    assert_ptr_equal(way_on(90, LAY_BF16, LAY_COMPUTE_AUTO, "mma"), &lay_way_device_mma);
    assert_ptr_equal(way_on(90, LAY_F32, LAY_COMPUTE_F32_SPLIT, "split_mma"), &lay_way_device_split);
    assert_null(way_on(75, LAY_F32, LAY_COMPUTE_TF32, NULL));
    assert_null(way_on(75, LAY_F32, LAY_COMPUTE_F32_SPLIT, "split_mma"));
}

/* Which decides bits. */
static void slices_are_those_of_the_transposed_product_and_of_every_row(void **state)
{
    (void)state;
    int cut = 0;
    for (int number = 0; number < 200; number++) {
        random_source from = random_case(341, (uint64_t)number);
        const int64_t m = random_in(&from, 1, 3000), n = random_in(&from, 1, 900), k = random_in(&from, 1, 20000);
        const int64_t sizes[2][3] = { { m, n, k }, { n, m, k } };
        static const char *const named[] = { NULL, "mma_bf16_64x64", "mma_bf16_128x256" };
        int slices = 0, slice_k = 0;
        for (int way = 0; way < 6; way++) {
            lay_options options = LAY_OPTIONS_INIT;
            lay_plan *plan = NULL;
            options.kernel = named[way / 2];
            const lay_branch *leaf = plan_on(80, LAY_BF16, sizes[way % 2], &options, &plan);
            assert_non_null(leaf);
            const lay_launch *launch = &((const lay_mma *)leaf->job.data)->launch;
            assert_true(way == 0 || (launch->slices == slices && launch->slice_k == slice_k));
            slices = launch->slices;
            slice_k = launch->slice_k;
            lay_plan_destroy(plan);
        }
        cut += slices > 1;
    }
    assert_true(cut > 20 && cut < 180);
}

static void operands_without_whole_vectors_have_an_image(void **state)
{
    (void)state;
    const lay_mma_view by_rows = lay_mma_view_of(LAY_CUDA_ALONG_VECTOR, 30, 64, LAY_BF16, 0);
    assert_true(!by_rows.is_image && !by_rows.is_across && by_rows.pitch == 64 && by_rows.bytes == 30 * 64 * 2);
    const lay_mma_view odd = lay_mma_view_of(LAY_CUDA_ALONG_VECTOR, 30, 60, LAY_BF16, 0);
    assert_true(odd.is_image && odd.pitch == 64 && odd.bytes == 30 * 64 * 2);
    const lay_mma_view across = lay_mma_view_of(LAY_CUDA_ACROSS_VECTOR, 60, 31, LAY_F32, 0);
    assert_true(!across.is_image && across.is_across && across.pitch == 60 && across.bytes == 31 * 60 * 4);
    const lay_mma_view single = lay_mma_view_of(LAY_CUDA_ACROSS, 64, 31, LAY_F16, 0);
    assert_true(single.is_image && single.is_across && single.pitch == 64);
    const lay_mma_view rounded = lay_mma_view_of(LAY_CUDA_ALONG_VECTOR, 30, 64, LAY_F16, 1);
    assert_true(rounded.is_image && !rounded.is_across);
}

int main(void)
{
    made_up_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_capability_has_its_rows),
        cmocka_unit_test(slices_are_those_of_the_transposed_product_and_of_every_row),
        cmocka_unit_test(operands_without_whole_vectors_have_an_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
