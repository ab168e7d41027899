/* Batches as they are called: what is refused, what is left alone, what a plan says, and what is packed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/layouts.h"
#include "../support/refusal.h"

static void insist(lay_status status, const char *what)
{
    if (status != LAY_OK)
        fail_msg("%s: %s: %s", what, lay_status_name(status), lay_last_error());
}

static void one_matrix_meets_itself_in_every_index(void **state)
{
    (void)state;
    const float a[] = { 1, 2, 3, 4 }, b[] = { 5, 6, 7, 8 };
    float c[3][4] = { { 0 } };
    lay_desc *const matrix = layout_parse("[2][2]"), *const batch = layout_parse("[3][2][2]");
    insist(lay_sgemm(matrix, matrix, batch, 1, a, b, 0, c[0], NULL), "a batch of one product");
    for (int i = 0; i < 3; i++)
        assert_memory_equal(c[i], ((const float[]){ 19, 22, 43, 50 }), sizeof c[i]);
    lay_desc_destroy(matrix);
    lay_desc_destroy(batch);
}

static void empty_batches_touch_nothing(void **state)
{
    (void)state;
    static const char *const empty[][3] = { { "[0][2][3]", "[0][3][2]", "[0][2][2]" },
                                            { "[2][3]", "[0][3][2]", "[0][2][2]" },
                                            { "[4][0][3]", "[4][3][2]", "[4][0][2]" } };
    for (int i = 0; i < 3; i++) {
        lay_desc *const a = layout_parse("%s", empty[i][0]), *const b = layout_parse("%s", empty[i][1]),
                        *const c = layout_parse("%s", empty[i][2]);
        insist(lay_sgemm(a, b, c, 1, NULL, NULL, 2, NULL, NULL), "an empty batch");
        lay_desc_destroy(a);
        lay_desc_destroy(b);
        lay_desc_destroy(c);
    }
}

/* ---- refusals --------------------------------------------------------------------------------- */

static lay_status run_text(const char *a, const char *b, const char *c)
{
    static float from[1000], to[1000];
    lay_desc *const desc[] = { layout_parse("%s", a), layout_parse("%s", b), layout_parse("%s", c) };
    const lay_status status = lay_sgemm(desc[0], desc[1], desc[2], 1, from, from, 0, to, NULL);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return status;
}

