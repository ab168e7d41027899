/* Large products: many blocks of every loop, many tasks for every thread; the exact check in O(n^2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../there.h"
#include "support/trial.h"

/* Long in one direction, in two, in all; k of several blocks and one more; more rows (columns) than are
 * ever packed at once: 12 MiB hold 8192 of them. */
static const int64_t sizes[][3] = { { 1025, 1031, 771 }, { 9000, 20, 390 }, { 20, 9000, 390 },
                                    { 65, 67, 9000 },    { 5000, 3, 5 },    { 3, 5000, 5 } };

static void run_large(trial *t, random_source *from)
{
    char story[6000];
    oracle_miss miss;
    double *const got = oracle_memory((size_t)(t->m * t->n) * sizeof *got);
    trial_story(t, story, sizeof story);
    if (trial_run(t, (trial_way)random_in(from, 0, TRIAL_WAYS - 1)) != LAY_OK)
        fail_msg("%s\n%s", lay_last_error(), story);
    const oracle_problem problem = trial_problem(t, ORACLE_EXACT);
    operand_read(&t->out, got);
    if (!check_large(&problem, got, &miss))
        fail_msg("row %lld of C is wrong\n%s", (long long)miss.i, story);
    if (!operand_gaps_are_kept(&t->out))
        fail_msg("something outside of C was written\n%s", story);
    free(got);
}

/* Operands of integers, not yet placed. */
static trial filled_trial(const int64_t size[3], lay_type type, lay_isa isa, random_source *from)
{
    trial t = { .type = type, .m = size[0], .n = size[1], .k = size[2], .data = TRIAL_INTEGERS };
    t.options = (lay_options)LAY_OPTIONS_INIT;
    t.options.isa = isa;
    trial_fill(&t, from);
    return t;
}

static void large_products_are_exact(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(21, isa);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (lay_type type = LAY_F32; type <= LAY_F64; type++) {
            trial t = filled_trial(sizes[s], type, isa, &from);
            const int rounds = trial_rounds(3) < 3 ? 1 : 3;
            for (int round = 0; round < rounds; round++) {
                t.options.threads = (int)random_in(&from, 1, 4);
                t.alpha = round == 1 ? -1 : 1;
                t.beta = round == 2 ? 2 : 0;
                trial_place(&t, layout_random(&from, LAYOUT_OUTPUT, t.m, t.k), layout_usual(round + 1, t.k, t.n),
                            layout_random(&from, LAYOUT_OUTPUT, t.m, t.n), OPERAND_ANYWHERE, &from);
                run_large(&t, &from);
                trial_unplace(&t);
            }
            trial_free(&t);
        }
}

/* C larger than the second caches there are, few steps, and nothing nested: by one thread, each panel of rows with all
 * columns of right, which lies a power of two apart or does not, or with one stretch of them after the other. */
static void few_steps_of_large_products_are_exact(void **state)
{
    static const int64_t few[][3] = { { 1101, 1024, 12 }, { 1101, 1031, 12 }, { 6007, 257, 3 }, { 1030, 2100, 200 } };
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(22, isa);
    for (size_t s = 0; s < sizeof few / sizeof few[0]; s++)
        for (lay_type type = LAY_F32; type <= LAY_F64; type++) {
            trial t = filled_trial(few[s], type, isa, &from);
            t.options.threads = 1;
            t.alpha = s == 1 ? -1 : 1;
            t.beta = s == 2 ? 2 : 0;
            trial_place(&t, layout_usual(0, t.m, t.k), layout_usual(0, t.k, t.n), layout_usual(0, t.m, t.n),
                        OPERAND_ANYWHERE, &from);
            run_large(&t, &from);
            trial_unplace(&t);
            trial_free(&t);
        }
}

int main(void)
{
    if (!there_exists())
        return 0;
    static const trial_promise promises[] = {
#define PROMISE(test) { #test, test }
        PROMISE(large_products_are_exact),
        PROMISE(few_steps_of_large_products_are_exact),
#undef PROMISE
    };
    return trial_keep_promises("large", promises, (int)(sizeof promises / sizeof promises[0]));
}
