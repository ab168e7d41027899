/* Batches as one launch, as they are planned for a device that is made up: k is cut as where a product is alone, copies
 * take what lies together, and what cannot be one launch is a loop, with the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../product/support/layouts.h"
#include "cuda/batch/batch.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/narrow/narrow_run.h"
#include "cuda/ways.h"
#include "device/device.h"
#include "made_up.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "rewrite/ways.h"
#include "ways.h"

/* The tree for operands in device memory; the plan owns it. */
static const lay_branch *plan_with(const lay_options *options, lay_type type, const char *a, const char *b,
                                   const char *c, lay_plan **plan)
{
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, 0);
    lay_desc *const desc[] = { layout_parse("%s", a), layout_parse("%s", b), layout_parse("%s", c) };
    lay_route *route;
    assert_int_equal(lay_plan_make(&lay_all_ways, type, desc[0], desc[1], desc[2], options, plan), LAY_OK);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    if (lay_plan_find_route(*plan, &there, &route) != LAY_OK)
        fail_msg("%s: %s", options->kernel ? options->kernel : "any kernel", lay_last_error());
    return route->root;
}

static const lay_branch *plan_of(lay_type type, const char *a, const char *b, const char *c, const char *kernel,
                                 lay_plan **plan)
{
    lay_options options = LAY_OPTIONS_INIT;
    options.kernel = kernel;
    return plan_with(&options, type, a, b, c, plan);
}

static int is_one_launch(const lay_branch *branch)
{
    const lay_way *way = lay_branch_leaf(branch)->way;
    return way == &lay_way_device_batch || way == &lay_way_device_batch_narrow;
}

static const char *natural(char text[64], long long count, int64_t rows, int64_t columns)
{
    snprintf(text, 64, "[%lld][%lld][%lld]", count, (long long)rows, (long long)columns);
    return text;
}

static void k_is_cut_as_where_a_product_is_alone(void **state)
{
    (void)state;
    static const lay_type types[] = { LAY_F32, LAY_F32, LAY_F16, LAY_BF16 };
    int seen = 0, sliced = 0;
    for (int number = 0; number < 400; number++) {
        random_source from = random_case(251, (uint64_t)number);
        const lay_type type = types[number % 4];
        const int64_t m = random_in(&from, 1, 300), n = random_in(&from, 1, 300), k = random_in(&from, 1, 600);
        char a[64], b[64], c[64];
        lay_plan *plan;
        const lay_branch *branch =
            plan_of(type, natural(a, 500, m, k), natural(b, 500, k, n), natural(c, 500, m, n), NULL, &plan);
        const lay_branch *leaf = lay_branch_leaf(branch);
        if (is_one_launch(branch)) {
            const lay_batch_launch *launch = leaf->job.data;
            const lay_problem *problem = &leaf->problem;
            if (type == LAY_F32) {
                const lay_cuda_sum sum = lay_cuda_sum_choose(type, m, n, k, &made_up, NULL);
                assert_int_equal(sum.order, LAY_CUDA_CHAIN);
                assert_int_equal(launch->slices, sum.slices);
                assert_int_equal(launch->slice_k, sum.slice_k);
                sliced += sum.slices > 1;
            } else {
                assert_int_equal(lay_narrow_slices(problem, &made_up), 1);
                assert_int_equal(launch->slice_k, k);
            }
            const int64_t rows = launch->grid.kernel->bm * (launch->grid.kernel->pair ? 2 : 1);
            assert_true(launch->grid.tiles_m * rows >= problem->m.extent &&
                        (launch->grid.tiles_m - 1) * rows < problem->m.extent);
            assert_true((int64_t)launch->grid.tiles_n * launch->grid.kernel->bn >= problem->n.extent &&
                        (int64_t)(launch->grid.tiles_n - 1) * launch->grid.kernel->bn < problem->n.extent);
            seen++;
        }
        lay_plan_destroy(plan);
    }
    assert_true(seen > 200 && sliced > 50);
}

