/* What a product over places moves: counted by the transport, said by its plan, and predicted by blocks alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "claim.h"
#include "spread.h"
#include "team/cost/deal.h"
#include "team/product.h"
#include "threads.h"

enum { A, B, C };

/* A product of matrices that are dealt out. */
typedef struct trial {
    lay_type type;
    lay_block_cyclic dealt[3];
    spread of[3];
    int places;
    post at;
    lay_team_plan_info info[MOST_RANKS];
    lay_team_cut cut[MOST_RANKS];
    int64_t sent[MOST_RANKS], messages[MOST_RANKS];
    lay_status status[MOST_RANKS];
} trial;

/* Blocks of which each coordinate has some. */
static int64_t choose_block(random_source *from, int64_t extent, int64_t count)
{
    int64_t most = count > 1 ? (extent - 1) / (count - 1) : extent;
    while (most > 1 && most * (count - 1) >= extent)
        most--;
    return random_in(from, 1, most);
}

static void set_trial(random_source *from, int places, trial *of)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_F16, LAY_C32, LAY_C64 };
    const int is_long = random_one_in(from, 2);
    const int64_t size[] = { random_in(from, 12, 90), random_in(from, 12, 90),
                             is_long ? random_in(from, 500, 2500) : random_in(from, 12, 100) };
    const int64_t rows[] = { size[0], size[2], size[0] }, columns[] = { size[2], size[1], size[1] };
    int grid[3][2], is_alike = random_one_in(from, 2);
    int64_t block[3][2];
    memset(of, 0, sizeof *of);
    of->type = random_of(from, types);
    of->places = places;
    for (int i = 0; i < 3; i++) {
        do
            grid[i][0] = (int)random_in(from, 1, places);
        while (places % grid[i][0] != 0);
        if (i > 0 && is_alike)
            grid[i][0] = grid[0][0];
        grid[i][1] = places / grid[i][0];
        block[i][0] = choose_block(from, rows[i], grid[i][0]);
        block[i][1] = choose_block(from, columns[i], grid[i][1]);
    }
    if (is_alike) { /* A's rows and B's columns as C's */
        block[A][0] = block[C][0];
        block[B][1] = block[C][1];
    }
    for (int i = 0; i < 3; i++) {
        char text[400];
        of->dealt[i] = lay_block_cyclic_on_grid(rows[i], columns[i], block[i][0], block[i][1], grid[i][0], grid[i][1]);
        lay_block_cyclic_text(&of->dealt[i], text, sizeof text);
        spread_of_text(of->type, text, &of->of[i]);
        assert_int_equal(lay_desc_places(of->of[i].desc), places);
        void *const zeros = calloc((size_t)(rows[i] * columns[i]), lay_type_size(of->type));
        spread_scatter(&of->of[i], zeros);
        free(zeros);
    }
}

static void clear_trial(trial *of)
{
    for (int i = 0; i < 3; i++)
        spread_free(&of->of[i]);
}

static void take_part(void *argument, int rank)
{
    trial *const of = argument;
    const int each = of->places / of->at.ranks, first = rank * each;
    const double one[] = { 1, 0 };
    const float in_float[] = { 1, 0 };
    const void *const alpha = of->type == LAY_F64 || of->type == LAY_C64 ? (const void *)one : in_float;
    end line;
    lay_team *const team = post_team(&of->at, &line, rank, each);
    lay_team_plan *plan = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    of->info[rank].struct_size = sizeof of->info[rank];
    of->status[rank] =
        lay_team_plan_create(team, of->type, of->of[A].desc, of->of[B].desc, of->of[C].desc, &options, &plan);
    if (of->status[rank] == LAY_OK) {
        of->cut[rank] = plan->cut;
        of->status[rank] =
            lay_team_plan_run(plan, alpha, (const void *const *)of->of[A].part + first,
                              (const void *const *)of->of[B].part + first, alpha, of->of[C].part + first);
        lay_team_plan_query(plan, &of->info[rank]);
    }
    lay_team_traffic(team, &of->sent[rank], &of->messages[rank]);
    lay_team_plan_destroy(plan);
    lay_team_destroy(team);
}

