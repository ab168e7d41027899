/* Which path the summaries of two operands ask for, at both sides of every limit (kernels/cuda_split.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../random.h"
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

/* A line beyond 28 binades is mended or patched, whichever is not known yet. */
static void lines_beyond_are_mended_or_patched(void **state)
{
    (void)state;
    for (int large = 0; large <= 1; large++) {
        const int size = large ? LARGE : SMALL;
        lay_cuda_split_summary of = { .range = 60, .beyond = (unsigned)(size + 7) / 8 + (large ? LARGE / 128 : 0) };
        assert_int_equal(path_of(size, of), LAY_SPLIT_FP16X3);
        of.beyond++;
        assert_int_equal(path_of(size, of), LAY_SPLIT_BF16X6);
    }
}

static lay_cuda_split_path_kind at_best(const lay_cuda_split_args *of, lay_cuda_split_summary left,
                                        lay_cuda_split_summary right)
{
    const lay_cuda_split_path_kind best = lay_cuda_split_path_at_best(of, left, right);
    assert_int_equal(lay_cuda_split_path_at_best(of, right, left), best);
    return best;
}

/* Before all is found a path is out only where nothing that comes can change it. */
static void what_is_out_stays_out(void **state)
{
    (void)state;
    const lay_cuda_split_args large = { .m = LARGE, .n = LARGE, .k = LARGE };
    const lay_cuda_split_summary usual = { .range = 20 };
    lay_cuda_split_summary of = { .range = 151, .tailed = LARGE, .wide = LARGE / 128 };
    assert_int_equal(lay_cuda_split_path(&large, of, usual), LAY_SPLIT_STRICT);
    assert_int_equal(at_best(&large, of, usual), LAY_SPLIT_FP16X3);
    of.wide++;
    assert_int_equal(at_best(&large, of, usual), LAY_SPLIT_STRICT);
    of.range = 150;
    assert_int_equal(at_best(&large, of, usual), LAY_SPLIT_BF16X6);
    of = (lay_cuda_split_summary){ .range = 151, .beyond = LARGE / 8 + LARGE / 128 };
    assert_int_equal(at_best(&large, of, usual), LAY_SPLIT_FP16X3);
    of.beyond++;
    assert_int_equal(at_best(&large, of, usual), LAY_SPLIT_STRICT);
    of = (lay_cuda_split_summary){ .strange = LARGE / 8 };
    assert_int_equal(at_best(&large, of, usual), LAY_SPLIT_FP16X3);
    of.strange++;
    assert_int_equal(at_best(&large, of, usual), LAY_SPLIT_STRICT);
    const lay_cuda_split_args asked = { .m = LARGE, .n = LARGE, .k = LARGE, .policy = LAY_SPLIT_ALWAYS_STRICT };
    assert_int_equal(at_best(&asked, usual, usual), LAY_SPLIT_FP16X3); /* whoever times it times all of prepare */
}

/* Any of these, mostly below the limits. */
static lay_cuda_split_summary some_summary(random_source *from)
{
    lay_cuda_split_summary of = { .range = (unsigned)random_in(from, 0, 200),
                                  .strange = (unsigned)random_in(from, 0, LARGE / 4),
                                  .zeros = (unsigned)random_in(from, 0, LARGE / 8 * LARGE) };
    if (random_one_in(from, 2))
        of.strange = of.zeros = 0;
    of.wide = (unsigned)random_in(from, 0, LARGE / 64);
    of.tailed = of.beyond = of.wide + (unsigned)random_in(from, 0, LARGE / 6);
    return of;
}

/* What is known of it before all blocks have looked: limbs are made last. */
static lay_cuda_split_summary some_of(lay_cuda_split_summary of, random_source *from)
{
    of.range = (unsigned)random_in(from, 0, of.range);
    of.strange = (unsigned)random_in(from, 0, of.strange);
    of.zeros = (unsigned)random_in(from, 0, of.zeros);
    of.beyond = (unsigned)random_in(from, 0, of.beyond);
    of.tailed = (unsigned)random_in(from, 0, of.beyond);
    of.wide = (unsigned)random_in(from, 0, of.wide < of.tailed ? of.wide : of.tailed);
    return of;
}

static void no_path_gets_better_by_what_comes(void **state)
{
    (void)state;
    const lay_cuda_split_args large = { .m = LARGE, .n = LARGE, .k = LARGE };
    int taken[LAY_SPLIT_STRICT + 1] = { 0 };
    for (uint64_t number = 0; number < 20000; number++) {
        random_source from = random_case(17, number);
        const lay_cuda_split_summary left = some_summary(&from), right = some_summary(&from);
        const lay_cuda_split_path_kind path = lay_cuda_split_path(&large, left, right);
        assert_true(at_best(&large, some_of(left, &from), some_of(right, &from)) <= path);
        taken[path]++;
    }
    for (int path = 0; path <= LAY_SPLIT_STRICT; path++)
        assert_true(taken[path] > 500);
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
        cmocka_unit_test(lines_beyond_are_mended_or_patched),
        cmocka_unit_test(what_is_out_stays_out),
        cmocka_unit_test(no_path_gets_better_by_what_comes),
        cmocka_unit_test(sums_of_few_terms_take_six_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
