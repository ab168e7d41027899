/* Contractions over places of one process: the bits of the undistributed ones, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "claim.h"
#include "spread.h"

enum { MOST = 6, GRID = 2 };

/* Tensors' labels, letters a, b, .., and their extents; on a grid of places. */
typedef struct contraction {
    char labels[3][MOST + 1], text[40];
    int64_t extent[26];
    int64_t grid[GRID];
} contraction;

/* Each letter in two of the three, in all, or in one input alone, each tensor's in an order of its own. */
static void choose(random_source *from, contraction *of)
{
    static const char where[][3] = { { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1, 0 }, { 1, 1, 1 }, { 1, 0, 0 }, { 0, 1, 0 } };
    const int letters = (int)random_in(from, 3, 6);
    memset(of, 0, sizeof *of);
    for (int d = 0; d < GRID; d++)
        of->grid[d] = random_in(from, 1, 3);
    for (int letter = 0; letter < letters; letter++) {
        const int role = letter < 3 ? letter : (int)random_in(from, 0, random_one_in(from, 5) ? 5 : 3);
        of->extent[letter] = random_in(from, 1, letters > 4 ? 5 : 12);
        for (int i = 0; i < 3; i++) {
            const int count = (int)strlen(of->labels[i]), at = (int)random_in(from, 0, count);
            if (!where[role][i])
                continue;
            memmove(of->labels[i] + at + 1, of->labels[i] + at, (size_t)(count - at));
            of->labels[i][at] = (char)('a' + letter);
        }
    }
    snprintf(of->text, sizeof of->text, "%s,%s->%s", of->labels[0], of->labels[1], of->labels[2]);
}

/* How a dimension is dealt out to places of a dimension of the grid, if at all, as text; and its digits. */
static void deal(random_source *from, int64_t extent, int64_t places, int p, int digit, char text[60], int64_t own[2])
{
    const int64_t block = (extent + places - 1) / places, blocks = block > 0 ? (extent + block - 1) / block : 0;
    own[0] = p < 0 ? extent : block;
    if (p < 0)
        snprintf(text, 60, "[#A_%d]", digit);
    else if (random_one_in(from, 2) && blocks == places)
        snprintf(text, 60, "[%lld[#A_%d][#P_%d]]", (long long)extent, digit, p);
    else
        snprintf(text, 60, "[%lld[%lld#P_%d][#A_%d]]", (long long)extent, (long long)blocks, p, digit);
}

/* Each dimension of the grid deals out a dimension of the tensor, or holds copies; parts are stored in any order. */
static void make(random_source *from, const contraction *of, int which, lay_type type, spread *out)
{
    const char *const labels = of->labels[which];
    const int rank = (int)strlen(labels);
    int taken[MOST], order[MOST], next = 0;
    char text[600], storage[200] = "", dims[300] = "";
    int64_t own[MOST][2];
    for (int d = 0; d < rank; d++)
        taken[d] = -1;
    for (int p = 0; p < GRID; p++) {
        const int d = (int)random_in(from, 0, rank);
        if (d < rank && taken[d] < 0 && of->grid[p] > 1)
            taken[d] = p;
    }
    for (int d = 0; d < rank; d++) { /* a random order */
        const int at = (int)random_in(from, 0, next);
        memmove(order + at + 1, order + at, (size_t)(next - at) * sizeof *order);
        order[at] = d;
        next++;
    }
    for (int d = 0; d < rank; d++) {
        char one[60];
        int digit = 0;
        while (order[digit] != d)
            digit++;
        deal(from, of->extent[labels[d] - 'a'], taken[d] < 0 ? 1 : of->grid[taken[d]], taken[d], digit, one, own[d]);
        strcat(dims, one);
    }
    for (int i = 0; i < rank; i++)
        snprintf(storage + strlen(storage), sizeof storage - strlen(storage), "[%lld]", (long long)own[order[i]][0]);
    snprintf(text, sizeof text, "P=(%lld)(%lld); A=%s; %s", (long long)of->grid[0], (long long)of->grid[1], storage,
             dims);
    spread_of_text(type, text, out);
}

static int64_t elements_of(const contraction *of, int which)
{
    int64_t elements = 1;
    for (const char *at = of->labels[which]; *at; at++)
        elements *= of->extent[*at - 'a'];
    return elements;
}

