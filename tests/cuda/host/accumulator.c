/* The experiments that ask a matrix unit how it adds, asked of models of which that is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../random.h"
#include "bench/kernels/accumulator/accumulator.h"

enum { CASES = 40 };

/* One that experiments can tell from all others. */
static unit some_unit(random_source *from)
{
    static const int lots[3] = { 4, 8, 16 };
    unit made = { .kind = (lay_cuda_unit_kind)random_in(from, 0, LAY_CUDA_UNIT_KINDS - 1), .add = accumulator_add };
    accumulator *by = &made.model;
    by->together = lots[random_in(from, 0, made.kind == LAY_CUDA_UNIT_TF32 ? 1 : 2)];
    by->below = (int)random_in(from, 23, 27);
    by->terms = (rounding)random_in(from, 0, ROUNDINGS - 1);
    by->result = (rounding)random_in(from, 0, ROUNDINGS - 1);
    by->operand = made.kind == LAY_CUDA_UNIT_TF32 ? (rounding)random_in(from, 0, ROUNDINGS - 1) : TO_ZERO;
    by->takes_sum = (int)random_in(from, 0, 1);
    by->normalizes_products = (int)random_in(from, 0, 1);
    by->counts_zeros = (int)random_in(from, 0, 1);
    by->keeps_denormal_factors = (int)random_in(from, 0, 1);
    by->normalizes_denormals = by->keeps_denormal_factors && random_one_in(from, 2);
    /* Products of f16 that are 0 and count leave nothing of a denormal sum beside them. */
    const int hides_sums = by->counts_zeros && by->takes_sum && made.kind == LAY_CUDA_UNIT_F16;
    by->keeps_denormal_sums = !hides_sums && random_one_in(from, 2);
    if (made.kind != LAY_CUDA_UNIT_F16 && by->keeps_denormal_sums)
        by->denormal = (rounding)random_in(from, 0, ROUNDINGS - 1);
    return made;
}

static void assert_same(const accumulator *found, const accumulator *known)
{
    assert_int_equal(found->together, known->together);
    assert_int_equal(found->below, known->below);
    assert_int_equal(found->terms, known->terms);
    assert_int_equal(found->result, known->result);
    assert_int_equal(found->operand, known->operand);
    assert_int_equal(found->takes_sum, known->takes_sum);
    assert_int_equal(found->normalizes_products, known->normalizes_products);
    assert_int_equal(found->normalizes_denormals, known->normalizes_denormals);
    assert_int_equal(found->counts_zeros, known->counts_zeros);
    assert_int_equal(found->denormal, known->denormal);
    assert_int_equal(found->keeps_denormal_factors, known->keeps_denormal_factors);
    assert_int_equal(found->keeps_denormal_sums, known->keeps_denormal_sums);
}

static void how_a_unit_adds_is_found(void **state)
{
    (void)state;
    random_source from = random_case(41, 0);
    for (int i = 0; i < CASES; i++) {
        const unit known = some_unit(&from);
        accumulator found;
        assert_int_equal(accumulator_find(&known, NULL, &found), 0);
        assert_same(&found, &known.model);
    }
}

/* What docs/numerics.md says of compute capability 9.0. */
static unit documented(lay_cuda_unit_kind kind)
{
    return (unit){ .kind = kind,
                   .add = accumulator_add,
                   .model = { .together = lay_cuda_unit_depth(kind),
                              .below = 25,
                              .takes_sum = 1,
                              .keeps_denormal_factors = 1,
                              .keeps_denormal_sums = 1 } };
}

