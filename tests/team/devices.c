/* Products of teams whose places are rooms of this process: host memory moved as between devices or, with the argument
 * on-devices, devices. The bits are those of the undistributed product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "claim.h"
#include "rooms.h"
#include "team/product.h"

/* ---- products --------------------------------------------------------------------------------- */

/* How often what is tested has been there. */
typedef struct seen {
    int runs, by_rows, ahead, chunks, slices, narrow, split, growing;
} seen;

static void choose_sizes(random_source *from, int most, int64_t size[3])
{
    const int64_t kind = random_in(from, 0, 5);
    size[0] = random_in(from, kind == 0 ? 0 : 1, kind < 3 ? most : 40);
    size[1] = random_in(from, kind == 0 ? 0 : 1, kind < 3 ? most : 40);
    size[2] = kind == 0 ? random_in(from, 0, 8) : kind == 5 ? random_in(from, 3500, 4500) : random_in(from, 1, 700);
    if (kind == 3)
        size[random_in(from, 0, 1)] = 1;
}

static lay_compute choose_compute(random_source *from, lay_type type)
{
    static const lay_compute computes[] = { LAY_COMPUTE_AUTO, LAY_COMPUTE_STRICT,    LAY_COMPUTE_TF32, LAY_COMPUTE_BF16,
                                            LAY_COMPUTE_FP16, LAY_COMPUTE_F32_SPLIT, LAY_COMPUTE_AUTO };
    return type == LAY_F32 || type == LAY_C32 ? random_of(from, computes) : LAY_COMPUTE_AUTO;
}

enum { RUNS = 3 };

/* Often by one plan, so that a run meets what the one before it left. */
static lay_status run_often(lay_team *team, lay_type type, const housed of[3], const void *alpha, const void *beta,
                            const lay_options *options, seen *so_far)
{
    lay_team_plan *plan = NULL;
    lay_status status =
        lay_team_plan_create(team, type, of[0].of->desc, of[1].of->desc, of[2].of->desc, options, &plan);
    if (status != LAY_OK)
        return status;
    so_far->by_rows += plan->cut.by_rows;
    so_far->growing += plan->cut.more > 0;
    so_far->ahead += plan->cut.lead < plan->cut.width;
    so_far->chunks += plan->cut.chunks > 2;
    for (int i = 0; i < RUNS && status == LAY_OK; i++)
        status = lay_team_plan_run(plan, alpha, (const void *const *)of[0].part, (const void *const *)of[1].part, beta,
                                   of[2].part);
    lay_team_plan_destroy(plan);
    return status;
}

