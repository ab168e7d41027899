/* Rooms of host memory: all is done at once, by the calling thread or the plan's. */
#include <stdlib.h>

#include "base/status.h"
#include "device/place.h"
#include "team/rooms/room.h"

static lay_status open_room(lay_room *room)
{
    room->device = LAY_DEVICE_HOST;
    return LAY_OK;
}

static void close_room(lay_room *room)
{
    (void)room;
}

static lay_status take(const lay_room *room, size_t bytes, void **block)
{
    (void)room;
    *block = aligned_alloc(64, (bytes + 64) / 64 * 64);
    return *block ? LAY_OK : lay_fail(LAY_ERR_MEMORY, "no memory for panels of a product over places");
}

static void give(const lay_room *room, void *block)
{
    (void)room;
    free(block);
}

static void set(const lay_room *room, lay_options *options)
{
    (void)room;
    options->backend = LAY_BACKEND_CPU;
    options->device = LAY_DEVICE_AUTO;
}

static lay_status ready(const lay_room *room, lay_plan *plan)
{
    (void)room, (void)plan;
    return LAY_OK;
}

static int hangs_on_values(const lay_room *room, const lay_plan *plan)
{
    (void)room, (void)plan;
    return 0;
}

static lay_status check(const lay_room *room, const void *address, const char *name, int place)
{
    int device = -1;
    (void)room;
    if (lay_place_may_differ() && lay_place_find(address, &device) == LAY_PLACE_DEVICE)
        return lay_fail(LAY_ERR_ARGUMENT, "%s of place %d lies in device memory, but the team's places are host memory",
                        name, place);
    return LAY_OK;
}

static lay_status check_source(const lay_room rooms[], int count, int own, const void *address, const char *name,
                               int place)
{
    (void)rooms, (void)count, (void)own, (void)address, (void)name, (void)place;
    return LAY_OK;
}

static lay_status move(lay_room *room, const lay_room *other, const lay_box *box, lay_type type, const void *from,
                       void *to)
{
    (void)room, (void)other;
    lay_box_move(box, (int64_t)lay_type_size(type), from, to);
    return LAY_OK;
}

static lay_status cross(lay_room *room, int is_own, const lay_box *box, lay_type type, const void *from, void *to)
{
    (void)room, (void)is_own;
    lay_box_move(box, (int64_t)lay_type_size(type), from, to);
    return LAY_OK;
}

static lay_status open_mark(const lay_room *room, void **mark)
{
    (void)room;
    *mark = NULL;
    return LAY_OK;
}

static void close_mark(const lay_room *room, void *mark)
{
    (void)room, (void)mark;
}

static lay_status do_mark(const lay_room *room, void *mark)
{
    (void)room, (void)mark;
    return LAY_OK;
}

static lay_status set_mark(lay_room *room, void *mark)
{
    return do_mark(room, mark);
}

static lay_status is_done(const lay_room *room, void *mark, int *is_done)
{
    *is_done = 1;
    return do_mark(room, mark);
}

static lay_status do_rooms(lay_room rooms[], int count)
{
    (void)rooms, (void)count;
    return LAY_OK;
}

const lay_room_kind lay_room_host = { .memory = LAY_MEMORY_HOST,
                                      .open = open_room,
                                      .close = close_room,
                                      .take = take,
                                      .give = give,
                                      .set = set,
                                      .ready = ready,
                                      .hangs_on_values = hangs_on_values,
                                      .check = check,
                                      .check_source = check_source,
                                      .move = move,
                                      .take_packed = take,
                                      .give_packed = give,
                                      .pack = cross,
                                      .unpack = cross,
                                      .open_mark = open_mark,
                                      .close_mark = close_mark,
                                      .set_arrived = set_mark,
                                      .await_arrived = do_mark,
                                      .set_worked = do_mark,
                                      .await_worked = do_mark,
                                      .set_packed = set_mark,
                                      .await_packed = do_mark,
                                      .await_sent = do_mark,
                                      .is_done = is_done,
                                      .begin = do_rooms,
                                      .join = do_rooms };
