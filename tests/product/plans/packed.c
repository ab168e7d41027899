/* Packed operands: the same bits as their sources, which may change and go, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "packing.h"

/* One panel and many, one block of k and several, edges. */
static const int64_t shapes[][3] = {
    { 1, 1, 1 }, { 37, 41, 29 }, { 5, 200, 700 }, { 150, 7, 1100 }, { 129, 257, 513 }
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static trial trial_of(lay_type type, int shape, trial_data data, int threads, random_source *from)
{
    trial t = { .type = type,
                .m = shapes[shape][0],
                .n = shapes[shape][1],
                .k = shapes[shape][2],
                .alpha = 0.7,
                .beta = -1.3,
                .data = data,
                .options = LAY_OPTIONS_INIT };
    t.options.threads = threads;
    trial_fill(&t, from);
    return t;
}

static void place(trial *t, int a, int b, int c, random_source *from)
{
    trial_place(t, layout_usual(a, t->m, t->k), layout_usual(b, t->k, t->n), layout_usual(c, t->m, t->n),
                OPERAND_ANYWHERE, from);
}

/* The sources are overwritten once they are packed. Whether there were panels. */
static int compare(trial *t)
{
    lay_plan *const plan = packing_plan(t);
    const int were_panels = packing_has_panels(plan);
    char *const wanted = packing_bits(t, plan, NULL, NULL);
    lay_packed *const a = packing_pack(plan, LAY_OPERAND_A, t->in_a.zero), *const b = packing_pack(plan, LAY_OPERAND_B,
                                                                                                   t->in_b.zero);
    assert_true(lay_packed_size(a) >= (size_t)(t->m * t->k) * lay_type_size(t->type));
    assert_true(operand_is_untouched(&t->in_a) && operand_is_untouched(&t->in_b));
    packing_expect_same(t, wanted, packing_bits(t, plan, NULL, b), "B packed");
    packing_expect_same(t, wanted, packing_bits(t, plan, a, NULL), "A packed");
    memset(t->in_a.memory, 0xff, t->in_a.bytes);
    memset(t->in_b.memory, 0xff, t->in_b.bytes);
    packing_expect_same(t, wanted, packing_bits(t, plan, a, b), "both packed");
    lay_packed_destroy(a);
    lay_packed_destroy(b);
    lay_plan_destroy(plan);
    free(wanted);
    return were_panels;
}

static void packed_operands_change_no_bits(void **state)
{
    (void)state;
    static const trial_data kinds[] = { TRIAL_SIGNED, TRIAL_SPECIAL, TRIAL_GRADED };
    int number = 0, panels = 0;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int layout = 0; layout < 3 * LAYOUT_USUAL; layout++, number++) {
            random_source from = random_case(61, (uint64_t)number);
            trial t = trial_of((lay_type)(number % 4), shape, kinds[number % 3], 1 + number % 3, &from);
            if (layout < LAYOUT_USUAL)
                place(&t, layout, layout * 3 % LAYOUT_USUAL, layout * 5 % LAYOUT_USUAL, &from);
            else
                packing_place_for_panels(&t, layout % LAYOUT_USUAL, layout * 3 % LAYOUT_USUAL, &from);
            panels += compare(&t);
            trial_free(&t);
        }
    assert_true(panels > SHAPES);
}

/* At every level, whose kernels have panels of their own. */
static void every_isa_level_has_its_panels(void **state)
{
    (void)state;
    lay_isa isas[TRIAL_LEVELS];
    const int levels = trial_isas(isas);
    for (int level = 0; level < levels; level++) {
        random_source from = random_case(62, 0);
        trial t = trial_of(LAY_F32, SHAPES - 1, TRIAL_SIGNED, 2, &from);
        t.options.isa = isas[level];
        packing_place_for_panels(&t, 0, 0, &from);
        assert_true(compare(&t));
        trial_free(&t);
    }
}

static void packed_limbs_change_no_bits(void **state)
{
    (void)state;
    static const trial_data kinds[] = { TRIAL_SIGNED, TRIAL_SPECIAL, TRIAL_GRADED, TRIAL_TINY };
    for (int number = 0; number < 2 * 4 * LAYOUT_USUAL; number++) {
        const char *const kernel = trial_splitting[number % 2];
        if (!trial_splits_here(kernel))
            continue;
        random_source from = random_case(68, (uint64_t)number);
        trial t = trial_of(LAY_F32, 1 + number / 2 % (SHAPES - 1), kinds[number / 2 % 4], 1 + number % 3, &from);
        t.options.compute = trial_split_modes[number / 8 % 3];
        t.options.kernel = kernel;
        place(&t, number % LAYOUT_USUAL, number * 3 % LAYOUT_USUAL, number * 5 % LAYOUT_USUAL, &from);
        compare(&t);
        trial_free(&t);
    }
}