/* Field by field: the structure has padding. */
static int are_same(const lay_team_cut *one, const lay_team_cut *other)
{
    return one->depth == other->depth && one->lead == other->lead && one->width == other->width &&
           one->panels == other->panels && one->chunks == other->chunks && one->steps == other->steps &&
           one->by_rows == other->by_rows;
}

static void check(trial *of, int number)
{
    const lay_team_shape shape = lay_block_cyclic_shape(of->type, of->dealt, of->places);
    const lay_team_links links = lay_team_links_get(0, 1);
    lay_team_candidate candidate[LAY_TEAM_CANDIDATES];
    lay_team_cut_choose(&shape, &links, candidate);
    const lay_team_cut cut = candidate[0].cut;
    const int64_t bytes = (int64_t)((shape.moved[A] + shape.moved[B]) * (double)lay_type_size(of->type));
    int64_t sent = 0, received = 0, said = 0, messages = 0;
    for (int rank = 0; rank < of->at.ranks; rank++) {
        assert_int_equal(of->status[rank], LAY_OK);
        assert_true(are_same(&cut, &of->cut[rank]));
        assert_true(of->info[rank].steps == cut.steps);
        sent += of->sent[rank];
        said += of->info[rank].bytes_sent;
        received += of->info[rank].bytes_received;
        messages += of->messages[rank];
    }
    if (sent != bytes || said != bytes || received != bytes)
        fail_msg("case %d: %lld bytes predicted, %lld sent, %lld said", number, (long long)bytes, (long long)sent,
                 (long long)said);
    if (of->at.ranks == of->places) /* all that moves goes through the transport, which counts operands alone */
        assert_int_equal(of->at.bytes, bytes);
    const double predicted = lay_block_cyclic_messages(of->dealt, &cut, of->places);
    const lay_deal *const ours = &of->dealt[B].dim[1], *const its = &of->dealt[C].dim[1];
    if ((cut.chunks == 1 || (ours->block == its->block && ours->count == its->count)) && predicted != (double)messages)
        fail_msg("case %d: %.0f messages predicted, %lld sent", number, predicted, (long long)messages);
}

/* 1 to 9 places, each a rank; then of a rank several. */
static void bytes_are_those_that_blocks_predict(void **state)
{
    (void)state;
    for (int number = 1; number <= cases(120); number++) {
        random_source from = random_case(21, (uint64_t)number);
        const int places = 1 + number % MOST_RANKS;
        trial of;
        lay_team_panel_bytes = random_one_in(&from, 2) ? 1 : 64 << 20;
        set_trial(&from, places, &of);
        post_open(&of.at, number % 5 == 0 ? 1 : places);
        post_run(&of.at, take_part, &of);
        check(&of, number);
        post_close(&of.at);
        clear_trial(&of);
    }
    lay_team_panel_bytes = 64 << 20;
}