static void compare_product(int number, int most, int devices, seen *so_far)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_F16, LAY_BF16, LAY_C32, LAY_C64 };
    random_source from = random_case(33, (uint64_t)number);
    const lay_type type = random_of(&from, types);
    const int rows = (int)random_in(&from, 1, 3), columns = (int)random_in(&from, 1, 3);
    lay_options options = LAY_OPTIONS_INIT;
    int64_t size[3];
    double alpha[2], beta[2];
    spread of[3];
    housed there[3];
    choose_sizes(&from, most, size);
    spread_scalar(&from, type, alpha);
    spread_scalar(&from, type, beta);
    options.compute = devices > 0 ? choose_compute(&from, type) : LAY_COMPUTE_AUTO;
    lay_team_room_bytes = random_one_in(&from, 2) ? 1 : 1 << 30;
    lay_team_lead_unit = random_in(&from, 1, 3) * 4;
    lay_team_cut_pick = (int)random_in(&from, 0, 9);
    void *const a = spread_dense(&from, type, size[0], size[2]), *const b = spread_dense(&from, type, size[2], size[1]);
    void *const c = spread_dense(&from, type, size[0], size[1]);
    spread_make(&from, type, size[0], size[2], rows, columns, &of[0]);
    spread_make(&from, type, size[2], size[1], rows, columns, &of[1]);
    spread_make(&from, type, size[0], size[1], rows, columns, &of[2]);
    lay_team *const team = rooms_make_team(of[0].places, devices);
    const void *const dense[] = { a, b, c };
    const int is_by_slices = devices > 0 && random_one_in(&from, 5);
    claim(lay_team_sum_order(team, is_by_slices ? LAY_TEAM_SUM_BY_SLICES : LAY_TEAM_SUM_WHOLE) == LAY_OK, "slices");
    for (int i = 0; i < 3; i++) {
        spread_scatter(&of[i], dense[i]);
        there[i] = rooms_send(team, &of[i]);
    }
    char story[2000];
    snprintf(story, sizeof story, "case %d, type %d, compute %d, %lld x %lld x %lld\nA %s\nB %s\nC %s", number,
             (int)type, (int)options.compute, (long long)size[0], (long long)size[1], (long long)size[2], of[0].text,
             of[1].text, of[2].text);
    lay_status wanted = LAY_OK;
    for (int i = 0; i < RUNS && wanted == LAY_OK; i++)
        wanted = rooms_multiply(team, type, size, alpha, a, b, beta, c, &options);
    const lay_status status = run_often(team, type, there, alpha, beta, &options, so_far);
    claim((status == LAY_OK) == (wanted == LAY_OK), "%s: %d beside %d", story, (int)status, (int)wanted);
    for (int i = 0; i < 3 && status == LAY_OK; i++) {
        rooms_fetch(&there[i]);
        claim(spread_equals(&of[i], dense[i]), "%s: matrix %d", story, i);
    }
    so_far->runs += status == LAY_OK;
    so_far->slices += status == LAY_OK && is_by_slices;
    so_far->split += status == LAY_OK && options.compute == LAY_COMPUTE_F32_SPLIT;
    so_far->narrow += status == LAY_OK && (lay_type_size(type) == 2 || options.compute == LAY_COMPUTE_TF32);
    for (int i = 0; i < 3; i++) {
        rooms_free(&there[i]);
        spread_free(&of[i]);
    }
    lay_team_destroy(team);
    free(a);
    free(b);
    free(c);
}

static seen compare_products(int count, int most, int devices)
{
    const int64_t bytes = lay_team_room_bytes, unit = lay_team_lead_unit;
    seen so_far = { 0 };
    for (int number = 1; number <= count; number++)
        compare_product(number, most, devices, &so_far);
    lay_team_room_bytes = bytes;
    lay_team_lead_unit = unit;
    lay_team_cut_pick = 0;
    print_message("# %d products; %d by rows, %d with a chunk ahead, %d of more than two; %d by slices, %d narrow, "
                  "%d split, %d of chunks that grow\n",
                  so_far.runs, so_far.by_rows, so_far.ahead, so_far.chunks, so_far.slices, so_far.narrow, so_far.split,
                  so_far.growing);
    return so_far;
}

static void products_in_host_rooms_have_the_bits_of_one(void **state)
{
    (void)state;
    const seen so_far = compare_products(cases(300), 300, 0);
    if (cases(300) >= 300)
        assert_true(so_far.runs > 250 && so_far.by_rows > 0 && so_far.ahead > 0 && so_far.chunks > 0 &&
                    so_far.growing > 0);
}

static void products_on_devices_have_the_bits_of_one(void **state)
{
    (void)state;
    const int devices = rooms_count_devices();
    const seen so_far = compare_products(cases(200), 700, devices);
    if (cases(200) >= 200)
        assert_true(so_far.runs > 120 && so_far.by_rows > 0 && so_far.ahead > 0 && so_far.narrow + so_far.split > 0);
}

/* ---- batches, and sums by slices -------------------------------------------------------------- */

enum { BATCH = 8, PLACES = 4 };

