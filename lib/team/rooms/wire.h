/* A wire: what takes messages from the rooms of one rank to those of another in the rooms' own streams, without the
 * host. It is NCCL's, where all ranks have it. */
#ifndef LAY_TEAM_WIRE_H
#define LAY_TEAM_WIRE_H

#include "team/mail.h"

/* The library to look for, in rooms of any kind; NULL: libnccl.so.2, for devices. A variable for tests alone, beside
 * LAY_NCCL. */
extern const char *lay_wire_library;

typedef struct lay_wire lay_wire;

/* Opens the team's wire, if all ranks can; else team->wire stays NULL, which is no error. All ranks take part.
 * LAY_ERR_TEAM. */
lay_status lay_wire_open(lay_team *team);
void lay_wire_close(lay_team *team);

/* Puts messages into the streams of what arrives: those that leave as those that come, behind what these have been
 * given. Packed rows lie in the rooms. LAY_ERR_TEAM. */
lay_status lay_wire_move(lay_team *team, int64_t count, const lay_message message[]);

/* What leaves from now on waits until all that was put is sent: it may lie where that did. LAY_ERR_DEVICE. */
lay_status lay_wire_await_sent(lay_team *team);

/* Waits until what was put has been done, at most the timeout: rooms may be joined then. LAY_ERR_TEAM. */
lay_status lay_wire_await(lay_team *team);

#endif
