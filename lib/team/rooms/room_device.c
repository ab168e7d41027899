/* Rooms of devices' memory: products in one stream, in others what arrives, each on the device that gets it. Copies
 * within a device have a stream of their own, as they take as long as those from another one; so has what leaves, which
 * goes the other way. Messages lie in page-locked memory, which devices reach as their own. */
#include "base/scalar.h"
#include "base/status.h"
#include "device/device.h"
#include "device/link.h"
#include "device/place.h"
#include "machine/rates.h"
#include "plan/branch.h"
#include "plan/routes.h"
#include "storage/copy.h"
#include "team/rooms/room.h"

static void close_room(lay_room *room)
{
    lay_stream_close(room->device, room->arrive);
    lay_stream_close(room->device, room->near);
    lay_stream_close(room->device, room->leave);
    lay_stream_close(room->device, room->work);
    lay_event_close(room->device, room->begun);
    lay_event_close(room->device, room->is_near);
}

static lay_status open_room(lay_room *room)
{
    lay_status status;
    if ((status = lay_stream_open(room->device, &room->arrive)) ||
        (status = lay_stream_open(room->device, &room->near)) ||
        (status = lay_stream_open(room->device, &room->leave)) ||
        (status = lay_stream_open(room->device, &room->work)) ||
        (status = lay_event_open(room->device, &room->begun)) ||
        (status = lay_event_open(room->device, &room->is_near)))
        close_room(room);
    return status;
}

static lay_status take_from(const lay_block_source *source, int device, size_t bytes, void **block)
{
    void *before;
    lay_status status = lay_device_enter(device, &before);
    if (status != LAY_OK)
        return status;
    status = source->take(bytes > 0 ? bytes : 1, block);
    lay_device_leave(before);
    return status;
}

/* cudaMalloc's, which other devices reach. */
static lay_status take(const lay_room *room, size_t bytes, void **block)
{
    return take_from(lay_devices->device, room->device, bytes, block);
}

static void give(const lay_room *room, void *block)
{
    (void)room;
    if (block)
        lay_devices->device->give(block);
}

static lay_status take_packed(const lay_room *room, size_t bytes, void **block)
{
    return take_from(lay_devices->pinned, room->device, bytes, block);
}

static void give_packed(const lay_room *room, void *block)
{
    (void)room;
    if (block)
        lay_devices->pinned->give(block);
}

static void set(const lay_room *room, lay_options *options)
{
    options->backend = LAY_BACKEND_CUDA;
    options->device = room->device;
    options->stream = room->work;
}

static lay_status ready(const lay_room *room, lay_plan *plan)
{
    (void)room;
    return lay_plan_reserve(plan);
}

/* Where the plan's ways lead, if A and B come there whole. */
static const lay_branch *find_leaf(const lay_room *room, const lay_plan *plan)
{
    const lay_places places = lay_places_all(LAY_PLACE_DEVICE, room->device);
    lay_route *route;
    if (lay_plan_find_route((lay_plan *)plan, &places, &route) != LAY_OK)
        return NULL;
    const lay_branch *const leaf = lay_branch_leaf(route->root);
    const int is_turned = route->root->child == leaf && leaf->problem.is_transposed;
    return route->root == leaf || is_turned ? leaf : NULL;
}

static size_t limbs_size(const lay_room *room, const lay_plan *plan, lay_operand operand, double *seconds,
                         lay_packed *limbs)
{
    const lay_branch *const leaf = find_leaf(room, plan);
    if (!leaf || !leaf->way->limbs_size)
        return 0;
    *limbs = (lay_packed){ .order = leaf->setting.order,
                           .operand = operand,
                           .type = LAY_F32,
                           .rows = operand == LAY_OPERAND_A ? plan->m : plan->k,
                           .columns = operand == LAY_OPERAND_A ? plan->k : plan->n,
                           .place = LAY_PLACE_DEVICE,
                           .device = room->device };
    return leaf->way->limbs_size(leaf, operand, seconds);
}

static lay_status put_limbs(const lay_room *room, const lay_plan *plan, const lay_packed *limbs, const void *zero)
{
    const lay_branch *const leaf = find_leaf(room, plan);
    return leaf->way->put_limbs(leaf, limbs->operand, zero, limbs->limbs);
}