static void extents_and_ranks_that_do_not_match_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *c;
        lay_status status;
        const char *fact;
    } bad[] = {
        { "[4][2][3]", "[5][3][2]", "[5][2][2]", LAY_ERR_SHAPE, "A has a batch of 4 matrices but C has a batch of 5" },
        { "[5][2][3]", "[1][3][2]", "[5][2][2]", LAY_ERR_SHAPE, "B has a batch of 1 matrices but C has a batch of 5" },
        { "[5][2][3]", "[4][2]", "[5][2][2]", LAY_ERR_SHAPE, "A has 3 columns but B has 4 rows" },
        { "[5][2][3]", "[5][3][2]", "[5][4][2]", LAY_ERR_SHAPE, "C has 4 rows but A has 2 rows" },
        { "[5][2][3]", "[3][2]", "[2][2]", LAY_ERR_RANK, "A has rank 3, a batch of matrices, but C has rank 2" },
        { "[2][3]", "[5][3][2]", "[2][2]", LAY_ERR_RANK, "B has rank 3, a batch of matrices, but C has rank 2" },
        { "[1][5][2][3]", "[3][2]", "[5][2][2]", LAY_ERR_RANK, "A has rank 4" },
        { "[2][3]", "[3]", "[5][2][2]", LAY_ERR_RANK, "B has rank 1" },
        { "[2][3]", "[3][2]", "[1][5][2][2]", LAY_ERR_RANK, "C has rank 4" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_refusal(bad[i].fact, run_text(bad[i].a, bad[i].b, bad[i].c), bad[i].status, bad[i].fact);
}

/* All of a batch's results at once; each alone is injective. */
static void every_index_has_elements_of_its_own(void **state)
{
    (void)state;
    static const char *const shared[] = { "[3:0][4:3][3:1]", "[3:6][4:3][3:1]", "[3:11][4:3][3:1]" };
    static const char *const own[] = { "[3:12][4:3][3:1]", "[3:1][4:9][3:3]", "[3:3][4:9][3:1]" };
    for (int i = 0; i < 3; i++) {
        expect_refusal(shared[i], run_text("[4][2]", "[2][3]", shared[i]), LAY_ERR_INJECTIVE, "C cannot be shown");
        insist(run_text("[4][2]", "[2][3]", own[i]), own[i]);
    }
    expect_refusal("a batch stride of 0", run_text("[4][2]", "[2][3]", shared[0]), LAY_ERR_INJECTIVE,
                   "the batch stride is 0");
}

/* C's index 0 lies where A's index 1 does: alone each product would pass. */
static void no_index_may_overwrite_what_another_reads(void **state)
{
    (void)state;
    float memory[64] = { 0 }, b[4] = { 1, 0, 0, 1 };
    lay_desc *const batch = layout_parse("[3][2][2]"), *const matrix = layout_parse("[2][2]");
    const float before = memory[0];
    expect_refusal("overlap", lay_sgemm(batch, matrix, batch, 1, memory, b, 0, memory + 4, NULL), LAY_ERR_OVERLAP, "A");
    insist(lay_sgemm(batch, matrix, batch, 1, memory, b, 0, memory + 12, NULL), "side by side");
    insist(lay_sgemm(batch, matrix, batch, 0, memory, b, 2, memory + 4, NULL), "nothing is read");
    assert_true(memory[0] == before);
    lay_desc_destroy(batch);
    lay_desc_destroy(matrix);
}

/* ---- plans and packed operands ---------------------------------------------------------------- */

static void explained(const lay_plan *plan, char *text, size_t size)
{
    assert_in_range(lay_plan_explain(plan, text, size), 1, size - 1);
}

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in\n%s", part, text);
}

static lay_plan *plan_of(const char *a, const char *b, const char *c, const lay_options *options)
{
    lay_desc *const desc[] = { layout_parse("%s", a), layout_parse("%s", b), layout_parse("%s", c) };
    lay_plan *plan;
    insist(lay_plan_create(LAY_F32, desc[0], desc[1], desc[2], options, &plan), "lay_plan_create");
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return plan;
}

static void plans_say_how_a_batch_is_shared(void **state)
{
    (void)state;
    static char text[1 << 16];
    lay_options options = LAY_OPTIONS_INIT;
    options.backend = LAY_BACKEND_CPU;
    options.threads = 2;
    lay_plan *const small = plan_of("[4000][16][16]", "[16][16]", "[4000][16][16]", &options);
    explained(small, text, sizeof text);
    expect_in(text, "batch     4000 products [4000 A:256 B:0 C:256]: shared by 2 threads, one a product");
    expect_in(text, "threads   2 of 2");
    expect_in(text, "refused: computes one product, not a batch of them");
    expect_in(text, "batch, in place");
    lay_plan_destroy(small);
    options.threads =
        8; /* two rounds of products by a thread each would take longer, whatever a kernel's threads lose */
    lay_plan *const large = plan_of("[9][700][700]", "[9][700][700]", "[9][700][700]", &options);
    explained(large, text, sizeof text);
    expect_in(text, "batch     9 products [9 A:490000 B:490000 C:490000]: one after the other; predicted ");
    lay_plan_destroy(large);
    options.threads = 1;
    lay_plan *const alone = plan_of("[3][700][700]", "[700][700]", "[3][700][700]", &options);
    explained(alone, text, sizeof text);
    expect_in(text, "batch     3 products [3 A:490000 B:0 C:490000]: one after the other\n");
    lay_plan_destroy(alone);
}

