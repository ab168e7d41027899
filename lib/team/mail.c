/* Memory of messages: for each own place what it packs and what it gets, one behind the other. */
#include "team/mail.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/status.h"

enum { ALIGNED = 64 };

/* What an exchange takes of a place, or of all. */
typedef struct need {
    int64_t messages, requests, bytes, leaving;
} need;

static need max_need(need x, need y)
{
    return (need){ max_of(x.messages, y.messages), max_of(x.requests, y.requests), max_of(x.bytes, y.bytes),
                   max_of(x.leaving, y.leaving) };
}

/* The own place of a message's two. */
static int own_place(const lay_team *team, const lay_parcel *parcel)
{
    return (int)((lay_team_has(team, parcel->from) ? parcel->from : parcel->to) - team->first);
}

static need find_need(const lay_team *team, const lay_exchange *of, int only)
{
    need found = { 0 };
    for (int64_t i = 0; i < of->count; i++) {
        const lay_parcel *const parcel = &of->parcel[i];
        if (!lay_parcel_is_message(team, parcel) || (only >= 0 && own_place(team, parcel) != only))
            continue;
        found.messages++;
        found.requests += lay_team_requests(lay_parcel_bytes(of, parcel));
        found.bytes += round_up(lay_parcel_bytes(of, parcel), ALIGNED);
        found.leaving += lay_team_has(team, parcel->from);
    }
    return found;
}

static need find_most(const lay_team *team, int64_t count, const lay_exchange exchange[], int only)
{
    need most = { 0 };
    for (int64_t e = 0; e < count; e++)
        most = max_need(most, find_need(team, &exchange[e], only));
    return most;
}

static lay_status lack(void)
{
    return lay_fail(LAY_ERR_MEMORY, "no memory for messages between places");
}

static lay_status open_place(const lay_team *team, int number, const need *of, lay_mail_place *at, int64_t *bytes)
{
    const lay_room *const room = &team->room[number];
    void *block = NULL;
    lay_status (*const take)(const lay_room *, size_t, void **) =
        team->wire ? team->kind->take : team->kind->take_packed;
    lay_status status = of->bytes > 0 ? take(room, (size_t)of->bytes, &block) : LAY_OK;
    at->packed = block;
    *bytes += of->bytes;
    at->mark = calloc((size_t)of->leaving + 1, sizeof *at->mark);
    if (status == LAY_OK && !at->mark)
        status = lack();
    for (; at->marks < of->leaving && status == LAY_OK; at->marks++)
        if ((status = team->kind->open_mark(room, &at->mark[at->marks])))
            break;
    return status;
}

lay_status lay_mail_open(const lay_team *team, int64_t count, const lay_exchange exchange[], lay_mail *mail,
                         int64_t *bytes)
{
    const need all = find_most(team, count, exchange, -1);
    *mail = (lay_mail){ .most_requests = all.requests };
    mail->message = calloc((size_t)all.messages + 1, sizeof *mail->message);
    mail->requests = calloc((size_t)all.requests + 1, sizeof *mail->requests);
    mail->at = calloc((size_t)team->each, sizeof *mail->at);
    lay_status status = mail->message && mail->requests && mail->at ? LAY_OK : lack();
    for (int i = 0; i < team->each && status == LAY_OK; i++) {
        const need most = find_most(team, count, exchange, i);
        status = open_place(team, i, &most, &mail->at[i], bytes);
    }
    return status;
}

void lay_mail_close(const lay_team *team, lay_mail *mail)
{
    for (int i = 0; i < team->each && mail->at; i++) {
        for (int64_t m = 0; m < mail->at[i].marks; m++)
            team->kind->close_mark(&team->room[i], mail->at[i].mark[m]);
        free(mail->at[i].mark);
        if (team->wire)
            team->kind->give(&team->room[i], mail->at[i].packed);
        else if (!team->has_pending) /* else the transport may still read or write it */
            team->kind->give_packed(&team->room[i], mail->at[i].packed);
    }
    free(mail->at);
    free(mail->requests);
    free(mail->message);
    *mail = (lay_mail){ .at = NULL };
}

/* Behind those of its place. */
static lay_message write_message(const lay_team *team, const lay_exchange *exchange, const lay_parcel *parcel,
                                 lay_mail *mail)
{
    const int place = own_place(team, parcel), leaves = lay_team_has(team, parcel->from);
    lay_mail_place *const at = &mail->at[place];
    const lay_message made = { .parcel = parcel,
                               .place = place,
                               .arrives = !leaves,
                               .is_ready = !leaves,
                               .packed = at->packed + at->written,
                               .bytes = lay_parcel_bytes(exchange, parcel),
                               .mark = leaves ? at->mark[at->leaving] : NULL };
    at->written += round_up(made.bytes, ALIGNED);
    at->leaving += leaves;
    return made;
}

int64_t lay_mail_write(const lay_team *team, const lay_exchange *exchange, lay_mail *mail)
{
    int64_t count = 0, requests = 0;
    memset(mail->requests, 0, (size_t)mail->most_requests * sizeof *mail->requests);
    for (int i = 0; i < team->each; i++)
        mail->at[i].written = mail->at[i].leaving = 0;
    for (int64_t i = 0; i < exchange->count; i++) {
        if (!lay_parcel_is_message(team, &exchange->parcel[i]))
            continue;
        lay_message *const to = &mail->message[count++];
        *to = write_message(team, exchange, &exchange->parcel[i], mail);
        to->requests = mail->requests + requests;
        requests += lay_team_requests(to->bytes);
    }
    return count;
}