static int hangs_on_values(const lay_room *room, const lay_plan *plan)
{
    const lay_places places = lay_places_all(LAY_PLACE_DEVICE, room->device);
    lay_route *route;
    return lay_plan_find_route((lay_plan *)plan, &places, &route) == LAY_OK &&
           route->root->setting.order->treatment == LAY_SPLIT_IN_LIMBS;
}

static lay_status note(const lay_room *room, const lay_plan *plan, unsigned *found)
{
    (void)room;
    return lay_plan_send_path(plan, found);
}

/* Where parts are split in FP16's limbs, so is the whole: its bounds are theirs. Of other paths that is not so. */
static lay_status settle(const lay_room *room, const lay_plan *plan, unsigned found)
{
    lay_path path;
    const lay_status status = lay_plan_read_path(plan, found, &path);
    if (status != LAY_OK || path == LAY_PATH_FP16X3)
        return status;
    return lay_fail(LAY_ERR_UNSUPPORTED,
                    "the values of a part of this product, on device %d, are too wide for two limbs of FP16: how the "
                    "whole is to be split is not known there",
                    room->device);
}

static lay_status check(const lay_room *room, const void *address, const char *name, int place)
{
    int device = -1;
    if (lay_place_find(address, &device) != LAY_PLACE_DEVICE)
        return lay_fail(LAY_ERR_ARGUMENT, "%s of place %d lies in host memory, but the place is device %d", name, place,
                        room->device);
    if (device >= 0 && device != room->device)
        return lay_fail(LAY_ERR_ARGUMENT, "%s of place %d lies on device %d, but the place is device %d", name, place,
                        device, room->device);
    return LAY_OK;
}

static lay_status check_source(const lay_room rooms[], int count, int own, const void *address, const char *name,
                               int place)
{
    for (int i = 0; i < count; i++)
        if (rooms[i].device != rooms[own].device && !lay_device_may_read(rooms[i].device, address))
            return lay_fail(
                LAY_ERR_ARGUMENT,
                "%s of place %d lies in memory of device %d that device %d may not read: a pool's memory is "
                "given to it by cudaMemPoolSetAccess, a mapping by cuMemSetAccess",
                name, place, rooms[own].device, rooms[i].device);
    return LAY_OK;
}

/* Whether steps ascend so that one axis' are lines of the other's: what copy engines take. */
static int is_pitch(int64_t inner_count, int64_t inner, int64_t outer)
{
    return inner > 0 && outer >= inner_count * inner && outer % inner == 0;
}

/* NULL steps: an axis that is not there. */
static int find_lines(const lay_box *box, int first, int64_t size, lay_lines *lines)
{
    const int left = box->axes - first;
    lines->height = lines->depth = 1;
    if (left == 0)
        return 1;
    const int64_t run = (int64_t)lines->width / size, most = LAY_MOST_LINE / size;
    if (left > 2 || box->axis[first].from < run || box->axis[first].to < run || box->axis[first].from > most ||
        box->axis[first].to > most)
        return 0;
    lines->height = (size_t)box->axis[first].count;
    lines->from_line = (size_t)(box->axis[first].from * size);
    lines->to_line = (size_t)(box->axis[first].to * size);
    lines->from_slice = lines->from_line * lines->height;
    lines->to_slice = lines->to_line * lines->height;
    if (left == 1)
        return 1;
    if (!is_pitch(box->axis[first].count, box->axis[first].from, box->axis[first + 1].from) ||
        !is_pitch(box->axis[first].count, box->axis[first].to, box->axis[first + 1].to))
        return 0;
    lines->depth = (size_t)box->axis[first + 1].count;
    lines->from_slice = (size_t)(box->axis[first + 1].from * size);
    lines->to_slice = (size_t)(box->axis[first + 1].to * size);
    return 1;
}

