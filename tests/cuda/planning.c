/* What is planned for a device, on any machine: offsets lead where descriptors say, vectors are where they are
 * promised, and the order of the sum knows sizes alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../product/layouts.h"
#include "cuda/launch/cost.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/offsets.h"
#include "cuda/launch/predict.h"
#include "made_up.h"
#include "plan/problem.h"

enum { CASES = 4000, MAX_EXTENT = 90 };

static const lay_device device = MADE_UP_H200;

typedef struct operands {
    int64_t m, n, k;
    lay_desc *a, *b, *c;
} operands;

static operands make_operands(random_source *from)
{
    operands of = { .m = random_in(from, 1, MAX_EXTENT),
                    .n = random_in(from, 1, MAX_EXTENT),
                    .k = random_in(from, 1, MAX_EXTENT) };
    of.a = layout_random(from, LAYOUT_INPUT, of.m, of.k);
    of.b = layout_random(from, LAYOUT_INPUT, of.k, of.n);
    of.c = layout_random(from, LAYOUT_OUTPUT, of.m, of.n);
    return of;
}

static void free_operands(operands *of)
{
    lay_desc_destroy(of->a);
    lay_desc_destroy(of->b);
    lay_desc_destroy(of->c);
}

static int64_t walk_at(const lay_cuda_offsets *offsets, int64_t i)
{
    return offsets->table ? offsets->table[i] : i * offsets->stride;
}

/* Element (i, j) of desc, whose dimensions the problem may walk in another order, is found by some index of the
 * axes: the offsets of all elements are the same, as a sum and a sum of squares tell. */
typedef struct digest {
    int64_t count, sum;
    uint64_t squares;
} digest;

static void add_offset(digest *to, int64_t offset)
{
    to->count++;
    to->sum += offset;
    to->squares += (uint64_t)offset * (uint64_t)offset;
}

static digest digest_desc(const lay_desc *desc, int64_t rows, int64_t columns)
{
    digest of = { 0 };
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            add_offset(&of, lay_desc_offset(desc, 2, (int64_t[]){ i, j }));
    return of;
}

static digest digest_offsets(const lay_cuda_offsets *across, const lay_cuda_offsets *along, int64_t base, int64_t rows,
                             int64_t columns)
{
    digest of = { 0 };
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            add_offset(&of, base + walk_at(across, i) + walk_at(along, j));
    return of;
}

static void assert_same(digest x, digest y)
{
    assert_int_equal(x.count, y.count);
    assert_int_equal(x.sum, y.sum);
    assert_true(x.squares == y.squares);
}

static void offsets_lead_to_every_element_once(void **state)
{
    (void)state;
    static lay_problem problem;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(7, (uint64_t)number);
        operands of = make_operands(&from);
        lay_problem_make(LAY_F32, of.a, of.b, of.c, 0, &problem);
        const size_t bytes = lay_offsets_bytes(&problem);
        int64_t *tables = malloc(bytes + 1);
        lay_cuda_args args = { 0 };
        lay_offsets_fill(&problem, &args, tables, tables);
        assert_same(
            digest_desc(of.a, of.m, of.k),
            digest_offsets(&args.left_m, &args.left_k, lay_offsets_base(&problem.left_m, &problem.left_k), of.m, of.k));
        assert_same(digest_desc(of.b, of.k, of.n),
                    digest_offsets(&args.right_k, &args.right_n, lay_offsets_base(&problem.right_k, &problem.right_n),
                                   of.k, of.n));
        assert_same(digest_desc(of.c, of.m, of.n),
                    digest_offsets(&args.result_m, &args.result_n,
                                   lay_offsets_base(&problem.result_m, &problem.result_n), of.m, of.n));
        free(tables);
        free_operands(&of);
    }
}

static void assert_segments(const lay_cuda_offsets *offsets, int64_t extent, int *seen)
{
    if (offsets->run == 0)
        return;
    assert_non_null(offsets->table);
    for (int64_t i = 0; i < extent; i++)
        assert_int_equal(offsets->table[i], offsets->table[0] + i * offsets->stride + i / offsets->run * offsets->jump);
    ++*seen;
}

