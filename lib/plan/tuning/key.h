/* What a tuned plan is for, as one line: the product after refinement and folding, threads, and the order of its sum.
 */
#ifndef LAY_PLAN_TUNING_KEY_H
#define LAY_PLAN_TUNING_KEY_H

#include "base/text.h"
#include "plan/way.h"

enum { LAY_KEY_BYTES = 8192 };

/* NULL, or why no tuned plan can be for it, as a phrase. */
const char *lay_key_write(const lay_problem *problem, const lay_setting *setting, const lay_order *order,
                          lay_text *text);

/* NULL and the order, or what is wrong with a text, as a phrase. *is_unknown: it may mean something to another version
 * of the library. */
const char *lay_key_check(const lay_table *table, const char *text, const lay_order **order, int *is_unknown);

/* A checksum, 64 bits. */
uint64_t lay_key_hash(const char *text, size_t length);

#endif
