/* Lazy rooms: lists of boxes for streams, and marks in them. */
#include "lazy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 3 /* questions until something happens */, MOST_SUMS = 64, MOST_SEEN = 16 };

typedef struct order {
    lay_box box;
    lay_type type;
    const void *from;
    void *to;
} order;

/* Which of a room's products this stream is behind. */
typedef struct seen {
    const void *work;
    int64_t begun;
} seen;

typedef struct stream {
    order *list;
    int64_t given, done;
    int is_broken;
    seen behind[MOST_SEEN];
} stream;

/* A room's products: they begin behind what has arrived. */
typedef struct work {
    int64_t begun;
    struct {
        const char *at;
        size_t bytes;
    } own[MOST_SUMS]; /* memory of the team's own there, where products leave what others take */
    int count;
} work;

typedef struct mark {
    stream *in; /* NULL: never set */
    int64_t at;
    int asked;
    seen worked; /* work NULL: never set behind products */
} mark;

static lay_status put(stream *in, const lay_box *box, lay_type type, const void *from, void *to)
{
    in->list = realloc(in->list, (size_t)(in->given + 1) * sizeof *in->list);
    in->list[in->given++] = (order){ *box, type, from, to };
    return LAY_OK;
}

static void do_until(stream *in, int64_t at)
{
    for (; in->done < at; in->done++) {
        const order *const next = &in->list[in->done];
        lay_box_move(&next->box, (int64_t)lay_type_size(next->type), next->from, next->to);
    }
}

static seen *find_seen(stream *of, const void *whose)
{
    seen *at = of->behind;
    while (at->work && at->work != whose)
        at++;
    at->work = whose;
    return at;
}

/* What products leave in memory of the team's own may be taken behind the last of them. */
static void insist_on_order(stream *in, const lay_room *other, const void *from)
{
    const work *const of = other->work;
    for (int i = 0; i < of->count; i++)
        if ((const char *)from >= of->own[i].at && (const char *)from < of->own[i].at + of->own[i].bytes &&
            find_seen(in, of)->begun != of->begun) {
            fprintf(stderr, "sums are taken before they are there\n");
            abort();
        }
}

static lay_status move(lay_room *room, const lay_room *other, const lay_box *box, lay_type type, const void *from,
                       void *to)
{
    insist_on_order(room->arrive, other, from);
    return put(room->arrive, box, type, from, to);
}

static lay_status pack(lay_room *room, int is_own, const lay_box *box, lay_type type, const void *from, void *to)
{
    stream *const leave = room->leave;
    (void)is_own;
    insist_on_order(leave, room, from);
    return leave->is_broken ? lay_team_refuse(LAY_ERR_DEVICE, "the device is broken") : put(leave, box, type, from, to);
}

static lay_status unpack(lay_room *room, int is_own, const lay_box *box, lay_type type, const void *from, void *to)
{
    (void)is_own;
    return put(room->arrive, box, type, from, to);
}

static lay_status open_mark(const lay_room *room, void **made)
{
    (void)room;
    *made = calloc(1, sizeof(mark));
    return LAY_OK;
}

static void close_mark(const lay_room *room, void *of)
{
    (void)room;
    free(of);
}

/* NULL: a mark of before the rooms were lazy. */
static lay_status set(stream *in, mark *of)
{
    if (of)
        *of = (mark){ .in = in, .at = in->given };
    return LAY_OK;
}

static lay_status set_arrived(lay_room *room, void *of)
{
    return set(room->arrive, of);
}

static lay_status set_packed(lay_room *room, void *of)
{
    return set(room->leave, of);
}

static lay_status set_worked(const lay_room *room, void *given)
{
    mark *const of = given;
    const work *const own = room->work;
    if (of)
        of->worked = (seen){ own, own->begun };
    return LAY_OK;
}

static lay_status await_worked_in(stream *in, const mark *of)
{
    if (of && of->worked.work)
        find_seen(in, of->worked.work)->begun = of->worked.begun;
    return LAY_OK;
}

