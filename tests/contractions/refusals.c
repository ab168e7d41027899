/* Every kind of bad contraction: its status, the fact that its sentence names, and that what is written keeps its
 * bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../product/support/refusal.h"
#include "layoutgemm.h"

static double memory[400], before[400]; /* A, B, C and D lie in it, 100 elements apart */
static const double one = 1;

static lay_desc *parse(const char *text)
{
    lay_desc *made = NULL;
    if (text && lay_desc_parse(text, &made) != LAY_OK)
        fail_msg("%s: %s", text, lay_last_error());
    return made;
}

static void expect_untouched(const char *what)
{
    if (memcmp(memory, before, sizeof memory) != 0)
        fail_msg("%s: memory has changed", what);
}

/* ---- texts ------------------------------------------------------------------------------------ */

typedef struct bad_text {
    const char *labels, *a, *b, *c; /* layouts; NULL: a scalar's */
    lay_status status;
    const char *fact;
} bad_text;

static const bad_text bad_texts[] = {
    { "i1,kj->ij", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_SYNTAX, "position 1: expected a letter or ','" },
    { "ik.kj->ij", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_SYNTAX, "position 2: expected a letter or ','" },
    { "ik", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_SYNTAX, "position 2: expected a letter or ','" },
    { "", NULL, NULL, NULL, LAY_ERR_SYNTAX, "position 0: expected a letter or ','" },
    { "ik,kj", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_SYNTAX, "position 5: expected a letter or \"->\"" },
    { "ik,kj-ij", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_SYNTAX, "position 5: expected a letter or \"->\"" },
    { "ik,kj,->ij", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_SYNTAX, "position 5: expected a letter or \"->\"" },
    { "ik,kj->ij!", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_SYNTAX, "position 9: expected a letter" },
    { "ik,kj->ij->", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_SYNTAX, "position 9: expected a letter" },
    { "i\xc3\xa4,kj->ij", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_SYNTAX, "position 1: expected a letter or ','" },
    { "ik,kj->ii", "[3][4]", "[4][3]", "[3][3]", LAY_ERR_REFERENCE, "the label 'i' stands twice in the output" },
    { "ikl,kj->ij", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_RANK, "A has rank 2 but 3 labels" },
    { "ik,k->ij", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_RANK, "B has rank 2 but 1 label" },
    { "ik,kj->", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_RANK, "C has rank 2 but 0 labels" },
    { "ik,kj->ij", NULL, "[4][5]", "[3][5]", LAY_ERR_RANK, "A has rank 0 but 2 labels" },
    { "ik,kj->ij", "[3][4]", "[4][5]", NULL, LAY_ERR_RANK, "C has rank 0 but 2 labels" },
    { "ik,kj->ij", "[3][4]", "[7][5]", "[3][5]", LAY_ERR_SHAPE, "the label 'k' is 4 in A but 7 in B" },
    { "ik,kj->ij", "[3][4]", "[4][5]", "[8][5]", LAY_ERR_SHAPE, "the label 'i' is 3 in A but 8 in C" },
    { "ik,kj->ji", "[3][4]", "[4][5]", "[3][5]", LAY_ERR_SHAPE, "the label 'j' is 5 in B but 3 in C" },
    { "kk,kj->j", "[3][4]", "[3][5]", "[5]", LAY_ERR_SHAPE,
      "the label 'k' stands at two dimensions of A, of 3 and of 4" },
    { "i,jj->i", "[3]", "[4][1]", "[3]", LAY_ERR_SHAPE, "the label 'j' stands at two dimensions of B, of 4 and of 1" },
    { "ii,j->ij", "[[2:1][3:2]][[3:9][2:30]]", "[5]", "[6][5]", LAY_ERR_UNSUPPORTED,
      "the label 'i' of A has no diagonal: the radices" },
    { "i,jj->i", "[6]", "T=[3:1][3:9]; A=[7@1#T]; B=[7]; [#A][#B]", "[6]", LAY_ERR_UNSUPPORTED,
      "the label 'j' of B has no diagonal: the radices" },
    { "ik,kj->ij", "[3][4]", "[4][5]", "[3:0][5:1]", LAY_ERR_INJECTIVE, "C" },
    { "ik,kj->ij", "[3][4]", "[4][5]", "[3:1][5:1]", LAY_ERR_INJECTIVE, "C" },
    { "ik,kj->ijr", "[3][4]", "[4][5]", "[3:5][5:1][7:0]", LAY_ERR_INJECTIVE,
      "own: the label 'r' has 7 indices and the stride 0" },
    { "i,j->j", "[4611686018427387904:0]", "[8]", "[8]", LAY_ERR_OVERFLOW,
      "B along the labels 'i' 'j': the number of elements does not fit 63 bits" },
    { "ab,cd->", "[2147483648:0][1073741824:0]", "[2147483648:0][1073741824:0]", NULL, LAY_ERR_OVERFLOW,
      "A along the labels 'b' 'd' 'a' 'c': the number of indices does not fit 63 bits" },
};

