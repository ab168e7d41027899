/* Layouts that a plan likes best: descriptors like any other, in which the product is the same, bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/refusal.h"
#include "packing.h"

static double predict(const lay_plan *plan)
{
    lay_plan_info info = LAY_PLAN_INFO_INIT;
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, &info), LAY_OK);
    return info.seconds;
}

static lay_desc *prefer(const lay_plan *plan, lay_operand which)
{
    lay_desc *made = NULL;
    if (lay_plan_layout(plan, which, LAY_MEMORY_HOST, &made) != LAY_OK)
        fail_msg("%s", lay_last_error());
    assert_non_null(made);
    return made;
}

/* The plan and the run of the trial with one operand copied to a layout of its own; the bits, and whether it is said to
 * be sooner. */
static char *run_copied(trial *t, lay_operand which, lay_desc *layout, double before, double *gain)
{
    const int is_a = which == LAY_OPERAND_A;
    const operand *const from = is_a ? &t->in_a : &t->in_b;
    void *to = NULL;
    lay_plan *plan = NULL;
    const trial_scalar alpha = trial_scalar_of(t->type, t->alpha), beta = trial_scalar_of(t->type, t->beta);
    assert_true(lay_desc_is_injective(layout));
    assert_int_equal(lay_alloc(t->type, layout, LAY_MEMORY_HOST, &to), LAY_OK);
    assert_int_equal(lay_copy(t->type, from->desc, from->zero, layout, to, NULL), LAY_OK);
    assert_int_equal(lay_plan_create(t->type, is_a ? layout : t->in_a.desc, is_a ? t->in_b.desc : layout, t->out.desc,
                                     &t->options, &plan),
                     LAY_OK);
    *gain = before / predict(plan);
    oracle_scatter(t->type, t->out.desc, t->out.zero, t->c);
    assert_int_equal(lay_plan_run(plan, &alpha, is_a ? to : t->in_a.zero, is_a ? t->in_b.zero : to, &beta, t->out.zero),
                     LAY_OK);
    char *const bits = oracle_memory((size_t)(t->m * t->n) * lay_type_size(t->type));
    operand_bytes(&t->out, bits);
    oracle_unite_nans(t->type, bits, t->m * t->n);
    lay_plan_destroy(plan);
    lay_free(to);
    return bits;
}

static void a_preferred_layout_is_sooner_and_no_bit_is_other(void **state)
{
    static const int64_t shapes[][3] = {
        { 96, 128, 200 }, { 3, 500, 300 }, { 500, 6, 1100 }, { 61, 67, 71 }, { 1, 40, 90 }
    };
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_C32, LAY_BF16 };
    (void)state;
    random_source from = { 31 };
    int gained = 0;
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++)
        for (int number = 0; number < LAYOUT_USUAL; number++) {
            const int64_t m = shapes[shape][0], n = shapes[shape][1], k = shapes[shape][2];
            trial t = { .type = types[(shape + (size_t)number) % 4],
                        .m = m,
                        .n = n,
                        .k = k,
                        .alpha = 1,
                        .beta = 0.5,
                        .data = TRIAL_UNIT,
                        .options = LAY_OPTIONS_INIT };
            t.options.backend = LAY_BACKEND_CPU;
            t.options.threads = 1 + number % 2;
            trial_fill(&t, &from);
            trial_place(&t, layout_usual(number, m, k), layout_usual((number + 3) % LAYOUT_USUAL, k, n),
                        layout_usual(0, m, n), OPERAND_ANYWHERE, &from);
            lay_plan *plan = packing_plan(&t);
            char *const bits = packing_bits(&t, plan, NULL, NULL);
            for (int i = 0; i < 2; i++) {
                double gain;
                lay_desc *const layout = prefer(plan, (lay_operand)i);
                assert_int_equal(lay_desc_rank(layout), 2);
                packing_expect_same(&t, bits, run_copied(&t, (lay_operand)i, layout, predict(plan), &gain), "copied");
                assert_true(gain > 0.994 && (gain > 0.996 || lay_desc_equal(layout, i ? t.in_b.desc : t.in_a.desc)));
                gained += gain > 1.01;
                lay_desc_destroy(layout);
            }
            free(bits);
            lay_plan_destroy(plan);
            trial_unplace(&t);
            trial_free(&t);
        }
    assert_in_range(gained, 20, 69); /* and some like their operands as they are */
}

