/* What is planned for a device, on any machine: offsets, orders of the sum, launches. */
#include "planning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_lead_to_every_element_once),
        cmocka_unit_test(segments_have_the_tables_form),
        cmocka_unit_test(vectors_are_where_they_are_promised),
        cmocka_unit_test(usual_layouts_have_the_class_that_is_theirs),
        cmocka_unit_test(crossed_rows_are_the_same_points),
        cmocka_unit_test(doubles_are_crossed_by_half_as_many),
        cmocka_unit_test(rows_are_crossed_by_several_sectors_too),
        cmocka_unit_test(columns_in_pairs_are_written_down_by_two),
        cmocka_unit_test(rows_that_one_order_serves_are_not_crossed),
        cmocka_unit_test(the_order_of_the_sum_is_the_same_both_ways_round),
        cmocka_unit_test(no_bound_is_above_the_cost),
        cmocka_unit_test(no_bound_is_above_the_prediction),
        cmocka_unit_test(the_order_of_the_sum_stays_what_it_was),
        cmocka_unit_test(slices_that_gain_as_good_as_nothing_are_none),
        cmocka_unit_test(rows_that_were_measured_to_be_faster_are_taken),
        cmocka_unit_test(a_remembered_sum_is_the_products_own),
        cmocka_unit_test(layouts_do_not_change_the_order_of_the_sum),
        cmocka_unit_test(a_part_has_the_order_of_the_whole),
        cmocka_unit_test(what_full_waves_leave_has_a_launch_of_its_own),
        cmocka_unit_test(persistent_blocks_share_what_fills_no_wave),
        cmocka_unit_test(a_kernel_that_is_named_is_taken),
        cmocka_unit_test(a_sum_that_is_given_is_launched_by_the_row_that_begins_it),
        cmocka_unit_test(the_cuts_of_k_cover_it_once_and_the_sum_has_one_of_them),
        cmocka_unit_test(what_no_kernel_can_count_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
