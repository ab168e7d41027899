/* Mail: the memory of an exchange's messages at this rank's places, and how far each of them is. */
#ifndef LAY_TEAM_MAIL_H
#define LAY_TEAM_MAIL_H

#include "team/exchange.h"

typedef struct lay_message {
    const lay_parcel *parcel;
    int place;    /* own: which packs it or gets it */
    int arrives;  /* else it leaves */
    int is_ready; /* has been packed, or given to be */
    char *packed; /* in memory that the place's room gave */
    int64_t bytes;
    void *mark;      /* of what leaves: behind its packing */
    void **requests; /* with room for its own */
    int64_t open;    /* of these, begun; 0: it waits for its turn */
    int is_done;
} lay_message;

/* Of an own place. */
typedef struct lay_mail_place {
    char *packed;
    void **mark; /* [marks] */
    int64_t marks;
    int64_t written, leaving; /* bytes of messages written, and how many of them leave */
} lay_mail_place;

typedef struct lay_mail {
    lay_message *message;
    void **requests;
    int64_t most_requests;
    lay_mail_place *at; /* [own places] */
} lay_mail;

/* For each of so many exchanges, one at a time. What a failure leaves is the caller's to close. *bytes grows by those
 * of messages. LAY_ERR_MEMORY, LAY_ERR_DEVICE. */
lay_status lay_mail_open(const lay_team *team, int64_t count, const lay_exchange exchange[], lay_mail *mail,
                         int64_t *bytes);
void lay_mail_close(const lay_team *team, lay_mail *mail);

/* The messages of an exchange, in the order of its parcels; none of them has begun. Returns their number. */
int64_t lay_mail_write(const lay_team *team, const lay_exchange *exchange, lay_mail *mail);

#endif