/* By products, by rows, on a grid, and copies of all of it; each place has some. */
static void write_batch(int which, int64_t rows, int64_t columns, char text[200])
{
    const long long r = rows, c = columns;
    if (which == 0)
        snprintf(text, 200, "P=(4); A=[2][%lld][%lld]; [[#P_0][#A_0]][#A_1][#A_2]", r, c);
    else if (which == 1)
        snprintf(text, 200, "P=(4); A=[8][%lld][%lld]; [#A_0][%lld[#P_0][#A_1]][#A_2]", (r + 3) / 4, c, r);
    else if (which == 2)
        snprintf(text, 200, "P=(2)(2); A=[4][%lld][%lld]; [[#A_0][#P_0]][#A_1][%lld[#P_1][#A_2]]", r, (c + 1) / 2, c);
    else
        snprintf(text, 200, "P=(4); [8][%lld][%lld]", r, c);
}

static void compare_batch(int number, int devices, const int which[3])
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_F16, LAY_BF16, LAY_C32, LAY_C64 };
    random_source from = random_case(36, (uint64_t)number);
    const lay_type type = random_of(&from, types);
    int64_t size[3];
    for (int i = 0; i < 3; i++)
        size[i] = 4 * random_in(&from, 1, random_one_in(&from, 3) ? 60 : 12);
    const int64_t extent[3][2] = { { size[0], size[2] }, { size[2], size[1] }, { size[0], size[1] } };
    double alpha[2], beta[2];
    lay_options options = LAY_OPTIONS_INIT;
    char text[200], *story;
    spread of[3];
    housed there[3];
    void *dense[3];
    spread_scalar(&from, type, alpha);
    spread_scalar(&from, type, beta);
    options.compute = devices > 0 ? choose_compute(&from, type) : LAY_COMPUTE_AUTO;
    lay_team *const team = rooms_make_team(PLACES, devices);
    for (int i = 0; i < 3; i++) {
        write_batch(which[i], extent[i][0], extent[i][1], text);
        dense[i] = spread_dense(&from, type, BATCH * extent[i][0], extent[i][1]);
        spread_of_text(type, text, &of[i]);
        spread_scatter(&of[i], dense[i]);
        there[i] = rooms_send(team, &of[i]);
    }
    story = of[2].text;
    lay_status wanted = LAY_OK;
    for (int i = 0; i < RUNS && wanted == LAY_OK; i++)
        wanted = rooms_multiply_batch(team, type, BATCH, size, alpha, dense[0], dense[1], beta, dense[2], &options);
    const lay_status status = run_often(team, type, there, alpha, beta, &options, &(seen){ 0 });
    claim((status == LAY_OK) == (wanted == LAY_OK), "case %d, %s: %d beside %d", number, story, (int)status,
          (int)wanted);
    for (int i = 0; i < 3; i++) {
        if (status == LAY_OK)
            rooms_fetch(&there[i]);
        claim(status != LAY_OK || spread_equals(&of[i], dense[i]),
              "case %d, type %d, compute %d, %lld x %lld x %lld\n%s\n%s\n%s: matrix %d", number, (int)type,
              (int)options.compute, (long long)size[0], (long long)size[1], (long long)size[2], of[0].text, of[1].text,
              of[2].text, i);
        rooms_free(&there[i]);
        spread_free(&of[i]);
        free(dense[i]);
    }
    lay_team_destroy(team);
}

/* C's layouts have no copies. */
static void compare_batches(int count, int devices)
{
    for (int number = 1; number <= count; number++)
        compare_batch(number, devices, (const int[]){ number % 4, number / 4 % 4, number / 16 % 3 });
}

static void batches_in_host_rooms_have_the_bits_of_one(void **state)
{
    (void)state;
    compare_batches(cases(96), 0);
}

static void batches_on_devices_have_the_bits_of_one(void **state)
{
    (void)state;
    const int devices = rooms_count_devices();
    compare_batches(cases(96), devices);
}

