/* Every kind of bad product: its status, the fact that its sentence names, and that C keeps its bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../oracle.h"
#include "support/layouts.h"
#include "support/refusal.h"

/* A good product of 4 x 3 by 3 x 5; each case spoils one thing. */
typedef struct call {
    lay_type type;
    lay_desc *desc_a, *desc_b, *desc_c;
    const void *alpha, *a, *b, *beta;
    void *c;
    lay_options options;
} call;

static double memory[400];            /* A, B and C lie in it, 100 elements apart */
static const double one[] = { 1, 0 }; /* of complex types, too */
static const float one_f32[] = { 1, 0 };

static call good_call(lay_type type)
{
    for (int i = 0; i < 400; i++)
        memory[i] = i;
    const void *const scalar = type == LAY_F64 || type == LAY_C64 ? (const void *)one : (const void *)one_f32;
    return (call){ .type = type,
                   .desc_a = layout_parse("[4][3]"),
                   .desc_b = layout_parse("[3][5]"),
                   .desc_c = layout_parse("[4][5]"),
                   .alpha = scalar,
                   .beta = scalar,
                   .a = memory,
                   .b = memory + 100,
                   .c = memory + 200,
                   .options = LAY_OPTIONS_INIT };
}

static void free_call(call *of)
{
    lay_desc_destroy(of->desc_a);
    lay_desc_destroy(of->desc_b);
    lay_desc_destroy(of->desc_c);
}

static void change(lay_desc **desc, const char *text)
{
    lay_desc_destroy(*desc);
    *desc = text ? layout_parse("%s", text) : NULL;
}

static void rows_of_a(call *c)
{
    change(&c->desc_a, "[6][3]");
}
static void sum_of_a_and_b(call *c)
{
    change(&c->desc_b, "[4][5]");
}
static void columns_of_c(call *c)
{
    change(&c->desc_c, "[4][7]");
}
static void rank_of_a(call *c)
{
    change(&c->desc_a, "[12]");
}
static void rank_of_b(call *c)
{
    change(&c->desc_b, "[3][5][1]");
}
static void rank_of_c(call *c)
{
    change(&c->desc_c, "[20]");
}
static void no_desc_a(call *c)
{
    change(&c->desc_a, NULL);
}
static void no_desc_b(call *c)
{
    change(&c->desc_b, NULL);
}
static void no_desc_c(call *c)
{
    change(&c->desc_c, NULL);
}
static void no_a(call *c)
{
    c->a = NULL;
}
static void no_b(call *c)
{
    c->b = NULL;
}
static void no_c(call *c)
{
    c->c = NULL;
}
static void no_alpha(call *c)
{
    c->alpha = NULL;
}
static void no_beta(call *c)
{
    c->beta = NULL;
}
static void broadcast_c(call *c)
{
    change(&c->desc_c, "[4:0][5:1]");
}
static void folded_c(call *c)
{
    change(&c->desc_c, "[4:2][5:1]");
}
static void short_rows_of_c(call *c)
{
    lay_desc_destroy(c->desc_c);
    assert_int_equal(lay_desc_strided(2, (int64_t[]){ 4, 5 }, (int64_t[]){ 3, 1 }, &c->desc_c), LAY_OK);
}
static void short_columns_of_c(call *c)
{
    change(&c->desc_c, "[4:-1][5:3]");
}
static void woven_c(call *c)
{
    change(&c->desc_c, "[4:2][5:3]");
}
static void tangled_c(call *c)
{
    change(&c->desc_c, "[[2:10][2:4]][5:2]");
}
static void c_is_a(call *c)
{
    c->c = (void *)(uintptr_t)c->a;
}
static void c_ends_in_b(call *c)
{
    c->c = (char *)(uintptr_t)c->b - 19 * (int64_t)lay_type_size(c->type);
}
static void c_begins_in_a(call *c)
{
    c->c = (char *)(uintptr_t)c->a + 11 * (int64_t)lay_type_size(c->type);
}
static void c_cuts_an_element_of_a(call *c)
{
    c->c = (char *)(uintptr_t)c->a + 12 * (int64_t)lay_type_size(c->type) - 1;
}
static void c_cuts_an_element_of_b(call *c)
{
    c->c = (char *)(uintptr_t)c->b - 20 * (int64_t)lay_type_size(c->type) + 1;
}
static void c_between_a(call *c) /* every third element of A, and C on them */
{
    change(&c->desc_a, "[4:9][3:3]");
    change(&c->desc_c, "[4:15][5:3]");
    c->c = (char *)(uintptr_t)c->a + 9 * (int64_t)lay_type_size(c->type);
}
static void backwards_c_in_b(call *c)
{
    change(&c->desc_c, "[4:-5][5:-1]");
    c->c = (char *)(uintptr_t)c->b + 30 * (int64_t)lay_type_size(c->type);
}
static void small_struct(call *c)
{
    c->options.struct_size = 8;
}
static void no_struct(call *c)
{
    c->options.struct_size = 0;
}
static void stray_struct(call *c)
{
    c->options.struct_size = (size_t)-1;
}
static void kernel_of_another_type(call *c)
{
    const int is_double = c->type == LAY_F64 || c->type == LAY_C64;
    c->options.kernel = is_double ? "lay_gemm_f32_4x8_c" : "lay_gemm_f64_4x4_c";
}
static void negative_threads(call *c)
{
    c->options.threads = -2;
}
static void many_threads(call *c)
{
    c->options.threads = 1 << 30;
}
static void strange_backend(call *c)
{
    c->options.backend = (lay_backend)7;
}
static void strange_compute(call *c)
{
    c->options.compute = (lay_compute)9;
}
static void strange_isa(call *c)
{
    c->options.isa = (lay_isa)42;
}
static void strange_type(call *c)
{
    c->type = (lay_type)6;
}
static void negative_type(call *c)
{
    c->type = (lay_type)-1;
}

