/* Teams of several ranks, which are threads here: the bits, what moves, and what happens when ranks disagree, refuse,
 * fail, or are not there. */
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
#include "threads.h"

enum { PLACES = 4, N = 24 };

/* What ranks do, and what comes of it; a case changes what one of them says. */
typedef struct trial {
    post at;
    int each;          /* places of a rank */
    double timeout;    /* 0: the usual one */
    spread of[3];      /* A, B, C */
    int odd;           /* the rank that does otherwise; -1: none */
    int is_absent;     /* it does not call */
    lay_type type;     /* it says another one */
    float alpha;       /* it says another one */
    int lacks_address; /* it gives NULL for C */
    const char *text;  /* it says another layout of B */
    lay_status status[MOST_RANKS], again[MOST_RANKS];
    char sentence[MOST_RANKS][320];
    double seconds[MOST_RANKS];
    int64_t sent[MOST_RANKS];
} trial;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lay_status multiply(trial *of, lay_team *team, int rank, int is_odd)
{
    lay_desc *other = NULL;
    const int first = rank * of->each;
    const lay_type type = is_odd && of->type != LAY_F32 ? of->type : LAY_F32;
    const float alpha = is_odd && of->alpha != 0 ? of->alpha : 1, beta = 0;
    lay_options options = LAY_OPTIONS_INIT;
    options.threads = 1;
    if (is_odd && of->text && lay_desc_parse(of->text, &other) != LAY_OK)
        return LAY_ERR_SYNTAX;
    const lay_status status =
        lay_team_gemm(team, type, of->of[0].desc, other ? other : of->of[1].desc, of->of[2].desc, &alpha,
                      (const void *const *)of->of[0].part + first, (const void *const *)of->of[1].part + first, &beta,
                      is_odd && of->lacks_address ? NULL : of->of[2].part + first, &options);
    lay_desc_destroy(other);
    return status;
}

static void take_part(void *argument, int rank)
{
    trial *const of = argument;
    end line;
    const int is_odd = rank == of->odd;
    lay_team *const team = post_team(&of->at, &line, rank, of->each);
    if (of->timeout > 0)
        lay_team_timeout(team, of->timeout);
    const double start = seconds_now();
    if (!is_odd || !of->is_absent)
        of->status[rank] = multiply(of, team, rank, is_odd);
    of->seconds[rank] = seconds_now() - start;
    snprintf(of->sentence[rank], sizeof of->sentence[rank], "%s", of->status[rank] ? lay_last_error() : "");
    lay_team_traffic(team, &of->sent[rank], NULL);
    if (!is_odd || !of->is_absent)
        of->again[rank] = multiply(of, team, rank, 0);
    lay_team_destroy(team);
}

static void set_trial(trial *of, int ranks, int each)
{
    static const char *const texts[] = { "P=(2)(2); A=[12][12]; [[#P_0][#A_0]][[#P_1][#A_1]]",
                                         "P=(4); A=[6][24]; [[#P_0][#A_0]][#A_1]",
                                         "P=(2)(2); A=[3][12][4]; [[#A_0][#P_0][#A_2]][[#P_1][#A_1]]" };
    random_source from = random_case(9, 1);
    float dense[N * N];
    memset(of, 0, sizeof *of);
    post_open(&of->at, ranks);
    of->each = each;
    of->odd = -1;
    for (int i = 0; i < 3; i++) {
        spread_of_text(LAY_F32, texts[i], &of->of[i]);
        spread_fill(&from, LAY_F32, N * N, dense);
        if (i < 2)
            spread_scatter(&of->of[i], dense);
    }
}

static void clear_trial(trial *of)
{
    post_close(&of->at);
    for (int i = 0; i < 3; i++)
        spread_free(&of->of[i]);
}

/* C of the trial is the product, or what it was before. */
static int has_product(const trial *of)
{
    random_source from = random_case(9, 1);
    float a[N * N], b[N * N], c[N * N];
    lay_desc *square = NULL;
    lay_options options = LAY_OPTIONS_INIT;
    options.backend = LAY_BACKEND_CPU;
    spread_fill(&from, LAY_F32, N * N, a);
    spread_fill(&from, LAY_F32, N * N, b);
    assert_int_equal(lay_desc_parse("[24][24]", &square), LAY_OK);
    assert_int_equal(lay_sgemm(square, square, square, 1, a, b, 0, c, &options), LAY_OK);
    lay_desc_destroy(square);
    return spread_equals(&of->of[2], c);
}

static int is_untouched(const trial *of)
{
    for (int p = 0; p < PLACES; p++)
        for (int i = 0; i < 144 * 4; i++)
            if (((const unsigned char *)of->of[2].block[p])[i] != 0x5a)
                return 0;
    return 1;
}

