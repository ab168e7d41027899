/* Large products in pieces (lib/rewrite/pieces.c): the same bits as whole, under a table whose pieces always win and
 * rates by which small products are large; what a piece needs of memory, and what fresh memory costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "cpu/ways.h"
#include "machine/rates.h"
#include "plan/plan.h"
#include "rewrite/ways.h"
#include "threads/workspace.h"
#include "ways.h"

enum { CASES = 200, DIGITS = 3, SIDES = 3 /* m, n, k */, TEXT = 256 };

/* ---- rates and tables --------------------------------------------------------------------------- */

static lay_rates *rates; /* the library's own, which it keeps constant */
static lay_rates kept;

static int keep_rates(void **state)
{
    (void)state;
    rates = (lay_rates *)(uintptr_t)lay_rates_get();
    kept = *rates;
    return 0;
}

static int restore_rates(void **state)
{
    (void)state;
    *rates = kept;
    return 0;
}

static _Atomic int taken; /* runs in pieces */

static const char *prepare_pieces_for_nothing(lay_branch *branch)
{
    branch->setting.limit = 0; /* they are the cheapest, whatever others take */
    const char *reason = lay_way_pieces.prepare(branch);
    if (!reason)
        branch->job.seconds = 0;
    return reason;
}

static const char *prepare_image_for_nothing(lay_branch *branch)
{
    branch->setting.limit = 0;
    const char *reason = lay_way_image.prepare(branch);
    if (!reason)
        branch->job.seconds = 0;
    return reason;
}

static lay_status run_pieces(lay_branch *branch, const lay_call *call)
{
    taken++;
    return lay_way_pieces.run(branch, call);
}

static lay_way cheap_pieces, cheap_image;
static const lay_order *const orders[] = { &lay_order_cpu, NULL };
static const lay_way *const whole[] = { &lay_way_swept,  &lay_way_in_place, &lay_way_packed,
                                        &lay_way_vector, &lay_way_slices,   &lay_way_transposed,
                                        &lay_way_batch,  &lay_way_complex,  NULL };
static const lay_way *const cut[] = { &lay_way_swept,
                                      &lay_way_in_place,
                                      &lay_way_packed,
                                      &lay_way_vector,
                                      &lay_way_slices,
                                      &lay_way_transposed,
                                      &lay_way_batch,
                                      &lay_way_complex,
                                      &cheap_pieces,
                                      &cheap_image,
                                      NULL };
static const lay_way *const image[] = { &cheap_image, &lay_way_packed, NULL };
static const lay_table no_pieces = { orders, whole }, all_pieces = { orders, cut }, images_alone = { orders, image };

/* ---- products ----------------------------------------------------------------------------------- */

typedef struct product {
    lay_type type;
    lay_desc *desc[3];
} product;

/* Digits of two of m, n and k in any order in memory. */
static lay_desc *lay_out(random_source *from, const int64_t rows[DIGITS], const int64_t columns[DIGITS])
{
    int64_t stride[2 * DIGITS], at = 1;
    int order[2 * DIGITS], length = 0;
    char text[TEXT];
    lay_desc *out;
    for (int i = 0; i < 2 * DIGITS; i++) {
        const int j = (int)random_in(from, 0, i);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < 2 * DIGITS; i++) {
        const int digit = order[i];
        stride[digit] = at;
        at = at * (digit < DIGITS ? rows[digit] : columns[digit - DIGITS]) + (random_in(from, 0, 4) == 0);
    }
    for (int i = 0; i < 2 * DIGITS; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s[%lld:%lld]%s", i % DIGITS == 0 ? "[" : "",
                           (long long)(i < DIGITS ? rows[i] : columns[i - DIGITS]), (long long)stride[i],
                           i % DIGITS == DIGITS - 1 ? "]" : "");
    assert_int_equal(lay_desc_parse(text, &out), LAY_OK);
    return out;
}

static product make_product(random_source *from)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_C32 };
    int64_t digit[SIDES][DIGITS];
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < DIGITS; i++)
            digit[side][i] = random_in(from, 1, i == 2 ? 14 : 5);
    return (product){ types[random_in(from, 0, 2)],
                      { lay_out(from, digit[0], digit[2]), lay_out(from, digit[2], digit[1]),
                        lay_out(from, digit[0], digit[1]) } };
}

static void free_product(product *of)
{
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(of->desc[i]);
}

/* Storage of an operand: numbers, and between them what must stay. */
static char *make_numbers(random_source *from, const product *of, int operand, size_t *bytes)
{
    int64_t lowest, highest;
    lay_desc_span(of->desc[operand], &lowest, &highest);
    *bytes = (size_t)(highest + 1) * lay_type_size(of->type);
    char *made = malloc(*bytes);
    assert_non_null(made);
    for (size_t i = 0; of->type == LAY_F64 && i < *bytes / sizeof(double); i++)
        ((double *)(void *)made)[i] = (double)random_in(from, -999, 999) / 997;
    for (size_t i = 0; of->type != LAY_F64 && i < *bytes / sizeof(float); i++)
        ((float *)(void *)made)[i] = (float)random_in(from, -999, 999) / 997;
    return made;
}