static void bad_texts_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_texts / sizeof bad_texts[0]; i++) {
        const bad_text *bad = &bad_texts[i];
        lay_desc *const a = parse(bad->a), *const b = parse(bad->b), *const c = parse(bad->c);
        lay_product product = LAY_PRODUCT_INIT;
        lay_plan *plan = NULL;
        product.type_a = product.type_b = product.type_c = LAY_F64;
        product.labels = bad->labels;
        product.a = a;
        product.b = b;
        product.c = c;
        expect_refusal(
            bad->labels,
            lay_contract(LAY_F64, bad->labels, a, b, c, &one, memory, memory + 100, &one, memory + 200, NULL),
            bad->status, bad->fact);
        expect_refusal(bad->labels, lay_plan_create_product(&product, NULL, &plan), bad->status, bad->fact);
        assert_null(plan);
        expect_untouched(bad->labels);
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
}

static void labels_are_at_most_a_descriptors_dimensions(void **state)
{
    (void)state;
    char text[200] = { 0 };
    memset(text, 'a', 129);
    strcpy(text + 129, ",->");
    expect_refusal("129 labels",
                   lay_contract(LAY_F64, text, NULL, NULL, NULL, &one, memory, memory, &one, memory + 1, NULL),
                   LAY_ERR_SYNTAX, "position 128: expected no more labels than");
    strcpy(text, "ab,\tbc->ac");
    expect_refusal("a tab", lay_contract(LAY_F64, text, NULL, NULL, NULL, &one, memory, memory, &one, memory + 1, NULL),
                   LAY_ERR_SYNTAX, "labels \"ab,?bc->ac\", position 3: expected");
    memset(text, ' ', 150);
    strcpy(text + 150, "ab,bc->a;c");
    expect_refusal("a long text",
                   lay_contract(LAY_F64, text, NULL, NULL, NULL, &one, memory, memory, &one, memory + 1, NULL),
                   LAY_ERR_SYNTAX, "ab,bc->a;c\", position 158: expected a letter or the end");
    expect_refusal("no labels",
                   lay_contract(LAY_F64, NULL, NULL, NULL, NULL, &one, memory, memory, &one, memory + 1, NULL),
                   LAY_ERR_ARGUMENT, "labels is NULL");
    expect_untouched("too many labels or none");
}

/* ---- products --------------------------------------------------------------------------------- */

static lay_desc *desc[4]; /* of a good one: 3 x 4 by 4 x 5 */
static const int64_t ik[] = { 7, -7 }, kj[] = { -7, INT64_MAX }, ij[] = { 7, INT64_MAX }, jj[] = { -7, -7 };

static lay_product good_product(void)
{
    lay_product made = LAY_PRODUCT_INIT;
    made.type_a = made.type_b = made.type_c = made.type_d = LAY_F64;
    made.a = desc[0];
    made.b = desc[1];
    made.c = desc[2];
    made.labels_a = ik;
    made.labels_b = kj;
    made.labels_c = ij;
    return made;
}

static void expect_bad(const lay_product *product, lay_status status, const char *fact)
{
    lay_plan *plan = NULL;
    expect_refusal(fact, lay_plan_create_product(product, NULL, &plan), status, fact);
    assert_null(plan);
}