/* Of such a batch as it lies, whatever way is taken; negative in a build without the row. */
static double cost_as_it_lies(const char *row_name, lay_type type, const char *a, const char *b, const char *c)
{
    lay_plan *plan;
    double seconds = -1;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_BATCH);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (strcmp(row->name, row_name) != 0)
            continue;
        const lay_problem *const problem = &plan_of(type, a, b, c, NULL, &plan)->problem;
        const lay_batch_lines lines = lay_batch_lines_of(problem);
        seconds = lay_batch_cost(row, problem, &lines, &made_up);
        lay_plan_destroy(plan);
    }
    return seconds;
}

/* bench/LOG.md, 97 and 107: 5 to 13 times as long as was said. */
static void elements_that_lie_apart_take_a_batch_longer(void **state)
{
    (void)state;
    static const struct {
        lay_type type;
        const char *row;
    } cases[] = { { LAY_F32, "batch_f32_64x64" }, { LAY_F64, "batch_f64_64x64" }, { LAY_BF16, "batch_bf16_64x64" } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double near =
            cost_as_it_lies(cases[i].row, cases[i].type, "[64][128][96]", "[64][96][128]", "[64][128][128]");
        const double apart = cost_as_it_lies(cases[i].row, cases[i].type, "[64:1][128:6144][96:64]",
                                             "[64:1][96:8192][128:64]", "[64:1][128:8192][128:64]");
        assert_true(near < 0 || apart > 3 * near);
    }
}

/* A batch that lies innermost is copied first, though strides say where all of it is. */
static void a_batch_that_lies_innermost_has_images(void **state)
{
    (void)state;
    lay_plan *plan;
    const lay_branch *const root = plan_of(LAY_F32, "[31:80][80:1][107:2480]", "[31:1][107:31][37400:3317]",
                                           "[31:80][80:1][37400:2480]", NULL, &plan);
    assert_string_equal(root->way->name, "image");
    lay_plan_destroy(plan);
}

/* ---- copies ----------------------------------------------------------------------------------- */

static int64_t offset_of(const lay_axis *axis, int64_t index)
{
    int64_t offset;
    lay_axis_offsets(axis, index, 1, &offset);
    return offset;
}

/* Each v indices from a multiple of v on, or those that there are, are neighbours; and begin at a multiple of v. */
static void insist_on_vectors(const lay_axis *near, const lay_axis *far, const lay_axis *batch, int v)
{
    if (v == 1)
        return;
    for (int64_t i = 0; i < near->extent; i++)
        if (i % v)
            assert_int_equal(offset_of(near, i), offset_of(near, i - 1) + 1);
        else
            assert_int_equal((offset_of(near, i) - offset_of(near, 0)) % v, 0);
    for (int64_t i = 0; i < far->extent; i++)
        assert_int_equal((offset_of(far, i) - offset_of(far, 0)) % v, 0);
    for (int64_t i = 0; i < batch->extent; i++)
        assert_int_equal((offset_of(batch, i) - offset_of(batch, 0)) % v, 0);
}

/* A batch of some matrices in any layout, a stride apart. */
static lay_desc *in_any_layout(random_source *from, int64_t count, int64_t rows, int64_t columns)
{
    lay_desc *const matrix = layout_random(from, LAYOUT_INPUT, rows, columns), *index, *batch, *parts[2];
    const int64_t apart = random_in(from, 0, 8) * random_in(from, 1, 600);
    assert_int_equal(lay_desc_strided(1, &count, &apart, &index), LAY_OK);
    assert_int_equal(lay_desc_dim(matrix, "0", &parts[0]), LAY_OK);
    assert_int_equal(lay_desc_dim(matrix, "1", &parts[1]), LAY_OK);
    assert_int_equal(lay_desc_join(3, (const lay_desc *[]){ index, parts[0], parts[1] }, &batch), LAY_OK);
    lay_desc_destroy(matrix);
    lay_desc_destroy(index);
    lay_desc_destroy(parts[0]);
    lay_desc_destroy(parts[1]);
    return batch;
}

