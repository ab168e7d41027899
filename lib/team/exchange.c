/* Exchanges: which place sends what to which, and the messages. */
#include "team/exchange.h"

#include <stdlib.h>

#include "base/status.h"
#include "team/pack.h"

static void free_parcel(lay_parcel *parcel, int rank)
{
    for (int d = 0; d < rank; d++) {
        if (parcel->source)
            free(parcel->source[d]);
        if (parcel->target)
            free(parcel->target[d]);
        if (parcel->piece)
            free(parcel->piece[d]);
    }
    free(parcel->piece);
    free(parcel->pieces);
    free(parcel->count);
    free(parcel->source);
    free(parcel->target);
}

void lay_exchange_free(lay_exchange *exchange)
{
    for (int64_t i = 0; i < exchange->count; i++)
        free_parcel(&exchange->parcel[i], exchange->rank);
    free(exchange->parcel);
    *exchange = (lay_exchange){ .rank = 0 };
}

/* Of the places that hold what `to` needs, the one that sends it: itself, or one of the copies, by turns. */
static int serves(const lay_side *from, int64_t q, int64_t p)
{
    if (from->copy[q] < 0)
        return 0;
    int is_same = from->copy[p] >= 0;
    for (int d = 0; d < from->rank && is_same; d++)
        is_same = from->value[p * from->rank + d] == from->value[q * from->rank + d];
    return is_same ? p == q : from->copy[q] == p % from->copies;
}

/* Among which indices of dimension d those lie that the place gets. */
static void find_window(const lay_side *to, int64_t p, int d, int64_t window[2])
{
    window[0] = to->window ? to->window[p * to->rank + d][0] : 0;
    window[1] = to->window ? to->window[p * to->rank + d][1] : to->extent[d];
}

static int64_t count_shared(const lay_side *from, const lay_side *to, int64_t q, int64_t p, int d)
{
    const int64_t mine = from->value[q * from->rank + d], wanted = to->value[p * to->rank + d];
    const int64_t *const source = from->owner[d], *const target = to->owner[d];
    int64_t count = 0, window[2];
    find_window(to, p, d, window);
    for (int64_t x = window[0]; x < window[1]; x++)
        count += source[x] == mine && target[x] == wanted;
    return count;
}

/* The offsets of one side, of the indices that are shared. */
static int64_t *list_shared(const lay_side *from, const lay_side *to, int64_t q, int64_t p, int d, int64_t count,
                            const int64_t offset[])
{
    const int64_t mine = from->value[q * from->rank + d], wanted = to->value[p * to->rank + d];
    int64_t *const list = malloc((size_t)count * sizeof *list), next = 0, window[2];
    find_window(to, p, d, window);
    for (int64_t x = window[0]; x < window[1] && list; x++)
        if (from->owner[d][x] == mine && to->owner[d][x] == wanted)
            list[next++] = offset[x];
    return list;
}

/* Both of its places are here. 0 without memory. */
static int cut_parcel(int rank, lay_parcel *of)
{
    of->piece = calloc((size_t)rank, sizeof *of->piece);
    of->pieces = calloc((size_t)rank, sizeof *of->pieces);
    int has_room = of->piece && of->pieces;
    for (int d = 0; d < rank && has_room; d++)
        has_room = (of->piece[d] = lay_pieces_of(of->source[d], of->target[d], of->count[d], &of->pieces[d])) != NULL;
    return has_room;
}

/* 0 without memory. */
static int make_parcel(const lay_team *team, const lay_side *from, const lay_side *to, int64_t q, int64_t p,
                       lay_parcel *out)
{
    const int rank = from->rank;
    *out = (lay_parcel){ .from = q, .to = p, .elements = 1 };
    out->count = malloc((size_t)rank * sizeof *out->count);
    if (!out->count)
        return 0;
    for (int d = 0; d < rank && out->elements > 0; d++) {
        out->count[d] = count_shared(from, to, q, p, d);
        out->elements *= out->count[d];
    }
    if (out->elements == 0)
        return 1;
    out->inner = lay_side_inner(from, q);
    out->source = calloc((size_t)rank, sizeof *out->source);
    out->target = calloc((size_t)rank, sizeof *out->target);
    for (int d = 0; d < rank; d++) {
        if (!out->source || !out->target)
            return 0;
        const int64_t count = out->count[d];
        if (lay_team_has(team, q) &&
            !(out->source[d] = list_shared(from, to, q, p, d, count, lay_side_offsets(from, q, d))))
            return 0;
        if (lay_team_has(team, p) &&
            !(out->target[d] = list_shared(from, to, q, p, d, count, lay_side_offsets(to, p, d))))
            return 0;
    }
    return team->is_direct ? cut_parcel(rank, out) : 1;
}

