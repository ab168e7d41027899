/* Copies and storage of teams whose places are rooms of this process, host memory or, with the argument on-devices,
 * devices: every element goes where it belongs; what is refused says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "claim.h"
#include "rooms.h"

/* ---- copies ----------------------------------------------------------------------------------- */

static void compare_copies(int count, int devices)
{
    static const lay_type types[] = { LAY_F32, LAY_F64, LAY_BF16, LAY_C32, LAY_C64 };
    for (int number = 1; number <= count; number++) {
        random_source from = random_case(34, (uint64_t)number);
        const lay_type type = random_of(&from, types);
        const int rows = (int)random_in(&from, 1, 3), columns = (int)random_in(&from, 1, 3);
        const int64_t m = random_in(&from, 0, 90), n = random_in(&from, 0, 90);
        spread source, target;
        void *const dense = spread_dense(&from, type, m, n);
        spread_make(&from, type, m, n, rows, columns, &source);
        spread_make(&from, type, m, n, rows * columns, 1, &target);
        if (target.places != source.places) {
            spread_free(&target);
            spread_make(&from, type, m, n, rows, columns, &target);
        }
        spread_scatter(&source, dense);
        lay_team *const team = rooms_make_team(source.places, devices);
        housed one = rooms_send(team, &source), other = rooms_send(team, &target);
        claim(lay_team_copy(team, type, source.desc, (const void *const *)one.part, target.desc, other.part) == LAY_OK,
              "case %d\n%s\n%s", number, source.text, target.text);
        rooms_fetch(&other);
        claim(spread_equals(&target, dense), "case %d\n%s\n%s", number, source.text, target.text);
        rooms_free(&one);
        rooms_free(&other);
        spread_free(&source);
        spread_free(&target);
        lay_team_destroy(team);
        free(dense);
    }
}

static void copies_in_host_rooms_put_every_element_where_it_belongs(void **state)
{
    (void)state;
    compare_copies(cases(600), 0);
}

static void copies_on_devices_put_every_element_where_it_belongs(void **state)
{
    (void)state;
    const int devices = rooms_count_devices();
    compare_copies(cases(200), devices);
}

/* Of rank three, transposed on the way; and more dimensions than boxes have. */
static void copies_take_tensors_of_rank_eight_at_most(void **state)
{
    (void)state;
    random_source from = random_case(35, 1);
    spread source, target;
    double dense[5 * 4 * 6];
    spread_fill(&from, LAY_F64, 5 * 4 * 6, dense);
    spread_of_text(LAY_F64, "P=(2)(3); A=[4][3][2][3]; [5[#P_0][#A_1]][#A_0][[#P_1][#A_2]]", &source);
    spread_of_text(LAY_F64, "P=(6); A=[6][5][4]; [#A_1][[4#P_0][1#A_2]][#A_0]", &target);
    spread_scatter(&source, dense);
    lay_team *const team = rooms_make_team(6, 0);
    claim(lay_team_copy(team, LAY_F64, source.desc, (const void *const *)source.part, target.desc, target.part) ==
              LAY_OK,
          "tensors");
    assert_true(spread_equals(&target, dense));
    lay_desc *nine = NULL;
    double few[2] = { 1, 2 }, others[2] = { 0 };
    void *from_all[6], *to_all[6];
    for (int i = 0; i < 6; i++) {
        from_all[i] = few;
        to_all[i] = others;
    }
    assert_int_equal(lay_desc_parse("P=(6); [1][1][1][1][1][1][1][1][2]", &nine), LAY_OK);
    assert_int_equal(lay_team_copy(team, LAY_F64, nine, (const void *const *)from_all, nine, to_all),
                     LAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(lay_last_error(), "rank 9"));
    lay_desc_destroy(nine);
    lay_team_destroy(team);
    spread_free(&source);
    spread_free(&target);
}

/* ---- storage ---------------------------------------------------------------------------------- */