typedef struct bad_call {
    const char *name;
    void (*spoil)(call *c);
    lay_status status;
    const char *fact;
} bad_call;

#define BAD(spoil, status, fact)                                                                                       \
    {                                                                                                                  \
#spoil, spoil, status, fact                                                                                    \
    }
static const bad_call bad_calls[] = {
    BAD(rows_of_a, LAY_ERR_SHAPE, "6 rows"),
    BAD(sum_of_a_and_b, LAY_ERR_SHAPE, "3 columns"),
    BAD(columns_of_c, LAY_ERR_SHAPE, "7 columns"),
    BAD(rank_of_a, LAY_ERR_RANK, "A has rank 1"),
    BAD(rank_of_b, LAY_ERR_RANK, "B has rank 3"),
    BAD(rank_of_c, LAY_ERR_RANK, "C has rank 1"),
    BAD(no_desc_a, LAY_ERR_ARGUMENT, "desc_a is NULL"),
    BAD(no_desc_b, LAY_ERR_ARGUMENT, "desc_b is NULL"),
    BAD(no_desc_c, LAY_ERR_ARGUMENT, "desc_c is NULL"),
    BAD(no_a, LAY_ERR_ARGUMENT, "a is NULL"),
    BAD(no_b, LAY_ERR_ARGUMENT, "b is NULL"),
    BAD(no_c, LAY_ERR_ARGUMENT, "c is NULL"),
    BAD(no_alpha, LAY_ERR_ARGUMENT, "alpha is NULL"),
    BAD(no_beta, LAY_ERR_ARGUMENT, "beta is NULL"),
    BAD(broadcast_c, LAY_ERR_INJECTIVE, "C cannot be shown"),
    BAD(broadcast_c, LAY_ERR_INJECTIVE, "the row stride is 0"),
    BAD(folded_c, LAY_ERR_INJECTIVE, "4 rows with stride 2 and 5 columns with stride 1"),
    BAD(short_rows_of_c, LAY_ERR_INJECTIVE, "the row stride is less than the number of columns"),
    BAD(short_columns_of_c, LAY_ERR_INJECTIVE, "the column stride is less than the number of rows"),
    BAD(woven_c, LAY_ERR_INJECTIVE, "4 rows with stride 2 and 5 columns with stride 3"),
    BAD(tangled_c, LAY_ERR_INJECTIVE, "[[2:10][2:4]][5:2]"),
    BAD(c_is_a, LAY_ERR_OVERLAP, "A"),
    BAD(c_ends_in_b, LAY_ERR_OVERLAP, "B"),
    BAD(c_begins_in_a, LAY_ERR_OVERLAP, "A"),
    BAD(c_cuts_an_element_of_a, LAY_ERR_OVERLAP, "A"),
    BAD(c_cuts_an_element_of_b, LAY_ERR_OVERLAP, "B"),
    BAD(c_between_a, LAY_ERR_OVERLAP, "A"),
    BAD(backwards_c_in_b, LAY_ERR_OVERLAP, "B"),
    BAD(small_struct, LAY_ERR_OPTION, "struct_size is 8"),
    BAD(no_struct, LAY_ERR_OPTION, "struct_size is 0"),
    BAD(stray_struct, LAY_ERR_OPTION, "struct_size"),
    BAD(kernel_of_another_type, LAY_ERR_UNSUPPORTED, "cpu: options.kernel names one of another type"),
    BAD(negative_threads, LAY_ERR_OPTION, "threads is -2"),
    BAD(many_threads, LAY_ERR_OPTION, "threads is 1073741824"),
    BAD(strange_backend, LAY_ERR_OPTION, "backend is 7"),
    BAD(strange_compute, LAY_ERR_OPTION, "compute is 9"),
    BAD(strange_isa, LAY_ERR_OPTION, "isa is 42"),
    BAD(strange_type, LAY_ERR_TYPE, "6 is no lay_type"),
    BAD(negative_type, LAY_ERR_TYPE, "-1 is no lay_type"),
};