static void ranks_have_one_places_bits(void **state)
{
    (void)state;
    for (int each = 1; each <= 4; each *= 2) {
        trial of;
        set_trial(&of, PLACES / each, each);
        post_run(&of.at, take_part, &of);
        int64_t sent = 0;
        for (int rank = 0; rank < of.at.ranks; rank++) {
            assert_int_equal(of.status[rank], LAY_OK);
            assert_int_equal(of.again[rank], LAY_OK);
            sent += of.sent[rank];
        }
        assert_true(has_product(&of));
        /* A place takes 12 rows of A, of which it has the halves of 8, and 12 columns of B, of which it has 6 rows. */
        assert_true(sent == PLACES * (12 * 24 - 8 * 12 + (24 - 6) * 12) * 4);
        assert_true(each == 1 ? of.at.bytes == 2 * sent : of.at.bytes < 2 * sent);
        clear_trial(&of);
    }
}

static void other_type(trial *of)
{
    of->type = LAY_F64;
}
static void other_alpha(trial *of)
{
    of->alpha = 2;
}
static void other_layout(trial *of)
{
    of->text = "P=(4); A=[6][24]; [[#A_0][#P_0]][#A_1]";
}
static void other_copies(trial *of)
{
    of->text = "P=(4); [24][24]";
}
static void bad_layout(trial *of)
{
    of->text = "P=(4); A=[6][24]; [[#P_0][#A_0]][23#A_1]";
}
static void no_address(trial *of)
{
    of->lacks_address = 1;
}

/* All return, C is as it was, and the team is as good as before. */
static void ranks_that_disagree_write_nothing(void **state)
{
    (void)state;
    static const struct {
        void (*change)(trial *);
        lay_status own; /* of the odd rank */
        const char *word, *others;
    } rows[] = {
        { other_type, LAY_ERR_TEAM, "do not agree", "do not agree" },
        { other_alpha, LAY_ERR_TEAM, "do not agree", "do not agree" },
        { other_layout, LAY_ERR_TEAM, "must be the same on all", "must be the same on all" },
        { other_copies, LAY_ERR_TEAM, "do not agree", "do not agree" },
        { bad_layout, LAY_ERR_SHAPE, "23 columns", "rank 2 refused the plan of a product with LAY_ERR_SHAPE" },
        { no_address, LAY_ERR_ARGUMENT, "c is NULL for place 2",
          "rank 2 refused a run of a product with LAY_ERR_ARGUMENT" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        trial of;
        set_trial(&of, PLACES, 1);
        of.odd = 2;
        of.timeout = 20;
        rows[r].change(&of);
        post_run(&of.at, take_part, &of);
        for (int rank = 0; rank < PLACES; rank++) {
            const char *const word = rank == of.odd ? rows[r].word : rows[r].others;
            if (of.status[rank] != (rank == of.odd ? rows[r].own : LAY_ERR_TEAM) || !strstr(of.sentence[rank], word))
                fail_msg("row %zu, rank %d: %d, %s", r, rank, (int)of.status[rank], of.sentence[rank]);
            assert_int_equal(of.again[rank], LAY_OK);
            assert_true(of.seconds[rank] < 10);
        }
        assert_true(has_product(&of)); /* of the second call */
        clear_trial(&of);
    }
}

static void a_refused_call_leaves_c_alone(void **state)
{
    (void)state;
    trial of;
    set_trial(&of, PLACES, 1);
    of.odd = 1;
    of.is_absent = 1;
    of.timeout = 0.2;
    post_run(&of.at, take_part, &of);
    for (int rank = 0; rank < PLACES; rank++) {
        if (rank == of.odd)
            continue;
        assert_int_equal(of.status[rank], LAY_ERR_TEAM);
        assert_non_null(strstr(of.sentence[rank], "no answer within 0.2 seconds"));
        assert_int_equal(of.again[rank], LAY_ERR_TEAM); /* at once: the team is lost */
        assert_true(of.seconds[rank] < 2);
    }
    assert_true(is_untouched(&of));
    clear_trial(&of);
}

/* A rank that is silent after some of its messages, or whose transport fails: nobody waits longer than the timeout. */
static void a_lost_rank_loses_the_team(void **state)
{
    (void)state;
    for (int number = 0; number < cases(24); number++) {
        trial of;
        set_trial(&of, PLACES, 1);
        of.timeout = 0.3;
        of.at.mute = number % PLACES;
        of.at.fails_at = number % 11; /* of 2 to agree, some of operands, 2 to agree, and so on */
        of.at.is_error = number % 2;
        post_run(&of.at, take_part, &of);
        int lost = 0;
        for (int rank = 0; rank < PLACES; rank++) {
            assert_true(of.seconds[rank] < 3);
            lost += of.status[rank] == LAY_ERR_TEAM || of.again[rank] == LAY_ERR_TEAM;
            if (of.status[rank] == LAY_OK)
                continue;
            assert_int_equal(of.status[rank], LAY_ERR_TEAM);
            assert_int_equal(of.again[rank], LAY_ERR_TEAM);
            const int is_by_error = rank == of.at.mute && of.at.is_error;
            if (is_by_error ? !strstr(of.sentence[rank], "the line is cut") : !strstr(of.sentence[rank], "no answer"))
                fail_msg("case %d, rank %d: %s", number, rank, of.sentence[rank]);
        }
        assert_true(lost > 0);
        clear_trial(&of);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_have_one_places_bits),
        cmocka_unit_test(ranks_that_disagree_write_nothing),
        cmocka_unit_test(a_refused_call_leaves_c_alone),
        cmocka_unit_test(a_lost_rank_loses_the_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
