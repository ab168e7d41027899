/* Teams of ranks, threads here, each with several rooms of host memory, which move things at once or later, as devices
 * do, or with the argument on-devices of devices; by-wire LIBRARY: with that library as NCCL between them; on-wire: of
 * devices, no two alike, with NCCL itself: the bits of the undistributed product, the same steps on all, and what
 * happens to bad lists and lost ranks. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "claim.h"
#include "device/device.h"
#include "lazy.h"
#include "rooms.h"
#include "team/layers/layered.h"
#include "team/rooms/wire.h"
#include "threads.h"

enum { MOST_EACH = 3 };

/* A product of all ranks, and a copy of what came of it to another layout. */
typedef struct trial {
    post at;
    int each, is_lazy, devices; /* 0: host memory */
    int is_broken;              /* rank 1's rooms fail, in a first round */
    int is_copy;                /* of A alone, to the other layout */
    int has_wire[MOST_RANKS];
    double timeout; /* 0: the usual one */
    lay_type type;
    lay_compute compute;
    lay_team_sum order;
    double alpha[2], beta[2];
    spread of[4]; /* A, B, C, and the copy of C */
    lay_status status[MOST_RANKS], again[MOST_RANKS];
    char sentence[MOST_RANKS][320];
    lay_team_cut cut[MOST_RANKS];
    int64_t sent[MOST_RANKS], said[MOST_RANKS];
    double seconds[MOST_RANKS];
} trial;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Twice by one plan, so that the second run meets what the first one left. */
static lay_status multiply(trial *of, lay_team *team, int rank, void *const *const part[4])
{
    lay_team_plan *plan = NULL;
    lay_team_plan_info info = LAY_TEAM_PLAN_INFO_INIT;
    lay_options options = LAY_OPTIONS_INIT;
    if (of->is_copy)
        return lay_team_copy(team, of->type, of->of[0].desc, (const void *const *)part[0], of->of[3].desc, part[3]);
    options.threads = 1;
    options.compute = of->compute;
    lay_status status = lay_team_sum_order(team, of->order);
    if (status == LAY_OK)
        status = lay_team_plan_create(team, of->type, of->of[0].desc, of->of[1].desc, of->of[2].desc, &options, &plan);
    if (status != LAY_OK)
        return status;
    of->cut[rank] = plan->cut;
    of->has_wire[rank] = team->wire != NULL;
    for (int i = 0; i < 2 && status == LAY_OK; i++)
        status = lay_team_plan_run(plan, of->alpha, (const void *const *)part[0], (const void *const *)part[1],
                                   of->beta, part[2]);
    lay_team_traffic(team, &of->sent[rank], NULL);
    lay_team_plan_query(plan, &info);
    of->said[rank] = 2 * info.bytes_sent;
    lay_team_plan_destroy(plan);
    if (status == LAY_OK)
        status = lay_team_copy(team, of->type, of->of[2].desc, (const void *const *)part[2], of->of[3].desc, part[3]);
    return status;
}

/* With the parts where they are, or in the rank's devices. */
static lay_status multiply_in_rooms(trial *of, lay_team *team, int rank)
{
    const int first = rank * of->each;
    housed there[4];
    void *const *part[4];
    for (int i = 0; i < 4; i++) {
        if (of->devices > 0)
            there[i] = rooms_send(team, &of->of[i]);
        part[i] = (of->devices > 0 ? there[i].part : of->of[i].part) + first;
    }
    const lay_status status = multiply(of, team, rank, part);
    for (int i = 0; i < 4 && of->devices > 0; i++) {
        rooms_fetch(&there[i]);
        rooms_free(&there[i]);
    }
    return status;
}