static lay_status run_call(const call *c)
{
    return lay_gemm(c->type, c->desc_a, c->desc_b, c->desc_c, c->alpha, c->a, c->b, c->beta, c->c, &c->options);
}

static void expect_unchanged(const double before[400])
{
    assert_memory_equal(memory, before, sizeof memory);
}

/* Refused, and refused again once plans are remembered; a good call afterwards works. */
static void a_bad_product_is_refused_with_a_reason_and_c_unchanged(void **state)
{
    const bad_call *bad = *state;
    for (lay_type type = LAY_F32; type <= LAY_C64; type++)
        for (int repeat = 0; repeat < 2; repeat++) {
            double before[400];
            call c = good_call(type);
            memcpy(before, memory, sizeof before);
            bad->spoil(&c);
            expect_refusal(bad->name, run_call(&c), bad->status, bad->fact);
            expect_unchanged(before);
            free_call(&c);
            c = good_call(type);
            assert_int_equal(run_call(&c), LAY_OK);
            free_call(&c);
        }
}

/* What the pointers are does not matter to a plan: it refuses by itself what it can see. */
static void a_bad_plan_is_refused_with_a_reason(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof bad_calls / sizeof bad_calls[0]; q++) {
        call c = good_call(LAY_F32);
        const void *const a = c.a, *const b = c.b, *const alpha = c.alpha, *const beta = c.beta;
        const void *const out = c.c;
        bad_calls[q].spoil(&c);
        const int seen = c.a == a && c.b == b && c.alpha == alpha && c.beta == beta && c.c == out;
        lay_plan *const marker = (lay_plan *)(void *)memory, *plan = marker;
        const lay_status status = lay_plan_create(c.type, c.desc_a, c.desc_b, c.desc_c, &c.options, &plan);
        if (seen) {
            expect_refusal(bad_calls[q].name, status, bad_calls[q].status, bad_calls[q].fact);
            assert_ptr_equal(plan, marker);
        } else {
            assert_int_equal(status, LAY_OK);
            double before[400];
            memcpy(before, memory, sizeof before);
            expect_refusal(bad_calls[q].name, lay_plan_run(plan, c.alpha, c.a, c.b, c.beta, c.c), bad_calls[q].status,
                           bad_calls[q].fact);
            expect_unchanged(before);
            lay_plan_destroy(plan);
        }
        free_call(&c);
    }
}

static void a_missing_plan_is_refused_with_a_reason(void **state)
{
    (void)state;
    call c = good_call(LAY_F64);
    expect_refusal("plan", lay_plan_run(NULL, one, c.a, c.b, one, c.c), LAY_ERR_ARGUMENT, "plan is NULL");
    expect_refusal("out", lay_plan_create(LAY_F64, c.desc_a, c.desc_b, c.desc_c, NULL, NULL), LAY_ERR_ARGUMENT,
                   "out is NULL");
    lay_plan_destroy(NULL);
    free_call(&c);
}

static void an_explanation_without_a_text_to_go_to_is_refused(void **state)
{
    (void)state;
    call c = good_call(LAY_F64);
    lay_plan *plan = NULL;
    assert_int_equal(lay_plan_create(LAY_F64, c.desc_a, c.desc_b, c.desc_c, NULL, &plan), LAY_OK);
    assert_int_equal(lay_plan_explain(plan, NULL, 100), -1);
    expect_sentence("plan", "text");
    assert_int_equal(lay_machine_explain(NULL, 100), -1);
    expect_sentence("machine", "text");
    assert_true(lay_plan_explain(plan, NULL, 0) > 100); /* the length alone */
    assert_true(lay_machine_explain(NULL, 0) > 100);
    lay_plan_destroy(plan);
    free_call(&c);
}

