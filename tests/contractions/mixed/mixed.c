/* Products of several types: every set of types that is served, in any layouts, judged twice, by a plain sum of whole
 * numbers and, bit by bit, by the product of widened copies in the sum's type.
 *
 * test_contractions_mixed [CASES]. LAY_TEST_CASES, if set, says how many cases instead; a failure prints the number of
 * its case, and LAY_TEST_CASE=number runs that one alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cases.h"
#include "../../there.h"
#include "case.h"
#include "fixed.h"
#include "widened.h"

enum { USUAL_CASES = 12000 };

static cases_run run;

/* How far the elements of an operand are apart along each label, dense and in the order of its labels; 0 along those
 * that it has not. */
static void find_steps(const mixed *c, int which, int64_t step[LABELS])
{
    int label[3];
    int64_t apart = 1;
    memset(step, 0, LABELS * sizeof *step);
    for (int d = mixed_labels(c, which, label) - 1; d >= 0; d--) {
        step[label[d]] = apart;
        apart *= c->extent[label[d]];
    }
}

static number product_of(number x, number y)
{
    return (number){ x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re };
}

/* By plain sums, which whole numbers leave exact. */
static void sum_plainly(const mixed *c, number want[])
{
    int64_t step[OPERANDS][LABELS];
    for (int which = A; which <= C; which++)
        find_steps(c, which, step[which]);
    for (int64_t b = 0; b < c->extent[0]; b++)
        for (int64_t i = 0; i < c->extent[1]; i++)
            for (int64_t j = 0; j < c->extent[2]; j++) {
                const number *const x = c->value[A] + b * step[A][0] + i * step[A][1];
                const number *const y = c->value[B] + b * step[B][0] + j * step[B][2];
                number sum = { 0, 0 };
                for (int64_t p = 0; p < c->extent[3]; p++) {
                    const number term = product_of(mixed_turned(x[p * step[A][3]], c->conjugated & 1),
                                                   mixed_turned(y[p * step[B][3]], c->conjugated & 2));
                    sum = (number){ sum.re + term.re, sum.im + term.im };
                }
                const int64_t at = b * step[C][0] + i * step[C][1] + j * step[C][2];
                const number old = product_of(c->beta, mixed_turned(c->value[C][at], c->conjugated & 4));
                sum = product_of(c->alpha, sum);
                want[at] = (number){ sum.re + old.re, sum.im + old.im };
            }
}

static int is_same(const mixed *c, number got, number want)
{
    const element *kind = &mixed_kinds[c->type[D]];
    const double re = oracle_round(kind->part, want.re), im = kind->parts == 2 ? oracle_round(kind->part, want.im) : 0;
    return got.re == re && got.im == im;
}

static void compare(mixed *c, const number want[], const char *whose)
{
    const tensor *out = mixed_written(c);
    for (int64_t at = 0; at < out->count; at++) {
        const number got = element_load(out->kind, out->zero, out->offset[at]);
        char why[200];
        snprintf(why, sizeof why, "element %lld is %.17g %.17g, %s has %.17g %.17g", (long long)at, got.re, got.im,
                 whose, want[at].re, want[at].im);
        if (!is_same(c, got, want[at]))
            mixed_tell(c, why);
    }
}

static void run_case(uint64_t nth)
{
    mixed c = mixed_make(nth);
    if (mixed_run(&c) != LAY_OK)
        mixed_tell(&c, lay_last_error());
    const int64_t count = mixed_written(&c)->count;
    number *const want = oracle_memory((size_t)count * sizeof *want + 1);
    if (count > 0 && !(reads_narrow_matrix(&c) && c.extent[3] > 2048 /* a chunk */ && !c.of_integers)) {
        multiply_widened(&c, want);
        compare(&c, want, "the product of widened copies");
    }
    if (count > 0 && c.of_integers) {
        sum_plainly(&c, want);
        compare(&c, want, "the plain sum");
    }
    for (int i = 0; i < OPERANDS; i++)
        if (c.of[i].memory && &c.of[i] != mixed_written(&c) && !tensor_is_untouched(&c.of[i]))
            mixed_tell(&c, "an input has changed");
    if (!tensor_gaps_are_kept(mixed_written(&c)))
        mixed_tell(&c, "bytes between the output's elements have changed");
    free(want);
    mixed_free(&c);
}

static void products_of_mixed_types_are_right(void **state)
{
    (void)state;
    cases_do(&run, run_case);
}

int main(int argc, char **argv)
{
    run.count = cases_asked(cases_read(argc > 1 ? argv[1] : NULL, USUAL_CASES));
    run.only = cases_only();
    if (!there_exists())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_mixed_types_are_right),
        cmocka_unit_test(types_that_do_not_mix_are_refused_with_the_nearest),
        cmocka_unit_test(special_values_go_where_they_belong),
        cmocka_unit_test(packed_operands_keep_their_type),
        cmocka_unit_test(outputs_between_inputs_of_another_size_are_refused),
        cmocka_unit_test(labels_mix_types_too),
        cmocka_unit_test(blocks_of_columns_are_not_seen),
        cmocka_unit_test(operands_of_a_device_in_host_memory_are_refused),
        cmocka_unit_test(explanations_name_the_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
