/* Packed operands: the same bits as their sources, which may change and go; what serves which plan, and what is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trial.h"

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

/* A in panels of 3 rows: too short for a product that reads it in place, so that the CPU packs panels. */
static lay_desc *a_in_panels(const trial *t)
{
    const long long m = t->m, k = t->k;
    return layout_parse("A=[%lld][%lld][3]; U=[[#A_0][#A_2]][#A_1]; [%lld@0#U_0][#U_1]", (m + 2) / 3, k, m);
}

/* The same of B and columns: so both, that neither way round reads in place. */
static lay_desc *b_in_panels(const trial *t)
{
    const long long n = t->n, k = t->k;
    return layout_parse("B=[%lld][%lld][3]; U=[#B_1][[#B_0][#B_2]]; [#U_0][%lld@0#U_1]", (n + 2) / 3, k, n);
}

/* Layout 0 of B is in panels, too: then the CPU packs panels whatever its caches. */
static void place_for_panels(trial *t, int b, int c, random_source *from)
{
    trial_place(t, a_in_panels(t), b ? layout_usual(b, t->k, t->n) : b_in_panels(t), layout_usual(c, t->m, t->n),
                OPERAND_ANYWHERE, from);
}

/* Whether the plan packs panels. */
static int has_panels(const lay_plan *plan)
{
    static char text[40000];
    lay_plan_explain(plan, text, sizeof text);
    return strstr(text, "packed    both") != NULL;
}

static lay_plan *plan_of(const trial *t)
{
    lay_plan *plan = NULL;
    if (lay_plan_create(t->type, t->in_a.desc, t->in_b.desc, t->out.desc, &t->options, &plan) != LAY_OK)
        fail_msg("%s", lay_last_error());
    return plan;
}

static lay_packed *pack(const lay_plan *plan, lay_operand which, const void *source)
{
    lay_packed *packed = NULL;
    if (lay_pack(plan, which, source, &packed) != LAY_OK)
        fail_msg("%s", lay_last_error());
    assert_non_null(packed);
    return packed;
}

static lay_status run(const trial *t, const lay_plan *plan, const lay_packed *a, const lay_packed *b)
{
    const trial_scalar alpha = trial_scalar_of(t->type, t->alpha), beta = trial_scalar_of(t->type, t->beta);
    return lay_plan_run_packed(plan, &alpha, a ? NULL : t->in_a.zero, a, b ? NULL : t->in_b.zero, b, &beta,
                               t->out.zero);
}

static char *bits_of(const trial *t)
{
    char *const bits = judge_memory((size_t)(t->m * t->n) * lay_type_size(t->type));
    operand_bytes(&t->out, bits);
    judge_unite_nans(t->type, bits, t->m * t->n);
    return bits;
}

/* Runs the plan with none, one or both packed, and returns C's bits. */
static char *bits_with(trial *t, const lay_plan *plan, const lay_packed *a, const lay_packed *b)
{
    judge_scatter(t->type, t->out.desc, t->out.zero, t->c);
    if (run(t, plan, a, b) != LAY_OK)
        fail_msg("%s", lay_last_error());
    assert_true(operand_gaps_are_kept(&t->out));
    return bits_of(t);
}

static void expect_same(const trial *t, const char *wanted, char *got, const char *what)
{
    char story[6000];
    if (memcmp(wanted, got, (size_t)(t->m * t->n) * lay_type_size(t->type)) != 0) {
        trial_story(t, story, sizeof story);
        fail_msg("%s: other bits\n%s", what, story);
    }
    free(got);
}

/* The sources are overwritten once they are packed. Whether there were panels. */
static int compare(trial *t)
{
    lay_plan *const plan = plan_of(t);
    const int were_panels = has_panels(plan);
    char *const wanted = bits_with(t, plan, NULL, NULL);
    lay_packed *const a = pack(plan, LAY_OPERAND_A, t->in_a.zero), *const b = pack(plan, LAY_OPERAND_B, t->in_b.zero);
    assert_true(lay_packed_size(a) >= (size_t)(t->m * t->k) * lay_type_size(t->type));
    assert_true(operand_is_untouched(&t->in_a) && operand_is_untouched(&t->in_b));
    expect_same(t, wanted, bits_with(t, plan, NULL, b), "B packed");
    expect_same(t, wanted, bits_with(t, plan, a, NULL), "A packed");
    memset(t->in_a.memory, 0xff, t->in_a.bytes);
    memset(t->in_b.memory, 0xff, t->in_b.bytes);
    expect_same(t, wanted, bits_with(t, plan, a, b), "both packed");
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
                place_for_panels(&t, layout % LAYOUT_USUAL, layout * 3 % LAYOUT_USUAL, &from);
            panels += compare(&t);
            trial_free(&t);
        }
    assert_true(panels > SHAPES);
}