static void segments_have_the_tables_form(void **state)
{
    (void)state;
    static lay_problem problem;
    int seen = 0;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(12, (uint64_t)number);
        operands of = make_operands(&from);
        lay_problem_make(LAY_F64, of.a, of.b, of.c, number % 2, &problem);
        int64_t *tables = malloc(lay_offsets_bytes(&problem) + 1);
        lay_cuda_args args = { 0 };
        lay_offsets_fill(&problem, &args, tables, tables);
        assert_segments(&args.left_m, problem.m.extent, &seen);
        assert_segments(&args.left_k, problem.k.extent, &seen);
        assert_segments(&args.right_k, problem.k.extent, &seen);
        assert_segments(&args.right_n, problem.n.extent, &seen);
        assert_segments(&args.result_m, problem.m.extent, &seen);
        assert_segments(&args.result_n, problem.n.extent, &seen);
        free(tables);
        free_operands(&of);
    }
    assert_true(seen > CASES / 10);
}

/* Each whole group of v across is contiguous and begins at a multiple of v from the first element, wherever along
 * stands: by looking at all of them. */
static int looks_like_vectors(const lay_axis *across, const lay_axis *along, int v)
{
    int64_t x[MAX_EXTENT], y[MAX_EXTENT];
    lay_axis_offsets(across, 0, across->extent, x);
    lay_axis_offsets(along, 0, along->extent, y);
    for (int64_t i = 0; i + v <= across->extent; i += v)
        for (int64_t j = 0; j < along->extent; j++)
            for (int e = 0; e < v; e++)
                if ((x[i] - x[0] + y[j] - y[0]) % v != 0 || x[i + e] != x[i] + e)
                    return 0;
    return 1;
}

static void vectors_are_where_they_are_promised(void **state)
{
    (void)state;
    static lay_problem problem;
    int kept = 0, found = 0;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(8, (uint64_t)number);
        operands of = make_operands(&from);
        const int v = random_one_in(&from, 2) ? 4 : 2;
        lay_problem_make(LAY_F32, of.a, of.b, of.c, 0, &problem);
        const lay_axis *const pair[][2] = { { &problem.left_m, &problem.left_k },
                                            { &problem.left_k, &problem.left_m },
                                            { &problem.right_n, &problem.right_k },
                                            { &problem.result_n, &problem.result_m } };
        for (int i = 0; i < 4; i++) {
            const int is_promised = lay_axis_is_in_vectors(pair[i][0], pair[i][1], v);
            const int is_so = looks_like_vectors(pair[i][0], pair[i][1], v);
            assert_false(is_promised && !is_so);
            if (pair[i][0]->extent >= v) {
                found += is_so;
                kept += is_promised;
            }
        }
        free_operands(&of);
    }
    assert_true(found > CASES / 10);
    assert_true(kept * 10 > found * 9); /* few are given away */
}

static lay_cuda_class classify(const char *text)
{
    lay_desc *desc = layout_parse("%s", text), *c = NULL;
    static lay_problem problem;
    const int64_t rows = lay_desc_extent(desc, "0"), columns = lay_desc_extent(desc, "1");
    lay_desc *b = NULL;
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ columns, 8 }, &b), LAY_OK);
    assert_int_equal(lay_desc_natural(2, (int64_t[]){ rows, 8 }, &c), LAY_OK);
    lay_problem_make(LAY_F32, desc, b, c, 0, &problem);
    const lay_cuda_class class = lay_launch_classify(&problem.left_m, &problem.left_k, LAY_F32);
    lay_desc_destroy(desc);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
    return class;
}

static void usual_layouts_have_the_class_that_is_theirs(void **state)
{
    (void)state;
    assert_int_equal(classify("[64][64]"), LAY_CUDA_ALONG_VECTOR);
    assert_int_equal(classify("[64:1][64:64]"), LAY_CUDA_ACROSS_VECTOR);
    assert_int_equal(classify("[64:65][64:1]"), LAY_CUDA_ALONG);
    assert_int_equal(classify("[64:1][64:65]"), LAY_CUDA_ACROSS);
    assert_int_equal(classify("A=[2][2][32][32]; [[#A_0][#A_2]][[#A_1][#A_3]]"), LAY_CUDA_ALONG_VECTOR);
    assert_int_equal(classify("[1][64]"), LAY_CUDA_ALONG_VECTOR);
    assert_int_equal(classify("[64][1]"), LAY_CUDA_ACROSS_VECTOR);
    assert_int_equal(classify("[64:-64][64:1]"), LAY_CUDA_ALONG_VECTOR);
    assert_int_equal(classify("[64:64][64:-1]"), LAY_CUDA_ALONG);
}

static int64_t some_size(random_source *from)
{
    static const int64_t usual[] = { 1, 8, 33, 64, 128, 500, 1024, 2048, 4096, 9999, 65536 };
    return random_one_in(from, 2) ? random_of(from, usual) : random_in(from, 1, 5000);
}