/* A newer caller's longer structure is fine while it asks for nothing unknown. */
static void a_longer_options_structure_is_read_up_to_what_is_known(void **state)
{
    (void)state;
    struct {
        lay_options known;
        int more[8];
    } newer;
    memset(&newer, 0, sizeof newer);
    newer.known = (lay_options)LAY_OPTIONS_INIT;
    newer.known.struct_size = sizeof newer;
    call c = good_call(LAY_F64);
    assert_int_equal(lay_dgemm(c.desc_a, c.desc_b, c.desc_c, 1, c.a, c.b, 0, c.c, &newer.known), LAY_OK);
    newer.more[3] = 1;
    expect_refusal("a field of the future", lay_dgemm(c.desc_a, c.desc_b, c.desc_c, 1, c.a, c.b, 0, c.c, &newer.known),
                   LAY_ERR_OPTION, "know");
    free_call(&c);
}

/* In bytes the offsets leave 63 bits, though in elements they do not. */
static void offsets_that_overflow_in_bytes_are_refused(void **state)
{
    (void)state;
    double before[400];
    call c = good_call(LAY_F64);
    memcpy(before, memory, sizeof before);
    change(&c.desc_c, "[4:1500000000000000000][5:1]");
    expect_refusal("C's bytes", run_call(&c), LAY_ERR_OVERFLOW, "C");
    change(&c.desc_c, "[4][5]");
    change(&c.desc_a, "[4:-1500000000000000000][3:1]");
    expect_refusal("A's bytes", run_call(&c), LAY_ERR_OVERFLOW, "A");
    expect_unchanged(before);
    free_call(&c);
}

/* Interleaved, not overlapping: columns of one storage, elements between elements. */
static void operands_that_interleave_without_sharing_are_fine(void **state)
{
    (void)state;
    call c = good_call(LAY_F64);
    change(&c.desc_a, "[4:8][3:1]");
    change(&c.desc_c, "[4:8][5:1]");
    c.c = memory + 3;
    assert_int_equal(run_call(&c), LAY_OK);
    c.c = memory + 2; /* the same plan, one element nearer */
    expect_refusal("nearer", run_call(&c), LAY_ERR_OVERLAP, "A");
    c.c = memory + 3;
    assert_int_equal(run_call(&c), LAY_OK);
    change(&c.desc_a, "[4:30][3:2]");
    change(&c.desc_c, "[4:30][5:2]");
    c.a = memory;
    c.c = memory + 1;
    c.b = memory + 200;
    assert_int_equal(run_call(&c), LAY_OK);
    free_call(&c);
}

/* alpha = 0 reads neither A nor B: they may lie where C does. */
static void operands_that_are_not_read_may_overlap(void **state)
{
    (void)state;
    const double none = 0, two = 2;
    call c = good_call(LAY_F64);
    c.alpha = &none;
    c.beta = &two;
    c.c = memory;
    c.b = memory + 1;
    assert_int_equal(run_call(&c), LAY_OK);
    for (int i = 0; i < 400; i++)
        assert_true(memory[i] == (i < 20 ? 2 * i : i));
    c.alpha = one;
    expect_refusal("read", run_call(&c), LAY_ERR_OVERLAP, "A");
    free_call(&c);
}

int main(void)
{
    enum { CALLS = sizeof bad_calls / sizeof bad_calls[0] };
    const struct CMUnitTest others[] = {
        cmocka_unit_test(a_bad_plan_is_refused_with_a_reason),
        cmocka_unit_test(a_missing_plan_is_refused_with_a_reason),
        cmocka_unit_test(an_explanation_without_a_text_to_go_to_is_refused),
        cmocka_unit_test(a_longer_options_structure_is_read_up_to_what_is_known),
        cmocka_unit_test(offsets_that_overflow_in_bytes_are_refused),
        cmocka_unit_test(operands_that_interleave_without_sharing_are_fine),
        cmocka_unit_test(operands_that_are_not_read_may_overlap),
    };
    enum { OTHERS = sizeof others / sizeof others[0] };
    struct CMUnitTest tests[OTHERS + CALLS];
    static char names[CALLS][100];
    memcpy(tests, others, sizeof others);
    for (int q = 0; q < CALLS; q++) {
        snprintf(names[q], sizeof names[q], "%s: refused with a reason, C unchanged", bad_calls[q].name);
        tests[OTHERS + q] = (struct CMUnitTest){ .name = names[q],
                                                 .test_func = a_bad_product_is_refused_with_a_reason_and_c_unchanged,
                                                 .initial_state = (void *)(uintptr_t)&bad_calls[q] };
    }
    return _cmocka_run_group_tests("refusals", tests, OTHERS + CALLS, NULL, NULL);
}