/* At every level, whose kernels have panels of their own. */
static void every_isa_level_has_its_panels(void **state)
{
    (void)state;
    lay_isa isas[3];
    const int levels = trial_isas(isas);
    for (int level = 0; level < levels; level++) {
        random_source from = random_case(62, 0);
        trial t = trial_of(LAY_F32, SHAPES - 1, TRIAL_SIGNED, 2, &from);
        t.options.isa = isas[level];
        place_for_panels(&t, 0, 0, &from);
        assert_true(compare(&t));
        trial_free(&t);
    }
}

/* Kernels that split operands: the portable model, and the matrix unit where there is one. */
static const char *const splitting[] = { "lay_split_f32_32x32_c", "lay_split_f32_32x32_amx" };

static void packed_pieces_change_no_bits(void **state)
{
    (void)state;
    static const trial_data kinds[] = { TRIAL_SIGNED, TRIAL_SPECIAL, TRIAL_GRADED, TRIAL_TINY };
    static const lay_compute modes[] = { LAY_COMPUTE_F32_SPLIT, LAY_COMPUTE_BF16X3, LAY_COMPUTE_BF16 };
    for (int number = 0; number < 2 * 4 * LAYOUT_USUAL; number++) {
        const char *const kernel = splitting[number % 2];
        if (!trial_splits_here(kernel))
            continue;
        random_source from = random_case(68, (uint64_t)number);
        trial t = trial_of(LAY_F32, 1 + number / 2 % (SHAPES - 1), kinds[number / 2 % 4], 1 + number % 3, &from);
        t.options.compute = modes[number / 8 % 3];
        t.options.kernel = kernel;
        place(&t, number % LAYOUT_USUAL, number * 3 % LAYOUT_USUAL, number * 5 % LAYOUT_USUAL, &from);
        compare(&t);
        trial_free(&t);
    }
}

/* A copy and pieces, of two bytes for each of the mode's; plans of other modes, which have other pieces, read the copy.
 */
static void packed_pieces_serve_plans_of_other_modes(void **state)
{
    (void)state;
    random_source from = random_case(69, 0);
    trial t = trial_of(LAY_F32, SHAPES - 1, TRIAL_SPECIAL, 2, &from);
    const size_t elements = (size_t)(t.k * t.n);
    t.options.compute = LAY_COMPUTE_F32_SPLIT;
    t.options.kernel = splitting[0];
    place(&t, 0, 0, 0, &from);
    lay_plan *const three = plan_of(&t);
    lay_packed *const b = pack(three, LAY_OPERAND_B, t.in_b.zero);
    assert_true(lay_packed_size(b) >= elements * (4 + 3 * 2));
    static const lay_compute others[] = { LAY_COMPUTE_BF16X3, LAY_COMPUTE_BF16, LAY_COMPUTE_STRICT };
    for (int i = 0; i < 3; i++) {
        t.options.compute = others[i];
        t.options.kernel = others[i] == LAY_COMPUTE_STRICT ? NULL : splitting[0];
        lay_plan *const other = plan_of(&t);
        char *const wanted = bits_with(&t, other, NULL, NULL);
        expect_same(&t, wanted, bits_with(&t, other, NULL, b), "pieces of another mode");
        free(wanted);
        lay_plan_destroy(other);
    }
    lay_packed_destroy(b);
    lay_plan_destroy(three);
    trial_free(&t);
}

/* Which way round the product is done, in a plan's explanation. */
static int is_turned(const lay_plan *plan)
{
    static char text[40000];
    lay_plan_explain(plan, text, sizeof text);
    const char *const plain = strstr(text, "cpu-split in pieces                  taken");
    assert_true(plain || strstr(text, "cpu-split transposed, in pieces      taken"));
    return !plain;
}