static void take_part(void *argument, int rank)
{
    trial *const of = argument;
    end line;
    lay_team *team = NULL;
    int devices[MOST_EACH];
    for (int i = 0; i < of->each; i++)
        devices[i] = of->devices > 0 ? (rank * of->each + i) % of->devices : LAY_DEVICE_HOST;
    of->status[rank] =
        post_team_devices(&of->at, &line, rank, of->each, of->devices > 0 || rank % 2 ? devices : NULL, &team);
    if (of->status[rank] != LAY_OK)
        return;
    if (of->timeout > 0)
        lay_team_timeout(team, of->timeout);
    if (of->is_lazy)
        lazy_begin(team);
    const double start = seconds_now();
    if (of->is_broken)
        lazy_break(team, rank == 1);
    of->status[rank] = multiply_in_rooms(of, team, rank);
    of->seconds[rank] = seconds_now() - start;
    snprintf(of->sentence[rank], sizeof of->sentence[rank], "%s", of->status[rank] ? lay_last_error() : "");
    if (of->is_broken) {
        lazy_break(team, 0);
        of->again[rank] = multiply_in_rooms(of, team, rank);
    }
    if (of->is_lazy)
        lazy_end(team);
    lay_team_destroy(team);
}

static int are_same(const lay_team_cut *one, const lay_team_cut *other)
{
    return one->depth == other->depth && one->lead == other->lead && one->width == other->width &&
           one->steps == other->steps && one->by_rows == other->by_rows;
}

/* How often what is tested has been there. */
typedef struct seen {
    int all, runs, by_rows, ahead, slices, lazy, by_wire;
} seen;

static lay_compute choose_compute(random_source *from, lay_type type)
{
    static const lay_compute computes[] = { LAY_COMPUTE_AUTO, LAY_COMPUTE_STRICT, LAY_COMPUTE_TF32,
                                            LAY_COMPUTE_BF16, LAY_COMPUTE_FP16,   LAY_COMPUTE_F32_SPLIT };
    return type == LAY_F32 || type == LAY_C32 ? random_of(from, computes) : LAY_COMPUTE_AUTO;
}

/* c becomes what two undistributed products make of it. */
static lay_status multiply_twice(const trial *of, const int64_t size[3], const void *a, const void *b, void *c)
{
    lay_options options = LAY_OPTIONS_INIT;
    lay_team *alone = NULL;
    lay_status status = LAY_OK;
    options.compute = of->compute;
    if (of->devices > 0)
        claim(lay_team_devices(1, (const int[]){ 0 }, &alone) == LAY_OK &&
                  lay_team_sum_order(alone, of->order) == LAY_OK,
              "a device");
    for (int i = 0; i < 2 && status == LAY_OK; i++)
        status = alone ? rooms_multiply(alone, of->type, size, of->alpha, a, b, of->beta, c, &options)
                 : of->order == LAY_TEAM_SUM_WHOLE
                     ? spread_multiply(of->type, size, of->alpha, a, b, of->beta, c)
                     : spread_multiply_slices(of->type, size, of->alpha, a, b, of->beta, c);
    lay_team_destroy(alone);
    return status;
}

/* Where devices shall be linked by NCCL each is a place of its own. */
static void choose_ranks(random_source *from, int devices, int *ranks, int *each)
{
    const int is_by_nccl = devices > 0 && lay_wire_library;
    *each = (int)random_in(from, 1, !is_by_nccl ? MOST_EACH : devices >= 4 ? 2 : 1);
    *ranks = (int)random_in(from, is_by_nccl ? 2 : 1, !is_by_nccl || devices / *each > 4 ? 4 : devices / *each);
}

