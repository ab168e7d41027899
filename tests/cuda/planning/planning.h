/* What the tests of plans for a device share: operands of any layout, sizes, and their names. */
#ifndef LAY_TESTS_CUDA_PLANNING_H
#define LAY_TESTS_CUDA_PLANNING_H

#include "../../product/support/layouts.h"

enum { CASES = 4000, MAX_EXTENT = 90 };

typedef struct operands {
    int64_t m, n, k;
    lay_desc *a, *b, *c;
} operands;

operands make_operands(random_source *from);
void free_operands(operands *of);

/* An extent as products have it, or any up to 5000. */
int64_t some_size(random_source *from);

/* Whether this build has each row: some are for compute capability 9.0 alone. */
int has_all_rows(void);

/* offsets.c */
void offsets_lead_to_every_element_once(void **state);
void segments_have_the_tables_form(void **state);
void vectors_are_where_they_are_promised(void **state);
void usual_layouts_have_the_class_that_is_theirs(void **state);

/* crossed.c */
void crossed_rows_are_the_same_points(void **state);
void doubles_are_crossed_by_half_as_many(void **state);
void rows_are_crossed_by_several_sectors_too(void **state);
void columns_in_pairs_are_written_down_by_two(void **state);
void rows_that_one_order_serves_are_not_crossed(void **state);

/* sums.c */
void the_order_of_the_sum_is_the_same_both_ways_round(void **state);
void no_bound_is_above_the_cost(void **state);
void the_order_of_the_sum_stays_what_it_was(void **state);
void slices_that_gain_as_good_as_nothing_are_none(void **state);
void a_remembered_sum_is_the_products_own(void **state);
void layouts_do_not_change_the_order_of_the_sum(void **state);
void a_part_has_the_order_of_the_whole(void **state);
void the_cuts_of_k_cover_it_once_and_the_sum_has_one_of_them(void **state);

/* launches.c */
void no_bound_is_above_the_prediction(void **state);
void rows_that_were_measured_to_be_faster_are_taken(void **state);
void what_full_waves_leave_has_a_launch_of_its_own(void **state);
void persistent_blocks_share_what_fills_no_wave(void **state);
void a_kernel_that_is_named_is_taken(void **state);
void a_sum_that_is_given_is_launched_by_the_row_that_begins_it(void **state);
void what_no_kernel_can_count_is_refused_with_the_reason(void **state);

#endif
