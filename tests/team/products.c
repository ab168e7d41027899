/* Products and copies over places of one process: the bits of the undistributed ones, and what moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "claim.h"
#include "spread.h"
#include "team/layers/layered.h"

/* Small, and such that each order of the sum is among them: vectors, few elements with long sums, all else. */
static void choose_sizes(random_source *from, int64_t size[3])
{
    const int64_t kind = random_in(from, 0, 5);
    size[0] = random_in(from, kind == 0 ? 0 : 1, kind < 3 ? 100 : 40);
    size[1] = random_in(from, kind == 0 ? 0 : 1, kind < 3 ? 100 : 40);
    size[2] = kind == 0 ? random_in(from, 0, 8) : kind == 5 ? random_in(from, 3500, 4500) : random_in(from, 1, 700);
    if (kind == 3)
        size[random_in(from, 0, 1)] = 1;
}

static lay_status make_team(random_source *from, lay_team_sum order, int places, lay_team **team)
{
    lay_status status = order == LAY_TEAM_SUM_BY_SLICES && random_one_in(from, 3) ? lay_team_devices(places, NULL, team)
                                                                                  : lay_team_host(places, team);
    return status == LAY_OK ? lay_team_sum_order(*team, order) : status;
}

/* Of slices each way to deal them out, not the cheapest alone. */
static void try_products(uint64_t seed, int count, lay_team_sum order)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_F16, LAY_BF16, LAY_C32, LAY_C64 };
    for (int number = 1; number <= count; number++) {
        random_source from = random_case(seed, (uint64_t)number);
        const lay_type type = random_of(&from, types);
        const int rows = (int)random_in(&from, 1, 3), columns = (int)random_in(&from, 1, 3);
        int64_t size[3];
        double alpha[2], beta[2];
        lay_team *team = NULL;
        choose_sizes(&from, size);
        spread_scalar(&from, type, alpha);
        spread_scalar(&from, type, beta);
        lay_team_panel_bytes = random_one_in(&from, 2) ? 1 : 64 << 20;
        if (order == LAY_TEAM_SUM_BY_SLICES) {
            lay_layered_pick = (int)random_in(&from, 0, LAY_LAYERINGS - 1);
            size[2] = random_one_in(&from, 2) ? random_in(&from, 1, 9000) : 1024 * random_in(&from, 1, 12);
        }
        void *const a = spread_dense(&from, type, size[0], size[2]), *const b =
                                                                         spread_dense(&from, type, size[2], size[1]);
        void *const c = spread_dense(&from, type, size[0], size[1]);
        spread of[3];
        spread_make(&from, type, size[0], size[2], rows, columns, &of[0]);
        spread_make(&from, type, size[2], size[1], rows, columns, &of[1]);
        spread_make(&from, type, size[0], size[1], rows, columns, &of[2]);
        spread_scatter(&of[0], a);
        spread_scatter(&of[1], b);
        spread_scatter(&of[2], c);
        char story[2000];
        snprintf(story, sizeof story, "case %d, type %d, %lld x %lld x %lld\nA %s\nB %s\nC %s", number, (int)type,
                 (long long)size[0], (long long)size[1], (long long)size[2], of[0].text, of[1].text, of[2].text);
        claim(make_team(&from, order, of[0].places, &team) == LAY_OK, "%s", story);
        const lay_status status =
            lay_team_gemm(team, type, of[0].desc, of[1].desc, of[2].desc, alpha, (const void *const *)of[0].part,
                          (const void *const *)of[1].part, beta, of[2].part, NULL);
        claim(status == LAY_OK, "%s", story);
        assert_int_equal(
            (order == LAY_TEAM_SUM_WHOLE ? spread_multiply : spread_multiply_slices)(type, size, alpha, a, b, beta, c),
            LAY_OK);
        claim(spread_equals(&of[2], c), "%s", story);
        claim(spread_equals(&of[0], a) && spread_equals(&of[1], b), "%s", story);
        lay_team_destroy(team);
        for (int i = 0; i < 3; i++)
            spread_free(&of[i]);
        free(a);
        free(b);
        free(c);
    }
    lay_team_panel_bytes = 64 << 20;
    lay_layered_pick = 0;
}

static void products_have_one_places_bits(void **state)
{
    (void)state;
    try_products(1, cases(300), LAY_TEAM_SUM_WHOLE);
}

static void products_by_slices_have_their_definitions_bits(void **state)
{
    (void)state;
    try_products(4, cases(300), LAY_TEAM_SUM_BY_SLICES);
}