static void the_order_of_the_sum_is_the_same_both_ways_round(void **state)
{
    (void)state;
    int cut = 0;
    for (int number = 0; number < CASES / 4; number++) {
        random_source from = random_case(9, (uint64_t)number);
        const lay_type type = random_one_in(&from, 2) ? LAY_F32 : LAY_F64;
        const int64_t m = some_size(&from), n = some_size(&from), k = some_size(&from);
        const lay_cuda_sum one = lay_cuda_sum_choose(type, m, n, k, &device, NULL);
        const lay_cuda_sum other = lay_cuda_sum_choose(type, n, m, k, &device, NULL);
        assert_true(one.slices >= 1);
        assert_int_equal(one.order, other.order);
        assert_int_equal(one.slices, other.slices);
        assert_int_equal(one.slice_k, other.slice_k);
        assert_ptr_equal(one.kernel, other.kernel);
        assert_true((int64_t)one.slices * one.slice_k >= k && (int64_t)(one.slices - 1) * one.slice_k < k);
        assert_true(one.slices == 1 || one.slice_k % LAY_CUDA_SLICE_UNIT == 0);
        cut += one.slices > 1;
    }
    assert_true(cut > 0);
}

/* Rows that a bound rules out are not costed: it may not be above the cost. */
static void no_bound_is_above_the_cost(void **state)
{
    (void)state;
    int serving = 0;
    for (int number = 0; number < CASES; number++) {
        random_source from = random_case(13, (uint64_t)number);
        const double fetch = (double)random_in(&from, 0, 20) / 10;
        const int64_t slices = random_in(&from, 1, 40), k = some_size(&from);
        const int64_t length = (k / slices / LAY_CUDA_SLICE_UNIT + 1) * LAY_CUDA_SLICE_UNIT;
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
            const lay_cuda_shape of = { row->type,
                                        some_size(&from),
                                        some_size(&from),
                                        k,
                                        (int)((k + length - 1) / length),
                                        (int)(length < k ? length : k) };
            if (lay_cuda_refuse(row, &of, &device, NULL))
                continue;
            const double cost = lay_cuda_cost(row, &of, &device, fetch);
            serving++;
            assert_true(lay_cuda_cost_at_least(row, &of, &device, fetch) <= cost);
            assert_true(of.slices == 1 || lay_cuda_is_together(row, of.slices) ||
                        lay_cuda_sliced_at_least(&of, &device) <= cost);
        }
    }
    assert_true(serving > CASES);
}

/* The same of what chooses among rows of equal bits, for operands of any layout. */
static void no_bound_is_above_the_prediction(void **state)
{
    (void)state;
    static lay_problem problem;
    int serving = 0;
    for (int number = 0; number < CASES / 8; number++) {
        random_source from = random_case(15, (uint64_t)number);
        const lay_type type = random_one_in(&from, 2) ? LAY_F32 : LAY_F64;
        operands layouts = make_operands(&from);
        lay_problem_make(type, layouts.a, layouts.b, layouts.c, number % 2, &problem);
        const lay_launch launch = lay_launch_on(&problem, &device);
        const lay_cuda_lie lie = lay_cuda_lie_of(&problem, launch.left, launch.right, launch.is_c_vector);
        const int64_t m = some_size(&from), n = some_size(&from), k = some_size(&from);
        const int64_t length = (k / random_in(&from, 1, 40) / LAY_CUDA_SLICE_UNIT + 1) * LAY_CUDA_SLICE_UNIT;
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
            const lay_cuda_shape of = {
                type, m, n, k, (int)((k + length - 1) / length), (int)(length < k ? length : k)
            };
            if (row->order != LAY_CUDA_CHAIN || lay_cuda_refuse(row, &of, &device, NULL))
                continue;
            const double seconds = lay_cuda_predict(row, &of, &device, &lie);
            serving++;
            assert_true(isfinite(seconds) && seconds > 0);
            assert_true(lay_cuda_predict_at_least(row, &of, &device, &lie) <= seconds);
        }
        free_operands(&layouts);
    }
    assert_true(serving > CASES);
}

/* Some are for compute capability 9.0 alone, and not in every build. */
static int has_all_rows(void)
{
    const char *const name = "gemm_f32_128x256x32_simt90";
    const lay_cuda_shape of = { LAY_F32, 1, 1, 64, 1, 64 };
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));)
        if (strcmp(row->name, name) == 0)
            return !lay_cuda_refuse(row, &of, &device, NULL);
    return 0;
}

