/* Operands that are packed by a plan and multiplied by it or another. Failures end the test. */
#ifndef LAY_TESTS_PRODUCT_PACKING_H
#define LAY_TESTS_PRODUCT_PACKING_H

#include "../support/trial.h"

/* A in panels of 3 rows: too short for a product that reads it in place, so that the CPU packs panels. The same of B
 * and columns: so both, that neither way round reads in place. */
lay_desc *packing_a_in_panels(const trial *t);
lay_desc *packing_b_in_panels(const trial *t);

/* A in panels, and B, too, where its layout is 0: then the CPU packs panels whatever its caches. */
void packing_place_for_panels(trial *t, int b, int c, random_source *from);

/* The plan's explanation, in a static buffer; and whether it packs panels. */
const char *packing_explanation(const lay_plan *plan);
int packing_has_panels(const lay_plan *plan);

lay_plan *packing_plan(const trial *t);
lay_packed *packing_pack(const lay_plan *plan, lay_operand which, const void *source);

/* With A, B or both packed; NULL: as it lies. */
lay_status packing_run(const trial *t, const lay_plan *plan, const lay_packed *a, const lay_packed *b);

/* Runs it and returns C's bits, which the caller frees. */
char *packing_bits(trial *t, const lay_plan *plan, const lay_packed *a, const lay_packed *b);

/* Frees got. */
void packing_expect_same(const trial *t, const char *wanted, char *got, const char *what);

#endif
