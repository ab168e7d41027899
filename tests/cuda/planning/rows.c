/* The table of CUDA kernels as the library reads it, on any machine: every row is complete, is found by its name and by
 * its family's, and is refused with the reason. Plans are made for a device that is made up; nothing runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../product/support/layouts.h"
#include "../posed.h"
#include "base/scalar.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/rates.h"
#include "cuda/launch/rows.h"
#include "cuda/launch/units.h"
#include "cuda/ways.h"
#include "cuda_narrow.h"
#include "cuda_split.h"
#include "device/device.h"
#include "made_up.h"
#include "plan/branch.h"
#include "plan/plan.h"
#include "plan/routes.h"
#include "rewrite/ways.h"
#include "ways.h"

static const lay_cuda_contract contracts[] = { LAY_CUDA_STRICT, LAY_CUDA_SPLIT,     LAY_CUDA_NARROW,
                                               LAY_CUDA_MMA,    LAY_CUDA_SPLIT_MMA, LAY_CUDA_BATCH };
enum { CONTRACTS = 6, CASES = 600 };

static const lay_cuda_kernel *first(lay_cuda_contract contract)
{
    lay_cuda_walk walk = lay_cuda_rows(contract);
    return lay_cuda_next(&walk);
}

static int count_passes(const lay_cuda_kernel *row)
{
    int count = 0;
    for (; row->passes && row->passes[count]; count++) {
        assert_non_null(row->passes[count]->name);
        assert_non_null(row->passes[count]->function);
        assert_in_range(row->passes[count]->threads, 32, 1024);
    }
    return count;
}

static int count_functions(const lay_cuda_kernel *row)
{
    int count = 0;
    for (int i = 0; i < LAY_CUDA_CLASSES * LAY_CUDA_CLASSES; i++)
        count += row->function[i / LAY_CUDA_CLASSES][i % LAY_CUDA_CLASSES] != NULL;
    return count;
}

static void every_row_has_what_its_contract_asks_for(void **state)
{
    (void)state;
    int seen = 0;
    for (int i = 0; i < CONTRACTS; i++) {
        lay_cuda_walk walk = lay_cuda_rows(contracts[i]);
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk)); seen++) {
            char tile[32];
            snprintf(tile, sizeof tile, "_%dx%d", row->bm, row->bn);
            assert_non_null(strstr(row->name, tile));
            assert_true(row->threads % 32 == 0 && row->bk > 0 && row->blocks_per_sm > 0);
            const int is_pingpong = row->contract == LAY_CUDA_NARROW && row->groups;
            assert_int_equal(row->can_slice,
                             !is_pingpong && (row->contract != LAY_CUDA_BATCH || lay_type_size(row->type) > 2));
            assert_true(row->least_sm == 80 || row->least_sm == 90);
            if (row->contract == LAY_CUDA_BATCH)
                assert_true(lay_cuda_batch_rates_get(row)->rate > 0);
            else if (row->contract == LAY_CUDA_NARROW)
                assert_true(lay_cuda_narrow_rates_get(row)->rate > 0 && lay_cuda_narrow_rates_get(row)->start > 0);
            else
                assert_true(row->rate > 0 && row->start > 0);
            const int functions = count_functions(row), passes = count_passes(row);
            if (row->contract == LAY_CUDA_STRICT) {
                assert_int_equal(functions, LAY_CUDA_CLASSES * LAY_CUDA_CLASSES);
                assert_int_equal(passes, 0);
                for (int is_matrix = 0; is_matrix <= 1; is_matrix++) {
                    const lay_cuda_row_rates *rates = lay_cuda_row_rates_get(row, is_matrix);
                    assert_int_equal(rates != NULL, row->order == LAY_CUDA_CHAIN);
                    assert_true(!rates || (strcmp(rates->name, row->name) == 0 && rates->span > 0));
                }
            } else if (row->contract == LAY_CUDA_SPLIT || row->contract == LAY_CUDA_SPLIT_MMA) {
                assert_true(functions == 2 && row->function[0][0] && row->function[1][0]);
                assert_int_equal(passes, LAY_SPLIT_PATCH + 1);
            } else if (row->contract == LAY_CUDA_BATCH) {
                assert_int_equal(functions, lay_type_size(row->type) > 2 || row->boxes > LAY_CUDA_LINES ? 1 : 4);
                assert_int_equal(row->groups > 1, row->most_steps > 0);
                assert_true(!row->pair || row->boxes);
                assert_int_equal(passes, 0);
            } else {
                const int wants_steps = row->type == LAY_F32 || row->follows; /* of right, contiguous */
                assert_int_equal(functions, row->contract == LAY_CUDA_MMA ? 8 : wants_steps ? 2 : 4);
                assert_int_equal(passes, LAY_NARROW_PACKS);
            }
        }
    }
    assert_true(seen > 50);
}