/* All that a plan says is of counts: what places have in common is found without a look at each index. */
static void shares_are_those_of_the_layouts(void **state)
{
    (void)state;
    for (int number = 1; number <= cases(60); number++) {
        random_source from = random_case(22, (uint64_t)number);
        const int places = 1 + number % MOST_RANKS;
        trial of;
        lay_team *team = NULL;
        lay_team_plan *plan = NULL;
        set_trial(&from, places, &of);
        assert_int_equal(lay_team_host(places, &team), LAY_OK);
        assert_int_equal(lay_team_plan_create(team, of.type, of.of[A].desc, of.of[B].desc, of.of[C].desc, NULL, &plan),
                         LAY_OK);
        for (int place = 0; place < places; place++) {
            const lay_share ours = lay_block_cyclic_share(of.dealt, place), its = lay_side_share(plan->side, place);
            assert_memory_equal(&ours, &its, sizeof ours);
        }
        const lay_team_shape shape = lay_team_shape_of(plan), dealt = lay_block_cyclic_shape(of.type, of.dealt, places);
        for (int64_t depth = 1; depth <= shape.k; depth += 1 + depth / 2)
            for (int x = A; x <= B; x++)
                assert_true(shape.senders(shape.of, x, depth) == dealt.senders(dealt.of, x, depth));
        lay_team_plan_destroy(plan);
        lay_team_destroy(team);
        clear_trial(&of);
    }
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Square products on square grids move what no way with all of k at a place gets below, but for a twentieth. */
static void squares_move_hardly_more_than_they_must(void **state)
{
    (void)state;
    static const int sides[] = { 2, 4, 8, 32, 256 };
    for (int i = 0; i < 5; i++) {
        const int64_t side = sides[i], places = side * side, n = 1 << 20, block = n / side;
        lay_block_cyclic of[3];
        for (int x = 0; x < 3; x++)
            of[x] = lay_block_cyclic_on_grid(n, n, block, block, side, side);
        const double start = seconds_now();
        const lay_team_shape shape = lay_block_cyclic_shape(LAY_F32, of, places);
        const double each = (shape.moved[A] + shape.moved[B]) / (double)places;
        const double least = lay_volume_least_whole_k(1, (double)n, (double)n, (double)n, (double)places) -
                             2.0 * (double)n * (double)n / (double)places;
        assert_true(each <= 1.05 * least && each >= least * (1 - 1e-9));
        assert_true(each >= lay_volume_least(1, (double)n, (double)n, (double)n, (double)places) -
                                3.0 * (double)n * (double)n / (double)places);
        assert_true(seconds_now() - start <
                    20); /* on a machine that is busy with others; 2^40 elements would be hours */
    }
}

static void explanations_say_what_moves_and_why(void **state)
{
    (void)state;
    static const char *const words[] = {
        "C stays",  "Irony",     "Al Daas", "Kwasniewski", "A stays: sums would be split",
        "messages", "predicted", "taken",   "panels of",   "bytes at once"
    };
    lay_team *team = NULL;
    lay_team_plan *plan = NULL;
    lay_desc *square = NULL;
    char text[4000];
    assert_int_equal(lay_team_host(4, &team), LAY_OK);
    assert_int_equal(lay_desc_parse("P=(2)(2); A=[600][600]; [[#P_0][#A_0]][[#P_1][#A_1]]", &square), LAY_OK);
    assert_int_equal(lay_team_plan_create(team, LAY_F64, square, square, square, NULL, &plan), LAY_OK);
    assert_in_range(lay_team_plan_explain(plan, text, sizeof text), 1, sizeof text - 1);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strstr(text, words[i]))
            fail_msg("no '%s' in\n%s", words[i], text);
    assert_non_null(strstr(text, "5760000 bytes in")); /* half of 600 rows of A and of 600 columns of B */
    lay_team_plan_destroy(plan);
    lay_team_destroy(team);
    lay_desc_destroy(square);
}

