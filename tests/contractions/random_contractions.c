/* Random contractions: labels of every kind, ranks, layouts, types, numbers, threads and ways of calling, each one
 * judged.
 *
 * test_contractions_random SEED [CASES]. LAY_TEST_CASES, if set, says how many cases instead; a failure prints the line
 * that runs its case alone: LAY_TEST_CASE=number test_contractions_random SEED. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../cases.h"
#include "../there.h"
#include "contraction.h"

enum { USUAL_CASES = 25000 };

static cases_run run;

static void give_up(const contraction *c, uint64_t nth, const char *why)
{
    char story[4000], again[400];
    contraction_tell(c, story, sizeof story);
    cases_again(&run, nth, again, sizeof again);
    fail_msg("%s\n  %s\n  again: %s", why, story, again);
}

/* In the promised order of labels, its bits are those of plain matrices. */
static void compare_with_matrices(contraction *c, uint64_t nth)
{
    const size_t bytes = (size_t)contraction_output(c)->count * lay_type_size(c->kind->type);
    char *const first = oracle_memory(bytes), *const second = oracle_memory(bytes);
    contraction_bytes(c, first);
    contraction_by_matrices(c, NULL, second);
    if (memcmp(first, second, bytes) != 0)
        give_up(c, nth, "the bits are not those of plain matrices");
    free(first);
    free(second);
}

static void run_case(uint64_t nth)
{
    random_source from = random_case(run.seed, nth);
    contraction c;
    char why[400];
    contraction_choose(&c, &from);
    contraction_fill(&c, &from);
    contraction_place(&c, &from);
    const lay_status status = contraction_call(&c, (call_way)random_in(&from, 0, CALL_WAYS - 1));
    if (status != LAY_OK)
        give_up(&c, nth, lay_last_error());
    if (!contraction_is_right(&c, why, sizeof why))
        give_up(&c, nth, why);
    /* A NaN's bits are nobody's promise. */
    if (c.order == LAY_SUM_BY_LABELS && c.data != NUMBERS_SPECIAL)
        compare_with_matrices(&c, nth);
    contraction_free(&c);
}

static void random_contractions_are_right(void **state)
{
    (void)state;
    cases_do(&run, run_case);
}

int main(int argc, char **argv)
{
    if (!there_exists())
        return 0;
    run = cases_begin(argc, argv, USUAL_CASES);
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_contractions_are_right) };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("# seed %llu: %lld contractions checked\n", (unsigned long long)run.seed, cases_done(&run));
    return failed;
}