static void check_storage(int devices)
{
    void *part[6];
    lay_desc *desc = NULL;
    lay_team *const team = rooms_make_team(6, devices);
    assert_int_equal(lay_desc_parse("P=(3)(2!); A=[2][5]; [5[#P_0][#A_0]][#A_1]", &desc), LAY_OK);
    assert_int_equal(lay_team_alloc(team, LAY_F64, desc, part), LAY_OK);
    for (int i = 0; i < 6; i++) {
        assert_true((part[i] != NULL) == (i % 2 == 0));
        if (part[i]) {
            double row[10] = { 0 }, back[10];
            lay_desc *local = NULL;
            assert_int_equal(lay_desc_local(desc, i, &local), LAY_OK);
            assert_int_equal(lay_desc_extent(local, "0"), i == 4 ? 1 : 2);
            for (int e = 0; e < lay_desc_extent(local, ""); e++)
                row[e] = i + e;
            assert_int_equal(lay_copy(LAY_F64, local, row, local, part[i], NULL), LAY_OK);
            assert_int_equal(lay_copy(LAY_F64, local, part[i], local, back, NULL), LAY_OK);
            assert_memory_equal(row, back, (size_t)lay_desc_extent(local, "") * sizeof(double));
            assert_int_equal(team->kind->check(&team->room[i], part[i], "x", i), LAY_OK);
            lay_desc_destroy(local);
        }
    }
    for (int i = 0; i < 6; i++)
        lay_free(part[i]);
    assert_int_equal(lay_team_alloc(team, (lay_type)77, desc, part), LAY_ERR_TYPE);
    assert_int_equal(lay_team_alloc(team, LAY_F64, NULL, part), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_alloc(team, LAY_F64, desc, NULL), LAY_ERR_ARGUMENT);
    assert_int_equal(lay_team_alloc(NULL, LAY_F64, desc, part), LAY_ERR_ARGUMENT);
    lay_desc_destroy(desc);
    assert_int_equal(lay_desc_parse("P=(2); [2][2]", &desc), LAY_OK);
    assert_int_equal(lay_team_alloc(team, LAY_F64, desc, part), LAY_ERR_SHAPE);
    lay_desc_destroy(desc);
    lay_team_destroy(team);
}

static void storage_lies_where_the_place_is(void **state)
{
    (void)state;
    check_storage(0);
}

static void storage_lies_on_the_device_of_the_place(void **state)
{
    (void)state;
    const int devices = rooms_count_devices();
    check_storage(devices);
}

/* ---- bad input -------------------------------------------------------------------------------- */

static void bad_teams_are_refused(void **state)
{
    (void)state;
    static const struct {
        int count, devices[2];
        lay_status status;
        const char *word;
    } rows[] = {
        { 0, { 0 }, LAY_ERR_ARGUMENT, "0 places" },
        { 2, { LAY_DEVICE_HOST, -1 }, LAY_ERR_ARGUMENT, "devices[1] is -1" },
        { 1, { -7 }, LAY_ERR_ARGUMENT, "devices[0] is -7" },
        { 2, { LAY_DEVICE_HOST, 0 }, LAY_ERR_UNSUPPORTED, "devices[1] is a device" },
        { 2, { 99, LAY_DEVICE_HOST }, LAY_ERR_UNSUPPORTED, "devices[0] is 99, but" },
        { 1, { 99 }, LAY_ERR_UNSUPPORTED, "devices[0] is 99, but" },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        lay_team *team = NULL;
        claim(lay_team_devices(rows[r].count, rows[r].devices, &team) == rows[r].status && !team &&
                  strstr(lay_last_error(), rows[r].word),
              "row %zu", r);
    }
    assert_int_equal(lay_team_devices(1, NULL, NULL), LAY_ERR_ARGUMENT);
}

/* Layouts of rows over two places; a case changes options or an address. */
typedef struct asked {
    int devices[2];
    lay_options options;
    float host[2][3][16];
    void *part[3][2];
    const char *text;
} asked;

static void places_are_three(asked *of)
{
    of->text = "P=(3); A=[2][4]; [4[2#P_0][#A_0]][#A_1]";
}
static void places_are_none(asked *of)
{
    of->text = "[4][4]";
}
static void backend_is_the_cpu(asked *of)
{
    of->options.backend = LAY_BACKEND_CPU;
}
static void backend_is_cuda(asked *of)
{
    of->options.backend = LAY_BACKEND_CUDA;
}
static void stream_is_set(asked *of)
{
    of->options.stream = of;
}
static void compute_is_split(asked *of)
{
    of->options.compute = LAY_COMPUTE_F32_SPLIT;
}
static void a_lies_in_host_memory(asked *of)
{
    of->part[0][1] = of->host[1][0];
}
static void c_is_missing(asked *of)
{
    of->part[2][0] = NULL;
}
static void c_lies_in_b(asked *of)
{
    of->part[2][1] = of->part[1][1];
}
static void b_lies_with_the_other(asked *of)
{
    of->part[1][1] = of->part[1][0];
}

