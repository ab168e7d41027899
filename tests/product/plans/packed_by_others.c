/* Operands packed by one plan and multiplied by others: other layouts, sizes, threads, ISA levels, kernels and modes.
 * The bits are those of the operands as they lie, in the plan that runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "levels.h"
#include "packing.h"

static trial trial_of(lay_type type, int64_t m, int64_t n, int64_t k, trial_data data, int threads, random_source *from)
{
    trial t = { .type = type, .m = m, .n = n, .k = k, .alpha = 0.7, .beta = -1.3, .data = data };
    t.options = (lay_options)LAY_OPTIONS_INIT;
    t.options.threads = threads;
    trial_fill(&t, from);
    return t;
}

static lay_desc *by_rows_of(const trial *t)
{
    return layout_parse("[%lld:%lld][%lld:1]", (long long)t->m, (long long)t->n, (long long)t->n);
}

static lay_desc *by_columns_of(const trial *t)
{
    return layout_parse("[%lld:1][%lld:%lld]", (long long)t->m, (long long)t->n, (long long)t->m);
}

static void place_by_rows(trial *t, random_source *from)
{
    trial_place(t, layout_usual(0, t->m, t->k), layout_usual(0, t->k, t->n), by_rows_of(t), OPERAND_ANYWHERE, from);
}

/* Whether the plan, which computes it this way, computes C^T = B^T A^T. */
static int is_transposed(const lay_plan *plan, const char *order, const char *way)
{
    char name[40], plain[80], transposed[80];
    snprintf(name, sizeof name, "transposed, %s", way);
    snprintf(plain, sizeof plain, "  %-9s %-26s taken", order, way);
    snprintf(transposed, sizeof transposed, "  %-9s %-26s taken", order, name);
    const char *const text = packing_explanation(plan);
    assert_true(!strstr(text, plain) != !strstr(text, transposed));
    return strstr(text, transposed) != NULL;
}

/* How often words stand in text. */
static int count(const char *text, const char *words)
{
    int found = 0;
    for (; (text = strstr(text, words)); text += strlen(words))
        found++;
    return found;
}

/* Operands that came to the plan in panels, and those whose panels it takes as they are. */
static int given_panels(const lay_plan *plan)
{
    return count(packing_explanation(plan), " packed before, in panels of ");
}

static int used_panels(const lay_plan *plan)
{
    const char *const text = packing_explanation(plan);
    return count(text, " not again: read as it was packed before") + count(text, " is in panels, packed before");
}

/* Two plans of one product, C by rows and by columns; another's operand each. Whether they pack panels for opposite
 * sides, which rests on what this machine's rates say is faster. */
static int expect_either_way_round(lay_type type, lay_isa isa, int64_t m, int64_t n, int64_t k)
{
    random_source from = random_case(71, (uint64_t)m);
    trial t = trial_of(type, m, n, k, TRIAL_SIGNED, 2, &from), u = t;
    t.options.isa = u.options.isa = isa;
    trial_place(&t, packing_a_in_panels(&t), packing_b_in_panels(&t), by_rows_of(&t), OPERAND_ANYWHERE, &from);
    trial_place(&u, packing_a_in_panels(&t), packing_b_in_panels(&t), by_columns_of(&t), OPERAND_ANYWHERE, &from);
    lay_plan *const by_rows = packing_plan(&t), *const by_columns = packing_plan(&u);
    const int are_opposite = packing_has_panels(by_rows) && packing_has_panels(by_columns) &&
                             !is_transposed(by_rows, "cpu", "packed") && is_transposed(by_columns, "cpu", "packed");
    lay_packed *const a[] = { packing_pack(by_rows, LAY_OPERAND_A, t.in_a.zero),
                              packing_pack(by_columns, LAY_OPERAND_A, t.in_a.zero) };
    lay_packed *const b[] = { packing_pack(by_rows, LAY_OPERAND_B, t.in_b.zero),
                              packing_pack(by_columns, LAY_OPERAND_B, t.in_b.zero) };
    char *const wanted = packing_bits(&t, by_rows, NULL, NULL);
    packing_expect_same(&t, wanted, packing_bits(&u, by_columns, NULL, NULL), "C by columns");
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2; y++) {
            packing_expect_same(&t, wanted, packing_bits(&t, by_rows, a[x], b[y]), "C by rows, both packed");
            packing_expect_same(&t, wanted, packing_bits(&u, by_columns, a[x], b[y]), "C by columns, both packed");
        }
    /* Both as they are where one plan packed both, else one of them. */
    if (are_opposite) {
        assert_int_equal(given_panels(by_rows), 8);
        assert_int_equal(used_panels(by_rows), 6);
        assert_int_equal(used_panels(by_columns), 6);
    }
    free(wanted);
    for (int i = 0; i < 2; i++) {
        lay_packed_destroy(a[i]);
        lay_packed_destroy(b[i]);
    }
    lay_plan_destroy(by_rows);
    lay_plan_destroy(by_columns);
    trial_unplace(&u);
    trial_free(&t);
    return are_opposite;
}