/* Of complex products, whose families are those of strict rows, and which no name finds. */
static void every_complex_row_is_complete(void **state)
{
    (void)state;
    int seen[2] = { 0 };
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_COMPLEX);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk)); seen[row->type == LAY_F64]++) {
        char tile[32];
        snprintf(tile, sizeof tile, "gemm_%s_%dx%dx%d", row->type == LAY_F64 ? "c64" : "c32", row->bm, row->bn,
                 row->bk);
        assert_memory_equal(row->name, tile, strlen(tile));
        assert_true(row->type == LAY_F32 || row->type == LAY_F64);
        assert_non_null(lay_cuda_find_kernel(LAY_CUDA_STRICT, row->family));
        assert_null(lay_cuda_find_kernel(LAY_CUDA_STRICT, row->name));
        assert_true(row->threads % 32 == 0 && row->bk % 2 == 0 && row->bn % 2 == 0 && row->blocks_per_sm > 0);
        assert_true(row->can_slice && !row->can_resume && row->order == LAY_CUDA_CHAIN && row->rate > 0);
        assert_int_equal(count_functions(row), LAY_CUDA_CLASSES * LAY_CUDA_CLASSES);
        assert_int_equal(count_passes(row), 0);
        assert_non_null(lay_cuda_row_rates_get(row, 0));
    }
    assert_true(seen[0] >= 8 && seen[1] >= 13);
}

/* A route's first branch for dense operands in device memory. */
static const lay_branch *plan_complex(lay_type type, const int64_t size[3], int by_columns, lay_plan **plan)
{
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, 0);
    lay_desc *a = layout_usual(by_columns, size[0], size[2]), *b = layout_usual(by_columns, size[2], size[1]);
    lay_desc *c = layout_usual(by_columns, size[0], size[1]);
    lay_options options = LAY_OPTIONS_INIT;
    lay_route *route;
    assert_int_equal(lay_plan_make(&lay_all_ways, type, a, b, c, &options, plan), LAY_OK);
    assert_int_equal(lay_plan_find_route(*plan, &there, &route), LAY_OK);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return route->root;
}

/* As times on an H200 have it (bench/LOG.md, 58 and 106): where operands and C lie in rows no image pays, of doubles
 * not in columns either. Of c32 an image makes its own of operands that lie in columns, and C is written in lines. */
static void a_complex_product_needs_no_image(void **state)
{
    (void)state;
    static const struct {
        lay_type type;
        int64_t size[3];
        int by_columns;
        const char *kernel; /* NULL: by an image */
    } cases[] = {
        { LAY_C32, { 512, 512, 512 }, 0, "gemm_c32_64x64x16x4_simt" },
        { LAY_C32, { 1024, 1024, 1024 }, 0, "gemm_c32_128x128x32x2_simt90" },
        { LAY_C32, { 2048, 2048, 2048 }, 0, "gemm_c32_128x256x32_simt90" },
        { LAY_C32, { 4096, 4096, 4096 }, 0, "gemm_c32_128x256x32_simt90" },
        { LAY_C32, { 4096, 4096, 4096 }, 1, NULL },
        { LAY_C32, { 2048, 1000, 333 }, 0, "gemm_c32_" },
        { LAY_C64, { 512, 512, 512 }, 0, "gemm_c64_64x64x16x2_dmma" },
        { LAY_C64, { 512, 512, 512 }, 1, "gemm_c64_64x64x16x2_dmma" },
        { LAY_C64, { 1024, 1024, 1024 }, 0, "gemm_c64_128x128x16_dmma" },
        { LAY_C64, { 4096, 4096, 4096 }, 0, "gemm_c64_128x128x16_dmma" },
        { LAY_C64, { 4096, 4096, 4096 }, 1, "gemm_c64_128x128x16_dmma" },
        { LAY_C64, { 8192, 8192, 8192 }, 1, "gemm_c64_128x128x16_dmma" },
        { LAY_C64, { 2048, 1000, 333 }, 0, "gemm_c64_" },
        { LAY_C64, { 1000, 2048, 777 }, 1, "gemm_c64_" }, /* transposed they lie in rows */
    };
    for (size_t number = 0; number < sizeof cases / sizeof cases[0]; number++) {
        static char text[60000];
        const int64_t *const size = cases[number].size;
        lay_plan *plan;
        const lay_branch *const root = plan_complex(cases[number].type, size, cases[number].by_columns, &plan);
        assert_string_equal(root->way->name, cases[number].kernel ? "complex launch" : "complex");
        if (cases[number].kernel) {
            assert_non_null(strstr(root->job.kernel, cases[number].kernel));
            assert_int_equal(root->problem.is_transposed, size[0] < size[1]); /* the smaller one is expanded */
            if (cases[number].type == LAY_C64) {                              /* lanes go the way that numbers lie */
                const lay_launch *launch = root->job.data;
                const int is_left_along = cases[number].by_columns == root->problem.is_transposed;
                assert_int_equal(launch->left, is_left_along ? LAY_CUDA_ALONG_VECTOR : LAY_CUDA_ACROSS_VECTOR);
                assert_int_equal(launch->right, is_left_along ? LAY_CUDA_ACROSS_VECTOR : LAY_CUDA_ALONG_VECTOR);
            }
            lay_plan_explain(plan, text, sizeof text);
            assert_non_null(strstr(text, size[0] < size[1] ? "complex   A expanded" : "complex   B expanded"));
        }
        lay_plan_destroy(plan);
    }
}