static void what_reads_no_operand_reads_no_packed_one(void **state)
{
    (void)state;
    random_source from = random_case(65, 0);
    trial t = trial_of(LAY_F32, 1, TRIAL_SIGNED, 1, &from);
    place(&t, 0, 0, 0, &from);
    lay_plan *const plan = packing_plan(&t);
    lay_packed *const b = packing_pack(plan, LAY_OPERAND_B, t.in_b.zero);
    const float none = 0, two = 2;
    assert_int_equal(lay_plan_run_packed(plan, &none, NULL, NULL, NULL, b, &two, t.out.zero), LAY_OK);
    for (int64_t at = 0; at < t.m * t.n; at++)
        t.c[at] *= 2;
    double *const got = oracle_memory((size_t)(t.m * t.n) * sizeof *got);
    operand_read(&t.out, got);
    for (int64_t at = 0; at < t.m * t.n; at++)
        assert_true(got[at] == (double)(float)t.c[at]);
    free(got);
    lay_packed_destroy(b);
    lay_plan_destroy(plan);
    trial_free(&t);
}

static void empty_operands_are_packed(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) { /* m, n or k is 0 */
        const int64_t m = which == 0 ? 0 : 5, n = which == 1 ? 0 : 6, k = which == 2 ? 0 : 7;
        lay_desc *const a = layout_usual(0, m, k), *const b = layout_usual(0, k, n), *const c = layout_usual(0, m, n);
        float in[49] = { 0 }, out[49] = { 1, 1 };
        const float one = 1;
        lay_plan *plan = NULL;
        assert_int_equal(lay_plan_create(LAY_F32, a, b, c, NULL, &plan), LAY_OK);
        lay_packed *const left = packing_pack(plan, LAY_OPERAND_A, which == 1 ? in : NULL);
        lay_packed *const right = packing_pack(plan, LAY_OPERAND_B, which == 0 ? in : NULL);
        assert_int_equal(lay_packed_size(left) > 0, which == 1);
        assert_int_equal(lay_packed_size(right) > 0, which == 0);
        assert_int_equal(lay_plan_run_packed(plan, &one, NULL, left, NULL, right, &one, out), LAY_OK);
        assert_true(out[0] == 1 && out[1] == 1);
        lay_packed_destroy(left);
        lay_packed_destroy(right);
        lay_plan_destroy(plan);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
}

static void expect(lay_status wanted, lay_status status, const char *words)
{
    assert_int_equal(status, wanted);
    if (!strstr(lay_last_error(), words))
        fail_msg("no \"%s\" in: %s", words, lay_last_error());
}

static void what_was_packed_for_something_else_is_refused(void **state)
{
    (void)state;
    random_source from = random_case(66, 0);
    trial t = trial_of(LAY_F32, 1, TRIAL_SIGNED, 1, &from), u = trial_of(LAY_F32, 2, TRIAL_SIGNED, 1, &from);
    trial w = trial_of(LAY_F64, 1, TRIAL_SIGNED, 1, &from);
    place(&t, 0, 0, 0, &from);
    place(&u, 0, 0, 0, &from);
    place(&w, 0, 0, 0, &from);
    lay_plan *const plan = packing_plan(&t), *const other = packing_plan(&u), *const wide = packing_plan(&w);
    lay_packed *const a = packing_pack(plan, LAY_OPERAND_A, t.in_a.zero), *const b = packing_pack(plan, LAY_OPERAND_B,
                                                                                                  t.in_b.zero);
    lay_packed *none = (lay_packed *)&from;
    const float one = 1;
    void *const c = t.out.zero;
    expect(LAY_ERR_ARGUMENT, lay_plan_run_packed(plan, &one, NULL, b, t.in_b.zero, NULL, &one, c), "packed as B");
    expect(LAY_ERR_ARGUMENT, lay_plan_run_packed(plan, &one, t.in_a.zero, a, t.in_b.zero, NULL, &one, c), "twice");
    expect(LAY_ERR_ARGUMENT, lay_plan_run_packed(plan, &one, NULL, a, NULL, NULL, &one, c), "b is NULL");
    expect(LAY_ERR_SHAPE, packing_run(&u, other, NULL, b), "29 x 41");
    expect(LAY_ERR_TYPE, packing_run(&w, wide, a, NULL), "another type");
    expect(LAY_ERR_OPTION, lay_pack(plan, (lay_operand)2, t.in_a.zero, &none), "no lay_operand");
    expect(LAY_ERR_ARGUMENT, lay_pack(plan, LAY_OPERAND_A, NULL, &none), "source is NULL");
    expect(LAY_ERR_ARGUMENT, lay_pack(NULL, LAY_OPERAND_A, t.in_a.zero, &none), "plan is NULL");
    expect(LAY_ERR_ARGUMENT, lay_pack(plan, LAY_OPERAND_A, t.in_a.zero, NULL), "out is NULL");
    assert_ptr_equal(none, &from);
    assert_true(operand_is_untouched(&t.out) && operand_is_untouched(&u.out) && operand_is_untouched(&w.out));
    lay_packed_destroy(a);
    lay_packed_destroy(b);
    lay_packed_destroy(NULL);
    lay_plan_destroy(plan);
    lay_plan_destroy(other);
    lay_plan_destroy(wide);
    trial_free(&t);
    trial_free(&u);
    trial_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_operands_change_no_bits),
        cmocka_unit_test(every_isa_level_has_its_panels),
        cmocka_unit_test(packed_limbs_change_no_bits),
        cmocka_unit_test(what_reads_no_operand_reads_no_packed_one),
        cmocka_unit_test(empty_operands_are_packed),
        cmocka_unit_test(what_was_packed_for_something_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
