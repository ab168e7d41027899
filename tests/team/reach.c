/* Memory that one device has and another one may not read, as an operand of a team's, between stand-ins for devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../cuda/planning/made_up.h"
#include "base/status.h"
#include "device/driver.h"
#include "layoutgemm_team.h"

/* ---- stand-ins -------------------------------------------------------------------------------- */

enum { PLACES = 2, SIZE = 8 };

static float memory[3][PLACES][SIZE]; /* A, B, C */
static int opened[3];                 /* to all devices */
static int begun;                     /* whether anything was put into a stream */

static const lay_device *get(int number, const char **reason)
{
    static const lay_device device = MADE_UP_H200;
    *reason = "there are two devices";
    return number < PLACES ? &device : NULL;
}

static int count_devices(const char **reason)
{
    *reason = "";
    return PLACES;
}

static int current(void)
{
    return 0;
}

static lay_status enter(int number, void **before)
{
    (void)number;
    *before = NULL;
    return LAY_OK;
}

static void leave(void *before)
{
    (void)before;
}

static int may_differ(void)
{
    return 1;
}

static lay_place find_place(const void *address, int *device)
{
    const ptrdiff_t at = (const float *)address - &memory[0][0][0];
    if (at < 0 || at >= 3 * PLACES * SIZE)
        return LAY_PLACE_HOST;
    *device = (int)(at / SIZE % PLACES);
    return LAY_PLACE_DEVICE;
}

static int are_host(const void *a, const void *b, const void *c)
{
    (void)a, (void)b, (void)c;
    return 0;
}

static int may_read(int device, const void *address)
{
    int owner = -1;
    assert_int_equal(find_place(address, &owner), LAY_PLACE_DEVICE);
    assert_int_not_equal(owner, device);
    return opened[((const float *)address - &memory[0][0][0]) / (PLACES * SIZE)];
}

static lay_status reach(int device, int other)
{
    (void)device, (void)other;
    return LAY_OK;
}

static lay_status open_something(int device, void **out)
{
    *out = memory[0][device];
    return LAY_OK;
}

static void close_something(int device, void *gone)
{
    (void)device, (void)gone;
}

/* As far as calls go here. */
static lay_status record(int device, void *event, void *stream)
{
    (void)device, (void)event, (void)stream;
    begun = 1;
    return lay_fail(LAY_ERR_DEVICE, "nothing runs here");
}

static lay_status copy_lines(const lay_lines *lines, void *stream)
{
    (void)lines, (void)stream;
    return lay_fail(LAY_ERR_DEVICE, "nothing runs here");
}

static lay_status copy_job(const struct lay_copy_job *job, int device, void *stream)
{
    (void)job, (void)device, (void)stream;
    return lay_fail(LAY_ERR_DEVICE, "nothing runs here");
}

static lay_status await(int device, void *stream, void *event)
{
    (void)device, (void)stream, (void)event;
    return LAY_OK;
}

static lay_status join(int device, void *stream)
{
    (void)device, (void)stream;
    return LAY_OK;
}

static const lay_device_driver driver = { .count = count_devices,
                                          .get = get,
                                          .current = current,
                                          .enter = enter,
                                          .leave = leave,
                                          .may_differ = may_differ,
                                          .find_place = find_place,
                                          .are_host = are_host,
                                          .may_read = may_read,
                                          .reach = reach,
                                          .open_stream = open_something,
                                          .close_stream = close_something,
                                          .open_event = open_something,
                                          .close_event = close_something,
                                          .record = record,
                                          .await = await,
                                          .join = join,
                                          .copy = copy_job,
                                          .copy_lines = copy_lines };

/* ---- tests ------------------------------------------------------------------------------------ */

static lay_team *team;
static lay_desc *rows, *columns;

static int begin(void **state)
{
    static const int devices[PLACES] = { 0, 1 };
    (void)state;
    lay_devices = &driver;
    return lay_team_devices(PLACES, devices, &team) || lay_desc_parse("P=(2); A=[2][4]; [[#P_0][#A_0]][#A_1]", &rows) ||
           lay_desc_parse("P=(2); A=[4][2]; [#A_0][[#P_0][#A_1]]", &columns);
}

static int end(void **state)
{
    (void)state;
    lay_desc_destroy(rows);
    lay_desc_destroy(columns);
    lay_team_destroy(team);
    return 0;
}

static lay_status copy(int is_source_open, int is_target_open)
{
    const void *const src[] = { memory[0][0], memory[0][1] };
    void *const dst[] = { memory[1][0], memory[1][1] };
    opened[0] = is_source_open;
    opened[1] = is_target_open;
    begun = 0;
    return lay_team_copy(team, LAY_F32, rows, src, columns, dst);
}

static void what_others_may_not_read_is_refused_before_anything_moves(void **state)
{
    (void)state;
    assert_int_equal(copy(0, 1), LAY_ERR_ARGUMENT);
    assert_string_equal(lay_last_error(), "src of place 0 lies in memory of device 0 that device 1 may not read: a "
                                          "pool's memory is given to it by cudaMemPoolSetAccess, a mapping by "
                                          "cuMemSetAccess");
    assert_int_equal(begun, 0);
}

static void what_is_only_written_need_not_be_read_by_others(void **state)
{
    (void)state;
    assert_int_equal(copy(1, 0), LAY_ERR_DEVICE);
    assert_int_equal(begun, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_others_may_not_read_is_refused_before_anything_moves),
        cmocka_unit_test(what_is_only_written_need_not_be_read_by_others),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