static void compare_product(int number, int devices, seen *so_far)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_F16, LAY_BF16, LAY_C32, LAY_C64 };
    random_source from = random_case(51, (uint64_t)number);
    trial of = { .devices = devices };
    int ranks;
    choose_ranks(&from, devices, &ranks, &of.each);
    const int places = ranks * of.each;
    int64_t size[3];
    int rows;
    do
        rows = (int)random_in(&from, 1, places);
    while (places % rows != 0);
    post_open(&of.at, ranks);
    of.type = random_of(&from, types);
    of.order = random_one_in(&from, 4) ? LAY_TEAM_SUM_BY_SLICES : LAY_TEAM_SUM_WHOLE;
    of.is_lazy = random_one_in(&from, 2) && devices == 0;
    of.compute = devices > 0 ? choose_compute(&from, of.type) : LAY_COMPUTE_AUTO;
    for (int i = 0; i < 3; i++)
        size[i] = random_in(&from, 0, random_one_in(&from, 4) ? 200 : 40);
    size[2] = random_one_in(&from, 8) ? random_in(&from, 3500, 4200) : size[2];
    if (size[2] == 0 && of.order == LAY_TEAM_SUM_BY_SLICES)
        size[2] = 1; /* no sums at all: what they are compared with would have -1 * 0 */
    spread_scalar(&from, of.type, of.alpha);
    spread_scalar(&from, of.type, of.beta);
    lay_team_room_bytes = random_one_in(&from, 2) ? 1 : 1 << 30;
    lay_team_lead_unit = random_in(&from, 1, 3) * 4;
    lay_message_bytes = random_one_in(&from, 2) ? random_in(&from, 1, 2000) : 16 << 20;
    lay_team_cut_pick = (int)random_in(&from, 0, LAY_TEAM_CANDIDATES - 1);
    lay_layered_pick = (int)random_in(&from, 0, LAY_LAYERINGS - 1);
    void *const a = spread_dense(&from, of.type, size[0], size[2]);
    void *const b = spread_dense(&from, of.type, size[2], size[1]);
    void *const c = spread_dense(&from, of.type, size[0], size[1]);
    spread_make(&from, of.type, size[0], size[2], rows, places / rows, &of.of[0]);
    spread_make(&from, of.type, size[2], size[1], rows, places / rows, &of.of[1]);
    spread_make(&from, of.type, size[0], size[1], rows, places / rows, &of.of[2]);
    spread_make(&from, of.type, size[0], size[1], places / rows, rows, &of.of[3]);
    spread_scatter(&of.of[0], a);
    spread_scatter(&of.of[1], b);
    spread_scatter(&of.of[2], c);
    post_run(&of.at, take_part, &of);
    const lay_status wanted = multiply_twice(&of, size, a, b, c);
    claim(wanted == LAY_OK || devices > 0, "dense");
    for (int rank = 0; rank < ranks; rank++) {
        claim((of.status[rank] == LAY_OK) == (wanted == LAY_OK), "case %d, rank %d: %s", number, rank,
              of.sentence[rank]);
        if (wanted != LAY_OK)
            continue;
        claim(are_same(&of.cut[rank], &of.cut[0]), "case %d, rank %d: %s", number, rank, of.sentence[rank]);
        const int has_product = size[2] > 0 && !spread_scalar_is_zero(of.type, of.alpha);
        claim(of.sent[rank] == (has_product ? of.said[rank] : 0), "case %d, rank %d", number, rank);
    }
    for (int i = 2; i < 4 && wanted == LAY_OK; i++)
        claim(spread_equals(&of.of[i], c),
              "matrix %d, case %d, %d ranks of %d, lazy %d, type %d, %lld x %lld x %lld\n%s\n%s\n%s\n%s", i, number,
              ranks, of.each, of.is_lazy, (int)of.type, (long long)size[0], (long long)size[1], (long long)size[2],
              of.of[0].text, of.of[1].text, of.of[2].text, of.of[3].text);
    so_far->all++;
    so_far->runs += wanted == LAY_OK;
    so_far->by_rows += of.cut[0].by_rows;
    so_far->ahead += of.cut[0].lead < of.cut[0].width;
    so_far->slices += of.order == LAY_TEAM_SUM_BY_SLICES;
    so_far->lazy += of.is_lazy;
    so_far->by_wire += of.has_wire[0];
    for (int rank = 1; rank < ranks; rank++)
        assert_int_equal(of.has_wire[rank], of.has_wire[0]);
    post_close(&of.at);
    for (int i = 0; i < 4; i++)
        spread_free(&of.of[i]);
    free(a);
    free(b);
    free(c);
}

static seen compare_products(int count, int devices)
{
    const int64_t bytes = lay_team_room_bytes, unit = lay_team_lead_unit, message = lay_message_bytes;
    seen so_far = { 0 };
    for (int number = 1; number <= count; number++)
        compare_product(number, devices, &so_far);
    lay_team_room_bytes = bytes;
    lay_team_lead_unit = unit;
    lay_message_bytes = message;
    lay_team_cut_pick = lay_layered_pick = 0;
    print_message("# %d products; %d by rows, %d with a chunk ahead, %d by slices, %d lazy, %d by wire\n", so_far.runs,
                  so_far.by_rows, so_far.ahead, so_far.slices, so_far.lazy, so_far.by_wire);
    return so_far;
}