static void a_batch_may_be_cut_across_its_radices(void **state)
{
    (void)state;
    static char text[1 << 16];
    static const char layout[] = "U=[[3:200][4:30]]; R=[2:3]; L=[3:1]; [5@1#U][#R][#L]"; /* indices 1 to 5 of 12 */
    static float a[700], b[9] = { 2, 0, 0, 0, 2, 0, 0, 0, 2 }, c[700];
    const float one = 1, zero = 0;
    lay_plan *const plan = plan_of(layout, "[3][3]", layout, NULL);
    explained(plan, text, sizeof text);
    expect_in(text, "batch     5 products (radices do not divide: offsets from tables)");
    for (int i = 0; i < 700; i++)
        a[i] = (float)(i + 1);
    insist(lay_plan_run(plan, &one, a, b, &zero, c), "run");
    for (int index = 0, i = 0; index < 5; index++)
        for (const int first = (index + 1) / 4 * 200 + (index + 1) % 4 * 30; i < 700 && i < first + 6; i++)
            assert_true(c[i] == (i < first ? 0 : 2 * a[i]));
    lay_plan_destroy(plan);
}

/* An operand that all indices share is packed as that of one product is, and serves both. */
static void a_matrix_that_all_indices_share_is_packed_once(void **state)
{
    (void)state;
    enum { BATCH = 5, M = 40, N = 90, K = 120 };
    static float a[BATCH * M * K], b[K * N], wanted[BATCH * M * N], c[BATCH * M * N], alone[M * N];
    random_source from = random_case(96, 0);
    for (int i = 0; i < BATCH * M * K; i++)
        a[i] = (float)random_unit(&from);
    for (int i = 0; i < K * N; i++)
        b[i] = (float)random_unit(&from);
    const float one = 1, zero = 0;
    lay_packed *packed, *other;
    for (int threads = 1; threads <= 2; threads++) {
        lay_options options = LAY_OPTIONS_INIT;
        options.threads = threads;
        lay_plan *const batch = plan_of("[5][40][120]", "[120][90]", "[5][40][90]", &options);
        lay_plan *const single = plan_of("[40][120]", "[120][90]", "[40][90]", &options);
        insist(lay_plan_run(batch, &one, a, b, &zero, wanted), "run");
        insist(lay_pack(batch, LAY_OPERAND_B, b, &packed), "lay_pack");
        insist(lay_plan_run_packed(batch, &one, a, NULL, NULL, packed, &zero, c), "packed");
        assert_memory_equal(wanted, c, sizeof c);
        insist(lay_plan_run_packed(single, &one, a, NULL, NULL, packed, &zero, alone), "packed, one product");
        assert_memory_equal(wanted, alone, sizeof alone);

        expect_refusal("A of a batch", lay_pack(batch, LAY_OPERAND_A, a, &other), LAY_ERR_UNSUPPORTED,
                       "A has rank 3: of a batch only a matrix that is the same for every index");
        insist(lay_pack(single, LAY_OPERAND_A, a, &other), "lay_pack");
        expect_refusal("a matrix for a batch", lay_plan_run_packed(batch, &one, NULL, other, b, NULL, &zero, c),
                       LAY_ERR_SHAPE, "A was packed from 40 x 120 elements, the plan's is a batch of 5 matrices");
        lay_packed_destroy(packed);
        lay_packed_destroy(other);
        lay_plan_destroy(batch);
        lay_plan_destroy(single);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_matrix_meets_itself_in_every_index),
        cmocka_unit_test(empty_batches_touch_nothing),
        cmocka_unit_test(extents_and_ranks_that_do_not_match_are_named),
        cmocka_unit_test(every_index_has_elements_of_its_own),
        cmocka_unit_test(no_index_may_overwrite_what_another_reads),
        cmocka_unit_test(plans_say_how_a_batch_is_shared),
        cmocka_unit_test(a_batch_may_be_cut_across_its_radices),
        cmocka_unit_test(a_matrix_that_all_indices_share_is_packed_once),
    };
    return cmocka_run_group_tests_name("batch_calls", tests, NULL, NULL);
}
