/* Products, copies and teams that are refused, and the sentences that say why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "claim.h"
#include "spread.h"

/* A product of 8 x 8 matrices in four parts of rows, whose arguments a case changes. */
typedef struct product {
    lay_team *team;
    lay_type type;
    lay_desc *desc[3];
    float storage[3][4][16];
    const void *a[4], *b[4];
    void *c[4];
    lay_options options;
    float alpha, beta;
    const void *alpha_at;
} product;

static void set_product(product *of)
{
    *of = (product){ .type = LAY_F32, .options = LAY_OPTIONS_INIT, .alpha = 1 };
    assert_int_equal(lay_team_host(4, &of->team), LAY_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lay_desc_parse("P=(4); A=[2][8]; [[#P_0][#A_0]][#A_1]", &of->desc[i]), LAY_OK);
    for (int p = 0; p < 4; p++) {
        of->a[p] = of->storage[0][p];
        of->b[p] = of->storage[1][p];
        of->c[p] = of->storage[2][p];
        for (int i = 0; i < 16; i++)
            of->storage[2][p][i] = (float)(100 * p + i);
    }
    of->alpha_at = &of->alpha;
}

static void clear_product(product *of)
{
    lay_team_destroy(of->team);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(of->desc[i]);
}

static void use(product *of, int operand, const char *text)
{
    lay_desc_destroy(of->desc[operand]);
    of->desc[operand] = NULL;
    if (text)
        assert_int_equal(lay_desc_parse(text, &of->desc[operand]), LAY_OK);
}

static void type_is_none(product *of)
{
    of->type = (lay_type)77;
}
static void descriptor_is_null(product *of)
{
    use(of, 1, NULL);
}
static void places_are_others(product *of)
{
    use(of, 0, "P=(2); A=[4][8]; [[#P_0][#A_0]][#A_1]");
}
static void places_are_none(product *of)
{
    use(of, 2, "[8][8]");
}
static void rank_is_three(product *of)
{
    use(of, 2, "P=(4); A=[2][8]; [1#A_0][[#P_0][#A_0]][#A_1]");
}
static void rows_are_fewer(product *of)
{
    use(of, 2, "P=(4); A=[2][8]; [7[#P_0][#A_0]][#A_1]");
}
static void sum_is_shorter(product *of)
{
    use(of, 1, "P=(4); A=[2][8]; [7[#P_0][#A_0]][#A_1]");
}
static void result_shares_elements(product *of)
{
    use(of, 2, "P=(4!); [[4:0:1][2:0]][8:1]");
}
static void result_lies_in_a(product *of)
{
    of->c[2] = (void *)of->a[1];
}
static void result_lies_nowhere(product *of)
{
    of->c[3] = NULL;
}
static void a_lies_nowhere(product *of)
{
    of->a[0] = NULL;
}
static void alpha_is_null(product *of)
{
    of->alpha_at = NULL;
}
static void backend_is_cuda(product *of)
{
    of->options.backend = LAY_BACKEND_CUDA;
}
static void compute_is_split(product *of)
{
    of->options.compute = LAY_COMPUTE_F32_SPLIT;
}
static void promise_is_broken(product *of)
{
    of->options.alignment = 4096;
}
static void options_are_none(product *of)
{
    of->options.struct_size = 1;
}