static int64_t bytes_of(const lay_exchange *exchange, const lay_parcel *parcel)
{
    return parcel->elements * (int64_t)exchange->size;
}

/* Whether a message between ranks carries it. */
static int is_message(const lay_team *team, const lay_parcel *parcel)
{
    return !lay_team_has(team, parcel->from) || !lay_team_has(team, parcel->to);
}

static int keep_parcel(const lay_team *team, lay_exchange *to, const lay_parcel *parcel)
{
    lay_parcel *const more = realloc(to->parcel, (size_t)(to->count + 1) * sizeof *more);
    if (!more)
        return 0;
    to->parcel = more;
    more[to->count++] = *parcel;
    const int64_t bytes = bytes_of(to, parcel);
    if (parcel->from != parcel->to && lay_team_has(team, parcel->from)) {
        to->sent += bytes;
        to->messages++;
    }
    if (parcel->from != parcel->to && lay_team_has(team, parcel->to))
        to->received += bytes;
    if (is_message(team, parcel)) {
        to->buffer += ((size_t)bytes + 63) / 64 * 64;
        to->requests += lay_team_requests(bytes);
    }
    return 1;
}

/* The pair's parcel, if one of the two is here and there is anything. 0 without memory. */
static int add_pair(const lay_team *team, const lay_side *from, const lay_side *to, int64_t q, int64_t p,
                    lay_exchange *out)
{
    lay_parcel parcel;
    if ((!lay_team_has(team, q) && !lay_team_has(team, p)) || to->copy[p] < 0 || !serves(from, q, p))
        return 1;
    const int is_made = make_parcel(team, from, to, q, p, &parcel);
    if (is_made && parcel.elements > 0 && keep_parcel(team, out, &parcel))
        return 1;
    free_parcel(&parcel, from->rank);
    return is_made && parcel.elements == 0;
}

lay_status lay_exchange_make(const lay_team *team, const lay_side *from, const lay_side *to, size_t size,
                             lay_exchange *out)
{
    *out = (lay_exchange){ .rank = from->rank, .size = size };
    for (int64_t q = 0; q < from->places; q++)
        for (int64_t p = 0; p < to->places; p++)
            if (!add_pair(team, from, to, q, p, out)) {
                lay_exchange_free(out);
                return lay_fail(LAY_ERR_MEMORY, "no memory for the lists of an exchange");
            }
    return LAY_OK;
}

int lay_exchange_is_local(const lay_exchange *exchange, int64_t place)
{
    for (int64_t i = 0; i < exchange->count; i++)
        if (exchange->parcel[i].to == place && exchange->parcel[i].from != place)
            return 0;
    return 1;
}

/* ---- running ---------------------------------------------------------------------------------- */

/* Where parcel i is packed: behind those before it. */
static char *next_room(const lay_exchange *exchange, const lay_parcel *parcel, char **at)
{
    char *const room = *at;
    *at += ((size_t)bytes_of(exchange, parcel) + 63) / 64 * 64;
    return room;
}

/* Receives first: then what is sent finds its place. */
static lay_status receive_all(lay_team *team, lay_transfer *transfer)
{
    const lay_exchange *const of = transfer->exchange;
    lay_status status = LAY_OK;
    char *at = transfer->buffer;
    for (int64_t i = 0; i < of->count && status == LAY_OK; i++) {
        const lay_parcel *const parcel = &of->parcel[i];
        char *const room = is_message(team, parcel) ? next_room(of, parcel, &at) : NULL;
        if (room && lay_team_has(team, parcel->to))
            status = lay_team_receive(team, lay_team_rank_of(team, parcel->from), LAY_TAG_DATA, room,
                                      bytes_of(of, parcel), transfer->requests, &transfer->open);
    }
    return status;
}

static void count_sent(lay_team *team, const lay_exchange *of, const lay_parcel *parcel)
{
    if (parcel->from == parcel->to)
        return;
    team->bytes += bytes_of(of, parcel);
    team->messages++;
}