/* The sum of a block of an image is the block's: its slices may be others. */
static void what_an_image_has_in_blocks_goes_by_images(void **state)
{
    (void)state;
    static const int64_t size[] = { 40000, 40000, 40000 };
    for (int type = 0; type < 2; type++) {
        lay_plan *plan;
        const lay_branch *const root = plan_complex(type ? LAY_C64 : LAY_C32, size, 0, &plan);
        assert_string_equal(root->way->name, "complex");
        lay_plan_destroy(plan);
    }
}

/* Bits rest on it: by every row that is named, by the one that is chosen, and by an image's real product. */
static void complex_rows_and_images_cut_k_alike(void **state)
{
    (void)state;
    enum { SIZES = 32, MOST = 1400 };
    int compared = 0, cut = 0;
    for (int number = 0; number < SIZES; number++) {
        random_source from = random_case(98, (uint64_t)number);
        const lay_type type = number % 4 ? LAY_C64 : LAY_C32;
        const int64_t m = random_in(&from, 1, MOST), n = random_in(&from, 1, MOST), k = random_in(&from, 1, MOST);
        lay_desc *a = layout_usual(0, m, k), *b = layout_usual(0, k, n), *c = layout_usual(0, m, n);
        lay_options options = LAY_OPTIONS_INIT;
        lay_plan *plan;
        assert_int_equal(lay_plan_make(&lay_all_ways, type, a, b, c, &options, &plan), LAY_OK);
        lay_branch *const image = posed_branch(&lay_way_device_complex, plan);
        lay_plan_destroy(plan);
        assert_non_null(image);
        const lay_branch *const real = lay_branch_leaf(image);
        const lay_launch *const wanted = real->job.data;
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_COMPLEX);
        const lay_cuda_kernel *row = NULL;
        do { /* none is named first */
            options.kernel = row ? row->name : NULL;
            if (real->way != &lay_way_launch || (row && row->type != lay_type_real(type)) ||
                lay_plan_make(&lay_all_ways, type, a, b, c, &options, &plan) != LAY_OK)
                continue;
            lay_branch *const branch = posed_branch(&lay_way_complex_launch, plan);
            if (branch) {
                const lay_launch *const launch = branch->job.data;
                assert_int_equal(launch->slices, wanted->slices);
                assert_int_equal(launch->slice_k, wanted->slice_k);
                compared++;
                cut += wanted->slices > 1;
                lay_branch_destroy(branch);
            }
            lay_plan_destroy(plan);
        } while ((row = lay_cuda_next(&walk)));
        lay_branch_destroy(image);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
    assert_true(compared > 5 * SIZES && cut > SIZES);
}