static void operands_packed_for_opposite_sides_multiply_each_other(void **state)
{
    (void)state;
    lay_isa isas[TRIAL_LEVELS];
    const int levels = trial_isas(isas);
    int opposite = 0;
    for (int level = 0; level < levels; level++)
        for (int type = LAY_F32; type <= LAY_F64; type++) {
            /* squares: C alone decides */
            opposite += expect_either_way_round((lay_type)type, isas[level], 417, 417, 513);
            opposite += expect_either_way_round((lay_type)type, isas[level], 512, 512, 512);
            opposite += expect_either_way_round((lay_type)type, isas[level], 900, 900, 513);
        }
    print_message("# %d of %d pairs pack for opposite sides\n", opposite, 6 * levels);
    if (!opposite)
        skip(); /* nothing that this machine packs is for opposite sides */
}

/* Panels of each level's kernel, in a plan of each. */
static void panels_serve_plans_of_other_levels(void **state)
{
    (void)state;
    lay_isa isas[TRIAL_LEVELS];
    const int levels = trial_isas(isas);
    for (int packs = 0; packs < levels; packs++)
        for (int runs = 0; runs < levels; runs++) {
            random_source from = random_case(67, 0);
            trial t = trial_of(LAY_F32, 129, 257, 513, TRIAL_SIGNED, 1, &from);
            packing_place_for_panels(&t, 0, 0, &from);
            t.options.isa = isas[packs];
            lay_plan *const first = packing_plan(&t);
            assert_true(packing_has_panels(first));
            lay_packed *const b = packing_pack(first, LAY_OPERAND_B, t.in_b.zero);
            t.options.isa = isas[runs];
            lay_plan *const then = packing_plan(&t);
            char *const wanted = packing_bits(&t, then, NULL, NULL);
            packing_expect_same(&t, wanted, packing_bits(&t, then, NULL, b), "panels of another level");
            assert_int_equal(given_panels(then), 1);
            free(wanted);
            lay_packed_destroy(b);
            lay_plan_destroy(first);
            lay_plan_destroy(then);
            trial_free(&t);
        }
}

/* A copy and limbs, of two bytes for each of the mode's; plans of other modes, which have other limbs, read the copy.
 */
static void packed_limbs_serve_plans_of_other_modes(void **state)
{
    (void)state;
    random_source from = random_case(69, 0);
    trial t = trial_of(LAY_F32, 129, 257, 513, TRIAL_SPECIAL, 2, &from);
    const size_t elements = (size_t)(t.k * t.n);
    t.options.compute = LAY_COMPUTE_F32_SPLIT;
    t.options.kernel = trial_splitting[0];
    place_by_rows(&t, &from);
    lay_plan *const three = packing_plan(&t);
    lay_packed *const b = packing_pack(three, LAY_OPERAND_B, t.in_b.zero);
    assert_true(lay_packed_size(b) >= elements * (4 + 3 * 2));
    static const lay_compute others[] = { LAY_COMPUTE_BF16X3, LAY_COMPUTE_BF16, LAY_COMPUTE_STRICT };
    for (int i = 0; i < 3; i++) {
        t.options.compute = others[i];
        t.options.kernel = others[i] == LAY_COMPUTE_STRICT ? NULL : trial_splitting[0];
        lay_plan *const other = packing_plan(&t);
        char *const wanted = packing_bits(&t, other, NULL, NULL);
        packing_expect_same(&t, wanted, packing_bits(&t, other, NULL, b), "limbs of another mode");
        free(wanted);
        lay_plan_destroy(other);
    }
    lay_packed_destroy(b);
    lay_plan_destroy(three);
    trial_free(&t);
}

