/* Agreement: what all ranks say, in as many rounds as the number of ranks has binary digits. */
#include <string.h>

#include "base/status.h"
#include "team/team.h"

static void hear(lay_heard *mine, const lay_heard *other)
{
    mine->least = other->least < mine->least ? other->least : mine->least;
    mine->most = other->most > mine->most ? other->most : mine->most;
    if (other->status != LAY_OK && (mine->status == LAY_OK || other->rank < mine->rank)) {
        mine->status = other->status;
        mine->rank = other->rank;
    }
    if (other->first < mine->first) {
        mine->first = other->first;
        mine->choice = other->choice;
    }
}

/* In round r from the rank 2^r before, to the one 2^r behind: after the last one each has heard of all. */
static lay_status spread(lay_team *team, lay_heard *all)
{
    const int rank = team->transport.rank, ranks = team->transport.ranks;
    lay_status status = LAY_OK;
    int tag = 0;
    for (int64_t apart = 1; apart < ranks && status == LAY_OK; apart *= 2, tag++) {
        void *requests[2] = { NULL, NULL };
        int64_t count = 0;
        team->said = *all;
        status = lay_team_receive(team, (int)((rank + ranks - apart) % ranks), tag, &team->told, sizeof team->told,
                                  requests, &count);
        if (status == LAY_OK)
            status = lay_team_send(team, (int)((rank + apart) % ranks), tag, &team->said, sizeof team->said, requests,
                                   &count);
        if (status == LAY_OK)
            status = lay_team_wait(team, count, requests);
        else
            lay_team_drop(team, count, requests);
        if (status == LAY_OK)
            hear(all, &team->told);
    }
    return status;
}

lay_status lay_team_agree_on(lay_team *team, uint64_t hash, lay_status status, const char *what, const char *same,
                             int64_t *choice)
{
    lay_heard all = { hash, hash, (int32_t)status, team->transport.rank, team->transport.rank, *choice };
    char sentence[300]; /* of this rank's refusal: what happens meanwhile may leave another one */
    strncpy(sentence, lay_last_error(), sizeof sentence - 1);
    sentence[sizeof sentence - 1] = 0;
    const lay_status spoken = spread(team, &all);
    if (status != LAY_OK)
        return lay_fail(status, "%s", sentence);
    if (spoken != LAY_OK)
        return spoken;
    if (all.status != LAY_OK)
        return lay_fail(LAY_ERR_TEAM, "rank %d refused %s with %s", (int)all.rank, what,
                        lay_status_name((lay_status)all.status));
    if (all.least != all.most)
        return lay_fail(LAY_ERR_TEAM, "the ranks do not agree on %s: %s", what, same);
    *choice = all.choice;
    return LAY_OK;
}

lay_status lay_team_agree(lay_team *team, uint64_t hash, lay_status status, const char *what)
{
    int64_t none = 0;
    return lay_team_agree_on(team, hash, status, what,
                             "types, layouts, options, alpha, beta and the order of the sum must be the same on all",
                             &none);
}

uint64_t lay_team_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *const byte = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}