/* C by columns is computed as C^T = B^T A^T, where B is the left operand: its pieces are no right ones. */
static void packed_pieces_serve_plans_of_the_other_side(void **state)
{
    (void)state;
    random_source from = random_case(70, 0);
    trial t = trial_of(LAY_F32, SHAPES - 1, TRIAL_SIGNED, 2, &from);
    t.options.compute = LAY_COMPUTE_F32_SPLIT;
    t.options.kernel = splitting[0];
    trial_place(&t, layout_usual(0, t.m, t.k), layout_usual(0, t.k, t.n),
                layout_parse("[%lld:%lld][%lld:1]", (long long)t.m, (long long)t.n, (long long)t.n), OPERAND_ANYWHERE,
                &from);
    lay_plan *const by_rows = plan_of(&t);
    lay_packed *const a = pack(by_rows, LAY_OPERAND_A, t.in_a.zero), *const b =
                                                                         pack(by_rows, LAY_OPERAND_B, t.in_b.zero);
    trial_unplace(&t);
    trial_place(&t, layout_usual(0, t.m, t.k), layout_usual(0, t.k, t.n),
                layout_parse("[%lld:1][%lld:%lld]", (long long)t.m, (long long)t.n, (long long)t.m), OPERAND_ANYWHERE,
                &from);
    lay_plan *const by_columns = plan_of(&t);
    assert_true(is_turned(by_rows) != is_turned(by_columns));
    char *const wanted = bits_with(&t, by_columns, NULL, NULL);
    expect_same(&t, wanted, bits_with(&t, by_columns, a, NULL), "A packed for the other side");
    expect_same(&t, wanted, bits_with(&t, by_columns, NULL, b), "B packed for the other side");
    expect_same(&t, wanted, bits_with(&t, by_columns, a, b), "both packed for the other side");
    free(wanted);
    lay_packed_destroy(a);
    lay_packed_destroy(b);
    lay_plan_destroy(by_rows);
    lay_plan_destroy(by_columns);
    trial_free(&t);
}

/* C is in other modes' order, so that a plan would walk B's columns in that order: a packed operand is the matrix
 * whatever the layouts. */
static void one_packed_operand_serves_plans_of_other_layouts(void **state)
{
    (void)state;
    static const char *const results[] = { "[24][60]", "[24:1][60:24]", "[24:60][[6:1][10:6]]", "[[4:1][6:4]][60:24]" };
    lay_packed *b = NULL;
    char *wanted = NULL;
    for (int number = 0; number < 4; number++) {
        random_source from = random_case(63, 0); /* the same numbers */
        trial t = { .type = LAY_F32, .m = 24, .n = 60, .k = 600, .alpha = 1, .beta = 0, .data = TRIAL_SIGNED };
        t.options = (lay_options)LAY_OPTIONS_INIT;
        t.options.kernel = "lay_gemm_f32_4x8_c";
        t.options.isa = LAY_ISA_C;
        trial_fill(&t, &from);
        trial_place(&t, a_in_panels(&t), number ? layout_usual(number, t.k, t.n) : b_in_panels(&t),
                    layout_parse("%s", results[number]), OPERAND_ANYWHERE, &from);
        lay_plan *const plan = plan_of(&t);
        if (number == 0) {
            assert_true(has_panels(plan));
            wanted = bits_with(&t, plan, NULL, NULL);
            b = pack(plan, LAY_OPERAND_B, t.in_b.zero);
        }
        expect_same(&t, wanted, bits_with(&t, plan, NULL, NULL), "another layout");
        expect_same(&t, wanted, bits_with(&t, plan, NULL, b), "another layout, B packed");
        lay_plan_destroy(plan);
        trial_free(&t);
    }
    lay_packed_destroy(b);
    free(wanted);
}

static void one_packed_operand_serves_products_of_other_sizes(void **state)
{
    (void)state;
    static const int64_t rows[] = { 200, 1, 3, 40 };
    static char memory[90 * 300 * sizeof(double)];
    lay_packed *b = NULL;
    for (int number = 0; number < 4; number++) {
        random_source from = random_case(64, 0);
        trial t = { .type = LAY_F64, .m = rows[number], .n = 90, .k = 300, .alpha = 1, .beta = 1 };
        t.data = TRIAL_SIGNED;
        t.options = (lay_options)LAY_OPTIONS_INIT;
        t.options.isa = LAY_ISA_C;
        trial_fill(&t, &from);
        trial_place(&t, a_in_panels(&t), layout_usual(0, t.k, t.n), layout_usual(0, t.m, t.n), OPERAND_ANYWHERE, &from);
        lay_plan *const plan = plan_of(&t);
        if (number == 0) {
            operand_bytes(&t.in_b, memory);
            b = pack(plan, LAY_OPERAND_B, t.in_b.zero);
        }
        lay_plan_destroy(plan);
        memcpy(t.in_b.zero, memory, sizeof memory); /* row-major: what was packed */
        lay_plan *const other = plan_of(&t);
        char *const wanted = bits_with(&t, other, NULL, NULL);
        expect_same(&t, wanted, bits_with(&t, other, NULL, b), "another number of rows");
        free(wanted);
        lay_plan_destroy(other);
        trial_free(&t);
    }
    lay_packed_destroy(b);
}