static void copies_put_every_element_where_it_belongs(void **state)
{
    (void)state;
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_BF16, LAY_C64 };
    for (int number = 1; number <= cases(2000); number++) {
        random_source from = random_case(2, (uint64_t)number);
        const lay_type type = random_of(&from, types);
        const int rows = (int)random_in(&from, 1, 3), columns = (int)random_in(&from, 1, 3);
        const int64_t m = random_in(&from, 0, 40), n = random_in(&from, 0, 40);
        spread source, target;
        lay_team *team = NULL;
        void *const dense = spread_dense(&from, type, m, n);
        spread_make(&from, type, m, n, rows, columns, &source);
        spread_make(&from, type, m, n, random_one_in(&from, 2) ? rows * columns : rows, 1, &target);
        if (target.places != source.places) {
            spread_free(&target);
            spread_make(&from, type, m, n, rows, columns, &target);
        }
        spread_scatter(&source, dense);
        claim(lay_team_host(source.places, &team) == LAY_OK, "team");
        claim(lay_team_copy(team, type, source.desc, (const void *const *)source.part, target.desc, target.part) ==
                  LAY_OK,
              "case %d\n%s\n%s", number, source.text, target.text);
        claim(spread_equals(&target, dense), "case %d\n%s\n%s", number, source.text, target.text);
        lay_team_destroy(team);
        spread_free(&source);
        spread_free(&target);
        free(dense);
    }
}

/* Of any rank, and transposed on the way by a view. */
static void copies_take_tensors_and_views(void **state)
{
    (void)state;
    random_source from = random_case(3, 1);
    spread source, target;
    lay_team *team = NULL;
    double dense[5 * 4 * 6];
    spread_fill(&from, LAY_F64, 5 * 4 * 6, dense);
    spread_of_text(LAY_F64, "P=(2)(3); A=[4][3][2][3]; [5[#P_0][#A_1]][#A_0][[#P_1][#A_2]]", &source);
    spread_of_text(LAY_F64, "P=(6); A=[6][5][4]; [#A_1][[4#P_0][1#A_2]][#A_0]", &target);
    spread_scatter(&source, dense);
    assert_int_equal(lay_team_host(6, &team), LAY_OK);
    claim(lay_team_copy(team, LAY_F64, source.desc, (const void *const *)source.part, target.desc, target.part) ==
              LAY_OK,
          "tensors");
    assert_true(spread_equals(&target, dense));
    lay_team_destroy(team);
    spread_free(&source);
    spread_free(&target);
}

/* Rows of A, B everywhere: nothing moves. Block rows of all three: each place needs all of B but its share. */
static void traffic_is_what_was_predicted(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *c;
        int64_t bytes, messages;
    } rows[] = {
        { "P=(4); A=[8][16]; [[#P_0][#A_0]][#A_1]", "P=(4); [16][8]", "P=(4); A=[8][8]; [[#P_0][#A_0]][#A_1]", 0, 0 },
        { "P=(4); A=[8][16]; [[#P_0][#A_0]][#A_1]", "P=(4); A=[4][8]; [[#P_0][#A_0]][#A_1]",
          "P=(4); A=[8][8]; [[#P_0][#A_0]][#A_1]", 4 * 3 * 4 * 8 * 4, 4 * 3 },
        /* SUMMA's: each of 2 x 2 gets half of the rows of A and half of the columns of B from one other place */
        { "P=(2)(2); A=[16][8]; [[#P_0][#A_0]][[#P_1][#A_1]]", "P=(2)(2); A=[8][4]; [[#P_0][#A_0]][[#P_1][#A_1]]",
          "P=(2)(2); A=[16][4]; [[#P_0][#A_0]][[#P_1][#A_1]]", 4 * (16 * 8 + 8 * 4) * 4, 4 * 2 },
        /* Two places have the half of B that a place lacks: one of them sends it */
        { "P=(2)(2); A=[2][16]; [[#P][#A_0]][#A_1]", "P=(2)(2); A=[8][8]; [[#P_1][#A_0]][#A_1]",
          "P=(2)(2); A=[2][8]; [[#P][#A_0]][#A_1]", 4 * 8 * 8 * 4, 4 },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        spread of[3];
        lay_team *team = NULL;
        lay_team_plan *plan = NULL;
        lay_team_plan_info info = LAY_TEAM_PLAN_INFO_INIT;
        int64_t bytes = -1, messages = -1;
        char text[2000];
        spread_of_text(LAY_F32, rows[r].a, &of[0]);
        spread_of_text(LAY_F32, rows[r].b, &of[1]);
        spread_of_text(LAY_F32, rows[r].c, &of[2]);
        for (int i = 0; i < 3; i++) {
            void *const zeros = calloc((size_t)lay_desc_extent(of[i].desc, ""), sizeof(float));
            spread_scatter(&of[i], zeros);
            free(zeros);
        }
        assert_int_equal(lay_team_host(4, &team), LAY_OK);
        claim(lay_team_plan_create(team, LAY_F32, of[0].desc, of[1].desc, of[2].desc, NULL, &plan) == LAY_OK, "%zu", r);
        assert_int_equal(lay_team_plan_query(plan, &info), LAY_OK);
        assert_true(info.bytes_sent == rows[r].bytes && info.bytes_received == rows[r].bytes);
        assert_true(info.messages_sent == rows[r].messages && info.steps == 1);
        assert_true(info.bytes_bound <= info.bytes_sent || r == 0);
        claim(lay_team_plan_explain(plan, text, sizeof text) > 0 && strstr(text, "C stays"), "%s", text);
        for (int run = 1; run <= 2; run++) {
            assert_int_equal(lay_team_plan_run(plan, &(float){ 1 }, (const void *const *)of[0].part,
                                               (const void *const *)of[1].part, &(float){ 0 }, of[2].part),
                             LAY_OK);
            lay_team_traffic(team, &bytes, &messages);
            assert_true(bytes == run * rows[r].bytes && messages == run * rows[r].messages);
        }
        lay_team_plan_destroy(plan);
        lay_team_destroy(team);
        for (int i = 0; i < 3; i++)
            spread_free(&of[i]);
    }
}

