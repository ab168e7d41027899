/* The rows that are launched, alone or in two, for a sum whose order is settled. */
#include "planning.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arith.h"
#include "cuda/launch/cost.h"
#include "cuda/launch/launch.h"
#include "cuda/launch/predict.h"
#include "cuda/launch/rows.h"
#include "made_up.h"
#include "plan/problem.h"

static const lay_device device = MADE_UP_H200;

/* The same of what chooses among rows of equal bits, for operands of any layout. */
void no_bound_is_above_the_prediction(void **state)
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
        const lay_cuda_lie lie = lay_cuda_lie_of(&problem, launch.left, launch.right, launch.is_c_vector, launch.down);
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

/* Products whose ways were all timed on an H200 (bench/LOG.md, 45), and what was taken before. */
void rows_that_were_measured_to_be_faster_are_taken(void **state)
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

/* Large enough for more than a wave of the largest tiles. */
void what_full_waves_leave_has_a_launch_of_its_own(void **state)
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

void a_kernel_that_is_named_is_taken(void **state)
{
    (void)state;
    static lay_problem problem;
    random_source from = random_case(11, 0);
    operands of = make_operands(&from);
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        lay_launch launch;
        const char *reason;
        if (row->max_m || row->max_n || row->max_k)
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

/* Their blocks have counters, and memory for the sums that they hand over, where a wave would not be full. */
void persistent_blocks_share_what_fills_no_wave(void **state)
{
    (void)state;
    static lay_problem problem;
    int shared = 0, whole = 0;
    lay_cuda_walk walk = lay_cuda_rows(LAY_CUDA_STRICT);
    for (const lay_cuda_kernel *row; (row = lay_cuda_next(&walk));) {
        const int64_t blocks = (int64_t)row->blocks_per_sm * device.multiprocessors;
        if (!lay_cuda_is_persistent(row) || row->least_sm > device.sm || !has_all_rows())
            continue;
        for (int number = 1; number < 5 * 4; number++) {
            const int slices = 1 + number % 3;
            const int64_t all = number / 4 * blocks + (int64_t[]){ 0, 1, blocks / 2, blocks - 1 }[number % 4];
            const int64_t below = ceil_div(all, slices), tiles = below * slices; /* of all slices */
            const int64_t m = below * row->bm - 5, n = row->bn, k = 960;         /* tiles below each other */
            lay_desc *a = layout_usual(0, m, k), *b = layout_usual(0, k, n), *c = layout_usual(0, m, n);
            const lay_cuda_sum sum = { .order = LAY_CUDA_CHAIN, .slices = slices, .slice_k = (int)k / slices };
            lay_launch launch[2];
            lay_problem_make(row->type, a, b, c, 0, &problem);
            const double seconds = lay_launch_choose_by(&problem, &device, NULL, &sum, row, 2, launch);
            assert_int_equal(seconds > 0, tiles > blocks && tiles % blocks != 0);
            *(seconds > 0 ? &shared : &whole) += 1;
            if (seconds > 0) {
                assert_null(launch[1].kernel);
                assert_true(launch[0].is_shared);
                assert_true(launch[0].counters >= (size_t)(blocks + 1 + below) * sizeof(unsigned));
                assert_int_equal(launch[0].partial,
                                 (blocks + (slices > 1 ? tiles : 0)) * row->bm * row->bn * (int64_t)sizeof(double));
            }
            lay_desc_destroy(a);
            lay_desc_destroy(b);
            lay_desc_destroy(c);
        }
    }
    assert_true(!has_all_rows() || (shared >= 3 * 9 && whole >= 3 * 7));
}

/* As a bench does it, to see what else might have been taken. */
void a_sum_that_is_given_is_launched_by_the_row_that_begins_it(void **state)
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

void what_no_kernel_can_count_is_refused_with_the_reason(void **state)
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