static void copies_take_what_lies_together(void **state)
{
    (void)state;
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_F16, LAY_BF16 };
    static lay_problem problem;
    int seen[17] = { 0 };
    for (int number = 0; number < 3000; number++) {
        random_source from = random_case(257, (uint64_t)number);
        const lay_type type = types[number % 4];
        const int size = (int)lay_type_size(type);
        const int64_t m = random_in(&from, 1, 40), n = random_in(&from, 1, 40), k = random_in(&from, 1, 40), count = 3;
        lay_desc *const a = in_any_layout(&from, count, m, k), *const b = in_any_layout(&from, count, k, n), *c;
        assert_int_equal(lay_desc_natural(3, (const int64_t[]){ count, m, n }, &c), LAY_OK);
        lay_problem_make(type, a, b, c, number / 4 % 2, &problem);
        for (int is_left = 0; is_left < 2; is_left++) {
            const lay_axis *across = is_left ? &problem.left_m : &problem.right_n;
            const lay_axis *along = is_left ? &problem.left_k : &problem.right_k;
            const lay_axis *batch = is_left ? &problem.left_batch : &problem.right_batch;
            const lay_batch_fetch own = lay_batch_fetch_of(across, along, batch, type, is_left);
            assert_true(own.bytes == 16 || own.bytes == size || (size == 2 && (own.bytes == 8 || own.bytes == 4)));
            insist_on_vectors(own.is_along ? along : across, own.is_along ? across : along, batch, own.bytes / size);
            seen[own.bytes]++;
        }
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
    assert_true(seen[16] > 100 && seen[8] > 100 && seen[4] > 100 && seen[2] > 100);
}

/* ---- boxes ------------------------------------------------------------------------------------ */

static int64_t offset_by(const lay_cuda_digits *digits, int64_t index)
{
    return index % digits->inner * digits->stride + index / digits->inner * digits->outer_stride;
}

/* The digits lead to every element, in steps that tensor copies take. */
static void insist_on_boxes(const lay_batch_boxes *boxes, const lay_axis *near, const lay_axis *far,
                            const lay_axis *batch, const lay_cuda_kernel *row)
{
    const int64_t size = (int64_t)lay_type_size(row->type), block = row->boxes == LAY_CUDA_CORES ? 8 : 16;
    for (int64_t i = 0; i < near->extent; i++)
        assert_int_equal(offset_by(&boxes->near, i), offset_of(near, i) - offset_of(near, 0));
    for (int64_t i = 0; i < far->extent; i++)
        assert_int_equal(offset_by(&boxes->far, i), offset_of(far, i) - offset_of(far, 0));
    for (int64_t i = 0; i < batch->extent; i++)
        assert_int_equal(boxes->products == 1 ? 0 : i * boxes->apart, offset_of(batch, i) - offset_of(batch, 0));
    assert_true(boxes->near.inner == 1 || boxes->near.stride == 1);
    if (boxes->near.outer > 1)
        assert_true(boxes->is_tiled ? boxes->near.inner == block : boxes->near.inner % row->bk == 0);
    assert_true(boxes->far.outer == 1 || boxes->far.inner % block == 0);
    if (row->boxes == LAY_CUDA_CORES)
        assert_true(boxes->near.inner == block && boxes->far.inner == block && boxes->far.stride == block);
    const int64_t strides[] = { boxes->near.outer > 1 ? boxes->near.outer_stride : 16,
                                boxes->far.inner > 1 ? boxes->far.stride : 16,
                                boxes->far.outer > 1 ? boxes->far.outer_stride : 16,
                                boxes->products > 1 ? boxes->apart : 16 };
    for (int i = 0; i < 4; i++)
        assert_true(strides[i] > 0 && strides[i] * size % 16 == 0);
}

