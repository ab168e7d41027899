/* Random products: layouts, sizes, numbers, levels, threads and ways of calling, each one checked.
 *
 * test_product_random SEED [CASES]. LAY_TEST_CASES, if set, says how many cases instead; a failure prints the line
 * that runs its case alone: LAY_TEST_CASE=number test_product_random SEED. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../cases.h"
#include "../there.h"
#include "support/trial.h"

static cases_run run;

/* ---- what a case is --------------------------------------------------------------------------- */

/* Around the edges of every tile, 4x4 to 12x32, and of vectors. */
static const int64_t edges[] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  11, 12, 13, 15, 16, 17,
                                 18, 23, 24, 25, 31, 32, 33, 36, 47, 48, 49, 63, 64, 65 };
/* With many divisors: what nested layouts cut. */
static const int64_t composite[] = { 12, 16, 24, 30, 36, 48, 60, 64, 72, 80 };

static int64_t some_size(random_source *from)
{
    const int64_t kind = random_in(from, 0, 99);
    if (kind < 2)
        return 0;
    if (kind < 60)
        return random_of(from, edges);
    return kind < 80 ? random_of(from, composite) : random_in(from, 1, 80);
}

static void choose_sizes(trial *t, random_source *from)
{
    t->m = some_size(from);
    t->n = some_size(from);
    t->k = some_size(from);
    const int64_t kind = random_in(from, 0, 99);
    if (kind < 4) { /* several blocks of k */
        t->m = random_in(from, 1, 40);
        t->n = random_in(from, 1, 40);
        t->k = random_in(from, 250, 900);
    } else if (kind < 8) { /* enough for several threads */
        t->m = random_in(from, 60, 220);
        t->n = random_in(from, 60, 220);
        t->k = random_in(from, 20, 120);
    } else if (kind < 10)
        t->m = random_in(from, 80, 300);
    else if (kind < 12)
        t->n = random_in(from, 80, 300);
}

static double some_scalar(random_source *from)
{
    static const double usual[] = { 0, 1, -1, 0.7, 1, 2.5, -0.0, -3 };
    return random_of(from, usual);
}

/* In integer trials mostly whole, in special ones mostly special. */
static double some_factor(random_source *from, trial_data data)
{
    static const double whole[] = { 0, 1, -1, 2, -3 }, special[] = { NAN, INFINITY, -INFINITY };
    if (data == TRIAL_INTEGERS)
        return random_of(from, whole);
    if (data == TRIAL_SPECIAL && random_one_in(from, 4))
        return random_of(from, special);
    return some_scalar(from);
}

static lay_type some_type(random_source *from)
{
    if (random_one_in(from, 3) && there_takes_halves())
        return (lay_type)random_in(from, LAY_F16, LAY_BF16);
    return (lay_type)(random_in(from, LAY_F32, LAY_F64) + (random_one_in(from, 3) ? LAY_C32 - LAY_F32 : 0));
}

/* Of complex products. Where NaN and infinity are, a complex alpha times the sum is not the sum of its multiples. */
static void choose_imaginary_parts(trial *t, random_source *from)
{
    if (oracle_parts(t->type) == 1 || !isfinite(t->alpha) || !isfinite(t->beta))
        return;
    t->alpha_i = t->data == TRIAL_SPECIAL || random_one_in(from, 2) ? 0 : some_factor(from, t->data);
    t->beta_i = random_one_in(from, 2) || t->data == TRIAL_SPECIAL ? 0 : some_factor(from, t->data);
}

static void choose(trial *t, random_source *from)
{
    lay_isa isas[TRIAL_LEVELS];
    const int levels = trial_isas(isas);
    t->type = some_type(from);
    t->data = random_one_in(from, 3) ? TRIAL_INTEGERS : (trial_data)random_in(from, 0, TRIAL_DATA_KINDS - 1);
    choose_sizes(t, from);
    if (t->data == TRIAL_SPECIAL && t->k > 200)
        t->k = 200; /* in one block: an infinite alpha times each block's sum is another thing than times the whole */
    t->alpha = some_factor(from, t->data);
    t->beta = some_factor(from, t->data);
    choose_imaginary_parts(t, from);
    t->options = (lay_options)LAY_OPTIONS_INIT;
    t->options.isa = random_one_in(from, 2) ? LAY_ISA_AUTO : isas[random_in(from, 0, levels - 1)];
    t->options.threads = (int)random_in(from, 1, 4);
}

/* ---- running it ------------------------------------------------------------------------------- */

static void give_up(const trial *t, uint64_t number, const char *why)
{
    char story[6000], again[400];
    trial_story(t, story, sizeof story);
    cases_again(&run, number, again, sizeof again);
    fail_msg("%s\n  %s\n  again: %s", why, story, again);
}

/* The same numbers in other layouts, with other threads, called otherwise, have the same bits. */
static void compare_with_plain(trial *t, uint64_t number, random_source *from)
{
    const size_t bytes = (size_t)(t->m * t->n) * lay_type_size(t->type);
    char *const first = oracle_memory(bytes), *const second = oracle_memory(bytes);
    operand_bytes(&t->out, first);
    trial other = *t;
    other.options.threads = 1 + t->options.threads % 3;
    const int usual = (int)random_in(from, 0, LAYOUT_USUAL - 1);
    trial_place(&other, layout_usual(usual, t->m, t->k), layout_usual((usual + 2) % LAYOUT_USUAL, t->k, t->n),
                layout_usual((usual + 1) % LAYOUT_USUAL, t->m, t->n), OPERAND_ANYWHERE, from);
    const lay_status status = trial_run(&other, (trial_way)random_in(from, 0, TRIAL_WAYS - 1));
    if (status != LAY_OK)
        give_up(&other, number, lay_last_error());
    operand_bytes(&other.out, second);
    if (memcmp(first, second, bytes) != 0)
        give_up(t, number, "the bits are not those of usual layouts");
    trial_unplace(&other);
    free(first);
    free(second);
}

static void run_case(uint64_t number)
{
    random_source from = random_case(run.seed, number);
    trial t = { 0 };
    choose(&t, &from);
    trial_fill(&t, &from);
    trial_place(&t, layout_random(&from, LAYOUT_INPUT, t.m, t.k), layout_random(&from, LAYOUT_INPUT, t.k, t.n),
                layout_random(&from, LAYOUT_OUTPUT, t.m, t.n), OPERAND_ANYWHERE, &from);
    const lay_status status = trial_run(&t, (trial_way)random_in(&from, 0, TRIAL_WAYS - 1));
    char why[300];
    if (status != LAY_OK)
        give_up(&t, number, lay_last_error());
    if (!trial_is_right(&t, why, sizeof why))
        give_up(&t, number, why);
    /* A NaN's bits are nobody's promise. */
    if (random_one_in(&from, 6) && t.data != TRIAL_SPECIAL)
        compare_with_plain(&t, number, &from);
    trial_free(&t);
}

static void random_products_are_right(void **state)
{
    (void)state;
    cases_do(&run, run_case);
}

int main(int argc, char **argv)
{
    if (!there_exists())
        return 0;
    run = cases_begin(argc, argv, TRIAL_CASES);
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_products_are_right) };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("# seed %llu: %lld products checked\n", (unsigned long long)run.seed, cases_done(&run));
    return failed;
}