static void bad_products_are_refused_and_c_stays(void **state)
{
    (void)state;
    static const struct {
        void (*change)(product *);
        lay_status status;
        const char *word;
    } rows[] = {
        { type_is_none, LAY_ERR_TYPE, "77" },
        { descriptor_is_null, LAY_ERR_ARGUMENT, "B is NULL" },
        { places_are_others, LAY_ERR_SHAPE, "A is spread over 2 places, but the team has 4" },
        { places_are_none, LAY_ERR_SHAPE, "C is spread over 1 place, but" },
        { rank_is_three, LAY_ERR_RANK, "C has rank 3" },
        { rows_are_fewer, LAY_ERR_SHAPE, "7 rows" },
        { sum_is_shorter, LAY_ERR_SHAPE, "8 columns" },
        { result_shares_elements, LAY_ERR_INJECTIVE, "row stride is 0" },
        { result_lies_in_a, LAY_ERR_OVERLAP, "clear of A" },
        { result_lies_nowhere, LAY_ERR_ARGUMENT, "c is NULL for place 3" },
        { a_lies_nowhere, LAY_ERR_ARGUMENT, "a is NULL for place 0" },
        { alpha_is_null, LAY_ERR_ARGUMENT, "alpha is NULL" },
        { backend_is_cuda, LAY_ERR_UNSUPPORTED, "CUDA" },
        { compute_is_split, LAY_ERR_UNSUPPORTED, "strict" },
        { promise_is_broken, LAY_ERR_ARGUMENT, "c of place 0 is no multiple of 4096 bytes" },
        { options_are_none, LAY_ERR_OPTION, "struct_size" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        product of;
        float before[4][16];
        set_product(&of);
        memcpy(before, of.storage[2], sizeof before);
        rows[r].change(&of);
        const lay_status status = lay_team_gemm(of.team, of.type, of.desc[0], of.desc[1], of.desc[2], of.alpha_at, of.a,
                                                of.b, &of.beta, of.c, &of.options);
        claim(status == rows[r].status && strstr(lay_last_error(), rows[r].word), "row %zu: %d", r, (int)status);
        claim(!strstr(lay_last_error(), "has been written"), "row %zu", r);
        assert_memory_equal(before, of.storage[2], sizeof before);
        clear_product(&of);
    }
    assert_int_equal(lay_team_gemm(NULL, LAY_F32, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
                     LAY_ERR_ARGUMENT);
}

/* Panels are not what the promise is of. */
static void a_promise_that_is_kept_is_served(void **state)
{
    (void)state;
    enum { ALIGNED = 4096 };
    static _Alignas(ALIGNED) float storage[3][4][ALIGNED / sizeof(float)];
    product of;
    set_product(&of);
    of.options.alignment = ALIGNED;
    for (int p = 0; p < 4; p++) {
        of.a[p] = storage[0][p];
        of.b[p] = storage[1][p];
        of.c[p] = storage[2][p];
    }
    claim(lay_team_gemm(of.team, LAY_F32, of.desc[0], of.desc[1], of.desc[2], of.alpha_at, of.a, of.b, &of.beta, of.c,
                        &of.options) == LAY_OK,
          "aligned");
    clear_product(&of);
}

/* Of places that hold nothing there need be no addresses. */
static void nothing_needs_no_addresses(void **state)
{
    (void)state;
    static const char *const texts[] = { "P=(4); A=[0][8]; [[#P_0][#A_0]][#A_1]",
                                         "P=(4); A=[2][8]; [[#P_0][#A_0]][#A_1]",
                                         "P=(4); A=[0][8]; [[#P_0][#A_0]][#A_1]" };
    product of;
    set_product(&of);
    for (int i = 0; i < 3; i++)
        use(&of, i, texts[i]);
    assert_int_equal(lay_team_gemm(of.team, LAY_F32, of.desc[0], of.desc[1], of.desc[2], of.alpha_at, NULL, of.b,
                                   &of.beta, NULL, NULL),
                     LAY_OK);
    assert_int_equal(lay_team_copy(of.team, LAY_F32, of.desc[0], NULL, of.desc[2], NULL), LAY_OK);
    clear_product(&of);
}

static void bad_copies_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        lay_status status;
        const char *word;
    } rows[] = {
        { "P=(4); A=[2][8]; [[#P_0][#A_0]][#A_1]", "P=(2); A=[4][8]; [[#P_0][#A_0]][#A_1]", LAY_ERR_SHAPE,
          "destination" },
        { "[8][8]", "P=(4); A=[2][8]; [[#P_0][#A_0]][#A_1]", LAY_ERR_SHAPE, "source" },
        { "P=(4); A=[2][8]; [[#P_0][#A_0]][#A_1]", "P=(4); A=[2][8]; [[[#P_0][#A_0]][#A_1]]", LAY_ERR_RANK, "rank" },
        { "P=(4); A=[2][8]; [[#P_0][#A_0]][#A_1]", "P=(4); A=[2][8]; [[#P_0][#A_0]][7#A_1]", LAY_ERR_SHAPE,
          "extent 8" },
        { "P=(4); A=[2][8]; [[#P_0][#A_0]][#A_1]", "P=(4!); [[4:0:1][2:1]][8:1]", LAY_ERR_INJECTIVE, "destination" },
        { "P=(4); A=[2][8]; [[#P_0][#A_0]][#A_1]", "P=(4); A=[2][8]; [[#A_0][#P_0]][#A_1]", LAY_ERR_OVERLAP, "clear" },
    };
    lay_team *team = NULL;
    float storage[4][16] = { { 0 } };
    void *at[4] = { storage[0], storage[1], storage[2], storage[3] };
    assert_int_equal(lay_team_host(4, &team), LAY_OK);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_desc *from = NULL, *to = NULL;
        assert_int_equal(lay_desc_parse(rows[r].from, &from), LAY_OK);
        assert_int_equal(lay_desc_parse(rows[r].to, &to), LAY_OK);
        const lay_status status = lay_team_copy(team, LAY_F32, from, (const void *const *)at, to, at);
        claim(status == rows[r].status && strstr(lay_last_error(), rows[r].word), "row %zu: %d", r, (int)status);
        lay_desc_destroy(from);
        lay_desc_destroy(to);
    }
    lay_team_destroy(team);
}