static void sizes_and_values_that_no_product_has_are_refused(void **state)
{
    (void)state;
    lay_product bad = good_product();
    lay_plan *plan = NULL;
    expect_bad(NULL, LAY_ERR_ARGUMENT, "product is NULL");
    expect_refusal("no out", lay_plan_create_product(&bad, NULL, NULL), LAY_ERR_ARGUMENT, "out is NULL");
    bad.struct_size = 0;
    expect_bad(&bad, LAY_ERR_OPTION, "product.struct_size is 0");
    bad.struct_size = offsetof(lay_product, labels) - 1;
    expect_bad(&bad, LAY_ERR_OPTION, "product.struct_size is");
    bad.struct_size = offsetof(lay_product, labels) + 4; /* half of a pointer */
    expect_bad(&bad, LAY_ERR_OPTION, "which no version of it has");
    bad.struct_size = (size_t)1 << 40;
    expect_bad(&bad, LAY_ERR_OPTION, "product.struct_size is 1099511627776");
    bad = good_product();
    bad.sum_order = (lay_sum_order)2;
    expect_bad(&bad, LAY_ERR_OPTION, "product.sum_order has no value 2");
    bad.sum_order = (lay_sum_order)-1;
    expect_bad(&bad, LAY_ERR_OPTION, "product.sum_order has no value -1");
    bad = good_product();
    bad.conjugated = 8;
    expect_bad(&bad, LAY_ERR_OPTION, "product.conjugated has no bits 0x8");
    bad.conjugated = LAY_CONJUGATED_C; /* of a real C it has no effect; a complex one would be read and written */
    assert_int_equal(lay_plan_create_product(&bad, NULL, &plan), LAY_OK);
    lay_plan_destroy(plan);
    plan = NULL;
    bad.type_a = bad.type_b = bad.type_c = LAY_C32;
    expect_bad(&bad, LAY_ERR_UNSUPPORTED, "a conjugated C is not written in place: name a D");
    bad = good_product();
    bad.struct_size = offsetof(lay_product, conjugated);
    bad.sum_order = (lay_sum_order)2; /* beyond what the caller says it knows */
    assert_int_equal(lay_plan_create_product(&bad, NULL, &plan), LAY_OK);
    lay_plan_destroy(plan);
}

/* A newer caller's longer structure is fine while it asks for nothing unknown. */
static void a_longer_structure_is_read_up_to_what_is_known(void **state)
{
    (void)state;
    struct {
        lay_product known;
        int more[8];
    } newer;
    lay_plan *plan = NULL;
    memset(&newer, 0, sizeof newer);
    newer.known = good_product();
    newer.known.struct_size = sizeof newer;
    assert_int_equal(lay_plan_create_product(&newer.known, NULL, &plan), LAY_OK);
    lay_plan_destroy(plan);
    newer.more[7] = 1;
    expect_bad(&newer.known, LAY_ERR_OPTION, "product sets a field that version");
    newer.known.struct_size -= sizeof newer.more[7]; /* so that it is none of the structure's */
    assert_int_equal(lay_plan_create_product(&newer.known, NULL, &plan), LAY_OK);
    lay_plan_destroy(plan);
}

