/* A team: its places, and how ranks wait for each other. */
#ifndef LAY_TEAM_TEAM_H
#define LAY_TEAM_TEAM_H

#include <stdint.h>

#include "layoutgemm_team.h"
#include "team/rooms/room.h"

/* What a rank knows of all that it has heard of, itself among them. */
typedef struct lay_heard {
    uint64_t least, most;  /* hash */
    int32_t status, rank;  /* of the first rank that refused; LAY_OK and none */
    int64_t first, choice; /* the first rank of them, and what it chose */
} lay_heard;

struct lay_team {
    lay_transport transport; /* of one rank none of its functions is called */
    int places, each, first; /* all; a rank's; this rank's first */
    double timeout;
    lay_team_sum sum;
    int is_lost;
    int has_pending; /* memory that a transport still holds: it is never freed */
    char why_lost[200];
    int64_t bytes, messages;
    lay_heard said, told; /* of an agreement: in the team, as a transport may hold them for ever */
    const lay_room_kind *kind;
    lay_room *room;        /* [each] */
    void **nowhere;        /* [each], all NULL: the addresses of a caller who gives none */
    struct lay_wire *wire; /* of devices of ranks; NULL: the transport takes messages (team/rooms/wire.h) */
    int is_direct;         /* own places move boxes from room to room, and pack messages as boxes */
};

/* Host memory, and messages. LAY_ERR_ARGUMENT, LAY_ERR_MEMORY. */
lay_status lay_team_make(const lay_transport *transport, int each, lay_team **out);

/* A caller's transport, whole. LAY_ERR_ARGUMENT, LAY_ERR_OPTION. */
lay_status lay_transport_read(const lay_transport *given, lay_transport *complete);

/* Tags below LAY_TAG_DATA are rounds of an agreement. */
enum { LAY_TAG_DATA = 64, LAY_MOST_BYTES = 1 << 30 };

static inline int lay_team_has(const lay_team *team, int64_t place)
{
    return place >= team->first && place < team->first + team->each;
}

static inline int lay_team_rank_of(const lay_team *team, int64_t place)
{
    return (int)(place / team->each);
}

/* LAY_ERR_TEAM, with the reason, for a team that is lost or NULL's LAY_ERR_ARGUMENT. */
lay_status lay_team_check(const lay_team *team);

/* Starts a message to or from a rank, of any length, as one request or more: requests[*count] on, of which there must
 * be room for lay_team_requests(bytes). LAY_ERR_TEAM. */
int64_t lay_team_requests(int64_t bytes);
lay_status lay_team_send(lay_team *team, int rank, int tag, const void *data, int64_t bytes, void *requests[],
                         int64_t *count);
lay_status lay_team_receive(lay_team *team, int rank, int tag, void *data, int64_t bytes, void *requests[],
                            int64_t *count);

/* From now on the team is lost, with these words. LAY_ERR_TEAM. */
__attribute__((format(printf, 2, 3))) lay_status lay_team_lose(lay_team *team, const char *format, ...);

/* Waits for all of them, at most the timeout. LAY_ERR_TEAM: those that are not done are given up. */
lay_status lay_team_wait(lay_team *team, int64_t count, void *requests[]);

/* Asks once: those that are done are NULL from now on, *pending are not. *has_moved becomes 1 if some are now, else it
 * is left alone. LAY_ERR_TEAM. */
lay_status lay_team_test(lay_team *team, int64_t count, void *requests[], int64_t *pending, int *has_moved);

/* A wait for others in rounds, from lay_team_begin_wait on: lay_team_pause, after each round that leaves something to
 * wait for, rests where nothing has moved. LAY_ERR_TEAM at the timeout. */
typedef struct lay_team_waiting {
    double end;
    int64_t rounds;
} lay_team_waiting;
lay_team_waiting lay_team_begin_wait(const lay_team *team);
lay_status lay_team_pause(lay_team *team, lay_team_waiting *waiting, int has_moved);

/* Waits for nobody: gives them up. */
void lay_team_drop(lay_team *team, int64_t count, void *requests[]);

/* What all ranks say, before anything is written: LAY_OK where each has status LAY_OK and the same hash. Else each rank
 * that refused has its own status and sentence, and the others LAY_ERR_TEAM with the first of those ranks. what: whose
 * arguments they are ("the product"). */
lay_status lay_team_agree(lay_team *team, uint64_t hash, lay_status status, const char *what);

/* The same. *choice becomes that of the first rank. same: what they have to agree on. */
lay_status lay_team_agree_on(lay_team *team, uint64_t hash, lay_status status, const char *what, const char *same,
                             int64_t *choice);

/* free, but for memory that a transport may still write. */
void lay_team_free(const lay_team *team, void *memory);

/* Of words, for agreements. */
uint64_t lay_team_hash(uint64_t hash, const void *data, size_t size);

#endif