/* The layout of an operand in panels of so many lines and blocks of steps, as the library's own are. */
static lay_desc *lay_out_panels(int is_a, int64_t lines, int64_t steps, int width, int64_t kc, int64_t gap)
{
    const long long panels = (lines + width - 1) / width, blocks = (steps + kc - 1) / kc, panel = kc * width + gap;
    return is_a ? layout_parse("L=[[%lld:%lld][%d:1]]; S=[[%lld:%lld][%lld:%d]]; [%lld@0#L][%lld@0#S]", panels, panel,
                               width, blocks, panels * panel, (long long)kc, width, (long long)lines, (long long)steps)
                : layout_parse("L=[[%lld:%lld][%d:1]]; S=[[%lld:%lld][%lld:%d]]; [%lld@0#S][%lld@0#L]", panels, panel,
                               width, blocks, panels * panel, (long long)kc, width, (long long)steps, (long long)lines);
}

/* mr and nr of the plan's kernel, lay_gemm_f32_12x32_avx512. */
static void read_tile(const lay_plan *plan, int tile[2])
{
    lay_plan_info info = LAY_PLAN_INFO_INIT;
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, &info), LAY_OK);
    assert_int_equal(sscanf(info.kernel, "lay_gemm_f%*d_%dx%d", &tile[0], &tile[1]), 2);
}

/* Nothing is packed of what lies in panels, and nothing is read beyond it: pages that fault lie on either side. */
static void read_panels(lay_isa isa)
{
    static const int64_t shapes[][3] = { { 96, 128, 200 }, { 77, 300, 90 }, { 211, 61, 600 }, { 480, 65, 1030 } };
    random_source from = { 32 };
    int seen = 0;
    for (int number = 0; number < 4 * 2 * 2 * 2 * 2; number++) {
        const int64_t *const shape = shapes[number / 16];
        const operand_place place = number & 1 ? OPERAND_FLUSH_LOW : OPERAND_FLUSH_HIGH;
        const int is_a = number >> 1 & 1;
        const lay_type type = number >> 2 & 1 ? LAY_F64 : LAY_F32;
        const int64_t m = shape[0], n = shape[1], k = shape[2], blocks = (k + 511) / 512;
        trial t = { .type = type, .m = m, .n = n, .k = k, .alpha = 2, .beta = 1, .options = LAY_OPTIONS_INIT };
        int tile[2];
        t.data = TRIAL_UNIT;
        t.options.backend = LAY_BACKEND_CPU;
        t.options.threads = 1 + (number >> 3 & 1);
        t.options.isa = isa;
        t.options.skip = "in place; swept; image; transposed; pieces";
        trial_fill(&t, &from);
        trial_place(&t, layout_usual(0, m, k), layout_usual(0, k, n), layout_usual(0, m, n), OPERAND_ANYWHERE, &from);
        lay_plan *plan = packing_plan(&t);
        char *const bits = packing_bits(&t, plan, NULL, NULL);
        read_tile(plan, tile);
        lay_plan_destroy(plan);
        trial_unplace(&t);
        const int64_t kc = ((k + blocks - 1) / blocks + 7) / 8 * 8; /* docs/numerics.md */
        lay_desc *const panels = lay_out_panels(is_a, is_a ? m : n, k, tile[!is_a], kc, 16 * (number % 3));
        trial_place(&t, is_a ? panels : layout_usual(0, m, k), is_a ? layout_usual(0, k, n) : panels,
                    layout_usual(0, m, n), place, &from);
        plan = packing_plan(&t);
        const int lies = strstr(packing_explanation(plan), "not at all: its layout is the kernel's panels") != NULL;
        assert_true(lies || isa == LAY_ISA_C ||
                    (is_a && m < 16 * tile[0] && m % tile[0])); /* few rows more than panels: packed */
        packing_expect_same(&t, bits, packing_bits(&t, plan, NULL, NULL), "in panels");
        seen += lies;
        lay_plan_destroy(plan);
        free(bits);
        trial_unplace(&t);
        trial_free(&t);
    }
    assert_true(isa == LAY_ISA_C ? seen == 0 : seen >= 32);
}