static void a_name_finds_one_row_in_one_contract(void **state)
{
    (void)state;
    for (int i = 0; i < CONTRACTS; i++) {
        lay_cuda_walk walk = lay_cuda_rows(contracts[i]);
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
            const char *family = lay_cuda_find_kernel(row->contract, row->family);
            assert_string_equal(family, row->family);
            assert_ptr_equal(lay_cuda_find_kernel(row->contract, family), family); /* one text, one address */
            for (int other = 0; other < CONTRACTS; other++) {
                const char *found = lay_cuda_find_kernel(contracts[other], row->name);
                assert_ptr_equal(found, other == i ? row->name : NULL);
                assert_true(other == i || !lay_cuda_find_kernel(contracts[other], row->family));
            }
        }
        assert_null(lay_cuda_find_kernel(contracts[i], ""));
    }
}

static void families_are_listed_once_in_the_tables_order(void **state)
{
    (void)state;
    char list[256] = "";
    lay_text text = { .to = list, .size = sizeof list };
    lay_cuda_list_families(&text);
    assert_string_equal(list, first(LAY_CUDA_SPLIT)
                                  ? "naive, tiled, parray, simt, dmma, thin, skinny, mma, split_mma, split, narrow, "
                                    "batch"
                                  : "naive, tiled, parray, simt, dmma, thin, skinny, mma, split_mma, batch");
}

static void code_for_one_compute_capability_is_refused_to_others(void **state)
{
    (void)state;
    static const int capabilities[] = { 75, 80, 89, 90, 100 };
    int served[5] = { 0 };
    for (int i = 0; i < CONTRACTS; i++) {
        lay_cuda_walk walk = lay_cuda_rows(contracts[i]);
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
            for (int c = 0; c < 5; c++) {
                lay_device device = made_up;
                const lay_cuda_shape of = { row->type, 1, 1, 32, 1, 32 };
                device.sm = capabilities[c];
                const char *reason = lay_cuda_refuse(row, &of, &device, row->name); /* else some want more tiles */
                const int serves = row->least_sm == 80 ? device.sm >= 80 : device.sm == 90 && first(LAY_CUDA_SPLIT);
                assert_int_equal(!reason, serves);
                assert_true(serves || strstr(reason, "compute capability") || strstr(reason, "no code for 9.0"));
                served[c] += serves;
            }
    }
    assert_int_equal(served[0], 0);
    assert_true(served[1] > 0 && served[1] == served[2] && served[3] >= served[1] && served[4] == served[1]);
}

static void slices_of_the_units_end_at_multiples_of_64_steps(void **state)
{
    (void)state;
    int cut = 0;
    for (int k = 1; k < 30000; k += k / 7 + 1)
        for (int slices = 1; slices <= 32; slices++) {
            const lay_cuda_shape of = lay_units_cut(LAY_F32, 5, 7, k, slices);
            if (!of.slices)
                continue;
            assert_int_equal(of.slices, slices);
            assert_true((int64_t)of.slice_k * slices >= k && (int64_t)of.slice_k * (slices - 1) < k);
            assert_true(slices == 1 ? of.slice_k == k : of.slice_k % 64 == 0 && of.slice_k >= 256);
            cut += slices > 1;
        }
    assert_true(cut > 100);
}

static lay_desc *in_blocks(int64_t of, int64_t rows, int64_t columns)
{
    return layout_parse("A=[%lld][%lld][%lld][%lld]; [[#A_0][#A_2]][[#A_1][#A_3]]", (long long)(rows / of),
                        (long long)(columns / of), (long long)of, (long long)of);
}

/* Operands as a way of the contract takes them: by rows or by columns; in boxes by rows, of whole vectors, and with
 * slices that are short enough. */
static lay_status plan_for(const lay_cuda_kernel *row, const char *kernel, random_source *from, lay_plan **plan)
{
    const lay_cuda_contract contract = row->contract;
    const lay_type type = row->type;
    const int is_batch = contract == LAY_CUDA_BATCH, least = is_batch ? 65 : 1, most = is_batch ? 250 : 3000;
    const int is_boxed = kernel == row->name && row->boxes, unit = is_boxed ? 16 : 1;
    const int64_t m = random_in(from, least, most) / unit * unit, n = random_in(from, least, most) / unit * unit;
    const int is_cut = kernel != row->name || row->can_slice; /* k, where it is long */
    const int64_t k = is_boxed ? (row->groups == 8 ? 16 : 32) : random_in(from, 64, is_batch || !is_cut ? 250 : 9000);
    const int block = !is_boxed ? 0 : row->boxes == LAY_CUDA_CORES ? 8 : row->boxes == LAY_CUDA_BLOCKS ? 16 : 0;
    lay_desc *a = block ? in_blocks(block, m, k) : layout_usual(is_boxed ? 0 : (int)random_in(from, 0, 1), m, k);
    lay_desc *b = block ? in_blocks(block, k, n) : layout_usual(is_boxed ? 0 : (int)random_in(from, 0, 1), k, n);
    lay_desc *c = layout_usual((int)random_in(from, 0, 1), m, n); /* transposed or not */
    if (is_batch) {
        lay_desc_destroy(c);
        c = layout_parse("[%d][%lld][%lld]", (int)random_in(from, 1, 50), (long long)m, (long long)n);
    }
    lay_options options = LAY_OPTIONS_INIT;
    options.kernel = kernel;
    const int is_rounded = contract == LAY_CUDA_NARROW || contract == LAY_CUDA_MMA;
    options.compute = is_rounded && type == LAY_F32 ? LAY_COMPUTE_TF32 : LAY_COMPUTE_AUTO;
    const lay_status status = lay_plan_make(&lay_all_ways, type, a, b, c, &options, plan);
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return status;
}