static int fail_always(void *context, int rank, int tag, void *data, int64_t bytes, void **request)
{
    (void)context, (void)rank, (void)tag, (void)data, (void)bytes, (void)request;
    return 1;
}

static void bad_teams_are_refused(void **state)
{
    (void)state;
    lay_team *team = NULL;
    lay_transport transport = { .struct_size = sizeof transport, .rank = 0, .ranks = 2, .receive = fail_always };
    assert_int_equal(lay_team_host(0, &team), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_host(1 << 22, &team), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_host(1, NULL), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_create(NULL, 1, &team), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_create(&transport, 1, &team), LAY_ERR_ARGUMENT);
    assert_non_null(strstr(lay_last_error(), "lacks send"));
    transport.rank = 2;
    assert_int_equal(lay_team_create(&transport, 1, &team), LAY_ERR_ARGUMENT);
    assert_non_null(strstr(lay_last_error(), "rank 2 of 2"));
    transport.struct_size = 8;
    assert_int_equal(lay_team_create(&transport, 1, &team), LAY_ERR_OPTION);
    assert_null(team);
    assert_int_equal(lay_team_places(NULL), -1);
    assert_int_equal(lay_team_first(NULL), -1);
    assert_int_equal(lay_team_own(NULL), -1);
    assert_int_equal(lay_team_host(3, &team), LAY_OK);
    assert_int_equal(lay_team_timeout(team, 0), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_timeout(team, -1), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_timeout(NULL, 1), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_sum_order(NULL, LAY_TEAM_SUM_WHOLE), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_sum_order(team, (lay_team_sum)2), LAY_ERR_ARGUMENT);
    assert_non_null(strstr(lay_last_error(), "is 2"));
    assert_true(lay_team_places(team) == 3 && lay_team_first(team) == 0 && lay_team_own(team) == 3);
    lay_team_destroy(team);
    lay_team_destroy(NULL);
    lay_team_plan_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_products_are_refused_and_c_stays),
        cmocka_unit_test(a_promise_that_is_kept_is_served),
        cmocka_unit_test(nothing_needs_no_addresses),
        cmocka_unit_test(bad_copies_are_refused),
        cmocka_unit_test(bad_teams_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