/* Where there is no memory for all of k it comes in panels, and not where the order of the sum forbids it. */
static void panels_bound_memory(void **state)
{
    (void)state;
    lay_team *team = NULL;
    lay_desc *desc[3] = { NULL, NULL, NULL };
    int64_t workspace[2];
    assert_int_equal(lay_team_host(4, &team), LAY_OK);
    assert_int_equal(lay_desc_parse("P=(2)(2); A=[100][2048]; [[#P_0][#A_0]][[#P_1][#A_1]]", &desc[A]), LAY_OK);
    assert_int_equal(lay_desc_parse("P=(2)(2); A=[2048][100]; [[#P_0][#A_0]][[#P_1][#A_1]]", &desc[B]), LAY_OK);
    assert_int_equal(lay_desc_parse("P=(2)(2); A=[100][100]; [[#P_0][#A_0]][[#P_1][#A_1]]", &desc[C]), LAY_OK);
    for (int i = 0; i < 3; i++) {
        static const lay_type types[] = { LAY_F32, LAY_F32, LAY_F16 };
        lay_team_plan *plan = NULL;
        lay_team_plan_info info = LAY_TEAM_PLAN_INFO_INIT;
        char text[4000];
        lay_team_panel_bytes = i == 0 ? 64 << 20 : 1 << 10;
        assert_int_equal(lay_team_plan_create(team, types[i], desc[A], desc[B], desc[C], NULL, &plan), LAY_OK);
        lay_team_plan_query(plan, &info);
        lay_team_plan_explain(plan, text, sizeof text);
        assert_true((plan->cut.panels == 8) == (i == 1));
        assert_true((strstr(text, "refused  panels of k: sums of 16-bit") != NULL) == (i == 2));
        assert_true((strstr(text, "refused  k whole") != NULL) == (i == 1));
        if (i < 2)
            workspace[i] = info.workspace;
        lay_team_plan_destroy(plan);
    }
    lay_team_panel_bytes = 64 << 20;
    assert_true(workspace[1] * 3 < workspace[0]);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    lay_team_destroy(team);
}

/* The last panel has two blocks, which alone would be shorter ones than the whole sum's. */
static void panels_of_several_blocks_have_one_places_bits(void **state)
{
    (void)state;
    enum { M = 66, K = 16897, BLOCK = 504 };
    static const char *const texts[] = { "P=(2); A=[66][8449]; [#A_0][16897[#P_0][#A_1]]",
                                         "P=(2); A=[16897][33]; [#A_0][[#P_0][#A_1]]",
                                         "P=(2); A=[33][66]; [[#P_0][#A_0]][#A_1]" };
    random_source from = random_case(23, 1);
    float *const dense[] = { malloc(sizeof(float) * M * K), malloc(sizeof(float) * M * K),
                             calloc(M * M, sizeof(float)) };
    const float one = 1, zero = 0;
    lay_options options = LAY_OPTIONS_INIT;
    lay_team *team = NULL;
    lay_team_plan *plan = NULL;
    lay_desc *desc[3];
    spread of[3];
    options.backend = LAY_BACKEND_CPU;
    for (int i = 0; i < 3; i++) {
        spread_of_text(LAY_F32, texts[i], &of[i]);
        if (i < 2)
            spread_fill(&from, LAY_F32, M * K, dense[i]);
        spread_scatter(&of[i], dense[i]);
        lay_desc_natural(2, (const int64_t[]){ i == B ? K : M, i == A ? K : M }, &desc[i]);
    }
    lay_team_panel_bytes = 2 * BLOCK * 34 * (int64_t)sizeof(float);
    assert_int_equal(lay_team_host(2, &team), LAY_OK);
    assert_int_equal(lay_team_plan_create(team, LAY_F32, of[A].desc, of[B].desc, of[C].desc, NULL, &plan), LAY_OK);
    lay_team_panel_bytes = 64 << 20;
    assert_int_equal(plan->cut.depth, 2 * BLOCK);
    assert_int_equal(lay_team_plan_run(plan, &one, (const void *const *)of[A].part, (const void *const *)of[B].part,
                                       &zero, of[C].part),
                     LAY_OK);
    assert_int_equal(lay_gemm(LAY_F32, desc[A], desc[B], desc[C], &one, dense[A], dense[B], &zero, dense[C], &options),
                     LAY_OK);
    assert_true(spread_equals(&of[C], dense[C]));
    lay_team_plan_destroy(plan);
    lay_team_destroy(team);
    for (int i = 0; i < 3; i++) {
        spread_free(&of[i]);
        lay_desc_destroy(desc[i]);
        free(dense[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_that_blocks_predict),
        cmocka_unit_test(shares_are_those_of_the_layouts),
        cmocka_unit_test(squares_move_hardly_more_than_they_must),
        cmocka_unit_test(explanations_say_what_moves_and_why),
        cmocka_unit_test(panels_bound_memory),
        cmocka_unit_test(panels_of_several_blocks_have_one_places_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