/* C of the table's plan, from a copy of c. */
static char *multiply(const lay_table *table, const product *of, int threads, double beta, char *const number[3],
                      size_t bytes)
{
    const double wide[2] = { beta, 0 }, one = 1;
    const float narrow[2] = { (float)beta, 0 }, narrow_one[2] = { 1, 0 };
    const int is_wide = of->type == LAY_F64;
    char *own = malloc(bytes);
    lay_options options = LAY_OPTIONS_INIT;
    lay_plan *plan;
    options.threads = threads;
    assert_non_null(own);
    memcpy(own, number[2], bytes);
    assert_int_equal(lay_plan_make(table, of->type, of->desc[0], of->desc[1], of->desc[2], &options, &plan), LAY_OK);
    assert_int_equal(lay_plan_run(plan, is_wide ? (const void *)&one : narrow_one, number[0], number[1],
                                  is_wide ? (const void *)wide : narrow, own),
                     LAY_OK);
    lay_plan_destroy(plan);
    return own;
}

static void pieces_change_no_bit(void **state)
{
    (void)state;
    static const double betas[] = { 0, 1, -0.75 };
    random_source from = random_case(11, 0);
    taken = 0;
    for (int i = 0; i < CASES; i++) {
        product of = make_product(&from);
        size_t bytes[3];
        char *number[3];
        rates->piece_bytes = (double)(1 << random_in(&from, 10, 16));
        for (int j = 0; j < 3; j++)
            number[j] = make_numbers(&from, &of, j, &bytes[j]);
        char *one = multiply(&no_pieces, &of, 1, betas[i % 3], number, bytes[2]);
        char *other = multiply(&all_pieces, &of, i % 3 + 1, betas[i % 3], number, bytes[2]);
        if (memcmp(one, other, bytes[2]) != 0)
            fail_msg("case %d: pieces changed bits", i);
        free(one);
        free(other);
        for (int j = 0; j < 3; j++)
            free(number[j]);
        free_product(&of);
    }
    assert_true(taken > CASES / 20); /* else they were no test of pieces */
}

/* ---- what a plan says ----------------------------------------------------------------------------- */

/* The number behind some words of an explanation. */
static double explained(const lay_table *table, lay_type type, const char *const notation[3], const char *words)
{
    static char text[1 << 14];
    lay_options options = LAY_OPTIONS_INIT;
    product of = { .type = type };
    lay_plan *plan;
    options.threads = 1;
    options.backend = LAY_BACKEND_CPU; /* a GPU would take the larger ones */
    for (int i = 0; i < 3; i++)
        assert_int_equal(lay_desc_parse(notation[i], &of.desc[i]), LAY_OK);
    assert_int_equal(lay_plan_make(table, type, of.desc[0], of.desc[1], of.desc[2], &options, &plan), LAY_OK);
    assert_true(lay_plan_explain(plan, text, sizeof text) > 0);
    lay_plan_destroy(plan);
    free_product(&of);
    const char *const found = strstr(text, words);
    if (!found)
        fail_msg("\"%s\" is not in\n%s", words, text);
    return strtod(found + strlen(words), NULL);
}

/* abcde-ecbfa-fd of TCCG: C has 694 MB. */
static const char *const scattered[] = { "[[48:1806336][28:1344][28:48][48:1]][48:37632]", "[48:1][24:48]",
                                         "[[48:1][28:48][28:1344][48:903168]][24:37632]" };

static void a_large_image_needs_no_more_memory_than_is_kept(void **state)
{
    (void)state;
    assert_true(explained(&lay_all_ways, LAY_C64, scattered, "workspace ") <= (double)LAY_WORKSPACE_KEPT);
}

/* Of images that the pool does not keep each byte costs, of others none. */
static void fresh_memory_costs(void **state)
{
    (void)state;
    static const char copies[] = "copies predicted ";
    static const char *const large[] = { "[[48:3612672][28:2688][28:96][48:2]][[48:75264][2:1]]", "[96:1][48:96]",
                                         "[[48:2][28:96][28:2688][48:1806336]][[24:75264][2:1]]" };
    static const char *const small[] = { "[[48:3612672][28:2688][2:96][48:2]][[48:75264][2:1]]", "[96:1][48:96]",
                                         "[[48:2][28:96][2:2688][48:1806336]][[24:75264][2:1]]" };
    const char *const *const of[] = { large, small };
    static const double least[] = { 690e3 /* us */, 0 }, most[] = { 697e3, 1 };
    for (int i = 0; i < 2; i++) {
        rates->fresh_byte = 0;
        const double before = explained(&images_alone, LAY_F64, of[i], copies);
        rates->fresh_byte = 1;
        const double more = explained(&images_alone, LAY_F64, of[i], copies) - before;
        assert_true(more >= least[i] && more <= most[i]);
    }
}

static void pieces_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const char *const plain[] = { "[9000:9000][9000:1]", "[9000:9000][9000:1]", "[9000:9000][9000:1]" };
    static const char *const small[] = { "[64:64][64:1]", "[64:64][64:1]", "[64:64][64:1]" };
    explained(&lay_all_ways, LAY_F32, plain, "no piece gains by images");
    explained(&lay_all_ways, LAY_F32, small, "the operands have no more bytes than a piece may have");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(pieces_change_no_bit, restore_rates),
        cmocka_unit_test(a_large_image_needs_no_more_memory_than_is_kept),
        cmocka_unit_test_teardown(fresh_memory_costs, restore_rates),
        cmocka_unit_test(pieces_are_refused_with_a_reason),
    };
    cheap_pieces = lay_way_pieces;
    cheap_pieces.prepare = prepare_pieces_for_nothing;
    cheap_pieces.run = run_pieces;
    cheap_image = lay_way_image;
    cheap_image.prepare = prepare_image_for_nothing;
    return cmocka_run_group_tests(tests, keep_rates, NULL);
}