static void what_reads_no_operand_reads_no_packed_one(void **state)
{
    (void)state;
    random_source from = random_case(65, 0);
    trial t = trial_of(LAY_F32, 1, TRIAL_SIGNED, 1, &from);
    place(&t, 0, 0, 0, &from);
    lay_plan *const plan = plan_of(&t);
    lay_packed *const b = pack(plan, LAY_OPERAND_B, t.in_b.zero);
    const float none = 0, two = 2;
    assert_int_equal(lay_plan_run_packed(plan, &none, NULL, NULL, NULL, b, &two, t.out.zero), LAY_OK);
    for (int64_t at = 0; at < t.m * t.n; at++)
        t.c[at] *= 2;
    double *const got = judge_memory((size_t)(t.m * t.n) * sizeof *got);
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
        lay_packed *const left = pack(plan, LAY_OPERAND_A, which == 1 ? in : NULL);
        lay_packed *const right = pack(plan, LAY_OPERAND_B, which == 0 ? in : NULL);
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
    lay_plan *const plan = plan_of(&t), *const other = plan_of(&u), *const wide = plan_of(&w);
    lay_packed *const a = pack(plan, LAY_OPERAND_A, t.in_a.zero), *const b = pack(plan, LAY_OPERAND_B, t.in_b.zero);
    lay_packed *none = (lay_packed *)&from;
    const float one = 1;
    void *const c = t.out.zero;
    expect(LAY_ERR_ARGUMENT, lay_plan_run_packed(plan, &one, NULL, b, t.in_b.zero, NULL, &one, c), "packed as B");
    expect(LAY_ERR_ARGUMENT, lay_plan_run_packed(plan, &one, t.in_a.zero, a, t.in_b.zero, NULL, &one, c), "twice");
    expect(LAY_ERR_ARGUMENT, lay_plan_run_packed(plan, &one, NULL, a, NULL, NULL, &one, c), "b is NULL");
    expect(LAY_ERR_SHAPE, run(&u, other, NULL, b), "29 x 41");
    expect(LAY_ERR_TYPE, run(&w, wide, a, NULL), "another type");
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

/* The portable level's panels and those of the best. */
static void panels_of_other_tiles_are_refused(void **state)
{
    (void)state;
    lay_isa isas[3];
    const int levels = trial_isas(isas);
    random_source from = random_case(67, 0);
    trial t = trial_of(LAY_F32, SHAPES - 1, TRIAL_SIGNED, 1, &from);
    place_for_panels(&t, 0, 0, &from);
    lay_plan *const best = plan_of(&t);
    assert_true(has_panels(best));
    lay_packed *const b = pack(best, LAY_OPERAND_B, t.in_b.zero);
    t.options.isa = LAY_ISA_C;
    lay_plan *const plain = plan_of(&t);
    if (levels > 1)
        expect(LAY_ERR_UNSUPPORTED, run(&t, plain, NULL, b), "packed in other panels");
    assert_true(levels == 1 || operand_is_untouched(&t.out));
    lay_packed_destroy(b);
    lay_plan_destroy(best);
    lay_plan_destroy(plain);
    trial_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_operands_change_no_bits),
        cmocka_unit_test(every_isa_level_has_its_panels),
        cmocka_unit_test(packed_pieces_change_no_bits),
        cmocka_unit_test(packed_pieces_serve_plans_of_other_modes),
        cmocka_unit_test(packed_pieces_serve_plans_of_the_other_side),
        cmocka_unit_test(one_packed_operand_serves_plans_of_other_layouts),
        cmocka_unit_test(one_packed_operand_serves_products_of_other_sizes),
        cmocka_unit_test(what_reads_no_operand_reads_no_packed_one),
        cmocka_unit_test(empty_operands_are_packed),
        cmocka_unit_test(what_was_packed_for_something_else_is_refused),
        cmocka_unit_test(panels_of_other_tiles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
