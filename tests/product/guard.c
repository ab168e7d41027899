/* No element but the operands' own is touched: each operand lies flush against pages that fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/trial.h"

/* Up to one more than two tiles of the largest kernel in each direction, biased to small. */
static int64_t some_extent(random_source *from, int64_t most)
{
    return random_one_in(from, 2) ? random_in(from, 1, 17) : random_in(from, 1, most);
}

static void run_fenced(lay_isa isa, lay_type type, random_source *from)
{
    trial t = { .type = type,
                .m = some_extent(from, 25),
                .n = some_extent(from, 65),
                .k = some_extent(from, 33),
                .alpha = random_one_in(from, 2) ? 1 : -3,
                .beta = (double)random_in(from, 0, 2),
                .data = TRIAL_INTEGERS };
    t.options = (lay_options)LAY_OPTIONS_INIT;
    t.options.isa = isa;
    const operand_place place = random_one_in(from, 2) ? OPERAND_FLUSH_LOW : OPERAND_FLUSH_HIGH;
    char why[300], story[6000];
    trial_fill(&t, from);
    if (random_one_in(from, 2))
        trial_place(&t, layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), t.m, t.k),
                    layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), t.k, t.n),
                    layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), t.m, t.n), place, from);
    else
        trial_place(&t, layout_random(from, LAYOUT_INPUT, t.m, t.k), layout_random(from, LAYOUT_INPUT, t.k, t.n),
                    layout_random(from, LAYOUT_OUTPUT, t.m, t.n), place, from);
    trial_story(&t, story, sizeof story);
    if (trial_run(&t, TRIAL_CACHED) != LAY_OK)
        fail_msg("%s\n%s", lay_last_error(), story);
    if (!trial_is_right(&t, why, sizeof why))
        fail_msg("%s\n%s", why, story);
    trial_free(&t);
}

static void products_between_pages_that_fault_do_not_fault(void **state)
{
    (void)state;
    lay_isa isas[TRIAL_LEVELS];
    const int levels = trial_isas(isas);
    for (int level = 0; level < levels; level++)
        for (lay_type type = LAY_F32; type <= LAY_C64; type++) {
            random_source from = random_case(14, (uint64_t)type);
            for (int round = 0; round < trial_rounds(1500); round++)
                run_fenced(isas[level], type, &from);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(products_between_pages_that_fault_do_not_fault) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