/* Of the lines about rows: the one taken is predicted to be the soonest of those that serve. */
static void insist_on_the_soonest(const char *text)
{
    double taken = -1, soonest = 1e30;
    for (const char *line = text; (line = strstr(line, "predicted ")); line++) {
        const char *begin = line;
        double own;
        while (begin > text && begin[-1] != '\n')
            begin--;
        if ((strncmp(begin, "  split_", 8) != 0 && strncmp(begin, "  narrow_", 9) != 0 &&
             strncmp(begin, "  mma_", 6) != 0 && strncmp(begin, "  batch_", 8) != 0) ||
            sscanf(line, "predicted %lf us", &own) != 1)
            continue;
        soonest = own < soonest ? own : soonest;
        if (strstr(begin, "taken") && strstr(begin, "taken") < line)
            taken = own;
    }
    if (taken != soonest)
        fail_msg("taken %g, soonest %g:\n%s", taken, soonest, text);
}

/* Of its contract and type. */
static int has_another(const lay_cuda_kernel *row)
{
    int count = 0;
    lay_cuda_walk walk = lay_cuda_rows(row->contract);
    for (const lay_cuda_kernel *other; (other = lay_cuda_next(&walk));)
        count += other->type == row->type;
    return count > 1;
}

static void plan_named(const lay_cuda_kernel *row, const char *kernel, random_source *from)
{
    static char text[60000];
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, 0);
    lay_plan *plan = NULL;
    lay_route *route;
    assert_int_equal(plan_for(row, kernel, from, &plan), LAY_OK);
    if (lay_plan_find_route(plan, &there, &route) != LAY_OK)
        fail_msg("%s: %s", kernel, lay_last_error());
    const char *taken = lay_branch_leaf(route->root)->job.kernel;
    if (kernel == row->name)
        assert_string_equal(taken, kernel);
    else
        assert_memory_equal(taken, kernel, strlen(kernel)); /* rows of these are named by their families */
    lay_plan_explain(plan, text, sizeof text);
    insist_on_the_soonest(text);
    if (kernel == row->name && has_another(row))
        assert_non_null(strstr(text, "refused: options.kernel names another"));
    lay_plan_destroy(plan);
}

/* Of strict rows launches.c tells the same. */
static void what_is_named_is_taken_and_the_rest_is_explained(void **state)
{
    (void)state;
    for (int i = 1; i < CONTRACTS; i++)
        for (int number = 0; number < CASES / 20; number++) {
            random_source from = random_case(31, (uint64_t)number);
            lay_cuda_walk walk = lay_cuda_rows(contracts[i]);
            for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
                plan_named(row, row->name, &from);
                plan_named(row, row->family, &from);
            }
        }
}

/* A by vectors, B one by one, of a product that is computed as it is (C by rows), and transposed. */
static void operands_in_limbs_are_named_as_the_caller_has_them(void **state)
{
    (void)state;
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, 0);
    const lay_cuda_kernel *row = first(LAY_CUDA_SPLIT);
    for (int by_columns = 0; row && by_columns <= 1; by_columns++) {
        lay_desc *a = layout_parse("[512][1024]"), *b = layout_parse("[1024][777]");
        lay_desc *c = layout_parse(by_columns ? "[512:1][777:512]" : "[512][777]");
        lay_options options = LAY_OPTIONS_INIT;
        lay_plan *plan = NULL;
        lay_route *route;
        char text[20000];
        options.kernel = row->name;
        assert_int_equal(lay_plan_make(&lay_all_ways, LAY_F32, a, b, c, &options, &plan), LAY_OK);
        assert_int_equal(lay_plan_find_route(plan, &there, &route), LAY_OK);
        assert_int_equal(lay_branch_leaf(route->root)->problem.is_transposed, by_columns);
        lay_plan_explain(plan, text, sizeof text);
        assert_non_null(strstr(text, "  A read along k in 16-byte vectors\n"));
        assert_non_null(strstr(text, "  B read across element by element\n"));
        lay_plan_destroy(plan);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
}