static void panels_are_read_as_they_lie_and_no_further(void **state)
{
    (void)state;
    lay_isa isas[TRIAL_LEVELS];
    const int levels = trial_isas(isas);
    for (int level = 0; level < levels; level++)
        read_panels(isas[level]);
}

/* Panels, or blocks of steps, that do not lie equally far apart: the first ones are no proof. */
static void panels_at_uneven_distances_are_packed(void **state)
{
    enum { KC = 400, BLOCKS = 4, M = 24 };
    (void)state;
    random_source from = { 34 };
    for (int uneven = 0; uneven < 3; uneven++) {
        trial t = { .type = LAY_F32, .m = M, .n = 16, .k = KC * BLOCKS, .alpha = 1, .options = LAY_OPTIONS_INIT };
        int tile[2];
        t.data = TRIAL_UNIT;
        t.options.backend = LAY_BACKEND_CPU;
        t.options.threads = 1;
        t.options.skip = "in place; swept; image; transposed; pieces";
        lay_desc *small = layout_usual(0, 16, 16);
        lay_plan *plan = NULL;
        assert_int_equal(lay_plan_create(LAY_F32, small, small, small, &t.options, &plan), LAY_OK);
        read_tile(plan, tile);
        lay_plan_destroy(plan);
        lay_desc_destroy(small);
        const int w = tile[1], panel = KC * w, block = 8 * panel;
        t.n = 4 * w;
        trial_fill(&t, &from);
        trial_place(&t, layout_usual(0, t.m, t.k), layout_usual(0, t.k, t.n), layout_usual(0, t.m, t.n),
                    OPERAND_ANYWHERE, &from);
        plan = packing_plan(&t);
        char *const bits = packing_bits(&t, plan, NULL, NULL);
        lay_plan_destroy(plan);
        trial_unplace(&t);
        lay_desc *const panels =
            layout_parse("[[2:%d][2:%d][%d:%d]][[2:%d][2:%d][%d:1]]", (uneven == 1 ? 3 : 2) * block, block, KC, w,
                         (uneven == 2 ? 3 : 2) * panel, panel, w);
        trial_place(&t, layout_usual(0, t.m, t.k), panels, layout_usual(0, t.m, t.n), OPERAND_ANYWHERE, &from);
        plan = packing_plan(&t);
        const char *const lies = strstr(packing_explanation(plan), "its layout is the kernel's panels");
        assert_true(uneven ? !lies : lies || strstr(packing_explanation(plan), "_c "));
        packing_expect_same(&t, bits, packing_bits(&t, plan, NULL, NULL), "uneven");
        lay_plan_destroy(plan);
        free(bits);
        trial_unplace(&t);
        trial_free(&t);
    }
}

/* Kernels in C ask for the alignment of all that they read in whole registers. */
static void a_promise_of_alignment_has_panels_read_by_kernels_in_c(void **state)
{
    (void)state;
    random_source from = { 33 };
    trial t = { .type = LAY_F32, .m = 40, .n = 64, .k = 50, .alpha = 1, .beta = 0, .options = LAY_OPTIONS_INIT };
    int tile[2];
    trial_fill(&t, &from);
    trial_place(&t, layout_usual(0, 40, 50), layout_usual(0, 50, 64), layout_usual(0, 40, 64), OPERAND_ANYWHERE, &from);
    t.options.isa = LAY_ISA_C;
    t.options.backend = LAY_BACKEND_CPU;
    t.options.skip = "in place; swept; image; transposed; pieces";
    lay_plan *plan = packing_plan(&t);
    read_tile(plan, tile);
    lay_plan_destroy(plan);
    lay_desc *const panels = lay_out_panels(0, 64, 50, tile[1], 56, 0);
    for (int promised = 0; promised <= 64; promised += 32) {
        t.options.alignment = (size_t)promised;
        assert_int_equal(lay_plan_create(LAY_F32, t.in_a.desc, panels, t.out.desc, &t.options, &plan), LAY_OK);
        assert_int_equal(strstr(packing_explanation(plan), "its layout is the kernel's panels") != NULL,
                         promised == 64);
        lay_plan_destroy(plan);
    }
    lay_desc_destroy(panels);
    trial_unplace(&t);
    trial_free(&t);
}

