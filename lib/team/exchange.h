/* An exchange: the elements that each place gets from each other one, as lists; one message a pair of places of two
 * ranks, or several between rooms. */
#ifndef LAY_TEAM_EXCHANGE_H
#define LAY_TEAM_EXCHANGE_H

#include "team/rooms/box.h"
#include "team/side.h"
#include "team/team.h"

/* The indices that two places share, a list a dimension: where they lie at the one, and at the other. Lists of a place
 * of another rank are not kept. */
typedef struct lay_parcel {
    int64_t from, to; /* places */
    int64_t elements;
    int64_t *count;             /* [rank] */
    int64_t **source, **target; /* [rank], offsets; NULL: another rank's */
    int inner;                  /* the dimension that is walked innermost, on both sides */
    lay_piece **piece;          /* [rank][pieces[d]], of a team that moves boxes; else NULL. What another rank's lists
                                 * would say is where elements lie in a message */
    int64_t *pieces;
} lay_parcel;

/* Bytes of a message between rooms of ranks, about, where its elements can be parted: it takes some hundred us on its
 * way, a hundred times what messages take of their own. A variable for tests alone, the same on all ranks. */
extern int64_t lay_message_bytes;

typedef struct lay_exchange {
    int rank;
    size_t size; /* bytes of an element */
    int64_t count;
    lay_parcel *parcel;
    int64_t sent, received, messages; /* bytes to and from other places; messages to them */
} lay_exchange;

static inline int64_t lay_parcel_bytes(const lay_exchange *exchange, const lay_parcel *parcel)
{
    return parcel->elements * (int64_t)exchange->size;
}

/* Whether a message between ranks carries it. */
static inline int lay_parcel_is_message(const lay_team *team, const lay_parcel *parcel)
{
    return !lay_team_has(team, parcel->from) || !lay_team_has(team, parcel->to);
}

/* What this rank does of it: `to` is where elements go. The places that hold a copy of what a place needs take turns,
 * and a place that has it asks no other one. LAY_ERR_MEMORY. */
lay_status lay_exchange_make(const lay_team *team, const lay_side *from, const lay_side *to, size_t size,
                             lay_exchange *out);

/* Whether an own place gets all from itself alone. */
int lay_exchange_is_local(const lay_exchange *exchange, int64_t place);

void lay_exchange_free(lay_exchange *exchange);

#endif
