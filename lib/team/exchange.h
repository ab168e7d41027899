/* An exchange: the elements that each place gets from each other one, as lists, packed one message a pair of places. */
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
    lay_piece **piece;          /* [rank][pieces[d]], of a team that moves boxes; else NULL */
    int64_t *pieces;
} lay_parcel;

typedef struct lay_exchange {
    int rank;
    size_t size; /* bytes of an element */
    int64_t count;
    lay_parcel *parcel;
    int64_t sent, received, messages; /* bytes to and from other places; messages to them */
    size_t buffer;                    /* bytes of what is packed here or arrives */
    int64_t requests;                 /* that are open at most */
} lay_exchange;

/* What this rank does of it: `to` is where elements go. The places that hold a copy of what a place needs take turns,
 * and a place that has it asks no other one. LAY_ERR_MEMORY. */
lay_status lay_exchange_make(const lay_team *team, const lay_side *from, const lay_side *to, size_t size,
                             lay_exchange *out);

/* Whether an own place gets all from itself alone. */
int lay_exchange_is_local(const lay_exchange *exchange, int64_t place);

/* An exchange that runs. buffer and requests are the caller's, of the sizes that it says; no others than messages need
 * them. */
typedef struct lay_transfer {
    const lay_exchange *exchange;
    lay_type type;       /* of boxes' elements */
    void *const *worked; /* [own places], marks: boxes wait for them, or are set when they have arrived. NULL: none */
    void *const *arrived;
    char *buffer;
    void **requests;
    int64_t open; /* requests that were started and not waited for */
    void *const *target;
} lay_transfer;

/* Packs and sends; source[i] and target[i] are addresses of this rank's i-th place. A NULL target: the place gets
 * nothing (it has what it needs). LAY_ERR_TEAM. */
lay_status lay_exchange_start(lay_team *team, lay_transfer *transfer, const void *const source[]);

/* Waits, and unpacks. LAY_ERR_TEAM. */
lay_status lay_exchange_finish(lay_team *team, lay_transfer *transfer);

void lay_exchange_free(lay_exchange *exchange);

#endif