/* C by columns is computed as C^T = B^T A^T, where B is the left operand: its limbs are no right ones. */
static void packed_limbs_serve_plans_of_the_other_side(void **state)
{
    (void)state;
    random_source from = random_case(70, 0);
    trial t = trial_of(LAY_F32, 129, 257, 513, TRIAL_SIGNED, 2, &from);
    t.options.compute = LAY_COMPUTE_F32_SPLIT;
    t.options.kernel = trial_splitting[0];
    place_by_rows(&t, &from);
    lay_plan *const by_rows = packing_plan(&t);
    lay_packed *const a = packing_pack(by_rows, LAY_OPERAND_A, t.in_a.zero), *const b = packing_pack(
                                                                                 by_rows, LAY_OPERAND_B, t.in_b.zero);
    trial_unplace(&t);
    trial_place(&t, layout_usual(0, t.m, t.k), layout_usual(0, t.k, t.n), by_columns_of(&t), OPERAND_ANYWHERE, &from);
    lay_plan *const by_columns = packing_plan(&t);
    assert_true(is_transposed(by_rows, "cpu-split", "in limbs") != is_transposed(by_columns, "cpu-split", "in limbs"));
    char *const wanted = packing_bits(&t, by_columns, NULL, NULL);
    packing_expect_same(&t, wanted, packing_bits(&t, by_columns, a, NULL), "A packed for the other side");
    packing_expect_same(&t, wanted, packing_bits(&t, by_columns, NULL, b), "B packed for the other side");
    packing_expect_same(&t, wanted, packing_bits(&t, by_columns, a, b), "both packed for the other side");
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
        t.options.skip = "image"; /* which might be read in place */
        trial_fill(&t, &from);
        trial_place(&t, packing_a_in_panels(&t), number ? layout_usual(number, t.k, t.n) : packing_b_in_panels(&t),
                    layout_parse("%s", results[number]), OPERAND_ANYWHERE, &from);
        lay_plan *const plan = packing_plan(&t);
        if (number == 0) {
            assert_true(packing_has_panels(plan));
            wanted = packing_bits(&t, plan, NULL, NULL);
            b = packing_pack(plan, LAY_OPERAND_B, t.in_b.zero);
        }
        packing_expect_same(&t, wanted, packing_bits(&t, plan, NULL, NULL), "another layout");
        packing_expect_same(&t, wanted, packing_bits(&t, plan, NULL, b), "another layout, B packed");
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
        trial_place(&t, packing_a_in_panels(&t), layout_usual(0, t.k, t.n), layout_usual(0, t.m, t.n), OPERAND_ANYWHERE,
                    &from);
        lay_plan *const plan = packing_plan(&t);
        if (number == 0) {
            operand_bytes(&t.in_b, memory);
            b = packing_pack(plan, LAY_OPERAND_B, t.in_b.zero);
        }
        lay_plan_destroy(plan);
        memcpy(t.in_b.zero, memory, sizeof memory); /* row-major: what was packed */
        lay_plan *const other = packing_plan(&t);
        char *const wanted = packing_bits(&t, other, NULL, NULL);
        packing_expect_same(&t, wanted, packing_bits(&t, other, NULL, b), "another number of rows");
        free(wanted);
        lay_plan_destroy(other);
        trial_free(&t);
    }
    lay_packed_destroy(b);
}

