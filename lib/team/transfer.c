/* Running an exchange. A room may only have been told to move things when a call returns: a message that leaves goes on
 * behind the mark of its packing, one that arrives when what arrived in its memory before has been read. */
#include "team/transfer.h"

#include "team/pack.h"
#include "team/rooms/wire.h"

enum { LEAVES, ARRIVES };

static void note(lay_transfer *of, lay_status status)
{
    if (*of->failed == LAY_OK)
        *of->failed = status;
}

/* ---- elements --------------------------------------------------------------------------------- */

/* What moves a box: from a room to a room, to a message, or from one. */
typedef struct road {
    lay_room *room;
    const lay_room *from; /* NULL: a message */
    lay_type type;
    lay_status (*pack)(lay_room *room, int is_own, const lay_box *box, lay_type type, const void *from, void *to);
} road;

/* The boxes of a parcel: one for each choice of a piece in each dimension, the last dimension's turn by turn. */
static lay_status move_boxes(const lay_team *team, const road *by, const lay_parcel *parcel, int rank, const void *from,
                             void *to)
{
    int64_t at[LAY_DISTRIBUTION_RANK] = { 0 };
    lay_status status = LAY_OK;
    for (int d = 0; d >= 0 && status == LAY_OK;) {
        const lay_piece *piece[LAY_DISTRIBUTION_RANK];
        for (d = 0; d < rank; d++)
            piece[d] = &parcel->piece[d][at[d]];
        const lay_box box = lay_box_of(rank, piece);
        status = by->from ? team->kind->move(by->room, by->from, &box, by->type, from, to)
                          : by->pack(by->room, team->wire != NULL, &box, by->type, from, to);
        for (d = rank - 1; d >= 0 && ++at[d] == parcel->pieces[d]; d--)
            at[d] = 0;
    }
    return status;
}

/* Between two own places. */
static void move_here(lay_team *team, lay_transfer *of, const lay_parcel *parcel, const void *source, void *target)
{
    const road by = { &team->room[parcel->to - team->first], &team->room[parcel->from - team->first], of->type, NULL };
    if (team->is_direct)
        note(of, move_boxes(team, &by, parcel, of->exchange->rank, source, target));
    else
        lay_move_parcel(parcel, of->exchange->rank, of->exchange->size, source, target);
}

static void pack(lay_team *team, lay_transfer *of, lay_message *message, const void *source)
{
    lay_room *const room = &team->room[message->place];
    const road by = { room, NULL, of->type, team->kind->pack };
    if (team->is_direct) {
        note(of, move_boxes(team, &by, message->parcel, of->exchange->rank, source, message->packed));
        note(of, team->kind->set_packed(room, message->mark));
    } else
        lay_pack_parcel(message->parcel, of->exchange->rank, of->exchange->size, source, message->packed);
    message->is_ready = 1;
}

static void unpack(lay_team *team, lay_transfer *of, const lay_message *message)
{
    void *const target = of->target[message->place];
    const road by = { &team->room[message->place], NULL, of->type, team->kind->unpack };
    if (team->is_direct)
        note(of, move_boxes(team, &by, message->parcel, of->exchange->rank, message->packed, target));
    else
        lay_unpack_parcel(message->parcel, of->exchange->rank, of->exchange->size, message->packed, target);
}

/* ---- messages --------------------------------------------------------------------------------- */

/* Whether the message may begin. */
static int may_begin(const lay_team *team, lay_transfer *of, const lay_message *message)
{
    void *const before = of->arrived ? of->arrived[message->place] : NULL;
    void *const mark = message->arrives ? before : message->mark;
    int is_done = 1;
    if (!message->is_ready || !mark)
        return message->is_ready;
    note(of, team->kind->is_done(&team->room[message->place], mark, &is_done));
    return is_done;
}

static lay_status begin(lay_team *team, const lay_transfer *of, lay_message *message)
{
    const int tag = LAY_TAG_DATA + of->tag;
    const int64_t other = message->arrives ? message->parcel->from : message->parcel->to;
    return message->arrives ? lay_team_receive(team, lay_team_rank_of(team, other), tag, message->packed,
                                               message->bytes, message->requests, &message->open)
                            : lay_team_send(team, lay_team_rank_of(team, other), tag, message->packed, message->bytes,
                                            message->requests, &message->open);
}

/* Those that may, in their order, which is that of the other rank, too. */
static lay_status begin_next(lay_team *team, lay_transfer *of, int which, int *has_moved)
{
    lay_status status = LAY_OK;
    for (int64_t *const next = &of->next[which]; *next < of->messages && status == LAY_OK; ++*next) {
        lay_message *const message = &of->mail->message[*next];
        if (message->arrives != (which == ARRIVES))
            continue;
        if (!may_begin(team, of, message))
            break;
        status = begin(team, of, message);
        *has_moved = 1;
    }
    return status;
}

/* Receives first: then what is sent finds its place. */
static lay_status begin_all(lay_team *team, lay_transfer *of, int *has_moved)
{
    const lay_status status = begin_next(team, of, ARRIVES, has_moved);
    return status ? status : begin_next(team, of, LEAVES, has_moved);
}

/* One round: *left becomes the messages that are not done. */
static lay_status go_on(lay_team *team, lay_transfer *of, int64_t *left, int *has_moved)
{
    lay_status status = begin_all(team, of, has_moved);
    *left = of->messages;
    for (int64_t i = 0; i < of->messages && status == LAY_OK; i++) {
        lay_message *const message = &of->mail->message[i];
        int64_t pending = 1;
        if (!message->is_done && message->open > 0)
            status = lay_team_test(team, message->open, message->requests, &pending, has_moved);
        if (pending == 0 && message->arrives && status == LAY_OK)
            unpack(team, of, message);
        message->is_done |= pending == 0;
        *left -= message->is_done;
    }
    return status;
}

