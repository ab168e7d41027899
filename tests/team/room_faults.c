/* What happens to teams of ranks with rooms where lists are bad, ranks are lost or devices fail. Ranks are threads;
 * by-wire LIBRARY: with that library as NCCL between them; on-wire: of devices, no two alike, with NCCL itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "claim.h"
#include "device/device.h"
#include "room_trial.h"
#include "team/rooms/wire.h"

/* ---- bad lists -------------------------------------------------------------------------------- */

/* What three ranks say. */
typedef struct lists {
    post at;
    int count[3], device[3];
    lay_status status[3];
    char sentence[3][320];
    int is_made[3];
} lists;

static void make_team(void *argument, int rank)
{
    lists *const of = argument;
    const int devices[] = { of->device[rank], of->device[rank] };
    end line;
    lay_team *team = NULL;
    of->status[rank] = post_team_devices(&of->at, &line, rank, of->count[rank], devices, &team);
    snprintf(of->sentence[rank], sizeof of->sentence[rank], "%s", of->status[rank] ? lay_last_error() : "");
    of->is_made[rank] = team != NULL;
    lay_team_destroy(team);
}

static void ranks_whose_lists_are_bad_have_no_team(void **state)
{
    (void)state;
    enum { HOST = LAY_DEVICE_HOST };
    static const struct {
        int count[3], device[3];
        lay_status odd; /* of rank 1 */
        const char *word, *others;
    } rows[] = {
        { { 1, 2, 1 }, { HOST, HOST, HOST }, LAY_ERR_TEAM, "do not agree on the places", "each has as many" },
        { { 1, 0, 1 }, { HOST, HOST, HOST }, LAY_ERR_ARGUMENT, "0 places", "rank 1 refused the places of a team" },
        { { 2, 2, 2 }, { HOST, -7, HOST }, LAY_ERR_ARGUMENT, "devices[0] is -7", "with LAY_ERR_ARGUMENT" },
        { { 2, 2, 2 }, { HOST, 99, HOST }, LAY_ERR_UNSUPPORTED, "devices[0] is 99", "with LAY_ERR_UNSUPPORTED" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lists of = { .at = { .ranks = 0 } };
        memcpy(of.count, rows[r].count, sizeof of.count);
        memcpy(of.device, rows[r].device, sizeof of.device);
        post_open(&of.at, 3);
        post_run(&of.at, make_team, &of);
        for (int rank = 0; rank < 3; rank++)
            claim(!of.is_made[rank] && of.status[rank] == (rank == 1 ? rows[r].odd : LAY_ERR_TEAM) &&
                      strstr(of.sentence[rank], rank == 1 ? rows[r].word : rows[r].others),
                  "row %zu, rank %d: %d, %s", r, rank, (int)of.status[rank], of.sentence[rank]);
        post_close(&of.at);
    }
}

static void bad_transports_are_refused(void **state)
{
    (void)state;
    lay_team *team = NULL;
    lay_transport none = { .struct_size = sizeof none, .ranks = 1 };
    assert_int_equal(lay_team_create_devices(NULL, 1, NULL, &team), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_create_devices(&none, 1, NULL, NULL), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_create_devices(&none, 1, NULL, &team), LAY_ERR_ARGUMENT);
    assert_non_null(strstr(lay_last_error(), "lacks send"));
    none.ranks = 0;
    assert_int_equal(lay_team_create_devices(&none, 1, NULL, &team), LAY_ERR_ARGUMENT);
    none.struct_size = 1;
    assert_int_equal(lay_team_create_devices(&none, 1, NULL, &team), LAY_ERR_OPTION);
    assert_null(team);
}

/* ---- lost ranks ------------------------------------------------------------------------------- */

static void set_rows(room_trial *of, int ranks, int each)
{
    char text[100];
    random_source from = random_case(52, 1);
    const int places = ranks * each, n = 6 * places;
    snprintf(text, sizeof text, "P=(%d); A=[6][%d]; [[#P_0][#A_0]][#A_1]", places, n);
    *of = (room_trial){ .each = each, .type = LAY_F32 };
    post_open(&of->at, ranks);
    memcpy(of->alpha, &(float){ 1 }, sizeof(float));
    float *const dense = spread_dense(&from, LAY_F32, n, n);
    for (int i = 0; i < 4; i++) {
        spread_of_text(LAY_F32, text, &of->of[i]);
        spread_scatter(&of->of[i], dense);
    }
    free(dense);
}

/* That a rank sends until the team is there: agreements, and NCCL's ticket. */
static int messages_of_a_team(int rank, int ranks)
{
    enum { AGREEMENT = 2 };
    return lay_wire_library ? 3 * AGREEMENT + (rank == 0 ? ranks - 1 : 0) : AGREEMENT;
}

/* A rank that is silent after some of its messages, or whose transport fails: nobody waits longer than the timeout,
 * and what devices take to be rid of what they wait for. */
static void lose_ranks(int count, int ranks, int most_each, int devices, double most_seconds)
{
    for (int number = 0; number < count; number++) {
        room_trial of;
        set_rows(&of, ranks, 1 + number % most_each);
        of.devices = devices;
        of.is_lazy = number % 3 == 0 && devices == 0;
        of.timeout = 0.3;
        of.at.mute = number % ranks;
        of.at.fails_at = messages_of_a_team(of.at.mute, ranks) + number % 12;
        of.at.is_error = number % 2;
        post_run(&of.at, room_trial_run, &of);
        int lost = 0;
        for (int rank = 0; rank < ranks; rank++) {
            const int is_by_error = rank == of.at.mute && of.at.is_error;
            lost += of.status[rank] == LAY_ERR_TEAM;
            claim(of.seconds[rank] < most_seconds, "case %d, rank %d: %g seconds", number, rank, of.seconds[rank]);
            claim(of.status[rank] == LAY_OK ||
                      (of.status[rank] == LAY_ERR_TEAM &&
                       strstr(of.sentence[rank], is_by_error ? "the line is cut" : "no answer")),
                  "case %d, rank %d: %d, %s", number, rank, (int)of.status[rank], of.sentence[rank]);
        }
        claim(lost > 0, "case %d", number);
        post_close(&of.at);
        for (int i = 0; i < 4; i++)
            spread_free(&of.of[i]);
    }
}

static void a_lost_rank_loses_the_team(void **state)
{
    (void)state;
    lose_ranks(cases(24), 4, 2, 0, 3);
}

static void a_lost_rank_loses_the_team_by_nccl(void **state)
{
    (void)state;
    const char *reason;
    const int devices = lay_device_count(&reason);
    lose_ranks(cases(6), devices < 4 ? devices : 4, 1, devices, 20);
}

/* ---- devices that fail ------------------------------------------------------------------------ */

/* All ranks hear of it, the messages that others wait for come all the same, and the team is as good as before. */
static void a_device_that_fails_keeps_nobody_waiting(void **state)
{
    (void)state;
    room_trial of;
    float wanted[36 * 36], a[36 * 36];
    random_source from = random_case(52, 1);
    set_rows(&of, 3, 2);
    of.is_lazy = of.is_broken = 1;
    of.timeout = 20;
    post_run(&of.at, room_trial_run, &of);
    for (int rank = 0; rank < 3; rank++) {
        claim(
            of.status[rank] == (rank == 1 ? LAY_ERR_DEVICE : LAY_ERR_TEAM) &&
                strstr(of.sentence[rank], rank == 1 ? "the device is broken" : "rank 1 refused the end of a product") &&
                strstr(of.sentence[rank], "a part of C has been written"),
            "rank %d: %d, %s", rank, (int)of.status[rank], of.sentence[rank]);
        assert_int_equal(of.again[rank], LAY_OK);
        assert_true(of.seconds[rank] < 10);
    }
    spread_fill(&from, LAY_F32, 36 * 36, a);
    const float one = 1, zero = 0;
    assert_int_equal(spread_multiply(LAY_F32, (const int64_t[]){ 36, 36, 36 }, &one, a, a, &zero, wanted), LAY_OK);
    assert_true(spread_equals(&of.of[2], wanted) && spread_equals(&of.of[3], wanted));
    post_close(&of.at);
    for (int i = 0; i < 4; i++)
        spread_free(&of.of[i]);
}

static void a_copy_whose_device_fails_says_so(void **state)
{
    (void)state;
    room_trial of;
    float a[36 * 36];
    random_source from = random_case(52, 1);
    set_rows(&of, 3, 2);
    spread_free(&of.of[3]);
    spread_of_text(LAY_F32, "P=(6); A=[36][6]; [#A_0][[#P_0][#A_1]]", &of.of[3]);
    of.is_lazy = of.is_broken = of.is_copy = 1;
    of.timeout = 20;
    post_run(&of.at, room_trial_run, &of);
    for (int rank = 0; rank < 3; rank++) {
        claim(of.status[rank] == (rank == 1 ? LAY_ERR_DEVICE : LAY_ERR_TEAM) &&
                  strstr(of.sentence[rank], rank == 1
                                                ? "the device is broken; a part of the destination has been written"
                                                : "rank 1 refused the end of a copy with LAY_ERR_DEVICE; a part"),
              "rank %d: %d, %s", rank, (int)of.status[rank], of.sentence[rank]);
        assert_int_equal(of.again[rank], LAY_OK);
    }
    spread_fill(&from, LAY_F32, 36 * 36, a);
    assert_true(spread_equals(&of.of[3], a));
    post_close(&of.at);
    for (int i = 0; i < 4; i++)
        spread_free(&of.of[i]);
}

static int test_nccl(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_rank_loses_the_team_by_nccl),
    };
    return room_trial_find_nccl() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_whose_lists_are_bad_have_no_team),
        cmocka_unit_test(bad_transports_are_refused),
        cmocka_unit_test(a_lost_rank_loses_the_team),
        cmocka_unit_test(a_device_that_fails_keeps_nobody_waiting),
        cmocka_unit_test(a_copy_whose_device_fails_says_so),
    };
    if (argc > 1 && strcmp(argv[1], "on-wire") == 0)
        return test_nccl();
    lay_wire_library = argc > 2 ? argv[2] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