/* Bits hang on it: no rate may change it, and no edit of cost.c. */
static void the_order_of_the_sum_stays_what_it_was(void **state)
{
    (void)state;
    uint64_t found = 0;
    if (!has_all_rows())
        skip();
    for (int number = 0; number < CASES / 4; number++) {
        random_source from = random_case(16, (uint64_t)number);
        const int64_t m = some_size(&from), n = some_size(&from), k = some_size(&from);
        const lay_cuda_sum sum = lay_cuda_sum_choose(number % 2 ? LAY_F32 : LAY_F64, m, n, k, &device, NULL);
        found = found * 1000003 + sum.order;
        found = found * 1000003 + (uint64_t)sum.slices;
        found = found * 1000003 + (uint64_t)sum.slice_k;
        for (const char *name = sum.kernel ? sum.kernel->name : ""; *name; name++)
            found = found * 31 + (unsigned char)*name;
    }
    assert_int_equal(found, UINT64_C(0x2d1c35a4cf79893c));
}

/* Products whose ways were all timed on an H200 (bench/LOG.md, 45), and what was taken before. */
static void rows_that_were_measured_to_be_faster_are_taken(void **state)
{
    (void)state;
    static const struct {
        lay_type type;
        const char *a, *b, *c, *taken;
    } known[] = {
        /* 23.4 us, 36.2 by 128x128x16_dmma; 4.43, 7.74 by 32x32x16_dmma */
        { LAY_F64, "[2996][3]", "[3][2350]", "[2996][2350]", "gemm_f64_16x256x32_parray" },
        { LAY_F64, "[3774][2]", "[2][122]", "[3774][122]", "gemm_f64_16x256x32_parray" },
        /* C by negative strides: 22.2 us, 66.9 by 128x128x8_simt */
        { LAY_F32, "[6322:2][1:1]", "[1:1][1319:1]", "[6322:-1319][1319:-1]", "gemm_f32_16x256x32_parray" },
        /* 15.3 us, 24.8 by 64x16x16_simt, whose turns wait for memory; 51.0, 89.6 */
        { LAY_F32, "[127][22170]", "[22170][6]", "[127][6]", "gemm_f32_64x32x16_simt" },
        { LAY_F32, "[40][252933]", "[252933][15]", "[40][15]", "gemm_f32_64x32x16_simt" },
        /* 1.79 us, 2.22 by 16x16x16x4_dmma */
        { LAY_F64, "[27][5]", "[5][32]", "[27][32]", "gemm_f64_16x16x16_tiled" },
    };
    static lay_problem problem;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        lay_launch launch[2];
        const char *reason;
        lay_desc *a = layout_parse("%s", known[i].a), *b = layout_parse("%s", known[i].b);
        lay_desc *c = layout_parse("%s", known[i].c);
        lay_problem_make(known[i].type, a, b, c, 0, &problem);
        assert_true(lay_launch_choose(&problem, &device, NULL, 2, launch, &reason) > 0);
        if (has_all_rows())
            assert_string_equal(launch[0].kernel->name, known[i].taken);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
}

/* What a thread remembers of the last product is that product's. */
static void a_remembered_sum_is_the_products_own(void **state)
{
    (void)state;
    lay_cuda_sum sums[40];
    for (int round = 0; round < 2; round++)
        for (int number = 0; number < 40; number++) {
            random_source from = random_case(14, (uint64_t)(number / 4));
            const int64_t m = some_size(&from), n = some_size(&from), k = some_size(&from);
            const int is_other = number % 4;
            const lay_cuda_sum sum = lay_cuda_sum_choose(is_other == 1 ? LAY_F64 : LAY_F32, m, n, k, &device,
                                                         is_other == 2 ? "tiled" : NULL);
            if (is_other == 2)
                assert_true(sum.order == LAY_CUDA_CHAIN);
            if (!round)
                sums[number] = sum;
            assert_int_equal(sum.order, sums[number].order);
            assert_int_equal(sum.slices, sums[number].slices);
            assert_int_equal(sum.slice_k, sums[number].slice_k);
            assert_ptr_equal(sum.kernel, sums[number].kernel);
            assert_true(sum.seconds == sums[number].seconds);
            for (int i = 0; round && i < 3; i++) /* others come between */
                lay_cuda_sum_choose(LAY_F32, n, m, k + i, &device, NULL);
        }
}