static lay_plan *make_plan(const char *a, const char *b, const char *c)
{
    lay_desc *const desc[] = { layout_parse("%s", a), layout_parse("%s", b), layout_parse("%s", c) };
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan *plan = NULL;
    options.backend = LAY_BACKEND_CPU;
    assert_int_equal(lay_plan_create(LAY_F32, desc[0], desc[1], desc[2], &options, &plan), LAY_OK);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return plan;
}

static void what_has_no_such_layout_is_refused(void **state)
{
    (void)state;
    lay_plan *plan = make_plan("[4][5][6]", "[6][7]", "[4][5][7]"), *empty = make_plan("[0][5]", "[5][7]", "[0][7]");
    lay_desc *made = NULL;
    expect_refusal("plan", lay_plan_layout(NULL, LAY_OPERAND_A, LAY_MEMORY_HOST, &made), LAY_ERR_ARGUMENT, "plan");
    expect_refusal("out", lay_plan_layout(plan, LAY_OPERAND_A, LAY_MEMORY_HOST, NULL), LAY_ERR_ARGUMENT, "out");
    expect_refusal("operand", lay_plan_layout(plan, (lay_operand)2, LAY_MEMORY_HOST, &made), LAY_ERR_OPTION, "2 is no");
    expect_refusal("memory", lay_plan_layout(plan, LAY_OPERAND_B, (lay_memory)3, &made), LAY_ERR_OPTION, "3 is no");
    expect_refusal("a batch", lay_plan_layout(plan, LAY_OPERAND_A, LAY_MEMORY_HOST, &made), LAY_ERR_UNSUPPORTED,
                   "A has rank 3");
    expect_refusal("a device", lay_plan_layout(plan, LAY_OPERAND_B, LAY_MEMORY_DEVICE, &made), LAY_ERR_UNSUPPORTED,
                   "no way to run the product");
    assert_null(made);
    assert_int_equal(lay_plan_layout(plan, LAY_OPERAND_B, LAY_MEMORY_HOST, &made),
                     LAY_OK); /* the same for each index */
    assert_int_equal(lay_desc_extent(made, "0"), 6);
    lay_desc_destroy(made);
    assert_int_equal(lay_plan_layout(empty, LAY_OPERAND_B, LAY_MEMORY_HOST, &made), LAY_OK);
    assert_int_equal(lay_desc_extent(made, "1"), 7);
    lay_desc_destroy(made);
    lay_plan_destroy(plan);
    lay_plan_destroy(empty);
}

static void a_contraction_has_no_such_layout(void **state)
{
    (void)state;
    lay_desc *cube = layout_parse("[4][5][6]"), *matrix = layout_parse("[6][7]"), *out = layout_parse("[4][5][7]");
    lay_product product = LAY_PRODUCT_INIT;
    lay_plan *plan = NULL;
    lay_desc *made = NULL;
    product.a = cube, product.b = matrix, product.c = out, product.labels = "abc,cd->abd";
    assert_int_equal(lay_plan_create_product(&product, NULL, &plan), LAY_OK);
    expect_refusal("contraction", lay_plan_layout(plan, LAY_OPERAND_B, LAY_MEMORY_HOST, &made), LAY_ERR_UNSUPPORTED,
                   "of a contraction");
    lay_plan_destroy(plan);
    lay_desc_destroy(cube);
    lay_desc_destroy(matrix);
    lay_desc_destroy(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_preferred_layout_is_sooner_and_no_bit_is_other),
        cmocka_unit_test(panels_are_read_as_they_lie_and_no_further),
        cmocka_unit_test(panels_at_uneven_distances_are_packed),
        cmocka_unit_test(a_promise_of_alignment_has_panels_read_by_kernels_in_c),
        cmocka_unit_test(what_has_no_such_layout_is_refused),
        cmocka_unit_test(a_contraction_has_no_such_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