static lay_desc *dense_of(const contraction *of, int which)
{
    int64_t extent[MOST];
    lay_desc *dense = NULL;
    const int rank = (int)strlen(of->labels[which]);
    for (int d = 0; d < rank; d++)
        extent[d] = of->extent[of->labels[which][d] - 'a'];
    assert_int_equal(lay_desc_natural(rank, extent, &dense), LAY_OK);
    return dense;
}

static void contractions_have_one_places_bits(void **state)
{
    (void)state;
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_BF16, LAY_C32 };
    for (int number = 1; number <= cases(400); number++) {
        random_source from = random_case(61, (uint64_t)number);
        const lay_type type = random_of(&from, types);
        const unsigned conjugated = (unsigned)random_in(&from, 0, LAY_CONJUGATED_A | LAY_CONJUGATED_B);
        contraction of;
        double alpha[2], beta[2];
        lay_product product = LAY_PRODUCT_INIT;
        lay_options on_cpu = LAY_OPTIONS_INIT;
        lay_team *team = NULL;
        lay_team_plan *plan = NULL;
        lay_plan *whole = NULL;
        lay_desc *dense[3];
        void *elements[3];
        spread tensor[3];
        choose(&from, &of);
        spread_scalar(&from, type, alpha);
        spread_scalar(&from, type, beta);
        for (int i = 0; i < 3; i++) {
            elements[i] = spread_dense(&from, type, 1, elements_of(&of, i));
            dense[i] = dense_of(&of, i);
            make(&from, &of, i, type, &tensor[i]);
            spread_scatter(&tensor[i], elements[i]);
        }
        char story[1600];
        snprintf(story, sizeof story, "case %d, type %d, %s\nA %s\nB %s\nC %s", number, (int)type, of.text,
                 tensor[0].text, tensor[1].text, tensor[2].text);
        product.type_a = product.type_b = product.type_c = type;
        product.labels = of.text;
        product.conjugated = conjugated;
        product.a = tensor[0].desc;
        product.b = tensor[1].desc;
        product.c = tensor[2].desc;
        const lay_status made =
            number % 2 ? lay_team_host(tensor[0].places, &team) : lay_team_devices(tensor[0].places, NULL, &team);
        claim(made == LAY_OK, "%s", story);
        claim(lay_team_plan_create_product(team, &product, NULL, &plan) == LAY_OK, "%s", story);
        claim(lay_team_plan_run(plan, alpha, (const void *const *)tensor[0].part, (const void *const *)tensor[1].part,
                                beta, tensor[2].part) == LAY_OK,
              "%s", story);
        product.a = dense[0];
        product.b = dense[1];
        product.c = dense[2];
        on_cpu.backend = LAY_BACKEND_CPU;
        claim(lay_plan_create_product(&product, &on_cpu, &whole) == LAY_OK, "%s", story);
        claim(lay_plan_run(whole, alpha, elements[0], elements[1], beta, elements[2]) == LAY_OK, "%s", story);
        claim(spread_equals(&tensor[2], elements[2]), "%s", story);
        lay_plan_destroy(whole);
        lay_team_plan_destroy(plan);
        lay_team_destroy(team);
        for (int i = 0; i < 3; i++) {
            spread_free(&tensor[i]);
            lay_desc_destroy(dense[i]);
            free(elements[i]);
        }
    }
}