/* ---- places ----------------------------------------------------------------------------------- */

/* Whether a message arrives for an own place. */
static int awaits_message(const lay_transfer *of, int place)
{
    for (int64_t i = 0; i < of->messages; i++)
        if (of->mail->message[i].arrives && of->mail->message[i].place == place)
            return 1;
    return 0;
}

static void await_worked(const lay_team *team, lay_transfer *of)
{
    for (int i = 0; i < team->each && of->worked; i++)
        if (of->target[i])
            note(of, team->kind->await_worked(&team->room[i], of->worked[i]));
}

/* Behind all that arrives for the places that get messages, or for the others. */
static void set_arrived(const lay_team *team, lay_transfer *of, int has_message)
{
    for (int i = 0; i < team->each && of->arrived; i++)
        if (of->target[i] && awaits_message(of, i) == has_message)
            note(of, team->kind->set_arrived(&team->room[i], of->arrived[i]));
}

static void await_arrived(const lay_team *team, lay_transfer *of)
{
    for (int i = 0; i < team->each && of->arrived; i++)
        if (of->target[i])
            note(of, team->kind->await_arrived(&team->room[i], of->arrived[i]));
}

static void count_sent(lay_team *team, const lay_exchange *of, const lay_parcel *parcel)
{
    if (parcel->from == parcel->to)
        return;
    team->bytes += lay_parcel_bytes(of, parcel);
    team->messages++;
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* What leaves the own places, and what goes from one of them to another or, is_within, stays in one. */
static lay_status move_some(lay_team *team, lay_transfer *of, const void *const source[], int is_within)
{
    const lay_exchange *const exchange = of->exchange;
    lay_message *message = of->mail->message;
    lay_status status = LAY_OK;
    int has_moved;
    for (int64_t i = 0; i < exchange->count && status == LAY_OK; i++) {
        const lay_parcel *const parcel = &exchange->parcel[i];
        const int leaves = lay_parcel_is_message(team, parcel);
        lay_message *const own = leaves ? message++ : NULL;
        if (!lay_team_has(team, parcel->from) || (parcel->from == parcel->to) != is_within)
            continue;
        const void *const data = source[parcel->from - team->first];
        count_sent(team, exchange, parcel);
        if (leaves) {
            pack(team, of, own, data);
            status = team->wire ? LAY_OK : begin_next(team, of, LEAVES, &has_moved);
        } else if (of->target[parcel->to - team->first])
            move_here(team, of, parcel, data, of->target[parcel->to - team->first]);
    }
    return status;
}

/* What takes longest first. */
static lay_status move_all(lay_team *team, lay_transfer *of, const void *const source[])
{
    const lay_status status = move_some(team, of, source, 0);
    return status ? status : move_some(team, of, source, 1);
}

/* All that is left is in the rooms' streams then. */
static lay_status move_by_wire(lay_team *team, lay_transfer *of)
{
    lay_message *const message = of->mail->message;
    for (int64_t i = 0; i < of->messages; i++)
        if (!message[i].arrives)
            note(of, team->kind->await_packed(&team->room[message[i].place], message[i].mark));
    const lay_status status = of->messages > 0 ? lay_wire_move(team, of->messages, message) : LAY_OK;
    for (int64_t i = 0; i < of->messages && status == LAY_OK; i++)
        if (message[i].arrives)
            unpack(team, of, &message[i]);
    of->messages = 0;
    return status;
}

lay_status lay_transfer_start(lay_team *team, lay_transfer *of, const void *const source[])
{
    int has_moved;
    of->messages = lay_mail_write(team, of->exchange, of->mail);
    of->next[LEAVES] = of->next[ARRIVES] = 0;
    await_worked(team, of);
    if (team->wire)
        note(of, lay_wire_await_sent(team));
    lay_status status = team->wire ? LAY_OK : begin_next(team, of, ARRIVES, &has_moved);
    if (status == LAY_OK)
        status = move_all(team, of, source);
    if (status == LAY_OK && team->wire)
        status = move_by_wire(team, of);
    set_arrived(team, of, 0);
    if (status != LAY_OK)
        lay_transfer_drop(team, of);
    return status;
}

lay_status lay_transfer_finish(lay_team *team, int count, lay_transfer *const transfer[])
{
    lay_team_waiting waiting = lay_team_begin_wait(team);
    lay_status status = LAY_OK;
    for (int64_t left = 1; left > 0 && status == LAY_OK;) {
        int has_moved = 0;
        left = 0;
        for (int i = 0; i < count && status == LAY_OK; i++) {
            int64_t some;
            status = go_on(team, transfer[i], &some, &has_moved);
            left += some;
        }
        if (status == LAY_OK && left > 0)
            status = lay_team_pause(team, &waiting, has_moved);
    }
    for (int i = 0; i < count; i++) {
        if (status != LAY_OK) {
            lay_transfer_drop(team, transfer[i]);
            continue;
        }
        set_arrived(team, transfer[i], 1);
        await_arrived(team, transfer[i]);
    }
    return status;
}

void lay_transfer_drop(lay_team *team, lay_transfer *of)
{
    if (of->mail && of->messages > 0)
        lay_team_drop(team, of->mail->most_requests, of->mail->requests);
}