static lay_status await_worked(const lay_room *room, void *given)
{
    return await_worked_in(room->arrive, given);
}

static lay_status await_packed(const lay_room *room, void *given)
{
    const mark *const of = given;
    (void)room;
    if (of && of->in)
        do_until(of->in, of->at);
    return LAY_OK;
}

/* Products begin at once, so what they wait for has to be done. */
static lay_status await_arrived(const lay_room *room, void *given)
{
    ((work *)room->work)->begun++;
    return await_packed(room, given);
}

/* What a wire puts among what arrives is done at once. */
static lay_status await_sent(const lay_room *room, void *given)
{
    stream *const arrive = room->arrive;
    do_until(arrive, arrive->given);
    return await_worked_in(room->leave, given);
}

static lay_status is_done(const lay_room *room, void *given, int *is_done)
{
    mark *const of = given;
    (void)room;
    *is_done = !of || !of->in || of->asked++ >= PATIENCE;
    return *is_done ? await_packed(room, of) : LAY_OK;
}

static lay_status join(lay_room rooms[], int count)
{
    for (int i = 0; i < count; i++) {
        stream *const all[] = { rooms[i].arrive, rooms[i].leave };
        for (int s = 0; s < 2; s++)
            do_until(all[s], all[s]->given);
    }
    return LAY_OK;
}

/* Nothing that was never written looks like a number. */
static lay_status take_packed(const lay_room *room, size_t bytes, void **block)
{
    const lay_status status = lay_room_host.take(room, bytes, block);
    if (status == LAY_OK)
        memset(*block, 0xff, bytes);
    return status;
}

static lay_status take(const lay_room *room, size_t bytes, void **block)
{
    work *const own = room->work;
    const lay_status status = take_packed(room, bytes, block);
    if (status == LAY_OK && own->count < MOST_SUMS) {
        own->own[own->count].at = *block;
        own->own[own->count++].bytes = bytes;
    }
    return status;
}

static void give(const lay_room *room, void *block)
{
    work *const own = room->work;
    for (int i = 0; i < own->count; i++)
        if (own->own[i].at == block)
            own->own[i--] = own->own[--own->count];
    lay_room_host.give(room, block);
}

static lay_room_kind lazy;

void lazy_begin(lay_team *team)
{
    for (int i = 0; i < team->each; i++) {
        team->room[i].arrive = calloc(1, sizeof(stream));
        team->room[i].leave = calloc(1, sizeof(stream));
        team->room[i].work = calloc(1, sizeof(work));
        ((work *)team->room[i].work)->begun = 1; /* what is behind none of it has seen none */
    }
    team->kind = &lazy;
}

void lazy_break(lay_team *team, int is_broken)
{
    for (int i = 0; i < team->each; i++)
        ((stream *)team->room[i].leave)->is_broken = is_broken;
}

static void drop(void *given)
{
    stream *const of = given;
    free(of->list);
    free(of);
}

void lazy_end(lay_team *team)
{
    for (int i = 0; i < team->each; i++) {
        drop(team->room[i].arrive);
        drop(team->room[i].leave);
        free(team->room[i].work);
        team->room[i].arrive = team->room[i].leave = team->room[i].work = NULL;
    }
    team->kind = &lay_room_host;
}

/* Before any thread is there. */
__attribute__((constructor)) static void make_kind(void)
{
    lazy = lay_room_host;
    lazy.move = move;
    lazy.take = take;
    lazy.give = give;
    lazy.take_packed = take_packed;
    lazy.pack = pack;
    lazy.unpack = unpack;
    lazy.open_mark = open_mark;
    lazy.close_mark = close_mark;
    lazy.set_arrived = set_arrived;
    lazy.set_packed = set_packed;
    lazy.set_worked = set_worked;
    lazy.await_worked = await_worked;
    lazy.await_arrived = await_arrived;
    lazy.await_packed = await_packed;
    lazy.await_sent = await_sent;
    lazy.is_done = is_done;
    lazy.join = join;
}