/* A chemist's contraction in one call, and what its plan says of labels. */
static void labels_are_explained(void **state)
{
    (void)state;
    static const char *const texts[] = { "P=(2); A=[3][4][5][6]; [[#P_0][#A_0]][#A_1][#A_2][#A_3]",
                                         "P=(2); A=[6][7][4][3]; [#A_0][#A_1][#A_2][[#P_0][#A_3]]",
                                         "P=(2); A=[3][5][7][3]; [#A_0][[#P_0][#A_3]][#A_1][#A_2]" };
    float a[2][360], b[2][504], c[2][315];
    const float one = 1, zero = 0;
    lay_desc *desc[3];
    lay_team *team = NULL;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 360; j++)
            a[i][j] = 1;
        for (int j = 0; j < 504; j++)
            b[i][j] = (float)(i + 1);
    }
    assert_int_equal(lay_team_host(2, &team), LAY_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lay_desc_parse(texts[i], &desc[i]), LAY_OK);
    /* e is a's third, f b's fourth; d of 7; c is summed: six of it, three of each place of B */
    claim(lay_team_contract(team, LAY_F32, "abec,cdbf->efda", desc[0], desc[1], desc[2], &one,
                            (const void *const[]){ a[0], a[1] }, (const void *const[]){ b[0], b[1] }, &zero,
                            (void *const[]){ c[0], c[1] }, NULL) == LAY_ERR_SHAPE,
          "the extents of e and of C's first differ");
    lay_product product = LAY_PRODUCT_INIT;
    lay_team_plan *plan = NULL;
    char text[4000];
    lay_desc_destroy(desc[2]);
    assert_int_equal(lay_desc_parse("P=(2); A=[5][7][6][3]; [#A_0][[#P_0][#A_3]][#A_1][#A_2]", &desc[2]), LAY_OK);
    float longer[2][630];
    product.labels = "abec,cdbf->efda";
    product.a = desc[0];
    product.b = desc[1];
    product.c = desc[2];
    claim(lay_team_plan_create_product(team, &product, NULL, &plan) == LAY_OK, "plan");
    claim(lay_team_plan_explain(plan, text, sizeof text) > 0 &&
              strstr(text, "labels    rows 'e' 'a'; columns 'f' 'd'; summed 'b' 'c'; in an order by labels"),
          "%s", text);
    claim(lay_team_plan_run(plan, &one, (const void *const[]){ a[0], a[1] }, (const void *const[]){ b[0], b[1] }, &zero,
                            (void *const[]){ longer[0], longer[1] }) == LAY_OK,
          "run");
    for (int i = 0; i < 630; i++)
        assert_true(longer[0][i] == 24 && longer[1][i] == 48);
    lay_team_plan_destroy(plan);
    lay_team_destroy(team);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
}

/* Batches of rank 3 on two places: what moves, in bytes, or why it is refused. */
static void batches_are_planned(void **state)
{
    (void)state;
    static const char by_blocks[] = "P=(2); A=[3][%d][%d]; [[#P_0][#A_0]][#A_1][#A_2]";
    static const char by_turns[] = "P=(2); A=[3][%d][%d]; [[#A_0][#P_0]][#A_1][#A_2]";
    static const char everywhere[] = "P=(2); A=[6][%d][%d]; [#A_0][#A_1][#A_2]";
    static const char seven[] = "P=(2); A=[7][%d][%d]; [#A_0][#A_1][#A_2]";
    static const char plain[] = "P=(2); A=[%d][%d]; [#A_0][#A_1]";
    static const struct {
        const char *of[3];
        lay_team_sum sum;
        lay_status status;
        int64_t bytes; /* matrices of A have 4 x 5 elements, of B 5 x 7, of C 4 x 7 */
        const char *text;
    } rows[] = {
        { { by_blocks, by_blocks, by_blocks }, LAY_TEAM_SUM_WHOLE, LAY_OK, 0, "a batch of 6 of 4 x 7 x 5 on 2 places" },
        { { by_blocks, everywhere, by_blocks }, LAY_TEAM_SUM_WHOLE, LAY_OK, 0, "place 1  C 3 of 4 x 7" },
        { { everywhere, by_turns, everywhere }, LAY_TEAM_SUM_WHOLE, LAY_OK, 6 * 35 * 8, "place 0  C 6 of 4 x 7" },
        { { by_turns, by_blocks, by_blocks },
          LAY_TEAM_SUM_WHOLE,
          LAY_OK,
          2 * 20 * 8,
          "rows of A gathered, columns of B read" },
        { { by_blocks, seven, by_blocks },
          LAY_TEAM_SUM_WHOLE,
          LAY_ERR_SHAPE,
          0,
          "C has 6 matrices but B has 7 matrices" },
        { { by_blocks, plain, by_blocks }, LAY_TEAM_SUM_WHOLE, LAY_ERR_RANK, 0, "B has rank 2, but C has rank 3" },
        { { by_blocks, by_blocks, by_blocks }, LAY_TEAM_SUM_BY_SLICES, LAY_ERR_UNSUPPORTED, 0, "not for batches" },
    };
    static const int size[3][2] = { { 4, 5 }, { 5, 7 }, { 4, 7 } };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *desc[3] = { NULL };
        lay_team *team = NULL;
        lay_team_plan *plan = NULL;
        lay_team_plan_info info = LAY_TEAM_PLAN_INFO_INIT;
        char text[6000];
        assert_int_equal(lay_team_host(2, &team), LAY_OK);
        assert_int_equal(lay_team_sum_order(team, rows[r].sum), LAY_OK);
        for (int i = 0; i < 3; i++) {
            snprintf(text, sizeof text, rows[r].of[i], size[i][0], size[i][1]);
            assert_int_equal(lay_desc_parse(text, &desc[i]), LAY_OK);
        }
        const lay_status status = lay_team_plan_create(team, LAY_F64, desc[0], desc[1], desc[2], NULL, &plan);
        claim(status == rows[r].status, "row %zu: %d, %s", r, (int)status, lay_last_error());
        if (status == LAY_OK) {
            assert_int_equal(lay_team_plan_query(plan, &info), LAY_OK);
            assert_true(lay_team_plan_explain(plan, text, sizeof text) > 0);
            claim(info.bytes_received == rows[r].bytes && info.bytes_bound <= rows[r].bytes, "row %zu: %lld of %lld", r,
                  (long long)info.bytes_received, (long long)info.bytes_bound);
        }
        const char *const said = status == LAY_OK ? text : lay_last_error();
        claim(strstr(said, rows[r].text), "row %zu: %s", r, said);
        lay_team_plan_destroy(plan);
        lay_team_destroy(team);
        for (int i = 0; i < 3; i++)
            lay_desc_destroy(desc[i]);
    }
}