/* The branch of a rewriter of a device, in a tree; NULL: it has none. */
static const lay_branch *find_branch(const lay_branch *root, const lay_way *way)
{
    while (root && root->way != way)
        root = root->child;
    return root;
}

/* Operands all there, as matrices and as batches; by the matrix units where both are of one 16-bit type. */
static void every_set_of_types_that_mixes_is_planned_for_a_device(void **state)
{
    (void)state;
    enum { TYPES = 6 };
    const lay_places there = lay_places_all(LAY_PLACE_DEVICE, 0);
    lay_desc *const matrix[] = { layout_parse("[40][50]"), layout_parse("[50:1][30:50]"), layout_parse("[40][30]") };
    lay_desc *batch[3];
    const int64_t extents[3][3] = { { 5, 40, 50 }, { 5, 50, 30 }, { 5, 40, 30 } };
    for (int i = 0; i < 3; i++)
        assert_int_equal(lay_desc_natural(3, extents[i], &batch[i]), LAY_OK);
    for (int nth = 0; nth < 2 * TYPES * TYPES * TYPES * TYPES; nth++) {
        const int of = nth / 2, is_batch = nth % 2;
        const lay_type type[] = { (lay_type)(of % TYPES), (lay_type)(of / TYPES % TYPES),
                                  (lay_type)(of / TYPES / TYPES % TYPES), (lay_type)(of / TYPES / TYPES / TYPES) };
        lay_desc *const *const desc = is_batch ? batch : matrix;
        lay_asked asked = { .a = desc[0], .b = desc[1], .c = desc[2], .addend = desc[2] };
        lay_plan *plan = NULL;
        lay_route *route = NULL;
        if (lay_types_mix(type, 0, 0, &asked.types) != LAY_OK)
            continue;
        assert_int_equal(lay_plan_make_asked(&lay_all_ways, &asked, NULL, &plan), LAY_OK);
        if (lay_plan_find_route(plan, &there, &route) != LAY_OK)
            fail_msg("%s %s %s %s: %s", lay_type_name(type[0]), lay_type_name(type[1]), lay_type_name(type[2]),
                     lay_type_name(type[3]), lay_last_error());
        const int is_narrow = lay_size_of(type[0]) == 2 && type[0] == type[1] && asked.types.sum == LAY_F32;
        if (first(LAY_CUDA_NARROW) && is_narrow && !is_batch)
            assert_ptr_equal(lay_branch_leaf(route->root)->way, &lay_way_device_narrow);
        if (!is_narrow && lay_types_are_mixed(&asked.types) && !lay_types_are_half_complex(&asked.types))
            assert_non_null(find_branch(route->root, &lay_way_device_mixed));
        assert_null(find_branch(route->root, &lay_way_mixed));
        lay_plan_destroy(plan);
    }
    for (int i = 0; i < 3; i++) {
        lay_desc_destroy(matrix[i]);
        lay_desc_destroy(batch[i]);
    }
}

int main(void)
{
    made_up_install();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_what_its_contract_asks_for),
        cmocka_unit_test(every_complex_row_is_complete),
        cmocka_unit_test(a_complex_product_needs_no_image),
        cmocka_unit_test(complex_rows_and_images_cut_k_alike),
        cmocka_unit_test(what_an_image_has_in_blocks_goes_by_images),
        cmocka_unit_test(a_name_finds_one_row_in_one_contract),
        cmocka_unit_test(families_are_listed_once_in_the_tables_order),
        cmocka_unit_test(code_for_one_compute_capability_is_refused_to_others),
        cmocka_unit_test(slices_of_the_units_end_at_multiples_of_64_steps),
        cmocka_unit_test(what_is_named_is_taken_and_the_rest_is_explained),
        cmocka_unit_test(operands_in_limbs_are_named_as_the_caller_has_them),
        cmocka_unit_test(every_set_of_types_that_mixes_is_planned_for_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
