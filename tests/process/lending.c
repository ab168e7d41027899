/* A run in memory that the caller lends: the bits of any other run, nothing taken from the system, nothing touched
 * beside what was lent; and refused, with C as it was, where that memory does not serve. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layoutgemm.h"

enum { MARGIN = 256 }; /* bytes of canaries on either side */

static int is_counting, taken;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    taken += is_counting;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    taken += is_counting;
    return __real_calloc(count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    taken += is_counting;
    return __real_aligned_alloc(alignment, size);
}

/* Operands of one type in texts of the notation; d NULL: there is no D beside C. */
typedef struct sample {
    lay_type types[4]; /* A, B, C, D */
    const char *labels, *a, *b, *c, *d;
} sample;

#define ALL(type)                                                                                                      \
    {                                                                                                                  \
        type, type, type, type                                                                                         \
    }

static const sample samples[] = {
    { ALL(LAY_F32), "ip,pj->ij", "[9][8]", "[8][7]", "[9][7]", NULL },
    { ALL(LAY_F32), "ip,pj->ij", "[500][400]", "[400:1][300:400]", "[500][300]", NULL },
    { ALL(LAY_F64), "ip,pj->ij", "[310:1][200:310]", "[200][260]", "[310:1][260:310]", NULL },
    { ALL(LAY_F64), "ip,pj->ij", "[310:3][200:930]", "[200:7][260:1400]", "[310:1][260:310]", "[310:1][260:310]" },
    { ALL(LAY_F32), "ip,pj->ij", "[1000][1000]", "[1000:3][1:1]", "[1000][1]", NULL },
    { ALL(LAY_F32), "bip,bpj->bij", "[90][20][30]", "[90][30][10]", "[90][20][10]", NULL },
    { ALL(LAY_F32), "bip,pj->bij", "[900:1][5:900][4:4500]", "[4][6]", "[900:1][5:900][6:4500]", NULL },
    { ALL(LAY_C32), "ip,pj->ij", "[150:1][120:150]", "[120:1][130:120]", "[150:1][130:150]", NULL },
    { ALL(LAY_C64), "ip,pj->ij", "[70][80]", "[80][90]", "[70][90]", "[70:1][90:70]" },
    { ALL(LAY_F16), "ip,pj->ij", "[130][200]", "[200][110]", "[130][110]", NULL },
    { { LAY_BF16, LAY_F32, LAY_F32, LAY_F64 },
      "ip,pj->ij",
      "[130][200]",
      "[200:1][110:200]",
      "[130][110]",
      "[130][110]" },
    { ALL(LAY_F32), "aeb,ecd->dacb", "[24][64][26]", "[64][25][27]", "[27][24][25][26]", NULL },
};

static lay_desc *parse(const char *text)
{
    lay_desc *desc = NULL;
    assert_int_equal(lay_desc_parse(text, &desc), LAY_OK);
    return desc;
}

/* Storage of small numbers, in bytes that are finite in every type: 0x3c 0x3c is about 1 as f16, 0.01 as bf16, f32. */
static char *fill(lay_type type, const lay_desc *desc, size_t *bytes)
{
    *bytes = (size_t)lay_desc_bytes(type, desc);
    unsigned char *const made = malloc(*bytes);
    assert_non_null(made);
    for (size_t i = 0; i < *bytes; i++)
        made[i] = (unsigned char)(0x3c + i * 7 % 3);
    return (char *)made;
}

typedef struct made {
    lay_desc *desc[4];
    char *data[4]; /* of A, B, C, D */
    size_t bytes[4];
    lay_plan *plan;
} made;

static made make(const sample *of, int threads)
{
    const char *const text[] = { of->a, of->b, of->c, of->d };
    made result = { .plan = NULL };
    for (int i = 0; i < 4; i++) {
        result.desc[i] = text[i] ? parse(text[i]) : NULL;
        result.data[i] = text[i] ? fill(of->types[i], result.desc[i], &result.bytes[i]) : NULL;
    }
    lay_product product = LAY_PRODUCT_INIT;
    lay_options options = LAY_OPTIONS_INIT;
    product.type_a = of->types[0], product.type_b = of->types[1];
    product.type_c = of->types[2], product.type_d = of->types[3];
    product.a = result.desc[0], product.b = result.desc[1], product.c = result.desc[2], product.d = result.desc[3];
    product.labels = of->labels;
    options.threads = threads;
    options.backend = LAY_BACKEND_CPU;
    assert_int_equal(lay_plan_create_product(&product, &options, &result.plan), LAY_OK);
    return result;
}

static void unmake(made *of)
{
    lay_plan_destroy(of->plan);
    for (int i = 0; i < 4; i++) {
        lay_desc_destroy(of->desc[i]);
        free(of->data[i]);
    }
}

/* A scalar of any type of sums: real ones read the first part. */
typedef union scalar {
    double f64[2];
    float f32[2];
} scalar;

static scalar write_scalar(lay_type type, double value)
{
    scalar written = { .f64 = { 0, 0 } };
    if (type == LAY_F64 || type == LAY_C64)
        written.f64[0] = value;
    else
        written.f32[0] = (float)value;
    return written;
}