static void types_that_do_not_mix_are_refused(void **state)
{
    (void)state;
    lay_product bad = good_product();
    lay_plan *plan = NULL;
    bad.type_b = LAY_C32;
    expect_bad(&bad, LAY_ERR_TYPE,
               "B is c32 but C is f64: complex products have no place in real numbers; C may be c64");
    bad.d = desc[2];
    expect_bad(&bad, LAY_ERR_TYPE,
               "B is c32 but D is f64: complex products have no place in real numbers; D may be c64");
    bad = good_product();
    bad.type_c = LAY_C32;
    expect_bad(&bad, LAY_ERR_TYPE, "C is c32 but A and B are real: one of them may be c64, or C f64");
    bad.type_d = LAY_C32;
    bad.d = desc[2];
    expect_bad(&bad, LAY_ERR_TYPE, "D is c32 but A and B are real: one of them may be c64, or D and C f64");
    bad = good_product();
    bad.reserved = 5;
    expect_bad(&bad, LAY_ERR_OPTION, "product.reserved is 5, not 0");
    bad = good_product();
    bad.sum_precision = (lay_sum_precision)2;
    expect_bad(&bad, LAY_ERR_OPTION, "product.sum_precision has no value 2");
    bad = good_product();
    bad.type_d = LAY_BF16; /* there is no D */
    assert_int_equal(lay_plan_create_product(&bad, NULL, &plan), LAY_OK);
    lay_plan_destroy(plan);
    bad.d = desc[2];
    bad.type_d = LAY_F32;
    bad.type_c = LAY_C32;
    expect_bad(&bad, LAY_ERR_TYPE, "C is c32 but D is f32: complex elements have no place in real ones; C may be f32");
    bad.type_d = (lay_type)-3;
    expect_bad(&bad, LAY_ERR_TYPE, "product.type_d: -3 is no lay_type");
    bad.type_a = (lay_type)99;
    expect_bad(&bad, LAY_ERR_TYPE, "product.type_a: 99 is no lay_type");
}

static void more_labels_than_a_matrix_takes_are_refused(void **state)
{
    (void)state;
    int64_t label[2][64];
    char text[64 * 3 + 1] = "";
    for (int i = 0; i < 64; i++) {
        label[0][i] = i - 100;
        label[1][i] = i;
        strcat(text, "[1]");
    }
    lay_desc *const ones = parse(text);
    lay_product bad = LAY_PRODUCT_INIT;
    bad.a = bad.b = ones;
    bad.labels_a = label[0];
    bad.labels_b = label[1];
    expect_bad(&bad, LAY_ERR_UNSUPPORTED, "A along the labels -100 -99");
    expect_bad(&bad, LAY_ERR_UNSUPPORTED, "-83 -82 and more: a layout of more than 128 dimensions");
    lay_desc_destroy(ones);
}

static void labels_that_do_not_suit_are_refused(void **state)
{
    (void)state;
    lay_product bad = good_product();
    bad.labels_b = NULL;
    expect_bad(&bad, LAY_ERR_ARGUMENT, "labels and labels_b are NULL");
    bad = good_product();
    bad.labels_c = jj;
    expect_bad(&bad, LAY_ERR_REFERENCE, "the label -7 stands twice in the output");
    bad = good_product();
    bad.labels_a = ij;
    expect_bad(&bad, LAY_ERR_SHAPE, "the label 9223372036854775807 is 4 in A but 5 in B");
}

/* What is written is D, and is called so. */
static void layouts_of_d_that_do_not_suit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *layout;
        lay_status status;
        const char *fact;
    } cases[] = {
        { "[3]", LAY_ERR_RANK, "D has rank 1 but 2 labels" },
        { "[3][7]", LAY_ERR_SHAPE, "the label 9223372036854775807 is 5 in B but 7 in D" },
        { "[3:0][5:1]", LAY_ERR_INJECTIVE, "D" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lay_desc *const d = parse(cases[i].layout);
        lay_product bad = good_product();
        bad.d = d;
        expect_bad(&bad, cases[i].status, cases[i].fact);
        lay_desc_destroy(d);
    }
}

static int start(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++)
        memory[i] = before[i] = i;
    desc[0] = parse("[3][4]");
    desc[1] = parse("[4][5]");
    desc[2] = parse("[3][5]");
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_texts_are_refused),
        cmocka_unit_test(labels_are_at_most_a_descriptors_dimensions),
        cmocka_unit_test(sizes_and_values_that_no_product_has_are_refused),
        cmocka_unit_test(a_longer_structure_is_read_up_to_what_is_known),
        cmocka_unit_test(types_that_do_not_mix_are_refused),
        cmocka_unit_test(more_labels_than_a_matrix_takes_are_refused),
        cmocka_unit_test(labels_that_do_not_suit_are_refused),
        cmocka_unit_test(layouts_of_d_that_do_not_suit_are_refused),
    };
    return cmocka_run_group_tests(tests, start, end);
}