static void boxes_lead_to_every_element(void **state)
{
    (void)state;
    static lay_problem problem;
    static const char *const natural_square = "[3][64][64]",
                             *const tiles = "A=[3][4][4][16][16]; [#A_0][[#A_1][#A_3]][[#A_2][#A_4]]",
                             *const cores = "A=[3][8][8][8][8]; [#A_0][[#A_1][#A_3]][[#A_2][#A_4]]";
    int seen = 0, rows = 0, plain = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_BATCH);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        if (!row->boxes)
            continue;
        rows++;
        const int in_blocks = row->boxes == LAY_CUDA_BLOCKS || row->boxes == LAY_CUDA_CORES;
        const char *const of_blocks = row->boxes == LAY_CUDA_CORES ? cores : tiles;
        for (int number = 0; number < 300; number++) {
            random_source from = random_case(259, (uint64_t)number);
            const int64_t m = random_in(&from, 1, 5) * 16, n = random_in(&from, 1, 5) * 16;
            const int64_t k = random_in(&from, 1, 5) * 16, count = 3;
            const int is_plain = number % 3 < 2;
            lay_desc *const a = is_plain ? layout_parse("%s", number % 3 ? of_blocks : natural_square)
                                         : in_any_layout(&from, count, m, k);
            lay_desc *const b = is_plain ? layout_parse("%s", number % 3 ? of_blocks : natural_square)
                                         : in_any_layout(&from, count, k, n);
            lay_desc *c;
            assert_int_equal(lay_desc_natural(3, (const int64_t[]){ count, is_plain ? 64 : m, is_plain ? 64 : n }, &c),
                             LAY_OK);
            lay_problem_make(row->type, a, b, c, 0, &problem);
            lay_batch_boxes left, right;
            const char *const reason = lay_batch_boxes_find(row, &problem, &left, &right);
            if (!reason) {
                insist_on_boxes(&left, left.is_across ? &problem.left_m : &problem.left_k,
                                left.is_across ? &problem.left_k : &problem.left_m, &problem.left_batch, row);
                insist_on_boxes(&right, right.is_across ? &problem.right_n : &problem.right_k,
                                right.is_across ? &problem.right_k : &problem.right_n, &problem.right_batch, row);
                assert_non_null(row->function[left.is_across][right.is_across]);
                seen++;
            }
            const int is_wide = lay_type_size(row->type) > 2; /* 16-bit boxes are wider than such tiles */
            if (is_plain && (in_blocks ? number % 3 == 1 : number % 3 == 0 || is_wide))
                assert_null(reason);
            plain += is_plain;
            lay_desc_destroy(a);
            lay_desc_destroy(b);
            lay_desc_destroy(c);
        }
    }
    assert_true(rows == 0 || (seen >= plain / 2 && plain > 100));
}

static void addresses_that_are_not_aligned_have_fewer_bytes_at_a_time(void **state)
{
    (void)state;
    const char *const at = (const char *)(uintptr_t)4096;
    assert_int_equal(lay_batch_fall_back(16, at, LAY_F32), 16);
    assert_int_equal(lay_batch_fall_back(16, at + 8, LAY_F32), 4);
    assert_int_equal(lay_batch_fall_back(16, at + 8, LAY_F64), 8);
    assert_int_equal(lay_batch_fall_back(16, at + 8, LAY_F16), 8);
    assert_int_equal(lay_batch_fall_back(16, at + 4, LAY_BF16), 4);
    assert_int_equal(lay_batch_fall_back(8, at + 2, LAY_BF16), 2);
    assert_int_equal(lay_batch_fall_back(4, at + 12, LAY_F32), 4);
}

/* ---- choices ---------------------------------------------------------------------------------- */