/* A GPU is given host operands: panels that the CPU's kernels packed pass through it as any other layout does. */
static void panels_serve_products_that_pass_through_a_device(void **state)
{
    (void)state;
    random_source from = random_case(73, 0);
    trial t = trial_of(LAY_F32, 300, 257, 700, TRIAL_SIGNED, 2, &from);
    packing_place_for_panels(&t, 0, 0, &from);
    t.options.backend = LAY_BACKEND_CUDA;
    lay_plan *there = NULL;
    if (lay_plan_create(t.type, t.in_a.desc, t.in_b.desc, t.out.desc, &t.options, &there) == LAY_OK) {
        t.options.backend = LAY_BACKEND_CPU;
        lay_plan *const here = packing_plan(&t);
        assert_true(packing_has_panels(here));
        lay_packed *const a = packing_pack(here, LAY_OPERAND_A, t.in_a.zero);
        lay_packed *const b = packing_pack(here, LAY_OPERAND_B, t.in_b.zero);
        char *const wanted = packing_bits(&t, there, NULL, NULL);
        packing_expect_same(&t, wanted, packing_bits(&t, there, a, b), "through a device");
        free(wanted);
        lay_packed_destroy(a);
        lay_packed_destroy(b);
        lay_plan_destroy(here);
        lay_plan_destroy(there);
    } else {
        print_message("# no device: %s\n", lay_last_error());
    }
    trial_free(&t);
}

/* A kernel of the type that may be named at the level: one of its order of roundings. NULL: none that is known here. */
static const char *draw_kernel(lay_type type, lay_isa isa, random_source *from)
{
    static const struct {
        lay_isa isa;
        const char *kernel[2]; /* of f32, of f64 */
    } rows[] = {
        { LAY_ISA_C, { "lay_gemm_f32_4x8_c", "lay_gemm_f64_4x4_c" } },
        { LAY_ISA_AVX2, { "lay_gemm_f32_6x16_avx2", "lay_gemm_f64_6x8_avx2" } },
        { LAY_ISA_AVX512, { "lay_gemm_f32_12x32_avx512", "lay_gemm_f64_12x16_avx512" } },
    };
    const char *able[sizeof rows / sizeof rows[0]];
    int count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (lay_isa_includes(isa, rows[i].isa) && (isa == LAY_ISA_C) == (rows[i].isa == LAY_ISA_C))
            able[count++] = rows[i].kernel[type];
    return count ? able[random_in(from, 0, count - 1)] : NULL;
}

/* What plans differ in beside their problem. */
static void draw_options(trial *t, random_source *from)
{
    lay_isa isas[TRIAL_LEVELS];
    const int level = (int)random_in(from, 0, trial_isas(isas) - 1);
    t->options = (lay_options)LAY_OPTIONS_INIT;
    t->options.threads = (int)random_in(from, 1, 3);
    t->options.isa = isas[level];
    if (t->type == LAY_F32 && random_one_in(from, 3)) {
        t->options.compute = random_of(from, trial_split_modes);
        t->options.kernel = trial_splitting[0];
    } else if (t->type <= LAY_F64 && random_one_in(from, 3)) {
        t->options.kernel = draw_kernel(t->type, isas[level], from);
    }
}

static void draw_layouts(trial *t, random_source *from)
{
    lay_desc *const a = random_one_in(from, 2) ? packing_a_in_panels(t)
                                               : layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), t->m, t->k);
    lay_desc *const b = random_one_in(from, 2) ? packing_b_in_panels(t)
                                               : layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), t->k, t->n);
    lay_desc *const c = layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), t->m, t->n);
    trial_place(t, a, b, c, OPERAND_ANYWHERE, from);
}

/* One line, a few, or several panels. */
static int64_t draw_lines(random_source *from)
{
    return random_one_in(from, 5) ? 1 : random_one_in(from, 3) ? random_in(from, 2, 40) : random_in(from, 40, 200);
}

/* One block of k or several; a chain or partial sums; rarely so many that there are slices, where there are few lines.
 */
static int64_t draw_steps(int64_t m, int64_t n, random_source *from)
{
    enum { MOST = 6000000 };
    const int64_t steps = random_one_in(from, 4)   ? random_in(from, 1, 40)
                          : random_one_in(from, 6) ? random_in(from, 4000, 9000)
                                                   : random_in(from, 200, 1200);
    return steps * m * n <= MOST ? steps : MOST / (m * n);
}