static size_t ask(const lay_plan *plan)
{
    lay_plan_info info = LAY_PLAN_INFO_INIT;
    assert_int_equal(lay_plan_query(plan, LAY_MEMORY_HOST, &info), LAY_OK);
    return info.workspace;
}

static lay_status run(const sample *of, made *on, double beta, void *workspace, size_t size)
{
    const lay_type sum = of->d ? of->types[3] : of->types[2];
    const scalar one = write_scalar(sum, 1), other = write_scalar(sum, beta);
    return lay_plan_run_workspace(on->plan, &one, on->data[0], on->data[1], &other, on->data[2], on->data[3], workspace,
                                  size);
}

static void judge(const sample *of, int threads, double beta)
{
    made plain = make(of, threads), lent = make(of, threads);
    const int written = of->d ? 3 : 2;
    const lay_type sum = of->types[written];
    const scalar one = write_scalar(sum, 1), other = write_scalar(sum, beta);
    assert_int_equal(
        lay_plan_run_product(plain.plan, &one, plain.data[0], plain.data[1], &other, plain.data[2], plain.data[3]),
        LAY_OK);
    const size_t size = ask(lent.plan), whole = (size + 2 * MARGIN + 63) / 64 * 64;
    unsigned char *const block = aligned_alloc(64, whole);
    assert_non_null(block);
    memset(block, 0xa5, whole);
    assert_int_equal(run(of, &lent, beta, block + MARGIN, size), LAY_OK);
    assert_memory_equal(lent.data[written], plain.data[written], plain.bytes[written]);
    for (size_t i = 0; i < whole; i++)
        if (i < MARGIN || i >= MARGIN + size)
            assert_int_equal(block[i], 0xa5);
    lay_cache_clear();
    taken = 0;
    is_counting = 1;
    const lay_status status = run(of, &lent, 0, block + MARGIN, size);
    is_counting = 0;
    assert_int_equal(status, LAY_OK);
    if (threads == 1) /* several are OpenMP's, which takes what it likes */
        assert_int_equal(taken, 0);
    free(block);
    unmake(&plain);
    unmake(&lent);
}

static void lent_memory_is_all_that_a_run_takes(void **state)
{
    (void)state;
    int with = 0;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            judge(&samples[i], threads, 0);
            judge(&samples[i], threads, 0.5);
            made once = make(&samples[i], threads);
            with += ask(once.plan) > 0;
            unmake(&once);
        }
    assert_true(with >= 8); /* else there is little to be seen here */
}

static void what_does_not_serve_is_refused(void **state)
{
    (void)state;
    const sample *const of = &samples[1];
    made on = make(of, 1);
    const size_t size = ask(on.plan);
    char sentence[100];
    char *const block = aligned_alloc(64, (size + 127) / 64 * 64);
    assert_non_null(block);
    assert_true(size > 0);
    char *const before = malloc(on.bytes[2]);
    memcpy(before, on.data[2], on.bytes[2]);
    assert_int_equal(run(of, &on, 0, block, size - 1), LAY_ERR_ARGUMENT);
    snprintf(sentence, sizeof sentence, "the workspace has %zu bytes, but the run needs %zu", size - 1, size);
    assert_string_equal(lay_last_error(), sentence);
    assert_int_equal(run(of, &on, 0, block + 8, size), LAY_ERR_ARGUMENT);
    assert_string_equal(lay_last_error(), "the workspace's address is no multiple of 64");
    assert_int_equal(run(of, &on, 0, NULL, size), LAY_ERR_ARGUMENT);
    snprintf(sentence, sizeof sentence, "workspace is NULL, but the run needs %zu bytes", size);
    assert_string_equal(lay_last_error(), sentence);
    const float one = 1;
    assert_int_equal(lay_plan_run_workspace(NULL, &one, on.data[0], on.data[1], &one, on.data[2], NULL, block, size),
                     LAY_ERR_ARGUMENT);
    assert_int_equal(lay_plan_run_workspace(on.plan, &one, on.data[0], on.data[1], NULL, on.data[2], NULL, block, size),
                     LAY_ERR_ARGUMENT);
    assert_int_equal(
        lay_plan_run_workspace(on.plan, &one, on.data[0], on.data[1], &one, on.data[2], block, block, size),
        LAY_ERR_ARGUMENT);
    assert_memory_equal(before, on.data[2], on.bytes[2]);
    free(before);
    free(block);
    unmake(&on);
}

static void where_none_is_needed_none_is_asked_for(void **state)
{
    (void)state;
    const float one = 1, zero = 0;
    made on = make(&samples[0], 1);
    if (ask(on.plan) == 0)
        assert_int_equal(run(&samples[0], &on, 0, NULL, 0), LAY_OK);
    /* Without a product there is nothing to compute, but the memory is asked for all the same. */
    assert_int_equal(lay_plan_run_workspace(on.plan, &zero, NULL, NULL, &one, on.data[2], NULL, NULL, 0), LAY_OK);
    unmake(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lent_memory_is_all_that_a_run_takes),
        cmocka_unit_test(what_does_not_serve_is_refused),
        cmocka_unit_test(where_none_is_needed_none_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
