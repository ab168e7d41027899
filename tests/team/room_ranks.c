/* Teams of ranks, threads here, each with several rooms of host memory, which move things at once or later, as devices
 * do, or with the argument on-devices of devices; by-wire LIBRARY: with that library as NCCL between them; on-wire: of
 * devices, no two alike, with NCCL itself: the bits of the undistributed product, and the same steps on all. */
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
#include "rooms.h"
#include "team/layers/layered.h"
#include "team/rooms/wire.h"

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
static lay_status multiply_twice(const room_trial *of, const int64_t size[3], const void *a, const void *b, void *c)
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
    room_trial of = { .devices = devices };
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
    post_run(&of.at, room_trial_run, &of);
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
    };
    return room_trial_find_nccl() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_bits_of_one),
    };
    if (argc > 1 && strcmp(argv[1], "on-devices") == 0)
        return test_devices();
    if (argc > 1 && strcmp(argv[1], "on-wire") == 0)
        return test_nccl();
    lay_wire_library = argc > 2 ? argv[2] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
