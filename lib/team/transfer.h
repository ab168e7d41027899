/* An exchange that runs: what goes from room to room at once, and messages between ranks. */
#ifndef LAY_TEAM_TRANSFER_H
#define LAY_TEAM_TRANSFER_H

#include "team/mail.h"

typedef struct lay_transfer {
    const lay_exchange *exchange;
    lay_type type;       /* of boxes' elements */
    int tag;             /* of those under way at once each has its own, below LAY_TAGS */
    void *const *worked; /* [own places], marks: boxes wait for them, or are set when they have arrived. NULL: none */
    void *const *arrived;
    lay_mail *mail;            /* the caller's, opened for the exchange */
    void *const *target;       /* [own places], of offset 0. NULL: the place gets nothing (it has what it needs) */
    lay_status *failed;        /* the first error of a room here, with which messages go on, as others wait for them */
    int64_t messages, next[2]; /* the first that has not begun, of those that leave and those that arrive */
} lay_transfer;

enum { LAY_TAGS = 2 };

/* Packs and sends; source[i] is the address of this rank's i-th place. LAY_ERR_TEAM. */
lay_status lay_transfer_start(lay_team *team, lay_transfer *transfer, const void *const source[]);

/* Waits for all of them, and unpacks. LAY_ERR_TEAM. */
lay_status lay_transfer_finish(lay_team *team, int count, lay_transfer *const transfer[]);

/* Gives up what is under way, if anything is. */
void lay_transfer_drop(lay_team *team, lay_transfer *transfer);

#endif