static void layouts_do_not_change_the_order_of_the_sum(void **state)
{
    (void)state;
    static lay_problem problem;
    for (int number = 0; number < CASES / 8; number++) {
        random_source from = random_case(10, (uint64_t)number);
        operands of = make_operands(&from);
        const lay_type type = random_one_in(&from, 2) ? LAY_F32 : LAY_F64;
        const lay_cuda_sum sum = lay_cuda_sum_choose(type, of.m, of.n, of.k, &device, NULL);
        int serving = 0;
        for (int is_transposed = 0; is_transposed <= 1; is_transposed++) {
            lay_launch launch;
            const char *reason;
            lay_problem_make(type, of.a, of.b, of.c, is_transposed, &problem);
            if (lay_launch_choose(&problem, &device, NULL, 1, &launch, &reason) < 0)
                continue;
            serving++;
            assert_int_equal(launch.kernel->type, type);
            assert_int_equal(launch.kernel->order, sum.order);
            assert_int_equal(launch.slices, sum.slices);
            assert_int_equal(launch.slice_k, sum.slice_k);
        }
        assert_true(serving > 0);
        free_operands(&of);
    }
}

static void a_kernel_that_is_named_is_taken(void **state)
{
    (void)state;
    static lay_problem problem;
    random_source from = random_case(11, 0);
    operands of = make_operands(&from);
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        lay_launch launch;
        const char *reason;
        if (row->max_m || row->max_n)
            continue;
        lay_problem_make(row->type, of.a, of.b, of.c, 0, &problem);
        if (row->least_sm == 90 && lay_launch_choose(&problem, &device, row->name, 1, &launch, &reason) < 0) {
            assert_non_null(strstr(reason, "this build has no code for 9.0"));
            continue;
        }
        assert_true(lay_launch_choose(&problem, &device, row->name, 1, &launch, &reason) >= 0);
        assert_ptr_equal(launch.kernel, row);
        assert_true(lay_launch_choose(&problem, &device, row->family, 1, &launch, &reason) >= 0);
        assert_string_equal(launch.kernel->family, row->family);
    }
    free_operands(&of);
}

/* As a bench does it, to see what else might have been taken. */
static void a_sum_that_is_given_is_launched_by_the_row_that_begins_it(void **state)
{
    (void)state;
    static lay_problem problem;
    int begun = 0, divided = 0;
    for (int number = 0; number < CASES / 40; number++) {
        random_source from = random_case(13, (uint64_t)number);
        const lay_type type = random_one_in(&from, 2) ? LAY_F32 : LAY_F64;
        lay_desc *a = layout_usual(0, 60 * number + 9, 40 * number + 50), *b = layout_usual(1, 40 * number + 50, 800);
        lay_desc *c = layout_usual(0, 60 * number + 9, 800);
        lay_problem_make(type, a, b, c, 0, &problem);
        const lay_cuda_sum sum =
            lay_cuda_sum_choose(type, problem.m.extent, problem.n.extent, problem.k.extent, &device, NULL);
        lay_launch chosen[2], launch[2];
        const char *reason;
        const double least = lay_launch_choose(&problem, &device, NULL, 2, chosen, &reason);
        assert_true(lay_launch_choose_by(&problem, &device, NULL, &sum, NULL, 2, launch) == least);
        assert_ptr_equal(launch[0].kernel, chosen[0].kernel);
        lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
        for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
            const double seconds = lay_launch_choose_by(&problem, &device, NULL, &sum, row, 2, launch);
            if (seconds < 0)
                continue;
            assert_true(seconds >= least && row->type == type && row->order == sum.order);
            assert_ptr_equal(launch[0].kernel, row);
            assert_true(launch[0].slices == sum.slices && launch[0].slice_k == sum.slice_k);
            begun++;
            divided += launch[1].kernel != NULL;
        }
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
    assert_true(begun > 500 && divided > 20);
}