/* k dealt out to four places, C by rows: a place sums its own k, and what moves is partial sums, as much as must. */
static void long_sums_move_partial_sums_alone(void **state)
{
    (void)state;
    static const char *const texts[] = { "P=(4); A=[40][5000]; [#A_0][[#P_0][#A_1]]",
                                         "P=(4); A=[5000][40]; [[#P_0][#A_0]][#A_1]",
                                         "P=(4); A=[10][40]; [[#P_0][#A_0]][#A_1]" };
    lay_desc *desc[3];
    lay_team *team = NULL;
    lay_team_plan *plan = NULL;
    lay_team_plan_info info = LAY_TEAM_PLAN_INFO_INIT;
    char text[4000];
    for (int i = 0; i < 3; i++)
        assert_int_equal(lay_desc_parse(texts[i], &desc[i]), LAY_OK);
    assert_int_equal(lay_team_host(4, &team), LAY_OK);
    assert_int_equal(lay_team_sum_order(team, LAY_TEAM_SUM_BY_SLICES), LAY_OK);
    assert_int_equal(lay_team_plan_create(team, LAY_F64, desc[0], desc[1], desc[2], NULL, &plan), LAY_OK);
    assert_int_equal(lay_team_plan_query(plan, &info), LAY_OK);
    assert_true(info.bytes_sent == 3 * 40 * 40 * 8 && info.bytes_sent == info.bytes_bound);
    assert_true(info.messages_sent == 12 && info.steps == 4);
    assert_true(lay_team_plan_explain(plan, text, sizeof text) > 0);
    claim(strstr(text, "sums by 16 slices of k") && strstr(text, "4 layers of 1 x 1 places") &&
              strstr(text, "way      C stays") &&
              strstr(text, "place 3  C 40 x 40 of layer 3, rows of A read in place"),
          "%s", text);
    lay_team_plan_destroy(plan);
    lay_team_destroy(team);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
}

/* Each way to deal out slices is costed by what it moves. */
static void ways_of_slices_move_what_was_predicted(void **state)
{
    (void)state;
    for (int number = 1; number <= cases(100); number++) {
        random_source from = random_case(5, (uint64_t)number);
        const int rows = (int)random_in(&from, 1, 3), columns = (int)random_in(&from, 1, 3);
        const int64_t m = random_in(&from, 1, 50), n = random_in(&from, 1, 50), k = random_in(&from, 2048, 9000);
        lay_team *team = NULL;
        lay_team_plan *plan = NULL;
        lay_team_plan_info info = LAY_TEAM_PLAN_INFO_INIT;
        spread of[3];
        spread_make(&from, LAY_F16, m, k, rows, columns, &of[0]);
        spread_make(&from, LAY_F16, k, n, rows, columns, &of[1]);
        spread_make(&from, LAY_F16, m, n, rows, columns, &of[2]);
        lay_layered_pick = (int)random_in(&from, 0, LAY_LAYERINGS - 1);
        assert_int_equal(lay_team_host(of[0].places, &team), LAY_OK);
        assert_int_equal(lay_team_sum_order(team, LAY_TEAM_SUM_BY_SLICES), LAY_OK);
        claim(lay_team_plan_create(team, LAY_F16, of[0].desc, of[1].desc, of[2].desc, NULL, &plan) == LAY_OK, "case %d",
              number);
        assert_int_equal(lay_team_plan_query(plan, &info), LAY_OK);
        const double *const moved = plan->layered->candidate[plan->layered->pick].moved;
        claim((double)info.bytes_sent == 2 * (moved[0] + moved[1]) + 4 * moved[2],
              "case %d: %lld, %g %g %g\n%s\n%s\n%s", number, (long long)info.bytes_sent, moved[0], moved[1], moved[2],
              of[0].text, of[1].text, of[2].text);
        lay_team_plan_destroy(plan);
        lay_team_destroy(team);
        for (int i = 0; i < 3; i++)
            spread_free(&of[i]);
    }
    lay_layered_pick = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_one_places_bits),
        cmocka_unit_test(products_by_slices_have_their_definitions_bits),
        cmocka_unit_test(copies_put_every_element_where_it_belongs),
        cmocka_unit_test(copies_take_tensors_and_views),
        cmocka_unit_test(traffic_is_what_was_predicted),
        cmocka_unit_test(long_sums_move_partial_sums_alone),
        cmocka_unit_test(ways_of_slices_move_what_was_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