/* What a case changes of "ik,kj->ij" of 8 x 8 matrices in rows. */
typedef struct change {
    void (*make)(lay_product *of);
    lay_status status;
    const char *word;
} change;

static void types_are_several(lay_product *of)
{
    of->type_a = LAY_F16;
}
static void there_is_a_d(lay_product *of)
{
    of->d = of->c;
}
static void there_is_an_ending(lay_product *of)
{
    static const lay_ending relu = { .struct_size = sizeof relu, .activation = LAY_ACTIVATION_RELU };
    of->ending = &relu;
}
static void sums_are_by_storage(lay_product *of)
{
    of->sum_order = LAY_SUM_BY_STORAGE;
}
static void sums_are_double(lay_product *of)
{
    of->sum_precision = LAY_SUM_F64;
}
static void labels_are_none(lay_product *of)
{
    of->labels = "ik,kj";
}
static void a_is_null(lay_product *of)
{
    of->a = NULL;
}
static void a_is_at_one_place(lay_product *of)
{
    static lay_desc *square;
    if (!square)
        assert_int_equal(lay_desc_parse("[8][8]", &square), LAY_OK);
    of->a = square;
}

static void bad_contractions_are_refused(void **state)
{
    (void)state;
    static const change rows[] = {
        { types_are_several, LAY_ERR_UNSUPPORTED, "several types" },
        { there_is_a_d, LAY_ERR_UNSUPPORTED, "there is a D" },
        { there_is_an_ending, LAY_ERR_UNSUPPORTED, "an ending" },
        { sums_are_by_storage, LAY_ERR_UNSUPPORTED, "by storage" },
        { sums_are_double, LAY_ERR_UNSUPPORTED, "precision" },
        { labels_are_none, LAY_ERR_SYNTAX, "" },
        { a_is_null, LAY_ERR_RANK, "A" },
        { a_is_at_one_place, LAY_ERR_SHAPE, "A is spread over 1 place, but" },
    };
    lay_desc *desc = NULL;
    lay_team *team = NULL;
    lay_plan *alone = NULL;
    lay_product product = LAY_PRODUCT_INIT;
    assert_int_equal(lay_desc_parse("P=(4); A=[2][8]; [[#P_0][#A_0]][#A_1]", &desc), LAY_OK);
    assert_int_equal(lay_team_host(4, &team), LAY_OK);
    product.labels = "ik,kj->ij";
    product.a = product.b = product.c = desc;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_product changed = product;
        lay_team_plan *plan = NULL;
        rows[r].make(&changed);
        const lay_status status = lay_team_plan_create_product(team, &changed, NULL, &plan);
        claim(status == rows[r].status && strstr(lay_last_error(), rows[r].word) && !plan, "row %zu: %d", r,
              (int)status);
    }
    assert_int_equal(lay_team_plan_create_product(team, NULL, NULL, &(lay_team_plan *){ NULL }), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_plan_create_product(team, &product, NULL, NULL), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_plan_create_product(NULL, &product, NULL, &(lay_team_plan *){ NULL }), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_plan_create_product(&product, NULL, &alone), LAY_ERR_UNSUPPORTED); /* it takes a team */
    assert_non_null(strstr(lay_last_error(), "A is spread over 4 places"));
    lay_team_destroy(team);
    lay_desc_destroy(desc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contractions_have_one_places_bits),
        cmocka_unit_test(labels_are_explained),
        cmocka_unit_test(batches_are_planned),
        cmocka_unit_test(bad_contractions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