static void the_cuts_of_k_cover_it_once_and_the_sum_has_one_of_them(void **state)
{
    (void)state;
    static lay_problem problem;
    for (int number = 0; number < CASES / 8; number++) {
        random_source from = random_case(14, (uint64_t)number);
        const int64_t m = some_size(&from), n = some_size(&from), k = some_size(&from);
        lay_desc *a = layout_usual(0, m, k), *b = layout_usual(0, k, n), *c = layout_usual(0, m, n);
        lay_problem_make(LAY_F32, a, b, c, 0, &problem);
        const lay_cuda_sum own = lay_cuda_sum_choose(LAY_F32, m, n, k, &device, NULL);
        int is_among = 0;
        for (int i = 0; i < LAY_CUDA_CUTS; i++) {
            lay_cuda_sum cut;
            if (!lay_cuda_cut_at(i, &problem, &device, &cut))
                continue;
            assert_true((int64_t)cut.slices * cut.slice_k >= k && (int64_t)(cut.slices - 1) * cut.slice_k < k);
            is_among |= cut.slices == own.slices && cut.slice_k == own.slice_k;
        }
        assert_true(is_among);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
}

static void what_no_kernel_can_count_is_refused_with_the_reason(void **state)
{
    (void)state;
    static lay_problem problem;
    lay_launch launch;
    const char *reason = NULL;
    const int64_t long_k = (int64_t)LAY_CUDA_MAX_EXTENT + 1;
    lay_desc *a = layout_parse("[1:0][%lld:0]", (long long)long_k),
             *b = layout_parse("[%lld:0][1:0]", (long long)long_k);
    lay_desc *c = layout_parse("[1][1]");
    lay_problem_make(LAY_F32, a, b, c, 0, &problem);
    assert_true(lay_launch_choose(&problem, &device, NULL, 1, &launch, &reason) < 0);
    assert_non_null(strstr(reason, "32 bits"));
    lay_desc_destroy(a);
    lay_desc_destroy(b);
    lay_desc_destroy(c);
}

/* Large enough for more than a wave of the largest tiles. */
static void what_full_waves_leave_has_a_launch_of_its_own(void **state)
{
    (void)state;
    static lay_problem problem;
    int divided = 0;
    for (int number = 0; number < 400; number++) {
        random_source from = random_case(12, (uint64_t)number);
        const lay_type type = random_one_in(&from, 2) ? LAY_F32 : LAY_F64;
        const int64_t m = random_in(&from, 500, 5000), n = random_in(&from, 500, 5000), k = random_in(&from, 1, 5000);
        lay_desc *a = layout_usual((int)random_in(&from, 0, 1), m, k), *b = layout_usual(0, k, n);
        lay_desc *c = layout_usual(0, m, n);
        lay_launch launch[2], one;
        const char *reason;
        lay_problem_make(type, a, b, c, random_one_in(&from, 2), &problem);
        const double seconds = lay_launch_choose(&problem, &device, NULL, 2, launch, &reason);
        const double undivided = lay_launch_choose(&problem, &device, NULL, 1, &one, &reason);
        assert_true(seconds > 0 && seconds <= undivided);
        assert_int_equal(launch[0].first, 0);
        assert_int_equal(launch[0].slices, one.slices);
        assert_int_equal(launch[0].rows + (launch[1].kernel ? launch[1].rows : 0), problem.m.extent);
        if (launch[1].kernel) {
            divided++;
            assert_int_equal(launch[1].first, launch[0].rows);
            assert_int_equal(launch[1].first % 16, 0);
            assert_int_equal(launch[1].slices, one.slices);
            assert_int_equal(launch[1].slice_k, one.slice_k);
            assert_int_equal(launch[1].kernel->order, launch[0].kernel->order);
            assert_int_equal(launch[0].partial % 16, 0);
            assert_int_equal(launch[0].counters % 16, 0);
        } else {
            assert_int_equal(launch[1].partial + launch[1].counters, 0);
        }
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
    assert_true(divided > 40 && divided < 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_lead_to_every_element_once),
        cmocka_unit_test(segments_have_the_tables_form),
        cmocka_unit_test(vectors_are_where_they_are_promised),
        cmocka_unit_test(usual_layouts_have_the_class_that_is_theirs),
        cmocka_unit_test(the_order_of_the_sum_is_the_same_both_ways_round),
        cmocka_unit_test(no_bound_is_above_the_cost),
        cmocka_unit_test(no_bound_is_above_the_prediction),
        cmocka_unit_test(the_order_of_the_sum_stays_what_it_was),
        cmocka_unit_test(rows_that_were_measured_to_be_faster_are_taken),
        cmocka_unit_test(a_remembered_sum_is_the_products_own),
        cmocka_unit_test(layouts_do_not_change_the_order_of_the_sum),
        cmocka_unit_test(what_full_waves_leave_has_a_launch_of_its_own),
        cmocka_unit_test(a_kernel_that_is_named_is_taken),
        cmocka_unit_test(a_sum_that_is_given_is_launched_by_the_row_that_begins_it),
        cmocka_unit_test(the_cuts_of_k_cover_it_once_and_the_sum_has_one_of_them),
        cmocka_unit_test(what_no_kernel_can_count_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
