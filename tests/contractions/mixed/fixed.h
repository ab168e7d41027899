/* Tests of products of several types that chance has no part in. */
#ifndef LAY_TESTS_CONTRACTIONS_MIXED_FIXED_H
#define LAY_TESTS_CONTRACTIONS_MIXED_FIXED_H

/* refused.c */
void types_that_do_not_mix_are_refused_with_the_nearest(void **state);
void outputs_between_inputs_of_another_size_are_refused(void **state);
void operands_of_a_device_in_host_memory_are_refused(void **state);

/* fixed.c */
void special_values_go_where_they_belong(void **state);
void packed_operands_keep_their_type(void **state);
void labels_mix_types_too(void **state);
void blocks_of_columns_are_not_seen(void **state);
void explanations_name_the_types(void **state);

#endif