/* By a kernel that reads the other device's memory as its own. */
static lay_status move_by_kernel(const lay_room *room, void *stream, const lay_box *box, lay_type type,
                                 const void *from, void *to)
{
    int64_t count[LAY_BOX_AXES], from_step[LAY_BOX_AXES], to_step[LAY_BOX_AXES];
    const lay_change plain = lay_change_none(type);
    const int64_t size = lay_size_of(type);
    lay_desc *source = NULL, *target = NULL;
    lay_copy_job job;
    for (int i = 0; i < box->axes; i++) {
        const int axis = box->axes - 1 - i;
        count[i] = box->axis[axis].count;
        from_step[i] = box->axis[axis].from;
        to_step[i] = box->axis[axis].to;
    }
    lay_status status = lay_desc_strided(box->axes, count, from_step, &source);
    if (status == LAY_OK)
        status = lay_desc_strided(box->axes, count, to_step, &target);
    if (status == LAY_OK) {
        lay_copy_prepare(&plain, source, (const char *)from + box->from * size, target, (char *)to + box->to * size,
                         &job);
        status = lay_copy_on_device(&job, room->device, stream);
    }
    lay_desc_destroy(source);
    lay_desc_destroy(target);
    return status;
}

/* Copy engines leave products alone, but take short lines slowly. */
static lay_status move_in(const lay_room *room, void *stream, const int device[2], const lay_box *box, lay_type type,
                          const void *from, void *to)
{
    const int64_t size = lay_size_of(type);
    int is_axis;
    const int64_t run = lay_box_run(box, &is_axis);
    lay_lines lines = { .from = (const char *)from + box->from * size,
                        .to = (char *)to + box->to * size,
                        .from_device = device[0],
                        .to_device = device[1],
                        .width = (size_t)(run * size) };
    const int is_short = box->axes > is_axis && (double)lines.width < lay_rates_get()->peer_line;
    if (!is_short && find_lines(box, is_axis, size, &lines))
        return lay_copy_lines(&lines, stream);
    return move_by_kernel(room, stream, box, type, from, to);
}

enum { NEAR, LEAVE };

/* A stream that not every run uses begins when it is used. */
static lay_status begin_stream(lay_room *room, int which)
{
    if (room->has_begun[which])
        return LAY_OK;
    room->has_begun[which] = 1;
    return lay_stream_await(room->device, which == NEAR ? room->near : room->leave, room->begun);
}

static lay_status move(lay_room *room, const lay_room *other, const lay_box *box, lay_type type, const void *from,
                       void *to)
{
    const int is_near = other->device == room->device;
    const lay_status status = is_near ? begin_stream(room, NEAR) : LAY_OK;
    if (status != LAY_OK)
        return status;
    room->has_near |= is_near;
    return move_in(room, is_near ? room->near : room->arrive, (const int[]){ other->device, room->device }, box, type,
                   from, to);
}

static int device_of(const lay_room *room, int is_own)
{
    return is_own ? room->device : LAY_DEVICE_HOST;
}

static lay_status pack(lay_room *room, int is_own, const lay_box *box, lay_type type, const void *from, void *packed)
{
    const lay_status status = begin_stream(room, LEAVE);
    return status ? status
                  : move_in(room, room->leave, (const int[]){ room->device, device_of(room, is_own) }, box, type, from,
                            packed);
}

static lay_status unpack(lay_room *room, int is_own, const lay_box *box, lay_type type, const void *packed, void *to)
{
    return move_in(room, room->arrive, (const int[]){ device_of(room, is_own), room->device }, box, type, packed, to);
}

static lay_status open_mark(const lay_room *room, void **mark)
{
    return lay_event_open(room->device, mark);
}

static void close_mark(const lay_room *room, void *mark)
{
    lay_event_close(room->device, mark);
}

/* What arrives waits for what is near: so it is behind that, too. */
static lay_status wait_for_near(lay_room *room)
{
    if (!room->has_near)
        return LAY_OK;
    room->has_near = 0;
    const lay_status status = lay_event_record(room->device, room->is_near, room->near);
    return status ? status : lay_stream_await(room->device, room->arrive, room->is_near);
}

static lay_status set_arrived(lay_room *room, void *mark)
{
    const lay_status status = wait_for_near(room);
    return status ? status : lay_event_record(room->device, mark, room->arrive);
}

static lay_status await_arrived(const lay_room *room, void *mark)
{
    return lay_stream_await(room->device, room->work, mark);
}

static lay_status set_worked(const lay_room *room, void *mark)
{
    return lay_event_record(room->device, mark, room->work);
}

