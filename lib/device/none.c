/* A build without devices, and every build until a kind of them has come: all memory is the host's, and the reason why.
 */
#include "base/status.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/place.h"

static const char *const why = "this build has no CUDA part";

static lay_status refuse(void)
{
    return lay_fail(LAY_ERR_UNSUPPORTED, "%s", why);
}

static int count(const char **reason)
{
    *reason = why;
    return 0;
}

static const lay_device *get(int number, const char **reason)
{
    (void)number;
    *reason = why;
    return NULL;
}

static int current(void)
{
    return 0;
}

static lay_status enter(int number, void **before)
{
    (void)number, (void)before;
    return refuse();
}

static void leave(void *before)
{
    (void)before;
}

static int may_differ(void)
{
    return 0;
}

static lay_place find_place(const void *address, int *device)
{
    (void)address, (void)device;
    return LAY_PLACE_HOST;
}

static lay_status take_block(size_t bytes, void **block)
{
    (void)bytes, (void)block;
    return lay_fail(LAY_ERR_UNSUPPORTED, "no such memory: %s", why);
}

static lay_status take(int device, size_t bytes, void *stream, void **block)
{
    (void)device, (void)bytes, (void)stream, (void)block;
    return refuse();
}

static void retire(int device, void *block, size_t bytes, unsigned long long stream)
{
    (void)device, (void)block, (void)bytes, (void)stream;
}

static void clear(void)
{
}

static unsigned long long stream_id(void *stream)
{
    (void)stream;
    return LAY_NO_STREAM;
}

static int is_capturing(void *stream)
{
    (void)stream;
    return 0;
}

static lay_status copy(const struct lay_copy_job *job, int device, void *stream)
{
    (void)job, (void)device, (void)stream;
    return refuse();
}

static lay_status copy_across(const struct lay_crossing *crossing)
{
    (void)crossing;
    return refuse();
}

static lay_status reach(int device, int other)
{
    (void)device, (void)other;
    return refuse();
}

static lay_status open(int device, void **made)
{
    (void)device, (void)made;
    return refuse();
}

static void shut(int device, void *made)
{
    (void)device, (void)made;
}

static lay_status order(int device, void *one, void *other)
{
    (void)device, (void)one, (void)other;
    return refuse();
}

static lay_status is_done(int device, void *event, int *is_done)
{
    (void)device, (void)event;
    *is_done = 1;
    return refuse();
}

static lay_status join(int device, void *stream)
{
    (void)device, (void)stream;
    return refuse();
}

static lay_status copy_lines(const lay_lines *lines, void *stream)
{
    (void)lines, (void)stream;
    return refuse();
}

static const lay_block_source block = { .take = take_block };
static const lay_device_driver none = { .count = count,
                                        .get = get,
                                        .current = current,
                                        .enter = enter,
                                        .leave = leave,
                                        .may_differ = may_differ,
                                        .find_place = find_place,
                                        .pinned = &block,
                                        .device = &block,
                                        .take = take,
                                        .retire = retire,
                                        .clear = clear,
                                        .stream_id = stream_id,
                                        .is_capturing = is_capturing,
                                        .copy = copy,
                                        .copy_across = copy_across,
                                        .reach = reach,
                                        .open_stream = open,
                                        .close_stream = shut,
                                        .open_event = open,
                                        .close_event = shut,
                                        .record = order,
                                        .await = order,
                                        .is_done = is_done,
                                        .join = join,
                                        .copy_lines = copy_lines };

const lay_device_driver *lay_devices = &none;
