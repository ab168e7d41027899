/* Which path the summaries of two operands ask for, at both sides of every limit (kernels/cuda_split.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cuda_split.h"

enum { SMALL = 200, LARGE = 1024 };

static lay_cuda_split_path_kind path(int size, lay_cuda_split_summary left, lay_cuda_split_summary right)
{
    const lay_cuda_split_args args = { .m = size, .n = size, .k = size };
    const lay_cuda_split_path_kind there = lay_cuda_split_path(&args, left, right);
    assert_int_equal(lay_cuda_split_path(&args, right, left), there);
    return there;
}

/* One operand's summary beside a usual one. */
static lay_cuda_split_path_kind path_of(int size, lay_cuda_split_summary of)
{
    return path(size, of, (lay_cuda_split_summary){ .range = 20 });
}

static void usual_numbers_take_three_products(void **state)
{
    (void)state;
    assert_int_equal(path_of(SMALL, (lay_cuda_split_summary){ .range = 28 }), LAY_SPLIT_FP16X3);
    assert_int_equal(path_of(LARGE, (lay_cuda_split_summary){ .range = 28 }), LAY_SPLIT_FP16X3);
}

static void one_line_in_eight_is_mended(void **state)
{
    (void)state;
    for (int large = 0; large <= 1; large++) {
        const int size = large ? LARGE : SMALL;
        lay_cuda_split_summary of = { .range = 60, .tailed = (unsigned)(size + 7) / 8 };
        assert_int_equal(path_of(size, of), LAY_SPLIT_FP16X3);
        of.tailed++;
        assert_int_equal(path_of(size, of), LAY_SPLIT_BF16X6);
    }
    assert_int_equal(path_of(1, (lay_cuda_split_summary){ .range = 60, .tailed = 1 }),
                     LAY_SPLIT_BF16X6); /* few terms */
    const lay_cuda_split_args row = { .m = 1, .n = SMALL, .k = SMALL };
    assert_int_equal(lay_cuda_split_path(&row, (lay_cuda_split_summary){ .range = 60, .tailed = 1 },
                                         (lay_cuda_split_summary){ .range = 20 }),
                     LAY_SPLIT_FP16X3);
}

static void of_a_large_product_one_line_in_128_may_be_wide(void **state)
{
    (void)state;
    const unsigned wide = LARGE / 128, mended = LARGE / 8;
    lay_cuda_split_summary of = { .range = 60, .tailed = wide + mended, .wide = wide };
    assert_int_equal(path_of(LARGE, of), LAY_SPLIT_FP16X3);
    of.tailed++;
    assert_int_equal(path_of(LARGE, of), LAY_SPLIT_BF16X6);
    of.wide++;
    assert_int_equal(path_of(LARGE, of), LAY_SPLIT_BF16X6);
    assert_int_equal(path_of(SMALL, (lay_cuda_split_summary){ .range = 60, .tailed = 1, .wide = 1 }), LAY_SPLIT_BF16X6);
}

static void ranges_decide_between_six_products_and_the_plain_one(void **state)
{
    (void)state;
    const lay_cuda_split_summary usual = { .range = 20 };
    lay_cuda_split_summary of = { .range = 150, .tailed = SMALL, .wide = SMALL };
    assert_int_equal(path(SMALL, of, usual), LAY_SPLIT_BF16X6);
    assert_int_equal(path(SMALL, of, (lay_cuda_split_summary){ .range = 40 }), LAY_SPLIT_BF16X6);
    assert_int_equal(path(SMALL, of, (lay_cuda_split_summary){ .range = 41 }), LAY_SPLIT_STRICT);
    of.range = 151;
    assert_int_equal(path(SMALL, of, usual), LAY_SPLIT_STRICT);
}

static void strange_lines_are_patched_if_few(void **state)
{
    (void)state;
    assert_int_equal(path_of(SMALL, (lay_cuda_split_summary){ .range = 20, .strange = SMALL / 8 }), LAY_SPLIT_FP16X3);
    assert_int_equal(path_of(SMALL, (lay_cuda_split_summary){ .range = 20, .strange = SMALL / 8 + 1 }),
                     LAY_SPLIT_STRICT);
}

/* That a path is STRICT is known before all is found only where nothing that comes can change it. */
static void what_is_hopeless_stays_so(void **state)
{
    (void)state;
    const lay_cuda_split_args large = { .m = LARGE, .n = LARGE, .k = LARGE };
    const lay_cuda_split_summary usual = { .range = 20 };
    lay_cuda_split_summary of = { .range = 151, .tailed = LARGE, .wide = LARGE / 128 };
    assert_int_equal(lay_cuda_split_path(&large, of, usual), LAY_SPLIT_STRICT);
    assert_false(lay_cuda_split_is_hopeless(&large, of, usual));
    of.wide++;
    assert_true(lay_cuda_split_is_hopeless(&large, of, usual));
    assert_true(lay_cuda_split_is_hopeless(&large, usual, of));
    of.range = 150;
    assert_false(lay_cuda_split_is_hopeless(&large, of, usual));
    of = (lay_cuda_split_summary){ .strange = LARGE / 8 };
    assert_false(lay_cuda_split_is_hopeless(&large, of, usual));
    of.strange++;
    assert_true(lay_cuda_split_is_hopeless(&large, of, usual));
    const lay_cuda_split_args asked = { .m = LARGE, .n = LARGE, .k = LARGE, .policy = LAY_SPLIT_ALWAYS_STRICT };
    assert_false(lay_cuda_split_is_hopeless(&asked, usual, usual)); /* whoever times it times all of prepare */
}

static void sums_of_few_terms_take_six_products(void **state)
{
    (void)state;
    const unsigned looked_at = SMALL * SMALL / LAY_SPLIT_SAMPLED; /* terms: 200 (1 - zeros of left) (1 - of right) */
    lay_cuda_split_summary of = { .range = 20, .zeros = looked_at * 84 / 100 };
    assert_int_equal(path_of(SMALL, of), LAY_SPLIT_FP16X3);
    of.zeros += looked_at / 200;
    assert_int_equal(path_of(SMALL, of), LAY_SPLIT_BF16X6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_numbers_take_three_products),
        cmocka_unit_test(one_line_in_eight_is_mended),
        cmocka_unit_test(of_a_large_product_one_line_in_128_may_be_wide),
        cmocka_unit_test(ranges_decide_between_six_products_and_the_plain_one),
        cmocka_unit_test(strange_lines_are_patched_if_few),
        cmocka_unit_test(what_is_hopeless_stays_so),
        cmocka_unit_test(sums_of_few_terms_take_six_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