/* The boxes of a parcel: one for each choice of a piece in each dimension, the last dimension's turn by turn. */
static lay_status move_boxes(const lay_team *team, const lay_transfer *transfer, const lay_parcel *parcel,
                             const void *source)
{
    const int rank = transfer->exchange->rank;
    const int64_t i = parcel->to - team->first;
    int64_t at[LAY_DISTRIBUTION_RANK] = { 0 };
    lay_status status = LAY_OK;
    for (int d = 0; d >= 0 && status == LAY_OK;) {
        const lay_piece *piece[LAY_DISTRIBUTION_RANK];
        for (d = 0; d < rank; d++)
            piece[d] = &parcel->piece[d][at[d]];
        const lay_box box = lay_box_of(rank, piece);
        status = team->kind->move(&team->room[i], &team->room[parcel->from - team->first], &box, transfer->type, source,
                                  transfer->target[i]);
        for (d = rank - 1; d >= 0 && ++at[d] == parcel->pieces[d]; d--)
            at[d] = 0;
    }
    return status;
}

/* All that goes to one own place, among what arrives there. */
static lay_status start_boxes(lay_team *team, const lay_transfer *transfer, int i, const void *const source[])
{
    const lay_exchange *const of = transfer->exchange;
    lay_room *const room = &team->room[i];
    if (!transfer->target[i]) /* it has all that it needs */
        return LAY_OK;
    lay_status status = transfer->worked ? team->kind->await_worked(room, transfer->worked[i]) : LAY_OK;
    for (int64_t p = 0; p < of->count && status == LAY_OK; p++) {
        const lay_parcel *const parcel = &of->parcel[p];
        if (parcel->to != team->first + i)
            continue;
        count_sent(team, of, parcel);
        status = move_boxes(team, transfer, parcel, source[parcel->from - team->first]);
    }
    return status == LAY_OK && transfer->arrived ? team->kind->set_arrived(room, transfer->arrived[i]) : status;
}

lay_status lay_exchange_start(lay_team *team, lay_transfer *transfer, const void *const source[])
{
    const lay_exchange *const of = transfer->exchange;
    transfer->open = 0;
    if (team->is_direct) {
        lay_status direct = LAY_OK;
        for (int i = 0; i < team->each && direct == LAY_OK; i++)
            direct = start_boxes(team, transfer, i, source);
        return direct;
    }
    lay_status status = receive_all(team, transfer);
    char *at = transfer->buffer;
    for (int64_t i = 0; i < of->count && status == LAY_OK; i++) {
        const lay_parcel *const parcel = &of->parcel[i];
        char *const room = is_message(team, parcel) ? next_room(of, parcel, &at) : NULL;
        if (!lay_team_has(team, parcel->from))
            continue;
        const void *const data = source[parcel->from - team->first];
        count_sent(team, of, parcel);
        if (room) {
            lay_pack_parcel(parcel, of->rank, of->size, data, room);
            status = lay_team_send(team, lay_team_rank_of(team, parcel->to), LAY_TAG_DATA, room, bytes_of(of, parcel),
                                   transfer->requests, &transfer->open);
        } else if (transfer->target[parcel->to - team->first]) {
            lay_move_parcel(parcel, of->rank, of->size, data, transfer->target[parcel->to - team->first]);
        }
    }
    if (status != LAY_OK)
        lay_team_drop(team, transfer->open, transfer->requests);
    return status;
}

lay_status lay_exchange_finish(lay_team *team, lay_transfer *transfer)
{
    const lay_exchange *const of = transfer->exchange;
    if (team->is_direct) {
        lay_status direct = LAY_OK;
        for (int i = 0; i < team->each && transfer->arrived && direct == LAY_OK; i++)
            if (transfer->target[i])
                direct = team->kind->await_arrived(&team->room[i], transfer->arrived[i]);
        return direct;
    }
    const lay_status status = lay_team_wait(team, transfer->open, transfer->requests);
    char *at = transfer->buffer;
    transfer->open = 0;
    for (int64_t i = 0; i < of->count && status == LAY_OK; i++) {
        const lay_parcel *const parcel = &of->parcel[i];
        char *const room = is_message(team, parcel) ? next_room(of, parcel, &at) : NULL;
        if (room && lay_team_has(team, parcel->to))
            lay_unpack_parcel(parcel, of->rank, of->size, room, transfer->target[parcel->to - team->first]);
    }
    return status;
}
