/* lay_axpby with device memory: random pairs of layouts and types in every mix of places, every bit, nothing outside.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../product/scaled.h"
#include "device/device.h"
#include "elsewhere.h"

/* Places of X and Y. */
static const lay_place places[][2] = { { LAY_PLACE_DEVICE, LAY_PLACE_DEVICE },
                                       { LAY_PLACE_HOST, LAY_PLACE_DEVICE },
                                       { LAY_PLACE_DEVICE, LAY_PLACE_HOST },
                                       { LAY_PLACE_PINNED, LAY_PLACE_DEVICE },
                                       { LAY_PLACE_DEVICE, LAY_PLACE_PINNED } };
enum { PLACES = sizeof places / sizeof places[0] };

static void check(lay_desc *x, lay_desc *y, const lay_place place[2], random_source *from)
{
    char why[400];
    scaled of = scaled_make(x, y, from);
    elsewhere there = elsewhere_put(&of.x, place[0]), here = elsewhere_put(&of.y, place[1]);
    of.x_zero = there.zero;
    of.y_zero = here.zero;
    if (scaled_run(&of) != LAY_OK)
        fail_msg("%s\n  from %s\n  to %s", lay_last_error(), layout_text(x), layout_text(y));
    elsewhere_fetch(&there);
    elsewhere_fetch(&here);
    if (!scaled_is_right(&of, why, sizeof why))
        fail_msg("%s, places %d and %d\n  from %s\n  to %s", why, (int)place[0], (int)place[1], layout_text(x),
                 layout_text(y));
    scaled_free(&of);
}

static void random_layouts_types_and_places_give_the_bits_of_plain_arithmetic(void **state)
{
    (void)state;
    random_source from = random_case(43, 0);
    for (int round = 0; round < trial_rounds(6000); round++) {
        const int is_large = random_one_in(&from, 50);
        const int64_t rows = random_in(&from, 0, is_large ? 700 : 70),
                      columns = random_in(&from, 0, is_large ? 700 : 70);
        const int place = random_one_in(&from, 2) ? 0 : (int)random_in(&from, 1, PLACES - 1);
        check(layout_random(&from, LAYOUT_INPUT, rows, columns), layout_random(&from, LAYOUT_OUTPUT, rows, columns),
              places[place], &from);
    }
}

/* Of all types and alignments: in vectors, and where those would be too long. */
static void lines_end_where_they_end(void **state)
{
    (void)state;
    static const char *const text[] = { "[1][65535]",    "[1][65536]",     "[257][1023]",
                                        "[64][4096]",    "[10:4][3:1]",    "[40:8][3:1]",
                                        "[33:16][16:1]", "[300:48][40:1]", "[7:5000][4096:1]" };
    random_source from = random_case(44, 0);
    for (size_t t = 0; t < sizeof text / sizeof text[0]; t++)
        for (int round = 0; round < 64; round++)
            check(layout_parse("%s", text[t]), layout_parse("%s", text[t]), places[0], &from);
}

/* Larger than the buffers that go between host and device. */
static void large_ones_go_in_pieces(void **state)
{
    (void)state;
    static const char *const text[][2] = { { "[3000][2000]", "[3000:2100][2000:1]" },
                                           { "[3000:2010][2000:1]", "[3000:1][2000:3000]" },
                                           { "A=[2][2][1500][1000]; [[#A_0][#A_2]][[#A_1][#A_3]]",
                                             "[3000:-1][2000:3001]" },
                                           { "[3000][2000]", "A=[3000][2000]; [#A_0][#A_1]" },
                                           { "[2:0][3000000:1]", "[2:1][3000000:2]" } };
    random_source from = random_case(45, 0);
    for (size_t t = 0; t < sizeof text / sizeof text[0]; t++)
        for (size_t p = 0; p < PLACES; p++)
            check(layout_parse("%s", text[t][0]), layout_parse("%s", text[t][1]), places[p], &from);
}

int main(void)
{
    const char *reason;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_layouts_types_and_places_give_the_bits_of_plain_arithmetic),
        cmocka_unit_test(lines_end_where_they_end),
        cmocka_unit_test(large_ones_go_in_pieces),
    };
    if (lay_device_count(&reason) == 0) {
        printf("1..0 # SKIP %s\n", reason);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
