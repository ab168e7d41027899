/* Products with a vector: the bits that docs/numerics.md draws, computed here as it says and in no other way, in every
 * layout, on every number of threads, packed or not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/trial.h"

enum { LONGEST_BLOCK = 512, LEAST_PARTIAL_SUMS = 32, PARTIAL_BYTES = 64, MOST_PARTIALS = 16 };

/* Sums of one type, with a product rounded by itself at the portable level. */
typedef struct arithmetic {
    int is_f32, is_fused;
} arithmetic;

static double round_to(arithmetic of, double x)
{
    return of.is_f32 ? (double)(float)x : x;
}

static double multiply(arithmetic of, double x, double y)
{
    return of.is_f32 ? (double)((float)x * (float)y) : x * y;
}

static double add(arithmetic of, double x, double y)
{
    return of.is_f32 ? (double)((float)x + (float)y) : x + y;
}

static double multiply_add(arithmetic of, double x, double y, double z)
{
    if (!of.is_fused)
        return add(of, multiply(of, x, y), z);
    return of.is_f32 ? (double)fmaf((float)x, (float)y, (float)z) : fma(x, y, z);
}

/* Steps first .. first + count of a line and of the vector, which lie that many elements apart. */
static double sum_partials(arithmetic of, const double *a, int64_t a_step, const double *b, int64_t b_step,
                           int64_t count)
{
    const int partials = PARTIAL_BYTES / (of.is_f32 ? 4 : 8);
    double sum[MOST_PARTIALS] = { 0 };
    for (int64_t p = 0; p < count; p++)
        sum[p % partials] = multiply_add(of, a[p * a_step], b[p * b_step], sum[p % partials]);
    for (int half = partials / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            sum[l] = add(of, sum[l], sum[l + half]);
    return sum[0];
}

static double sum_chain(arithmetic of, const double *a, int64_t a_step, const double *b, int64_t b_step, int64_t count)
{
    double sum = 0;
    for (int64_t p = 0; p < count; p++)
        sum = multiply_add(of, a[p * a_step], b[p * b_step], sum);
    return sum;
}

/* Element (i, j). */
static double model(const trial *t, arithmetic of, int64_t i, int64_t j)
{
    const double *const a = t->a + i * t->k, *const b = t->b + j;
    const int64_t blocks = (t->k + LONGEST_BLOCK - 1) / LONGEST_BLOCK;
    const int64_t even = ((t->k + blocks - 1) / blocks + 7) / 8 * 8, kc = even < t->k ? even : t->k;
    const double alpha = round_to(of, t->alpha), beta = round_to(of, t->beta);
    double sum = 0;
    if (t->k < LEAST_PARTIAL_SUMS)
        sum = sum_chain(of, a, 1, b, t->n, t->k);
    for (int64_t p = 0; p < t->k && t->k >= LEAST_PARTIAL_SUMS; p += kc) {
        const int64_t count = kc < t->k - p ? kc : t->k - p;
        sum = multiply_add(of, 1, sum_partials(of, a + p, 1, b + p * t->n, t->n, count), sum);
    }
    return beta == 0 ? multiply(of, alpha, sum) : multiply_add(of, alpha, sum, multiply(of, beta, t->c[i * t->n + j]));
}

static char *bytes_of_model(const trial *t, lay_isa isa)
{
    const size_t size = lay_type_size(t->type);
    const arithmetic of = { .is_f32 = t->type == LAY_F32, .is_fused = isa != LAY_ISA_C };
    char *const bytes = oracle_memory((size_t)(t->m * t->n) * size);
    for (int64_t i = 0; i < t->m; i++)
        for (int64_t j = 0; j < t->n; j++)
            oracle_store(t->type, bytes, i * t->n + j, model(t, of, i, j));
    oracle_unite_nans(t->type, bytes, t->m * t->n);
    return bytes;
}

static void expect(trial *t, trial_way way, const char *wanted)
{
    const size_t bytes = (size_t)(t->m * t->n) * lay_type_size(t->type);
    char story[6000], *const got = oracle_memory(bytes);
    trial_restore(t);
    const lay_status status = trial_run(t, way);
    operand_bytes(&t->out, got);
    oracle_unite_nans(t->type, got, t->m * t->n);
    trial_story(t, story, sizeof story);
    if (status != LAY_OK)
        fail_msg("%s\n%s", lay_last_error(), story);
    if (memcmp(wanted, got, bytes) != 0 || !operand_gaps_are_kept(&t->out))
        fail_msg("other bits than the model's\n%s", story);
    free(got);
}

/* Usual layouts, then any that hold every matrix. */
static lay_desc *draw_layout(random_source *from, int64_t rows, int64_t columns)
{
    return random_one_in(from, 2) ? layout_usual((int)random_in(from, 0, LAYOUT_USUAL - 1), rows, columns)
                                  : layout_random(from, LAYOUT_OUTPUT, rows, columns);
}

static void check(lay_isa isa, lay_type type, int64_t m, int64_t n, int64_t k, trial_data data, random_source *from)
{
    static const double alphas[] = { 1, 0.7 }, betas[] = { 0, 1, -1.3 };
    static const int threads[] = { 1, 2, 3, 16 };
    trial t = { .type = type, .m = m, .n = n, .k = k, .data = data };
    t.alpha = random_of(from, alphas);
    t.beta = random_of(from, betas);
    t.options = (lay_options)LAY_OPTIONS_INIT;
    t.options.isa = isa;
    trial_fill(&t, from);
    char *const wanted = bytes_of_model(&t, isa);
    for (int round = 0; round < 3; round++) {
        trial_place(&t, draw_layout(from, m, k), draw_layout(from, k, n), draw_layout(from, m, n), OPERAND_ANYWHERE,
                    from);
        t.options.threads = random_of(from, threads);
        expect(&t, (trial_way)random_in(from, 0, TRIAL_WAYS - 1), wanted);
        trial_unplace(&t);
    }
    trial_free(&t);
    free(wanted);
}

/* Around partial sums, registers, blocks and slices. */
static int64_t draw_k(random_source *from)
{
    static const int64_t some[] = { 1, 16, 31, 32, 33, 40, 47, 48, 64, 511, 512, 513, 521, 1030, 3585, 4099 };
    return random_one_in(from, 2) ? random_of(from, some) : random_in(from, 1, 700);
}

static void small_ones_have_the_models_bits(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(31, isa);
    for (int round = 0; round < trial_rounds(1500); round++) {
        static const trial_data kinds[] = { TRIAL_SIGNED, TRIAL_SIGNED, TRIAL_TINY, TRIAL_SPECIAL };
        const int64_t lines = random_one_in(&from, 4) ? 1 : random_in(&from, 1, 150), is_row = random_one_in(&from, 2);
        check(isa, round % 2 ? LAY_F32 : LAY_F64, is_row ? 1 : lines, is_row ? lines : 1, draw_k(&from),
              random_of(&from, kinds), &from);
    }
}

/* So large that threads share them, by lines and by blocks of k, and that rows wait in a cache. */
static void large_ones_have_the_models_bits(void **state)
{
    static const int64_t sizes[][2] = { { 1, 300000 }, { 3, 100000 }, { 40, 9001 },
                                        { 700, 700 },  { 5003, 130 }, { 9000, 40 } };
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(32, isa);
    for (int round = 0; round < trial_rounds(24); round++) {
        const int64_t lines = sizes[round / 2 % 6][0], k = sizes[round / 2 % 6][1], is_row = random_one_in(&from, 2);
        check(isa, round % 2 ? LAY_F32 : LAY_F64, is_row ? 1 : lines, is_row ? lines : 1, k, TRIAL_SIGNED, &from);
    }
}

/* k = 1008 is two blocks of 504 steps, the second of which begins within one of 63 segments of 16. */
static void blocks_that_begin_within_a_segment_have_the_models_bits(void **state)
{
    static const char *const matrix[] = { "[20:1100][[63:17][16:1]]", "[20:1][[63:340][16:20]]" };
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(34, isa);
    for (int round = 0; round < 4; round++) {
        lay_desc *a = NULL;
        trial t = {
            .type = round % 2 ? LAY_F32 : LAY_F64, .m = 20, .n = 1, .k = 1008, .alpha = 1, .data = TRIAL_SIGNED
        };
        t.options = (lay_options)LAY_OPTIONS_INIT;
        t.options.isa = isa;
        trial_fill(&t, &from);
        char *const wanted = bytes_of_model(&t, isa);
        assert_int_equal(lay_desc_parse(matrix[round / 2], &a), LAY_OK);
        trial_place(&t, a, layout_usual(0, t.k, t.n), layout_usual(0, t.m, t.n), OPERAND_ANYWHERE, &from);
        expect(&t, (trial_way)0, wanted);
        trial_unplace(&t);
        trial_free(&t);
        free(wanted);
    }
}

/* An operand that was packed for a matrix meets a vector. */
static void panels_packed_for_a_matrix_have_the_models_bits(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(33, isa);
    for (int round = 0; round < trial_rounds(60); round++) {
        const int is_b = random_one_in(&from, 2);
        const int64_t lines = random_in(&from, 600, 1100), k = random_in(&from, 500, 1100);
        trial t = { .type = round % 2 ? LAY_F32 : LAY_F64,
                    .m = is_b ? 1 : lines,
                    .n = is_b ? lines : 1,
                    .k = k,
                    .alpha = 0.7,
                    .beta = -1.3,
                    .data = TRIAL_SIGNED };
        t.options = (lay_options)LAY_OPTIONS_INIT;
        t.options.isa = isa;
        trial_fill(&t, &from);
        trial_place(&t, layout_usual(round % LAYOUT_USUAL, t.m, k), layout_usual(round / 2 % LAYOUT_USUAL, k, t.n),
                    layout_usual(round / 3 % LAYOUT_USUAL, t.m, t.n), OPERAND_ANYWHERE, &from);
        lay_desc *other = layout_usual(0, is_b ? 900 : k, is_b ? k : 900);
        lay_desc *result = layout_usual(0, is_b ? 900 : lines, is_b ? lines : 900);
        lay_plan *many = NULL, *one = NULL;
        lay_packed *packed = NULL;
        assert_int_equal(
            lay_plan_create(t.type, is_b ? other : t.in_a.desc, is_b ? t.in_b.desc : other, result, &t.options, &many),
            LAY_OK);
        assert_int_equal(
            lay_pack(many, is_b ? LAY_OPERAND_B : LAY_OPERAND_A, is_b ? t.in_b.zero : t.in_a.zero, &packed), LAY_OK);
        assert_int_equal(lay_plan_create(t.type, t.in_a.desc, t.in_b.desc, t.out.desc, &t.options, &one), LAY_OK);
        const trial_scalar alpha = trial_scalar_of(t.type, t.alpha), beta = trial_scalar_of(t.type, t.beta);
        assert_int_equal(lay_plan_run_packed(one, &alpha, is_b ? t.in_a.zero : NULL, is_b ? NULL : packed,
                                             is_b ? NULL : t.in_b.zero, is_b ? packed : NULL, &beta, t.out.zero),
                         LAY_OK);
        const size_t bytes = (size_t)lines * lay_type_size(t.type);
        char *const wanted = bytes_of_model(&t, isa), *const got = oracle_memory(bytes);
        operand_bytes(&t.out, got);
        assert_memory_equal(got, wanted, bytes);
        free(got);
        free(wanted);
        lay_packed_destroy(packed);
        lay_plan_destroy(many);
        lay_plan_destroy(one);
        lay_desc_destroy(other);
        lay_desc_destroy(result);
        trial_free(&t);
    }
}

int main(void)
{
    static const trial_promise promises[] = {
#define PROMISE(test) { #test, test }
        PROMISE(small_ones_have_the_models_bits),
        PROMISE(large_ones_have_the_models_bits),
        PROMISE(blocks_that_begin_within_a_segment_have_the_models_bits),
        PROMISE(panels_packed_for_a_matrix_have_the_models_bits),
#undef PROMISE
    };
    return trial_keep_promises("partials", promises, sizeof promises / sizeof promises[0]);
}
