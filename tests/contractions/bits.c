/* Equal bits: however tensors are stored and their dimensions ordered, whatever the threads and the call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../cases.h"
#include "../there.h"
#include "contraction.h"

enum { USUAL_ROUNDS = 1500, ONE_IN = 10 };

/* LAY_TEST_CASES scales it. */
static int64_t rounds(void)
{
    const int64_t cases = cases_asked(USUAL_ROUNDS * ONE_IN) / ONE_IN;
    return cases > 0 ? cases : 1;
}

static void give_up(const contraction *c, const char *what)
{
    char story[4000];
    contraction_tell(c, story, sizeof story);
    fail_msg("%s\n  %s", what, story);
}

/* One whose numbers survive in any layout, with sums that are rounded. */
static contraction some_contraction(uint64_t nth, random_source *from)
{
    contraction c;
    *from = random_case(91, nth);
    contraction_choose(&c, from);
    c.keeps_numbers = 1;
    c.data = random_one_in(from, 2) ? NUMBERS_SIGNED : NUMBERS_WIDE;
    c.alpha.re = 0.7;
    c.beta.re = random_one_in(from, 2) ? 0 : -1.3;
    c.conjugated &= ~(unsigned)LAY_CONJUGATED_C; /* which needs a D apart */
    contraction_fill(&c, from);
    return c;
}

static size_t bytes_of(contraction *c)
{
    return (size_t)contraction_output(c)->count * lay_type_size(c->kind->type);
}

static void run(contraction *c, call_way way, char *to)
{
    contraction_restore(c);
    if (contraction_call(c, way) != LAY_OK)
        give_up(c, lay_last_error());
    contraction_bytes(c, to);
}

/* The bits of a run, at any number of threads and by every way to call. */
static void expect_always(contraction *c, const char *wanted, char *got, const char *what)
{
    const size_t bytes = bytes_of(c);
    for (int threads = 1; threads <= 3; threads++)
        for (int way = 0; way < CALL_WAYS; way++) {
            c->options.threads = threads;
            run(c, (call_way)way, got);
            if (memcmp(wanted, got, bytes) != 0)
                give_up(c, what);
        }
}

static void threads_calls_and_places_of_d_keep_the_bits(void **state)
{
    (void)state;
    for (int64_t nth = 0; nth < rounds() / 4 + 1; nth++) {
        random_source from;
        contraction c = some_contraction((uint64_t)nth, &from);
        char *wanted = NULL, *got = NULL;
        for (int d = NO_D; d <= D_IS_C; d++) {
            contraction_free_tensors(&c);
            c.d = d;
            random_source same = random_case(92, (uint64_t)nth); /* the same layouts of A, B and C: by storage, too */
            contraction_place(&c, &same);
            if (!wanted) {
                wanted = oracle_memory(bytes_of(&c));
                got = oracle_memory(bytes_of(&c));
                run(&c, CALL_RUN, wanted);
            }
            expect_always(&c, wanted, got, "the bits are not those of the first run");
        }
        contraction_free(&c);
        free(wanted);
        free(got);
    }
}

/* In the promised order of labels. */
static void layouts_and_orders_of_dimensions_keep_the_bits(void **state)
{
    (void)state;
    for (int64_t nth = 0; nth < rounds(); nth++) {
        random_source from;
        contraction c = some_contraction((uint64_t)nth, &from);
        c.order = LAY_SUM_BY_LABELS;
        contraction_place(&c, &from);
        char *const wanted = oracle_memory(bytes_of(&c)), *const got = oracle_memory(bytes_of(&c));
        contraction_by_matrices(&c, NULL, wanted);
        for (int turn = 0; turn < 4; turn++) {
            run(&c, CALL_RUN_PRODUCT, got);
            if (memcmp(wanted, got, bytes_of(&c)) != 0)
                give_up(&c, "the bits are not those of plain matrices");
            contraction_free_tensors(&c);
            if (turn % 2)
                contraction_shuffle(&c, &from);
            contraction_place(&c, &from);
        }
        contraction_free(&c);
        free(wanted);
        free(got);
    }
}

/* Letters or numbers, as long as their order is the same. */
static void what_labels_are_called_keeps_the_bits(void **state)
{
    (void)state;
    for (int64_t nth = 0; nth < rounds() / 2 + 1; nth++) {
        random_source from;
        contraction c = some_contraction((uint64_t)nth, &from);
        c.order = LAY_SUM_BY_LABELS;
        contraction_place(&c, &from);
        char *const wanted = oracle_memory(bytes_of(&c)), *const got = oracle_memory(bytes_of(&c));
        c.is_text = 1;
        for (int i = 0; i < c.labels; i++)
            c.name[i] = "adehklmpqstuxyzABCEFGHKL"[i];
        contraction_spell(&c, &from);
        run(&c, CALL_CONTRACT, wanted);
        c.is_text = 0;
        for (int i = 0; i < c.labels; i++) /* capitals are smaller than small letters */
            c.name[i] = c.name[i] >= 'a' ? INT64_MAX - MAX_LABELS + i : INT64_MIN + i;
        contraction_spell(&c, &from);
        run(&c, CALL_RUN_PRODUCT, got);
        if (memcmp(wanted, got, bytes_of(&c)) != 0)
            give_up(&c, "the bits are not those of letters in the same order");
        contraction_free(&c);
        free(wanted);
        free(got);
    }
}

int main(void)
{
    if (!there_exists())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_calls_and_places_of_d_keep_the_bits),
        cmocka_unit_test(layouts_and_orders_of_dimensions_keep_the_bits),
        cmocka_unit_test(what_labels_are_called_keeps_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