static lay_status await_worked(const lay_room *room, void *mark)
{
    const lay_status status = lay_stream_await(room->device, room->near, mark);
    return status ? status : lay_stream_await(room->device, room->arrive, mark);
}

static lay_status set_packed(lay_room *room, void *mark)
{
    return lay_event_record(room->device, mark, room->leave);
}

static lay_status await_packed(const lay_room *room, void *mark)
{
    return lay_stream_await(room->device, room->arrive, mark);
}

static lay_status await_sent(const lay_room *room, void *mark)
{
    return lay_stream_await(room->device, room->leave, mark);
}

static lay_status is_done(const lay_room *room, void *mark, int *is_done)
{
    return lay_event_is_done(room->device, mark, is_done);
}

/* What arrives reads all rooms, the rest its own: another room's default stream may write a place's memory, too, where
 * two places have one device. */
static lay_status begin(lay_room rooms[], int count)
{
    lay_status status = LAY_OK;
    for (int i = 0; i < count && status == LAY_OK; i++) {
        rooms[i].has_near = rooms[i].has_begun[NEAR] = rooms[i].has_begun[LEAVE] = 0;
        status = lay_event_record(rooms[i].device, rooms[i].begun, NULL);
        if (status == LAY_OK)
            status = lay_stream_await(rooms[i].device, rooms[i].work, rooms[i].begun);
    }
    for (int i = 0; i < count * count && status == LAY_OK; i++)
        status = lay_stream_await(rooms[i / count].device, rooms[i / count].arrive, rooms[i % count].begun);
    return status;
}

enum { STREAMS = 4 };

/* Those that this run has used, products' first; else NULL. */
static void *stream_of(const lay_room *room, int which)
{
    void *const stream[STREAMS] = { room->work, room->arrive, room->has_begun[NEAR] ? room->near : NULL,
                                    room->has_begun[LEAVE] ? room->leave : NULL };
    return stream[which];
}

/* One stream waits for the others while they are at work, so that the caller waits once. */
static lay_status gather(const lay_room *room)
{
    lay_status status = LAY_OK;
    for (int i = 1; i < STREAMS && status == LAY_OK; i++) {
        void *const stream = stream_of(room, i);
        if (stream && (status = lay_event_record(room->device, room->is_near, stream)) == LAY_OK)
            status = lay_stream_await(room->device, room->work, room->is_near);
    }
    return status;
}

/* All of them, whatever fails. */
static lay_status join(lay_room rooms[], int count)
{
    lay_status first = LAY_OK;
    for (int i = 0; i < count; i++) {
        const lay_status status = gather(&rooms[i]);
        rooms[i].is_gathered = status == LAY_OK;
        first = first ? first : status;
    }
    for (int i = 0; i < STREAMS * count; i++) {
        const lay_room *const room = &rooms[i / STREAMS];
        void *const stream = stream_of(room, i % STREAMS);
        const int is_left = stream && (i % STREAMS == 0 || !room->is_gathered);
        const lay_status status = is_left ? lay_stream_join(room->device, stream) : LAY_OK;
        first = first ? first : status;
    }
    return first;
}

const lay_room_kind lay_room_device = { .memory = LAY_MEMORY_DEVICE,
                                        .open = open_room,
                                        .close = close_room,
                                        .take = take,
                                        .give = give,
                                        .set = set,
                                        .ready = ready,
                                        .hangs_on_values = hangs_on_values,
                                        .note = note,
                                        .settle = settle,
                                        .limbs_size = limbs_size,
                                        .put_limbs = put_limbs,
                                        .check = check,
                                        .check_source = check_source,
                                        .move = move,
                                        .take_packed = take_packed,
                                        .give_packed = give_packed,
                                        .pack = pack,
                                        .unpack = unpack,
                                        .open_mark = open_mark,
                                        .close_mark = close_mark,
                                        .set_arrived = set_arrived,
                                        .await_arrived = await_arrived,
                                        .set_worked = set_worked,
                                        .await_worked = await_worked,
                                        .set_packed = set_packed,
                                        .await_packed = await_packed,
                                        .await_sent = await_sent,
                                        .is_done = is_done,
                                        .begin = begin,
                                        .join = join };
