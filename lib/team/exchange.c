/* Exchanges: which place sends what to which. */
#include "team/exchange.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/status.h"

int64_t lay_message_bytes = 16 << 20;

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

/* In a message elements lie in row-major order, the inner dimension's side by side (pack.c walks so, too). */
static int64_t *list_packed(int rank, const lay_parcel *of, int d)
{
    int64_t *const list = malloc((size_t)of->count[d] * sizeof *list), step = 1;
    for (int e = rank - 1; e > d && d != of->inner; e--)
        step *= e == of->inner ? 1 : of->count[e];
    step *= d == of->inner ? 1 : of->count[of->inner];
    for (int64_t i = 0; i < of->count[d] && list; i++)
        list[i] = i * step;
    return list;
}

/* 0 without memory. */
static int cut_dimension(int rank, lay_parcel *of, int d)
{
    int64_t *const packed = of->source[d] && of->target[d] ? NULL : list_packed(rank, of, d);
    const int64_t *const source = of->source[d] ? of->source[d] : packed;
    const int64_t *const target = of->target[d] ? of->target[d] : packed;
    of->piece[d] = source && target ? lay_pieces_of(source, target, of->count[d], &of->pieces[d]) : NULL;
    free(packed);
    return of->piece[d] != NULL;
}

/* 0 without memory. */
static int cut_parcel(int rank, lay_parcel *of)
{
    of->piece = calloc((size_t)rank, sizeof *of->piece);
    of->pieces = calloc((size_t)rank, sizeof *of->pieces);
    int has_room = of->piece && of->pieces;
    for (int d = 0; d < rank && has_room; d++)
        has_room = cut_dimension(rank, of, d);
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
    return 1;
}

/* 0 without memory; the parcel is the caller's then. */
static int keep_parcel(const lay_team *team, lay_exchange *to, lay_parcel *parcel)
{
    if (team->is_direct && !cut_parcel(to->rank, parcel))
        return 0;
    lay_parcel *const more = realloc(to->parcel, (size_t)(to->count + 1) * sizeof *more);
    if (!more)
        return 0;
    to->parcel = more;
    more[to->count++] = *parcel;
    const int64_t bytes = lay_parcel_bytes(to, parcel);
    if (parcel->from != parcel->to && lay_team_has(team, parcel->from)) {
        to->sent += bytes;
        to->messages++;
    }
    if (parcel->from != parcel->to && lay_team_has(team, parcel->to))
        to->received += bytes;
    return 1;
}

static int64_t *copy_list(const int64_t *list, int64_t first, int64_t count)
{
    int64_t *const made = malloc((size_t)count * sizeof *made);
    for (int64_t i = 0; i < count && made; i++)
        made[i] = list[first + i];
    return made;
}

/* Some of the indices of dimension `along`. 0 without memory. */
static int copy_part(const lay_parcel *of, int rank, int along, int64_t first, int64_t count, lay_parcel *out)
{
    *out = (lay_parcel){ .from = of->from, .to = of->to, .inner = of->inner };
    out->elements = of->elements / of->count[along] * count;
    out->count = malloc((size_t)rank * sizeof *out->count);
    out->source = calloc((size_t)rank, sizeof *out->source);
    out->target = calloc((size_t)rank, sizeof *out->target);
    int has_room = out->count && out->source && out->target;
    for (int d = 0; d < rank && has_room; d++) {
        const int64_t begin = d == along ? first : 0;
        out->count[d] = d == along ? count : of->count[d];
        if (of->source[d])
            has_room = (out->source[d] = copy_list(of->source[d], begin, out->count[d])) != NULL;
        if (of->target[d] && has_room)
            has_room = (out->target[d] = copy_list(of->target[d], begin, out->count[d])) != NULL;
    }
    return has_room;
}

/* A message that is packed, sent and unpacked by three parties comes in parts, so that all three are at work. */
static int keep_parts(const lay_team *team, lay_exchange *to, lay_parcel *parcel)
{
    const int along = to->rank > 1 && parcel->inner == 0; /* the outermost one in a message */
    const int64_t each = lay_parcel_bytes(to, parcel) / parcel->count[along];
    const int64_t most = max_of(lay_message_bytes / max_of(each, 1), 1);
    if (!team->is_direct || !lay_parcel_is_message(team, parcel) || most >= parcel->count[along])
        return keep_parcel(team, to, parcel);
    for (int64_t first = 0; first < parcel->count[along]; first += most) {
        lay_parcel part;
        if (copy_part(parcel, to->rank, along, first, min_of(most, parcel->count[along] - first), &part) &&
            keep_parcel(team, to, &part))
            continue;
        free_parcel(&part, to->rank);
        return 0;
    }
    free_parcel(parcel, to->rank);
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
    if (is_made && parcel.elements > 0 && keep_parts(team, out, &parcel))
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
