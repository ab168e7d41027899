/* The same bits: whatever the layouts, the threads, the repeat, and for parts, transposes and
 * permutations of the product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/trial.h"

enum { TRIPLES = 50, THREADS = 4, REPEATS = 3 };

/* C's bytes, row-major, of the product as it is placed. */
static char *run_bytes(trial *t, trial_way way)
{
    char *const bytes = oracle_memory((size_t)(t->m * t->n) * lay_type_size(t->type));
    char story[6000];
    if (trial_run(t, way) != LAY_OK) {
        trial_story(t, story, sizeof story);
        fail_msg("%s\n%s", lay_last_error(), story);
    }
    operand_bytes(&t->out, bytes);
    return bytes;
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

/* Real numbers, so that another order of sums would show. */
static trial make_trial(lay_type type, int64_t m, int64_t n, int64_t k, random_source *from)
{
    trial t = { .type = type, .m = m, .n = n, .k = k, .alpha = 0.7, .beta = -1.3, .data = TRIAL_SIGNED };
    t.options = (lay_options)LAY_OPTIONS_INIT;
    trial_fill(&t, from);
    return t;
}

static void place_row_major(trial *t, random_source *from)
{
    trial_place(t, layout_usual(0, t->m, t->k), layout_usual(0, t->k, t->n), layout_usual(0, t->m, t->n),
                OPERAND_ANYWHERE, from);
}

static char *bytes_in_row_major(trial *t, random_source *from)
{
    place_row_major(t, from);
    char *const bytes = run_bytes(t, TRIAL_PLANNED);
    trial_unplace(t);
    return bytes;
}

/* Layouts that hold any matrix. */
static void place_randomly(trial *t, random_source *from)
{
    trial_place(t, layout_random(from, LAYOUT_OUTPUT, t->m, t->k), layout_random(from, LAYOUT_OUTPUT, t->k, t->n),
                layout_random(from, LAYOUT_OUTPUT, t->m, t->n), OPERAND_ANYWHERE, from);
}

/* Large enough that 4 threads have work: 2 m n k of 13 million. */
static void every_layout_and_thread_count_gives_the_same_bits(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(5, isa);
    for (lay_type type = LAY_F32; type <= LAY_C64; type++) {
        trial t = make_trial(type, 150, 110, 400, &from);
        t.options.isa = isa;
        t.options.threads = 1;
        char *const wanted = bytes_in_row_major(&t, &from);
        for (int triple = 0; triple < trial_rounds(TRIPLES); triple++) {
            place_randomly(&t, &from);
            for (int run = 0; run < THREADS * REPEATS; run++) {
                t.options.threads = 1 + run / REPEATS;
                trial_restore(&t);
                expect_same(&t, wanted, run_bytes(&t, (trial_way)(run % REPEATS)), "layout, threads");
            }
            trial_unplace(&t);
        }
        free(wanted);
        trial_free(&t);
    }
}

/* k so long and C so small that it is summed in slices (docs/decisions/0002), on and off the edge of where they begin;
 * and rows enough, beside it, that it is not. */
static void long_sums_have_the_same_bits(void **state)
{
    static const int64_t sizes[][3] = { { 32, 32, 9001 }, { 1, 60, 5003 }, { 64, 3, 8200 },  { 1, 1, 6000 },
                                        { 5, 64, 3585 },  { 65, 7, 4100 }, { 2, 700, 4100 }, { 1, 90, 4100 } };
    static const int threads[] = { 1, 2, 3, 16 };
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(11, isa);
    for (lay_type type = LAY_F32; type <= LAY_C64; type++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            trial t = make_trial(type, sizes[i][0], sizes[i][1], sizes[i][2], &from);
            t.options.isa = isa;
            t.options.threads = 1;
            char *const wanted = bytes_in_row_major(&t, &from);
            for (int triple = 0; triple < trial_rounds(3); triple++) {
                place_randomly(&t, &from);
                for (int run = 0; run < 4; run++) {
                    t.options.threads = threads[run];
                    trial_restore(&t);
                    expect_same(&t, wanted, run_bytes(&t, TRIAL_PLANNED), "a long sum");
                }
                char why[6000];
                if (!trial_is_right(&t, why, sizeof why))
                    fail_msg("%s", why);
                trial_unplace(&t);
            }
            free(wanted);
            trial_free(&t);
        }
}

/* What lies side by side in B is far apart in C: panels are transposed together, by threads that begin anywhere, where
 * rows are few; where they are many, packing both is worth it. */
static void contractions_have_the_same_bits_on_any_threads(void **state)
{
    static const int64_t modes[][3] = { { 3, 37, 18 }, { 5, 20, 7 }, { 7, 26, 40 }, { 1, 200, 16 }, { 30, 5, 33 } };
    static char text[40000];
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(13, isa);
    int interleaved = 0;
    for (int round = 0; round < 10; round++) {
        const long long rows = modes[round % 5][0], outer = modes[round % 5][1], inner = modes[round % 5][2];
        const int64_t m = round < 5 ? random_in(&from, 20, 60) : random_in(&from, 40, 400);
        trial t = make_trial(round % 2 ? LAY_F32 : LAY_F64, m, rows * outer * inner, random_in(&from, 20, 60), &from);
        const long long k = t.k;
        t.options.isa = isa;
        char *const wanted = bytes_in_row_major(&t, &from);
        trial_place(&t, layout_usual(round % LAYOUT_USUAL, t.m, t.k),
                    layout_parse("[%lld:%lld][[%lld:%lld][%lld:1][%lld:%lld]]", k, outer, rows, outer * k * inner,
                                 outer, inner, outer * k),
                    layout_usual(0, t.m, t.n), OPERAND_ANYWHERE, &from);
        lay_plan *plan;
        assert_int_equal(lay_plan_create(t.type, t.in_a.desc, t.in_b.desc, t.out.desc, &t.options, &plan), LAY_OK);
        lay_plan_explain(plan, text, sizeof text);
        interleaved += strstr(text, "side by side") != NULL;
        lay_plan_destroy(plan);
        for (int threads = 1; threads <= 16; threads += threads < 5 ? 1 : 11) {
            t.options.threads = threads;
            trial_restore(&t);
            expect_same(&t, wanted, run_bytes(&t, TRIAL_PLANNED), "a contraction");
        }
        trial_free(&t);
        free(wanted);
    }
    assert_true(isa == LAY_ISA_C || interleaved > 0); /* portable C multiplies packed panels faster: it packs both */
}

/* Steps that lie side by side in B are far apart in its sum: several blocks of k are packed at once and multiplied one
 * by one, of several slices too. */
static void blocks_packed_at_once_have_the_bits_of_each_alone(void **state)
{
    static const int64_t modes[][3] = { { 1, 40, 60 }, { 1, 130, 37 }, { 3, 16, 78 }, { 2, 30, 101 }, { 1, 7, 109 } };
    static char text[40000];
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(17, isa);
    int at_once = 0;
    for (int round = 0; round < 10; round++) {
        const long long outer = modes[round % 5][0], unit = modes[round % 5][1], inner = modes[round % 5][2];
        const int64_t k = outer * unit * inner, m = random_in(&from, 2, 12);
        const int64_t n = round < 5 ? random_in(&from, 65, 140) : random_in(&from, 20, 60); /* or in slices */
        trial t = make_trial(round % 2 ? LAY_F32 : LAY_F64, m, n, k, &from);
        t.options.isa = isa;
        char *const wanted = bytes_in_row_major(&t, &from);
        t.options.skip = "image";
        trial_place(&t, layout_usual(0, t.m, t.k),
                    layout_parse("[[%lld:%lld][%lld:1][%lld:%lld]][%lld:%lld]", outer, unit * inner, unit, inner, unit,
                                 (long long)t.n, (long long)k),
                    layout_usual(round % LAYOUT_USUAL, t.m, t.n), OPERAND_ANYWHERE, &from);
        lay_plan *plan;
        assert_int_equal(lay_plan_create(t.type, t.in_a.desc, t.in_b.desc, t.out.desc, &t.options, &plan), LAY_OK);
        lay_plan_explain(plan, text, sizeof text);
        at_once += strstr(text, "steps packed at once") != NULL;
        lay_plan_destroy(plan);
        for (int threads = 1; threads <= 3; threads++) {
            t.options.threads = threads;
            trial_restore(&t);
            expect_same(&t, wanted, run_bytes(&t, TRIAL_PLANNED), "a sum in another order than B's");
        }
        trial_free(&t);
        free(wanted);
    }
    assert_true(isa == LAY_ISA_C || at_once > 0);
}

/* Rows first .. first + m and columns of a product of larger matrices. */
static void cut(const trial *whole, trial *part, int64_t row, int64_t column)
{
    for (int64_t i = 0; i < part->m; i++) {
        memcpy(part->a + i * part->k, whole->a + (row + i) * whole->k, (size_t)part->k * sizeof *part->a);
        memcpy(part->c + i * part->n, whole->c + (row + i) * whole->n + column, (size_t)part->n * sizeof *part->c);
    }
    for (int64_t p = 0; p < part->k; p++)
        memcpy(part->b + p * part->n, whole->b + p * whole->n + column, (size_t)part->n * sizeof *part->b);
}

/* Rows or columns of a part of so many: one alone is a product with a vector, whose order is another
 * (docs/numerics.md), so a part has one only where the whole has. */
static int64_t draw_part(random_source *from, int64_t whole, int64_t most)
{
    return whole == 1 ? 1 : random_in(from, 2, most > 2 ? most : 2);
}

static void a_part_of_c_alone_has_the_bits_of_the_whole(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(7, isa);
    for (int round = 0; round < trial_rounds(200); round++) {
        const lay_type type = (lay_type)(round % 4);
        trial whole =
            make_trial(type, random_in(&from, 1, 90), random_in(&from, 1, 90), random_in(&from, 1, 500), &from);
        whole.options.isa = isa;
        char *const all = bytes_in_row_major(&whole, &from);
        const int64_t m = draw_part(&from, whole.m, whole.m), n = draw_part(&from, whole.n, whole.n);
        const int64_t row = random_in(&from, 0, whole.m - m), column = random_in(&from, 0, whole.n - n);
        trial part = make_trial(type, m, n, whole.k, &from);
        part.options.isa = isa;
        cut(&whole, &part, row, column);
        char *const wanted = oracle_memory((size_t)(m * n) * lay_type_size(type));
        const size_t size = lay_type_size(type), length = (size_t)n * size;
        for (int64_t i = 0; i < m; i++)
            memcpy(wanted + (size_t)i * length, all + (size_t)((row + i) * whole.n + column) * size, length);
        place_randomly(&part, &from);
        expect_same(&part, wanted, run_bytes(&part, TRIAL_CACHED), "a part of C");
        trial_free(&part);
        trial_free(&whole);
        free(all);
        free(wanted);
    }
}

/* Of tiles none of which, the last one either, is a vector where the whole is not. */
static int64_t draw_tile(random_source *from, int64_t whole)
{
    int64_t tile;
    do
        tile = random_in(from, 1, 40);
    while (whole > 1 && (tile == 1 || whole % tile == 1));
    return tile;
}

/* C tile by tile, in place, is C. */
static void tiles_of_c_have_the_bits_of_the_whole(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(8, isa);
    for (int round = 0; round < trial_rounds(30); round++) {
        trial t = make_trial(round % 2 ? LAY_F32 : LAY_F64, random_in(&from, 1, 90), random_in(&from, 1, 90),
                             random_in(&from, 1, 90), &from);
        t.options.isa = isa;
        char *const wanted = bytes_in_row_major(&t, &from);
        place_randomly(&t, &from);
        const int64_t tile[2] = { draw_tile(&from, t.m), draw_tile(&from, t.n) };
        const int64_t tile_a[2] = { tile[0], t.k }, tile_b[2] = { t.k, tile[1] };
        lay_desc *a = NULL, *b = NULL, *c = NULL;
        assert_int_equal(lay_desc_tile(t.in_a.desc, tile_a, &a), LAY_OK);
        assert_int_equal(lay_desc_tile(t.in_b.desc, tile_b, &b), LAY_OK);
        assert_int_equal(lay_desc_tile(t.out.desc, tile, &c), LAY_OK);
        const trial_scalar alpha = trial_scalar_of(t.type, t.alpha), beta = trial_scalar_of(t.type, t.beta);
        const int64_t size = (int64_t)lay_type_size(t.type);
        for (int64_t i = 0; i * tile[0] < t.m; i++)
            for (int64_t j = 0; j * tile[1] < t.n; j++) {
                lay_desc *part[3] = { NULL, NULL, NULL };
                int64_t at[3];
                assert_int_equal(lay_desc_tile_at(a, (int64_t[]){ i, 0 }, &part[0], &at[0]), LAY_OK);
                assert_int_equal(lay_desc_tile_at(b, (int64_t[]){ 0, j }, &part[1], &at[1]), LAY_OK);
                assert_int_equal(lay_desc_tile_at(c, (int64_t[]){ i, j }, &part[2], &at[2]), LAY_OK);
                assert_int_equal(lay_gemm(t.type, part[0], part[1], part[2], &alpha, (char *)t.in_a.zero + at[0] * size,
                                          (char *)t.in_b.zero + at[1] * size, &beta, (char *)t.out.zero + at[2] * size,
                                          &t.options),
                                 LAY_OK);
                for (int q = 0; q < 3; q++)
                    lay_desc_destroy(part[q]);
            }
        char *const got = oracle_memory((size_t)(t.m * t.n * size));
        operand_bytes(&t.out, got);
        expect_same(&t, wanted, got, "tiles");
        assert_true(operand_gaps_are_kept(&t.out));
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
        trial_free(&t);
        free(wanted);
    }
}

static lay_desc *transpose_of(const lay_desc *desc)
{
    lay_desc *out = NULL;
    assert_int_equal(lay_desc_permute(desc, NULL, &out), LAY_OK);
    return out;
}

static void the_transpose_of_c_is_b_transposed_times_a_transposed(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(9, isa);
    for (int round = 0; round < trial_rounds(200); round++) {
        trial t = make_trial(round % 2 ? LAY_F32 : LAY_F64, random_in(&from, 1, 70), random_in(&from, 1, 70),
                             random_in(&from, 1, 500), &from);
        t.options.isa = isa;
        char *const wanted = bytes_in_row_major(&t, &from);
        place_randomly(&t, &from);
        lay_desc *a = transpose_of(t.in_a.desc), *b = transpose_of(t.in_b.desc), *c = transpose_of(t.out.desc);
        const trial_scalar alpha = trial_scalar_of(t.type, t.alpha), beta = trial_scalar_of(t.type, t.beta);
        assert_int_equal(lay_gemm(t.type, b, a, c, &alpha, t.in_b.zero, t.in_a.zero, &beta, t.out.zero, &t.options),
                         LAY_OK);
        char *const got = oracle_memory((size_t)(t.m * t.n) * lay_type_size(t.type));
        operand_bytes(&t.out, got);
        expect_same(&t, wanted, got, "transposes");
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
        trial_free(&t);
        free(wanted);
    }
}

static void permuting_rows_of_a_permutes_rows_of_c(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(10, isa);
    for (int round = 0; round < trial_rounds(100); round++) {
        trial t = make_trial(round % 2 ? LAY_F32 : LAY_F64, random_in(&from, 2, 70), random_in(&from, 1, 70),
                             random_in(&from, 1, 500), &from);
        t.options.isa = isa;
        char *const all = bytes_in_row_major(&t, &from);
        trial permuted = make_trial(t.type, t.m, t.n, t.k, &from);
        permuted.options.isa = isa;
        memcpy(permuted.b, t.b, (size_t)(t.k * t.n) * sizeof *t.b);
        const int64_t by = random_in(&from, 1, t.m - 1);
        const size_t length = (size_t)t.n * lay_type_size(t.type);
        char *const wanted = oracle_memory((size_t)t.m * length);
        for (int64_t i = 0; i < t.m; i++) { /* row i moves to (i + by) % m */
            const int64_t to = (i + by) % t.m;
            memcpy(permuted.a + to * t.k, t.a + i * t.k, (size_t)t.k * sizeof *t.a);
            memcpy(permuted.c + to * t.n, t.c + i * t.n, (size_t)t.n * sizeof *t.c);
            memcpy(wanted + (size_t)to * length, all + (size_t)i * length, length);
        }
        place_randomly(&permuted, &from);
        expect_same(&permuted, wanted, run_bytes(&permuted, TRIAL_TYPED), "permuted rows");
        trial_free(&permuted);
        trial_free(&t);
        free(all);
        free(wanted);
    }
}

/* A row or column that is repeated by stride 0, and the same matrix written out. */
static void a_broadcast_has_the_bits_of_the_matrix_written_out(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(11, isa);
    for (int round = 0; round < trial_rounds(200); round++) {
        trial t = make_trial(round % 2 ? LAY_F32 : LAY_F64, random_in(&from, 1, 70), random_in(&from, 1, 70),
                             random_in(&from, 1, 400), &from);
        t.options.isa = isa;
        trial_place(&t,
                    layout_parse("[%lld:%d][%lld:%d]", (long long)t.m, round % 3 == 0, (long long)t.k, round % 3 == 1),
                    layout_parse("[%lld:%d][%lld:%d]", (long long)t.k, round % 4 == 0, (long long)t.n, round % 4 == 1),
                    layout_usual(round % LAYOUT_USUAL, t.m, t.n), OPERAND_ANYWHERE, &from);
        char *const got = run_bytes(&t, TRIAL_CACHED);
        trial_unplace(&t); /* t.a and t.b hold what the broadcast holds */
        char *const wanted = bytes_in_row_major(&t, &from);
        place_row_major(&t, &from);
        expect_same(&t, wanted, got, "broadcast");
        trial_free(&t);
        free(wanted);
    }
}

/* Powers of two and signs move through every product and sum. */
static void scaling_by_a_power_of_two_scales_every_bit(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(12, isa);
    for (int round = 0; round < trial_rounds(60); round++) {
        trial t = make_trial(round % 2 ? LAY_F32 : LAY_F64, random_in(&from, 1, 50), random_in(&from, 1, 50),
                             random_in(&from, 1, 500), &from);
        t.options.isa = isa;
        t.alpha = 1;
        t.beta = 0;
        place_row_major(&t, &from);
        free(run_bytes(&t, TRIAL_CACHED));
        double *const plain = oracle_memory((size_t)(t.m * t.n) * sizeof *plain);
        double *const scaled = oracle_memory((size_t)(t.m * t.n) * sizeof *scaled);
        operand_read(&t.out, plain);
        trial_unplace(&t);
        for (int64_t at = 0; at < t.m * t.k; at++)
            t.a[at] *= -8;
        t.alpha = 0.25;
        place_randomly(&t, &from);
        free(run_bytes(&t, TRIAL_CACHED));
        operand_read(&t.out, scaled);
        for (int64_t at = 0; at < t.m * t.n; at++)
            assert_true(scaled[at] == -2 * plain[at]);
        free(plain);
        free(scaled);
        trial_free(&t);
    }
}

static void the_identity_changes_no_bit(void **state)
{
    const lay_isa isa = *(const lay_isa *)*state;
    random_source from = random_case(13, isa);
    for (int round = 0; round < trial_rounds(60); round++) {
        const int64_t m = random_in(&from, 1, 450);
        trial t = make_trial(round % 2 ? LAY_F32 : LAY_F64, m, random_in(&from, 1, 20), m, &from);
        t.options.isa = isa;
        t.alpha = 1;
        t.beta = 0;
        for (int64_t at = 0; at < m * m; at++)
            t.a[at] = at % (m + 1) == 0;
        place_randomly(&t, &from);
        char *const got = run_bytes(&t, TRIAL_CACHED), *const wanted =
                                                           oracle_memory((size_t)(m * t.n) * lay_type_size(t.type));
        operand_bytes(&t.in_b, wanted);
        expect_same(&t, wanted, got, "the identity");
        free(wanted);
        trial_free(&t);
    }
}

int main(void)
{
    static const trial_promise promises[] = {
#define PROMISE(test) { #test, test }
        PROMISE(every_layout_and_thread_count_gives_the_same_bits),
        PROMISE(long_sums_have_the_same_bits),
        PROMISE(contractions_have_the_same_bits_on_any_threads),
        PROMISE(blocks_packed_at_once_have_the_bits_of_each_alone),
        PROMISE(a_part_of_c_alone_has_the_bits_of_the_whole),
        PROMISE(tiles_of_c_have_the_bits_of_the_whole),
        PROMISE(the_transpose_of_c_is_b_transposed_times_a_transposed),
        PROMISE(permuting_rows_of_a_permutes_rows_of_c),
        PROMISE(a_broadcast_has_the_bits_of_the_matrix_written_out),
        PROMISE(scaling_by_a_power_of_two_scales_every_bit),
        PROMISE(the_identity_changes_no_bit),
#undef PROMISE
    };
    return trial_keep_promises("bits", promises, sizeof promises / sizeof promises[0]);
}
