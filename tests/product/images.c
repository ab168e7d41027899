/* Images (lib/rewrite/image.h): the same bits with and without, under a table whose image way always wins; what is
 * refused and why; threads, memory that fails, and what an explanation says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "cpu/ways.h"
#include "plan/plan.h"
#include "rewrite/ways.h"
#include "threads/workspace.h"

enum { CASES = 300, DIGITS = 3, MOST = 16 };

/* ---- memory that runs out: the linker leads the library's allocations through here --------------- */

static _Thread_local long left = -1; /* allocations until one fails; below 0: none does */
static _Atomic long live;            /* blocks, while they are counted */
static _Atomic int is_counting;

static int is_out(void)
{
    if (left < 0)
        return 0;
    return left-- == 0;
}

static void *count(void *made)
{
    live += is_counting && made;
    return made;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t number, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t number, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size)
{
    return is_out() ? NULL : count(__real_malloc(size));
}

void *__wrap_calloc(size_t number, size_t size)
{
    return is_out() ? NULL : count(__real_calloc(number, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return is_out() ? NULL : count(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
    live -= is_counting && memory;
    __real_free(memory);
}

/* ---- tables: with images wherever they can be, and with none ------------------------------------ */

static _Atomic int images; /* that were taken */

static const char *prepare_image_for_nothing(lay_branch *branch)
{
    branch->setting.limit = 0; /* it is the cheapest, whatever others take */
    const char *reason = lay_way_image.prepare(branch);
    if (!reason)
        branch->job.seconds = 0;
    return reason;
}

static lay_status run_image(lay_branch *branch, const lay_call *call)
{
    atomic_fetch_add(&images, 1);
    return lay_way_image.run(branch, call);
}

static lay_way cheap_image;
static const lay_order *const orders[] = { &lay_order_cpu, NULL };
static const lay_way *const without[] = { &lay_way_swept,  &lay_way_in_place,   &lay_way_packed, &lay_way_vector,
                                          &lay_way_slices, &lay_way_transposed, &lay_way_batch,  NULL };
static const lay_way *const with[] = { &lay_way_swept,  &lay_way_in_place, &lay_way_packed,
                                       &lay_way_vector, &lay_way_slices,   &lay_way_transposed,
                                       &cheap_image,    &lay_way_batch,    NULL };
static const lay_way *const numbers_without[] = { &lay_way_packed, &lay_way_transposed, &lay_way_complex,
                                                  &lay_way_numbers, NULL };
static const lay_way *const numbers_with[] = { &lay_way_packed,  &lay_way_transposed, &cheap_image,
                                               &lay_way_complex, &lay_way_numbers,    NULL };
static const lay_table no_images = { .orders = orders, .ways = without },
                       all_images = { .orders = orders, .ways = with },
                       no_images_of_numbers = { .orders = orders, .ways = numbers_without },
                       images_of_numbers = { .orders = orders, .ways = numbers_with };

static int make_tables(void **state)
{
    (void)state;
    cheap_image = lay_way_image;
    cheap_image.prepare = prepare_image_for_nothing;
    cheap_image.run = run_image;
    return 0;
}

/* ---- contractions ------------------------------------------------------------------------------- */

typedef struct dimension {
    int64_t digit[DIGITS], extent;
} dimension;

typedef struct contraction {
    lay_type type;
    int64_t m, n, k;
    lay_desc *desc[3];
} contraction;

static dimension make_dimension(random_source *from)
{
    dimension of = { .extent = 1 };
    for (int i = 0; i < DIGITS; i++)
        of.extent *= of.digit[i] = random_in(from, 1, i == 2 ? MOST : 5);
    return of;
}

/* Digits of both dimensions and, if it is not 0, a batch of so many, in any order in memory, perhaps with a gap behind
 * each. */
static lay_desc *lay_out(random_source *from, const dimension *rows, const dimension *columns, int64_t batch)
{
    enum { BATCH = 2 * DIGITS, ALL };
    int64_t stride[ALL], at = 1;
    int order[ALL], length = 0;
    char text[512];
    lay_desc *out;
    for (int i = 0; i < ALL; i++)
        order[i] = i;
    for (int i = ALL - 1; i > 0; i--) {
        const int j = (int)random_in(from, 0, i), moved = order[i];
        order[i] = order[j];
        order[j] = moved;
    }
    for (int i = 0; i < ALL; i++) {
        stride[order[i]] = at;
        at *= order[i] < DIGITS  ? rows->digit[order[i]]
              : order[i] < BATCH ? columns->digit[order[i] - DIGITS]
              : batch            ? batch
                                 : 1;
        at += random_in(from, 0, 4) == 0;
    }
    if (batch)
        length = snprintf(text, sizeof text, "[%lld:%lld]", (long long)batch, (long long)stride[BATCH]);
    length += snprintf(text + length, sizeof text - (size_t)length, "[");
    for (int i = 0; i < BATCH; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s[%lld:%lld]", i == DIGITS ? "][" : "",
                           (long long)(i < DIGITS ? rows->digit[i] : columns->digit[i - DIGITS]), (long long)stride[i]);
    snprintf(text + length, sizeof text - (size_t)length, "]");
    assert_int_equal(lay_desc_parse(text, &out), LAY_OK);
    return out;
}

static contraction make_contraction(random_source *from, int has_batch)
{
    const dimension m = make_dimension(from), n = make_dimension(from), k = make_dimension(from);
    const int64_t batch = !has_batch || random_in(from, 0, 2) ? 0 : random_in(from, 1, 40);
    const int64_t of_a = random_in(from, 0, 3) ? batch : 0, of_b = random_in(from, 0, 3) ? batch : 0;
    return (contraction){ .type = random_in(from, 0, 1) ? LAY_F64 : LAY_F32,
                          .m = m.extent,
                          .n = n.extent,
                          .k = k.extent,
                          .desc = { lay_out(from, &m, &k, of_a), lay_out(from, &k, &n, of_b),
                                    lay_out(from, &m, &n, batch) } };
}

static void free_contraction(contraction *of)
{
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(of->desc[i]);
}

/* Storage of an operand: numbers, and between them what must stay. */
static char *make_numbers(random_source *from, const contraction *of, int operand, size_t *bytes)
{
    int64_t lowest, highest;
    lay_desc_span(of->desc[operand], &lowest, &highest);
    assert_int_equal(lowest, 0);
    *bytes = (size_t)(highest + 1) * lay_type_size(of->type);
    char *made = malloc(*bytes);
    assert_non_null(made);
    const int parts = of->type == LAY_C32 || of->type == LAY_C64 ? 2 : 1,
              is_wide = lay_type_size(of->type) / parts == 8;
    for (int64_t i = 0; i < (highest + 1) * parts; i++) {
        const double number = (double)random_in(from, -999, 999) / 997;
        if (is_wide)
            ((double *)(void *)made)[i] = number;
        else
            ((float *)(void *)made)[i] = (float)number;
    }
    return made;
}

/* C of the table's plan, from a copy of c. */
static char *multiply(const lay_table *table, const contraction *of, const lay_options *options, double alpha,
                      double beta, const char *a, const char *b, const char *c, size_t bytes)
{
    const float alphas32[] = { (float)alpha, 0 }, betas32[] = { (float)beta, 0 };
    const double alphas[] = { alpha, 0 }, betas[] = { beta, 0 };
    char *own = malloc(bytes);
    lay_plan *plan;
    assert_non_null(own);
    memcpy(own, c, bytes);
    assert_int_equal(lay_plan_make(table, of->type, of->desc[0], of->desc[1], of->desc[2], options, &plan), LAY_OK);
    const int is_wide = of->type == LAY_F64 || of->type == LAY_C64;
    assert_int_equal(lay_plan_run(plan, is_wide ? (const void *)alphas : alphas32, a, b,
                                  is_wide ? (const void *)betas : betas32, own),
                     LAY_OK);
    lay_plan_destroy(plan);
    return own;
}

/* Of random contractions, of complex numbers or real ones, by tables without and with images. */
static void compare(const lay_table *no_image, const lay_table *image, int is_complex, random_source from)
{
    static const double betas[] = { 0, 1, -0.75 };
    images = 0;
    for (int i = 0; i < CASES; i++) {
        contraction of = make_contraction(&from, !is_complex);
        if (is_complex)
            of.type = of.type == LAY_F64 ? LAY_C64 : LAY_C32;
        lay_options options = LAY_OPTIONS_INIT;
        options.threads = i % 3 + 1;
        const double alpha = i % 8 == 5 ? 0 : 1.25, beta = betas[i % 3];
        size_t bytes[3];
        char *number[3];
        for (int j = 0; j < 3; j++)
            number[j] = make_numbers(&from, &of, j, &bytes[j]);
        char *one = multiply(no_image, &of, &options, alpha, beta, number[0], number[1], number[2], bytes[2]);
        char *other = multiply(image, &of, &options, alpha, beta, number[0], number[1], number[2], bytes[2]);
        if (memcmp(one, other, bytes[2]) != 0)
            fail_msg("case %d, %lld x %lld x %lld: an image changed bits", i, (long long)of.m, (long long)of.n,
                     (long long)of.k);
        free(one);
        free(other);
        for (int j = 0; j < 3; j++)
            free(number[j]);
        free_contraction(&of);
    }
    assert_true(images > CASES / 6); /* else they were no test of images */
}

static void images_change_no_bit(void **state)
{
    (void)state;
    compare(&no_images, &all_images, 0, random_case(5, 0));
}

static void images_of_complex_numbers_change_no_bit(void **state)
{
    (void)state;
    compare(&no_images_of_numbers, &images_of_numbers, 1, random_case(5, 1));
}

/* C stays as it was where a run fails, and all memory is given back. */
static void images_bear_that_memory_runs_out(void **state)
{
    (void)state;
    enum { C_BYTES = 120 * 120 * sizeof(float) };
    static float a[120 * 300], b[300 * 120], c[120 * 120], before[120 * 120];
    lay_desc *desc[3];
    const float one = 1;
    const int taken = images;
    int is_done = 0;
    for (int i = 0; i < 120 * 120; i++)
        before[i] = (float)i;
    assert_int_equal(lay_desc_parse("[[40:300][3:12000]][[150:2][2:1]]", &desc[0]), LAY_OK);
    assert_int_equal(lay_desc_parse("[300:120][120:1]", &desc[1]), LAY_OK);
    assert_int_equal(lay_desc_parse("[[40:9][3:1]][[40:360][3:3]]", &desc[2]), LAY_OK);
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    lay_workspace_clear();
    for (long fails = 0; !is_done; fails++) {
        lay_plan *plan = NULL;
        memcpy(c, before, C_BYTES);
        live = 0;
        is_counting = 1;
        left = fails;
        lay_status status = lay_plan_make(&all_images, LAY_F32, desc[0], desc[1], desc[2], &options, &plan);
        if (status == LAY_OK && (status = lay_plan_run(plan, &one, a, b, &one, c)) != LAY_OK)
            assert_memory_equal(c, before, C_BYTES);
        is_done = left >= 0; /* not as many were asked for */
        left = -1;
        lay_plan_destroy(plan);
        lay_workspace_clear();
        is_counting = 0;
        if (status != LAY_OK && (status != LAY_ERR_MEMORY || !strstr(lay_last_error(), "memory")))
            fail_msg("allocation %ld: %s", fails, lay_last_error());
        assert_int_equal(live, 0);
        assert_true(fails < 200);
    }
    assert_true(images > taken); /* the last run was one of images */
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
}

/* ---- what a plan says ----------------------------------------------------------------------------- */

static void explain(const char *a, const char *b, const char *c, char *text, size_t size)
{
    lay_options options = LAY_OPTIONS_INIT;
    lay_desc *desc[3];
    lay_plan *plan;
    const char *const notation[] = { a, b, c };
    options.threads = 1;
    for (int i = 0; i < 3; i++)
        assert_int_equal(lay_desc_parse(notation[i], &desc[i]), LAY_OK);
    assert_int_equal(lay_plan_make(&all_images, LAY_F32, desc[0], desc[1], desc[2], &options, &plan), LAY_OK);
    assert_true(lay_plan_explain(plan, text, size) > 0);
    lay_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
}

static void assert_says(const char *text, const char *wanted)
{
    if (!strstr(text, wanted))
        fail_msg("\"%s\" is not in\n%s", wanted, text);
}

static void a_plan_says_what_it_copies_and_why(void **state)
{
    (void)state;
    static char text[1 << 14];
    /* A's steps are contiguous by twos, 300 apart in index; rows and columns of C by threes. */
    explain("[[40:300][3:12000]][[150:2][2:1]]", "[300:120][120:1]", "[[40:9][3:1]][[40:360][3:3]]", text, sizeof text);
    assert_says(text, "image");
    assert_says(text, "copied back behind the product");
    assert_says(text, "copies predicted");
}

static void images_are_refused_with_a_reason(void **state)
{
    (void)state;
    static char text[1 << 14];
    explain("[128:128][128:1]", "[128:128][128:1]", "[128:128][128:1]", text, sizeof text);
    assert_says(text, "operands are read and written well as they lie");
    explain("[[4:1][2:4]][8:8]", "[8:8][8:1]", "[[4:1][2:32]][[4:8][2:4]]", text, sizeof text);
    assert_says(text, "copies take longer than so small a product");
    explain("[1:1][[1000:2][500:2000]]", "[[1000:2][500:2000]][2000:1000000]", "[1:1][2000:1]", text, sizeof text);
    assert_says(text, "a product with a vector reads its matrix once");
    /* Of 10^12 elements each: more than any machine has. */
    explain("[[1000:2][1000:2000000]][[500000:2000000000][2:1]]", "[1000000:1000000][1000000:1]",
            "[1000000:1000000][1000000:1]", text, sizeof text);
    assert_says(text, "images would take too large a share of the memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_change_no_bit),
        cmocka_unit_test(images_of_complex_numbers_change_no_bit),
        cmocka_unit_test(images_bear_that_memory_runs_out),
        cmocka_unit_test(a_plan_says_what_it_copies_and_why),
        cmocka_unit_test(images_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests_name("images", tests, make_tables, NULL);
}
