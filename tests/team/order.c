/* In which order the streams of a device's room begin and end, between stand-ins for its calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/driver.h"
#include "layoutgemm_team.h"
#include "team/rooms/room.h"

/* ---- stand-ins -------------------------------------------------------------------------------- */

enum { ROOMS = 2 };

/* What was asked for: "near waits", "near moves", "near joins". */
static char story[1000];
static int is_broken; /* events are */
static lay_room rooms[ROOMS];

static const char *name_of(const void *stream)
{
    for (int i = 0; i < ROOMS; i++) {
        if (stream == rooms[i].arrive)
            return "arrive";
        if (stream == rooms[i].near)
            return "near";
        if (stream == rooms[i].leave)
            return "leave";
        if (stream == rooms[i].work)
            return "work";
    }
    return "nobody";
}

static void tell(const void *stream, const char *what)
{
    const size_t length = strlen(story);
    snprintf(story + length, sizeof story - length, "%s %s\n", name_of(stream), what);
}

static lay_status record(int device, void *event, void *stream)
{
    (void)device, (void)event, (void)stream;
    return is_broken ? LAY_ERR_DEVICE : LAY_OK;
}

static lay_status await(int device, void *stream, void *event)
{
    (void)device;
    assert_true(event == rooms[0].begun || event == rooms[1].begun || event == rooms[0].is_near);
    tell(stream, "waits");
    return LAY_OK;
}

static lay_status join(int device, void *stream)
{
    (void)device;
    tell(stream, "joins");
    return LAY_OK;
}

static lay_status copy_lines(const lay_lines *lines, void *stream)
{
    (void)lines;
    tell(stream, "moves");
    return LAY_OK;
}

static const lay_device_driver driver = { .record = record, .await = await, .join = join, .copy_lines = copy_lines };

/* ---- tests ------------------------------------------------------------------------------------ */

static const lay_device_driver *before;
static char block[64];
static const lay_box line = { .axes = 1, .axis = { { sizeof block / sizeof(float), 1, 1 } } };

/* One device has both. */
static int begin(void **state)
{
    static char stream[ROOMS][4], event[ROOMS][2];
    (void)state;
    before = lay_devices;
    lay_devices = &driver;
    for (int i = 0; i < ROOMS; i++)
        rooms[i] = (lay_room){ .arrive = &stream[i][0],
                               .near = &stream[i][1],
                               .leave = &stream[i][2],
                               .work = &stream[i][3],
                               .begun = &event[i][0],
                               .is_near = &event[i][1] };
    story[0] = 0;
    return lay_room_device.begin(rooms, ROOMS);
}

static int end(void **state)
{
    (void)state;
    lay_devices = before;
    return 0;
}

static void what_arrives_begins_behind_all_rooms_and_products_behind_their_own(void **state)
{
    (void)state;
    assert_string_equal(story, "work waits\nwork waits\n"
                               "arrive waits\narrive waits\narrive waits\narrive waits\n");
}

static void a_stream_begins_when_it_is_used_and_once(void **state)
{
    (void)state;
    story[0] = 0;
    for (int i = 0; i < 2; i++)
        assert_int_equal(lay_room_device.move(&rooms[0], &rooms[1], &line, LAY_F32, block, block), LAY_OK);
    assert_string_equal(story, "near waits\nnear moves\nnear moves\n");
    story[0] = 0;
    for (int i = 0; i < 2; i++)
        assert_int_equal(lay_room_device.pack(&rooms[0], 0, &line, LAY_F32, block, block), LAY_OK);
    assert_string_equal(story, "leave waits\nleave moves\nleave moves\n");
}

/* Products' stream waits for the others, where events can be had. */
static void the_end_waits_for_streams_that_were_used(void **state)
{
    (void)state;
    story[0] = 0;
    assert_int_equal(lay_room_device.join(rooms, 1), LAY_OK);
    assert_string_equal(story, "work waits\nwork joins\n");
    assert_int_equal(lay_room_device.move(&rooms[0], &rooms[1], &line, LAY_F32, block, block), LAY_OK);
    assert_int_equal(lay_room_device.pack(&rooms[0], 0, &line, LAY_F32, block, block), LAY_OK);
    story[0] = 0;
    assert_int_equal(lay_room_device.join(rooms, 1), LAY_OK);
    assert_string_equal(story, "work waits\nwork waits\nwork waits\nwork joins\n");
    is_broken = 1;
    story[0] = 0;
    assert_int_equal(lay_room_device.join(rooms, 1), LAY_ERR_DEVICE);
    assert_string_equal(story, "work joins\narrive joins\nnear joins\nleave joins\n");
    is_broken = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_arrives_begins_behind_all_rooms_and_products_behind_their_own, begin, end),
        cmocka_unit_test_setup_teardown(a_stream_begins_when_it_is_used_and_once, begin, end),
        cmocka_unit_test_setup_teardown(the_end_waits_for_streams_that_were_used, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