typedef struct refusal {
    void (*change)(asked *);
    lay_status status;
    const char *word;
} refusal;

static void ask_each(const int devices[2], int count, const refusal rows[])
{
    for (int r = 0; r < count; r++) {
        asked of = { .devices = { devices[0], devices[1] },
                     .options = LAY_OPTIONS_INIT,
                     .text = "P=(2); A=[2][4]; [[#P_0][#A_0]][#A_1]" };
        lay_team *team = NULL;
        lay_desc *desc = NULL;
        void *block[6];
        claim(lay_team_devices(2, of.devices, &team) == LAY_OK, "a team");
        for (int i = 0; i < 6; i++) {
            assert_int_equal(team->kind->take(&team->room[i % 2], 64, &block[i]), LAY_OK);
            of.part[i / 2][i % 2] = block[i];
        }
        rows[r].change(&of);
        assert_int_equal(lay_desc_parse(of.text, &desc), LAY_OK);
        const lay_status status =
            lay_team_gemm(team, LAY_F32, desc, desc, desc, &(float){ 1 }, (const void *const *)of.part[0],
                          (const void *const *)of.part[1], &(float){ 0 }, of.part[2], &of.options);
        claim(status == rows[r].status && strstr(lay_last_error(), rows[r].word), "row %d: %d", r, (int)status);
        for (int i = 0; i < 6; i++)
            team->kind->give(&team->room[i % 2], block[i]);
        lay_desc_destroy(desc);
        lay_team_destroy(team);
    }
}

static void bad_products_in_host_rooms_are_refused(void **state)
{
    (void)state;
    static const refusal rows[] = {
        { places_are_three, LAY_ERR_SHAPE, "A is spread over 3 places, but the team has 2" },
        { places_are_none, LAY_ERR_SHAPE, "A is spread over 1 place, but" },
        { backend_is_cuda, LAY_ERR_UNSUPPORTED, "the places of a team are host memory" },
        { compute_is_split, LAY_ERR_UNSUPPORTED, "strict" },
        { c_is_missing, LAY_ERR_ARGUMENT, "c is NULL for place 0" },
        { c_lies_in_b, LAY_ERR_OVERLAP, "clear of B" },
    };
    ask_each((const int[]){ LAY_DEVICE_HOST, LAY_DEVICE_HOST }, sizeof rows / sizeof rows[0], rows);
}

static void bad_products_on_devices_are_refused(void **state)
{
    (void)state;
    static const refusal rows[] = {
        { places_are_three, LAY_ERR_SHAPE, "A is spread over 3 places, but the team has 2" },
        { backend_is_the_cpu, LAY_ERR_UNSUPPORTED, "the places of the team are devices" },
        { stream_is_set, LAY_ERR_UNSUPPORTED, "streams of its own" },
        { a_lies_in_host_memory, LAY_ERR_ARGUMENT, "a of place 1 lies in host memory" },
        { c_is_missing, LAY_ERR_ARGUMENT, "c is NULL for place 0" },
        { c_lies_in_b, LAY_ERR_OVERLAP, "clear of B" },
        { b_lies_with_the_other, LAY_ERR_ARGUMENT, "b of place 1 lies on device 0, but the place is device 1" },
    };
    const int devices = rooms_count_devices(), count = sizeof rows / sizeof rows[0];
    ask_each((const int[]){ 0, devices > 1 }, devices > 1 ? count : count - 1, rows);
}

static int test_devices(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_on_devices_put_every_element_where_it_belongs),
        cmocka_unit_test(storage_lies_on_the_device_of_the_place),
        cmocka_unit_test(bad_products_on_devices_are_refused),
    };
    return rooms_have_devices() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_in_host_rooms_put_every_element_where_it_belongs),
        cmocka_unit_test(copies_take_tensors_of_rank_eight_at_most),
        cmocka_unit_test(storage_lies_where_the_place_is),
        cmocka_unit_test(bad_teams_are_refused),
        cmocka_unit_test(bad_products_in_host_rooms_are_refused),
    };
    return argc > 1 && strcmp(argv[1], "on-devices") == 0 ? test_devices() : cmocka_run_group_tests(tests, NULL, NULL);
}