/* A or B of the trial, with the same numbers in another layout, packed by another plan, which goes. */
static lay_packed *pack_by_another(const trial *t, lay_operand which, random_source *from)
{
    const int is_a = which == LAY_OPERAND_A;
    trial u = { .type = t->type, .m = is_a ? t->m : draw_lines(from), .n = is_a ? draw_lines(from) : t->n, .k = t->k };
    u.data = t->data;
    draw_options(&u, from);
    trial_fill(&u, from);
    memcpy(is_a ? u.a : u.b, is_a ? t->a : t->b, (size_t)(is_a ? t->m * t->k : t->k * t->n) * sizeof *u.a);
    draw_layouts(&u, from);
    lay_plan *const plan = packing_plan(&u);
    lay_packed *const packed = packing_pack(plan, which, is_a ? u.in_a.zero : u.in_b.zero);
    lay_plan_destroy(plan);
    trial_free(&u);
    return packed;
}

/* How many operands came in panels that were not for this plan's kernel and side. */
static int compare_with_others(trial *t, int number, random_source *from)
{
    char what[80];
    lay_plan *const plan = packing_plan(t);
    lay_packed *const a = pack_by_another(t, LAY_OPERAND_A, from), *const b = pack_by_another(t, LAY_OPERAND_B, from);
    char *const wanted = packing_bits(t, plan, NULL, NULL);
    for (int which = 1; which <= 3; which++) {
        snprintf(what, sizeof what, "case %d, %s packed by others", number,
                 which == 3   ? "both"
                 : which == 1 ? "A"
                              : "B");
        packing_expect_same(t, wanted, packing_bits(t, plan, which & 1 ? a : NULL, which & 2 ? b : NULL), what);
    }
    assert_int_equal(count(packing_explanation(plan), "given     "), 4);
    const int others = given_panels(plan) - used_panels(plan);
    free(wanted);
    lay_packed_destroy(a);
    lay_packed_destroy(b);
    lay_plan_destroy(plan);
    return others;
}

static void random_plans_serve_each_other(void **state)
{
    (void)state;
    static const trial_data kinds[] = { TRIAL_SIGNED, TRIAL_SPECIAL, TRIAL_GRADED, TRIAL_TINY };
    const int rounds = trial_rounds(1000);
    int others = 0;
    for (int number = 0; number < rounds; number++) {
        random_source from = random_case(72, (uint64_t)number);
        const int64_t m = draw_lines(&from), n = draw_lines(&from);
        const int is_narrow = random_one_in(&from, 4);
        trial t = { .type = (lay_type)((is_narrow ? LAY_F16 : LAY_F32) + random_one_in(&from, 2)),
                    .m = m,
                    .n = n,
                    .k = draw_steps(m, n, &from),
                    .alpha = 0.7,
                    .beta = random_one_in(&from, 2) ? 0 : -1.3,
                    .data = kinds[number % 4] };
        draw_options(&t, &from);
        trial_fill(&t, &from);
        draw_layouts(&t, &from);
        others += compare_with_others(&t, number, &from);
        trial_free(&t);
    }
    print_message("# %d operands in panels of others, in %d products\n", others, rounds);
    lay_isa isas[TRIAL_LEVELS];
    assert_true(trial_isas(isas) == 1 || others > rounds / 4); /* at one level all panels are of one kernel */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_packed_for_opposite_sides_multiply_each_other),
        cmocka_unit_test(panels_serve_plans_of_other_levels),
        cmocka_unit_test(packed_limbs_serve_plans_of_other_modes),
        cmocka_unit_test(packed_limbs_serve_plans_of_the_other_side),
        cmocka_unit_test(one_packed_operand_serves_plans_of_other_layouts),
        cmocka_unit_test(one_packed_operand_serves_products_of_other_sizes),
        cmocka_unit_test(panels_serve_products_that_pass_through_a_device),
        cmocka_unit_test(random_plans_serve_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