static void another_way_of_adding_shows_in_random_numbers(void **state)
{
    (void)state;
    for (lay_cuda_unit_kind kind = 0; kind < LAY_CUDA_UNIT_KINDS; kind++) {
        const unit known = documented(kind);
        accumulator others[13];
        int count = 0;
        assert_int_equal(accumulator_compare(&known, &known.model, 1, NULL), 0);
        for (int i = 0; i < 13; i++)
            others[i] = known.model;
        others[count++].together /= 2;
        others[count++].below = 24;
        others[count++].below = 26;
        others[count++].terms = DOWN;
        others[count++].terms = TO_NEAREST;
        others[count++].result = DOWN;
        others[count++].result = TO_NEAREST;
        others[count++].takes_sum = 0;
        others[count++].normalizes_products = 1;
        others[count++].keeps_denormal_factors = 0;
        others[count++].normalizes_denormals = 1;
        if (kind == LAY_CUDA_UNIT_TF32)
            others[count++].operand = TO_NEAREST;
        if (kind != LAY_CUDA_UNIT_F16) /* whose products are no denormal numbers */
            others[count++].keeps_denormal_sums = 0;
        for (int i = 0; i < count; i++)
            assert_true(accumulator_compare(&known, &others[i], 1, NULL) > 0);
    }
}

/* A whole sum of few bits: no way of adding changes it, and the one of an instruction is a dot product. */
static void integers_are_added_exactly(void **state)
{
    (void)state;
    random_source from = random_case(42, 0);
    for (int i = 0; i < CASES; i++) {
        const unit known = some_unit(&from);
        question asked = { .c = (float)random_in(&from, -500, 500) };
        float sum = asked.c, answer;
        for (int p = 0; p < lay_cuda_unit_depth(known.kind); p++) {
            asked.left[p] = (float)random_in(&from, -40, 40);
            asked.right[p] = (float)random_in(&from, -40, 40);
            sum += asked.left[p] * asked.right[p];
        }
        questions_ask(&known, 1, &asked, &answer);
        assert_true(answer == sum);
    }
}

/* Numbers worked out by hand, of three products. */
static void the_model_adds_as_its_drawing_says(void **state)
{
    (void)state;
    const struct {
        rounding terms, result;
        int takes_sum;
        double c, products[3], d;
    } cases[] = {
        { TO_ZERO, TO_ZERO, 1, 0, { 1, -1, 0x1p-25 }, 0x1p-25 }, /* the last place that is kept */
        { TO_ZERO, TO_ZERO, 1, 0, { 1, -1, 0x1.fp-26 }, 0 },
        { TO_NEAREST, TO_ZERO, 1, 0, { 1, -1, 0x1.8p-26 }, 0x1p-25 },
        { TO_NEAREST, TO_ZERO, 1, 0, { 1, -1, 0x1p-26 }, 0 },
        { DOWN, TO_ZERO, 1, 0, { 1, -1, -0x1p-30 }, -0x1p-25 },
        { TO_ZERO, TO_ZERO, 1, 1, { 0x1p-25, 0x1p-25, 0x1p-25 }, 1 }, /* three quarters of f32's last place */
        { TO_ZERO, TO_NEAREST, 1, 1, { 0x1p-25, 0x1p-25, 0x1p-25 }, 1 + 0x1p-23 },
        { TO_ZERO, TO_NEAREST, 1, 1, { 0x1p-25, 0x1p-25, 0 }, 1 },
        { TO_ZERO, DOWN, 1, -1, { -0x1p-25, 0, 0 }, -1 - 0x1p-23 },
        { TO_ZERO, TO_ZERO, 1, 1, { 0x1p-26, 0x1p-26, -0.75 }, 0.25 },           /* lost beside C */
        { TO_ZERO, TO_ZERO, 0, 1, { 0x1p-26, 0x1p-26, -0.75 }, 0.25 + 0x1p-24 }, /* theirs first, truncated */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unit known = documented(LAY_CUDA_UNIT_F16);
        question asked = { .c = (float)cases[i].c };
        float answer;
        known.model.terms = cases[i].terms;
        known.model.result = cases[i].result;
        known.model.takes_sum = cases[i].takes_sum;
        for (int p = 0; p < 3; p++)
            if (cases[i].products[p] != 0)
                question_put(&asked, p, cases[i].products[p]);
        questions_ask(&known, 1, &asked, &answer);
        assert_true((double)answer == cases[i].d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_adds_as_its_drawing_says),
        cmocka_unit_test(integers_are_added_exactly),
        cmocka_unit_test(how_a_unit_adds_is_found),
        cmocka_unit_test(another_way_of_adding_shows_in_random_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