/* What no order of the sum changes: small integers, and k of several slices. */
static void sum_slices(int devices)
{
    enum { M = 33, N = 20, K = 9000 };
    static const char *const texts[][3] = {
        { "P=(4); A=[33][2250]; [#A_0][[#P_0][#A_1]]", "P=(4); A=[2250][20]; [[#P_0][#A_0]][#A_1]",
          "P=(4); A=[33][5]; [#A_0][[#P_0][#A_1]]" },
        { "P=(2)(2); A=[17][4500]; [33[#P_0][#A_0]][[#P_1][#A_1]]", "P=(4); A=[9000][5]; [#A_0][[#P_0][#A_1]]",
          "P=(2)(2); A=[17][10]; [33[#P_0][#A_0]][[#P_1][#A_1]]" },
    };
    static float a[M * K], b[K * N], c[M * N];
    random_source from = random_case(37, 1);
    for (int64_t i = 0; i < M * K; i++)
        a[i] = (float)random_in(&from, -3, 3);
    for (int64_t i = 0; i < K * N; i++)
        b[i] = (float)random_in(&from, -3, 3);
    for (int64_t i = 0; i < M * N; i++)
        c[i] = (float)random_in(&from, -3, 3);
    const float alpha = 2, beta = -1;
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        float *const dense[] = { a, b, c };
        spread of[3];
        housed there[3];
        lay_team *const team = rooms_make_team(PLACES, devices);
        assert_int_equal(lay_team_sum_order(team, LAY_TEAM_SUM_BY_SLICES), LAY_OK);
        for (int i = 0; i < 3; i++) {
            spread_of_text(LAY_F32, texts[t][i], &of[i]);
            spread_scatter(&of[i], dense[i]);
            there[i] = rooms_send(team, &of[i]);
        }
        claim(run_often(team, LAY_F32, there, &alpha, &beta, NULL, &(seen){ 0 }) == LAY_OK, "slices %zu", t);
        for (int i = 0; i < RUNS; i++)
            assert_int_equal(spread_multiply(LAY_F32, (const int64_t[]){ M, N, K }, &alpha, a, b, &beta, c), LAY_OK);
        rooms_fetch(&there[2]);
        claim(spread_equals(&of[2], c), "slices %zu", t);
        for (int i = 0; i < 3; i++) {
            rooms_free(&there[i]);
            spread_free(&of[i]);
        }
        lay_team_destroy(team);
    }
}

static void slices_in_host_rooms_add_up(void **state)
{
    (void)state;
    sum_slices(0);
}

static void slices_on_devices_add_up(void **state)
{
    (void)state;
    const int devices = rooms_count_devices();
    sum_slices(devices);
}

/* ---- words ------------------------------------------------------------------------------------ */

static void a_plan_says_its_chunks(void **state)
{
    (void)state;
    const int64_t bytes = lay_team_room_bytes;
    char text[4000];
    lay_desc *desc = NULL;
    lay_team_plan *plan = NULL;
    lay_team *const team = rooms_make_team(2, 0);
    lay_team_room_bytes = 64 * 600 * 4;
    assert_int_equal(lay_desc_parse("P=(2); A=[300][600]; [[#P_0][#A_0]][#A_1]", &desc), LAY_OK);
    assert_int_equal(lay_team_plan_create(team, LAY_F32, desc, desc, desc, NULL, &plan), LAY_OK);
    assert_true(lay_team_plan_explain(plan, text, sizeof text) > 0);
    claim(plan->cut.chunks == 10 && strstr(text, "10, of 600 of k and 64 columns of a place") && strstr(text, "taken"),
          "%s", text);
    lay_team_plan_destroy(plan);
    lay_desc_destroy(desc);
    lay_team_room_bytes = bytes;
    lay_team_destroy(team);
}

static int test_devices(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_on_devices_have_the_bits_of_one),
        cmocka_unit_test(batches_on_devices_have_the_bits_of_one),
        cmocka_unit_test(slices_on_devices_add_up),
    };
    return rooms_have_devices() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_in_host_rooms_have_the_bits_of_one),
        cmocka_unit_test(batches_in_host_rooms_have_the_bits_of_one),
        cmocka_unit_test(slices_in_host_rooms_add_up),
        cmocka_unit_test(a_plan_says_its_chunks),
    };
    return argc > 1 && strcmp(argv[1], "on-devices") == 0 ? test_devices() : cmocka_run_group_tests(tests, NULL, NULL);
}
