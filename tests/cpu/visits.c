/* What lines cost to fetch in an order of visits (lib/machine/visits.h): nothing where they stay near, most where they
 * are left before they are used up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/rates.h"
#include "machine/visits.h"

static const lay_machine machine = { .l1 = 32 << 10, .l2 = 1 << 20, .l3 = 32 << 20 };

/* Of two loops, the inner one first. */
static double predict(double inner, int64_t apart, double outer, int64_t far)
{
    lay_visits of = { .count = 0 };
    lay_visits_add(&of, inner, apart);
    lay_visits_add(&of, outer, far);
    return lay_visits_predict(&of, &machine);
}

static void what_stays_in_the_first_cache_costs_nothing(void **state)
{
    (void)state;
    assert_true(predict(1000, 4, 1, 0) == 0);
    assert_true(predict(1000, 4, 100000, 0) == 0);
    assert_true(predict(1000, -4, 1, 0) == 0);
    assert_true(predict(1, 1 << 20, 1, 1 << 20) == 0);
}

static void more_takes_longer(void **state)
{
    (void)state;
    double last = 0;
    for (int64_t elements = 1 << 14; elements <= 1 << 26; elements *= 2) {
        const double now = predict((double)elements, 4, 1, 0);
        assert_true(now > 1.9 * last);
        last = now;
    }
}

/* 4096 x 4097 elements of 4 bytes, by rows and by columns, whose lines are gone before the next column comes. */
static void lines_that_are_left_are_fetched_again(void **state)
{
    (void)state;
    const double by_rows = predict(4097, 4, 4096, 4097 * 4), by_columns = predict(4096, 4097 * 4, 4097, 4);
    assert_true(by_columns > 8 * by_rows);
}

/* 12 columns at a time, so that each line's next elements come while it is there. */
static void lines_of_few_columns_wait_in_the_near_caches(void **state)
{
    (void)state;
    lay_visits few = { .count = 0 }, all = { .count = 0 };
    lay_visits_add(&few, 16, 5000 * 4);
    lay_visits_add(&few, 5000, 4);
    lay_visits_add(&few, 256, 16 * 5000 * 4);
    lay_visits_add(&all, 4096, 5000 * 4);
    lay_visits_add(&all, 5000, 4);
    assert_true(2 * lay_visits_predict(&few, &machine) < lay_visits_predict(&all, &machine));
}

/* 256 lines fit the first cache, but not all in one of its sets. */
static void lines_a_page_apart_share_a_set(void **state)
{
    (void)state;
    assert_true(predict(64, 4096 + 64, 16, 4) == 0);
    assert_true(predict(64, 4096, 16, 4) > 0);
}

static void pages_that_are_not_known_are_found_again(void **state)
{
    (void)state;
    /* As many lines, in pages of their own and in few. */
    assert_true(predict(20000, 4096 + 64, 10, 64) > 1.2 * predict(20000, 128, 10, 64));
}

/* Pieces of 12 elements of 8 rows in turn: each row's next piece goes on where its last one ends, or does not. */
static double predict_pieces(int64_t apart)
{
    lay_visits of = { .count = 0 };
    lay_visits_add(&of, 12, 8);
    lay_visits_add(&of, 8, 1 << 20);
    lay_visits_add(&of, 1000, apart);
    lay_visits_add(&of, 1000, 8 << 20);
    return lay_visits_predict(&of, &machine);
}

static void pieces_that_go_on_are_seen_coming(void **state)
{
    (void)state;
    assert_true(1.5 * predict_pieces(12 * 8) < predict_pieces(32 * 8));
}

static void of_a_large_third_cache_a_core_keeps_a_part(void **state)
{
    (void)state;
    const lay_rates *rates = lay_rates_get();
    const lay_machine large = { .l3 = INT64_MAX / 2 };
    assert_true(lay_kept_by_l3(&machine) == rates->near_share * (double)machine.l3);
    assert_true(lay_kept_by_l3(&large) == rates->l3_most);
}

/* Runs of 18 elements of 4 bytes that begin anywhere lie in three lines, two of them shared with others: what has room
 * in the second cache by its elements alone has none. */
static void segments_end_in_lines_of_others(void **state)
{
    (void)state;
    lay_visits within = { .count = 0 };
    lay_visits_add(&within, 18, 4);
    lay_visits_add(&within, 8000, 1008);
    lay_visits_add(&within, 14, 72);
    lay_visits anywhere = within;
    anywhere.begins_anywhere = 1;
    assert_true(lay_visits_predict(&anywhere, &machine) > 1.5 * lay_visits_predict(&within, &machine));
}

/* No more lines are touched than there are from the first to the last. */
static void side_by_side_all_lines_are_counted_once(void **state)
{
    (void)state;
    lay_visits whole = { .begins_anywhere = 1 }, parts = { .begins_anywhere = 1 };
    lay_visits_add(&whole, 18 * 1000, 4);
    lay_visits_add(&parts, 18, 4);
    lay_visits_add(&parts, 1000, 72);
    const double least = lay_visits_predict(&whole, &machine), found = lay_visits_predict(&parts, &machine);
    assert_true(least > 0 && found < 4 * least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays_in_the_first_cache_costs_nothing),
        cmocka_unit_test(more_takes_longer),
        cmocka_unit_test(lines_that_are_left_are_fetched_again),
        cmocka_unit_test(lines_of_few_columns_wait_in_the_near_caches),
        cmocka_unit_test(lines_a_page_apart_share_a_set),
        cmocka_unit_test(pages_that_are_not_known_are_found_again),
        cmocka_unit_test(pieces_that_go_on_are_seen_coming),
        cmocka_unit_test(of_a_large_third_cache_a_core_keeps_a_part),
        cmocka_unit_test(segments_end_in_lines_of_others),
        cmocka_unit_test(side_by_side_all_lines_are_counted_once),
    };
    return cmocka_run_group_tests_name("visits", tests, NULL, NULL);
}