static void insist_on_way(int is_one, lay_type type, const char *a, const char *b, const char *c, const char *kernel,
                          const char *said)
{
    static char text[60000];
    lay_plan *plan;
    const lay_branch *branch = plan_of(type, a, b, c, kernel, &plan);
    lay_plan_explain(plan, text, sizeof text);
    const int says = strstr(text, said) != NULL;
    if (is_one_launch(branch) != is_one || !says)
        fail_msg("%s by %s into %s: expected \"%s\" in\n%s", a, b, c, said, text);
    lay_plan_destroy(plan);
}

/* Builds for other compute capabilities than 9.0 have no such rows. */
static int has_boxes(lay_type type)
{
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_BATCH);
    const lay_cuda_kernel *row = lay_cuda_next(&walk);
    while (row && !(row->type == type && row->boxes))
        row = lay_cuda_next(&walk);
    return row != NULL;
}

static void plans_say_why_a_batch_is_one_launch_or_a_loop(void **state)
{
    (void)state;
    static const char square[] = "[256][64][64]";
    insist_on_way(1, LAY_F32, square, square, square, NULL, "256 products");
    insist_on_way(1, LAY_F32, square, square, square, NULL, ": one launch of ");
    insist_on_way(1, LAY_F32, square, "[64][64]", square, "batch_f32_16x16",
                  "k in 4 slices of 16, one after the other");
    insist_on_way(1, LAY_F64, square, square, square, NULL, ": one launch of ");
    insist_on_way(1, LAY_BF16, square, square, square, NULL, "  A along k, 16 bytes at a time\n");
    insist_on_way(1, LAY_F16, square, square, square, NULL, "  B across, 16 bytes at a time\n");
    insist_on_way(1, LAY_F32, square, square, "[256:4096][64:1][64:64]", NULL, "transposed");
    insist_on_way(1, LAY_F32, square, square, square, "batch_f32_16x16", "tiles     4 x 4 of 16 x 16 a product");
    insist_on_way(0, LAY_F32, square, square, square, "simt", "options.kernel names another");
    insist_on_way(0, LAY_F32, "[9][9000][64]", "[9][64][9000]", "[9][9000][9000]", NULL,
                  "is for products whose offsets fit a block's shared memory");
    insist_on_way(0, LAY_F32, "[9][300][300]", "[9][300][1]", "[9][300][1]", NULL, "adds in another order");
    if (has_boxes(LAY_F32))
        insist_on_way(1, LAY_F32, "[174][324][8380]", "[174][8380][172]", "[174][324][172]", NULL,
                      "from addresses that are no multiples of 16 one product after the other");
    insist_on_way(1, LAY_C32, square, square, square, NULL, "expanded to real numbers");
}

/* Kernels of batches multiply f32 as it is. */
static void f32_that_is_to_be_rounded_goes_one_by_one(void **state)
{
    (void)state;
    static const char square[] = "[256][64][64]";
    static const lay_compute rounded[] = { LAY_COMPUTE_TF32, LAY_COMPUTE_BF16, LAY_COMPUTE_FP16 };
    for (int i = 0; i < 3; i++) {
        lay_options options = LAY_OPTIONS_INIT;
        lay_plan *plan;
        options.compute = rounded[i];
        assert_false(is_one_launch(plan_with(&options, LAY_F32, square, square, square, &plan)));
        lay_plan_destroy(plan);
    }
}

int main(void)
{
    made_up_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_is_cut_as_where_a_product_is_alone),
        cmocka_unit_test(elements_that_lie_apart_take_a_batch_longer),
        cmocka_unit_test(a_batch_that_lies_innermost_has_images),
        cmocka_unit_test(copies_take_what_lies_together),
        cmocka_unit_test(boxes_lead_to_every_element),
        cmocka_unit_test(addresses_that_are_not_aligned_have_fewer_bytes_at_a_time),
        cmocka_unit_test(plans_say_why_a_batch_is_one_launch_or_a_loop),
        cmocka_unit_test(f32_that_is_to_be_rounded_goes_one_by_one),
    };
    return cmocka_run_group_tests_name("cuda_batch_planning", tests, NULL, NULL);
}