static void products_have_the_bits_of_one(void **state)
{
    (void)state;
    const seen so_far = compare_products(cases(300), 0);
    assert_true((so_far.by_wire > 0) == (lay_wire_library != NULL));
    if (cases(300) >= 300)
        assert_true(so_far.by_rows > 20 && so_far.ahead > 20 && so_far.slices > 20 && so_far.lazy > 50);
}

static void products_on_devices_have_the_bits_of_one(void **state)
{
    (void)state;
    const char *reason;
    const seen so_far = compare_products(cases(100), lay_device_count(&reason));
    if (cases(100) >= 100)
        assert_true(so_far.runs > 60 && so_far.by_rows > 5 && so_far.ahead > 5 && so_far.slices > 5);
}

static void products_by_nccl_have_the_bits_of_one(void **state)
{
    (void)state;
    const char *reason;
    const seen so_far = compare_products(cases(20), lay_device_count(&reason));
    assert_int_equal(so_far.by_wire, so_far.all);
}

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

static void set_rows(trial *of, int ranks, int each)
{
    char text[100];
    random_source from = random_case(52, 1);
    const int places = ranks * each, n = 6 * places;
    snprintf(text, sizeof text, "P=(%d); A=[6][%d]; [[#P_0][#A_0]][#A_1]", places, n);
    *of = (trial){ .each = each, .type = LAY_F32 };
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
        trial of;
        set_rows(&of, ranks, 1 + number % most_each);
        of.devices = devices;
        of.is_lazy = number % 3 == 0 && devices == 0;
        of.timeout = 0.3;
        of.at.mute = number % ranks;
        of.at.fails_at = messages_of_a_team(of.at.mute, ranks) + number % 12;
        of.at.is_error = number % 2;
        post_run(&of.at, take_part, &of);
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

/* All of them are skipped, with the reason, where there is no device. */
static int test_devices(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_on_devices_have_the_bits_of_one),
    };
    const char *reason;
    if (lay_device_count(&reason) > 0)
        return cmocka_run_group_tests(tests, NULL, NULL);
    printf("1..0 # SKIP %s\n", reason);
    return 0;
}

static int test_nccl(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_by_nccl_have_the_bits_of_one),
        cmocka_unit_test(a_lost_rank_loses_the_team_by_nccl),
    };
    const char *reason = "", *const given = getenv("LAY_NCCL");
    const int devices = lay_device_count(&reason);
    lay_wire_library = given ? given : "libnccl.so.2";
    if (devices < 2)
        printf("1..0 # SKIP ranks by NCCL take two devices, here %s\n", devices ? "is one" : reason);
    else if (!dlopen(lay_wire_library, RTLD_NOW | RTLD_LOCAL))
        printf("1..0 # SKIP %s\n", dlerror());
    else
        return cmocka_run_group_tests(tests, NULL, NULL);
    return 0;
}

/* All ranks hear of it, the messages that others wait for come all the same, and the team is as good as before. */
static void a_device_that_fails_keeps_nobody_waiting(void **state)
{
    (void)state;
    trial of;
    float wanted[36 * 36], a[36 * 36];
    random_source from = random_case(52, 1);
    set_rows(&of, 3, 2);
    of.is_lazy = of.is_broken = 1;
    of.timeout = 20;
    post_run(&of.at, take_part, &of);
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
    trial of;
    float a[36 * 36];
    random_source from = random_case(52, 1);
    set_rows(&of, 3, 2);
    spread_free(&of.of[3]);
    spread_of_text(LAY_F32, "P=(6); A=[36][6]; [#A_0][[#P_0][#A_1]]", &of.of[3]);
    of.is_lazy = of.is_broken = of.is_copy = 1;
    of.timeout = 20;
    post_run(&of.at, take_part, &of);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_bits_of_one),
        cmocka_unit_test(ranks_whose_lists_are_bad_have_no_team),
        cmocka_unit_test(bad_transports_are_refused),
        cmocka_unit_test(a_lost_rank_loses_the_team),
        cmocka_unit_test(a_device_that_fails_keeps_nobody_waiting),
        cmocka_unit_test(a_copy_whose_device_fails_says_so),
    };
    if (argc > 1 && strcmp(argv[1], "on-devices") == 0)
        return test_devices();
    if (argc > 1 && strcmp(argv[1], "on-wire") == 0)
        return test_nccl();
    lay_wire_library = argc > 2 ? argv[2] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
