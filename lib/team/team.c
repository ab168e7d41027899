/* Teams: made, asked, and lost. */
#include "team/team.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/status.h"
#include "base/versioned.h"
#include "layout/places.h"
#include "team/rooms/wire.h"

enum { USUAL_TIMEOUT = 600, SPINS = 200 };

lay_status lay_team_make(const lay_transport *transport, int each, lay_team **out)
{
    if (each < 1 || (int64_t)each * transport->ranks > LAY_MOST_PLACES)
        return lay_fail(LAY_ERR_ARGUMENT, "%d ranks of %d places each, where 1 to %d places are meant",
                        transport->ranks, each, LAY_MOST_PLACES);
    lay_team *const team = calloc(1, sizeof *team);
    lay_room *const room = calloc((size_t)each, sizeof *room);
    void **const nowhere = calloc((size_t)each, sizeof *nowhere);
    if (!team || !room || !nowhere) {
        free(team);
        free(room);
        free(nowhere);
        return lay_fail(LAY_ERR_MEMORY, "no memory for a team");
    }
    for (int i = 0; i < each; i++)
        lay_room_host.open(&room[i]);
    *team = (lay_team){ .transport = *transport,
                        .places = each * transport->ranks,
                        .each = each,
                        .first = each * transport->rank,
                        .timeout = USUAL_TIMEOUT,
                        .kind = &lay_room_host,
                        .room = room,
                        .nowhere = nowhere };
    *out = team;
    return LAY_OK;
}

lay_status lay_team_host(int places, lay_team **out)
{
    if (!out)
        return lay_fail(LAY_ERR_ARGUMENT, "out is NULL");
    return lay_team_make(&(lay_transport){ .ranks = 1 }, places, out);
}

lay_status lay_transport_read(const lay_transport *given, lay_transport *complete)
{
    static const lay_versioned structure = { "transport", "its size", sizeof(lay_transport), sizeof(lay_transport) };
    *complete = (lay_transport){ .struct_size = sizeof *complete };
    if (!given)
        return lay_fail(LAY_ERR_ARGUMENT, "transport is NULL");
    const lay_status status = lay_versioned_read(&structure, given, complete);
    if (status != LAY_OK)
        return status;
    if (complete->ranks < 1 || complete->rank < 0 || complete->rank >= complete->ranks)
        return lay_fail(LAY_ERR_ARGUMENT, "rank %d of %d", complete->rank, complete->ranks);
    if (!complete->send || !complete->receive || !complete->test || !complete->drop || !complete->say)
        return lay_fail(LAY_ERR_ARGUMENT, "the transport lacks %s",
                        !complete->send      ? "send"
                        : !complete->receive ? "receive"
                        : !complete->test    ? "test"
                        : !complete->drop    ? "drop"
                                             : "say");
    return LAY_OK;
}

lay_status lay_team_create(const lay_transport *transport, int places_each, lay_team **out)
{
    lay_transport complete;
    if (!out)
        return lay_fail(LAY_ERR_ARGUMENT, "out is NULL");
    const lay_status status = lay_transport_read(transport, &complete);
    return status ? status : lay_team_make(&complete, places_each, out);
}

lay_status lay_team_refuse(lay_status status, const char *sentence)
{
    return lay_fail(status, "%s", sentence ? sentence : "");
}

void lay_team_destroy(lay_team *team)
{
    if (team && team->transport.destroy)
        team->transport.destroy(team->transport.context);
    if (!team)
        return;
    lay_wire_close(team);
    for (int i = 0; i < team->each; i++)
        team->kind->close(&team->room[i]);
    free(team->room);
    free(team->nowhere);
    lay_team_free(team, team);
}

lay_status lay_team_timeout(lay_team *team, double seconds)
{
    if (!team)
        return lay_fail(LAY_ERR_ARGUMENT, "team is NULL");
    if (!(seconds > 0))
        return lay_fail(LAY_ERR_ARGUMENT, "a timeout of %g seconds", seconds);
    team->timeout = seconds;
    return LAY_OK;
}

lay_status lay_team_sum_order(lay_team *team, lay_team_sum order)
{
    if (!team)
        return lay_fail(LAY_ERR_ARGUMENT, "team is NULL");
    if (order != LAY_TEAM_SUM_WHOLE && order != LAY_TEAM_SUM_BY_SLICES)
        return lay_fail(LAY_ERR_ARGUMENT, "the order of the sum is %d, which is none", (int)order);
    team->sum = order;
    return LAY_OK;
}

static int ask(const lay_team *team, int answer)
{
    return team ? answer : (lay_fail(LAY_ERR_ARGUMENT, "team is NULL"), -1);
}

int lay_team_places(const lay_team *team)
{
    return ask(team, team ? team->places : 0);
}

int lay_team_first(const lay_team *team)
{
    return ask(team, team ? team->first : 0);
}

int lay_team_own(const lay_team *team)
{
    return ask(team, team ? team->each : 0);
}

void lay_team_traffic(const lay_team *team, int64_t *bytes, int64_t *messages)
{
    if (bytes)
        *bytes = team ? team->bytes : 0;
    if (messages)
        *messages = team ? team->messages : 0;
}

lay_status lay_team_check(const lay_team *team)
{
    if (!team)
        return lay_fail(LAY_ERR_ARGUMENT, "team is NULL");
    return team->is_lost ? lay_fail(LAY_ERR_TEAM, "the team is lost: %s", team->why_lost) : LAY_OK;
}

void lay_team_free(const lay_team *team, void *memory)
{
    if (!team->has_pending)
        free(memory);
}

/* ---- messages --------------------------------------------------------------------------------- */

lay_status lay_team_lose(lay_team *team, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!team->is_lost)
        vsnprintf(team->why_lost, sizeof team->why_lost, format, arguments);
    va_end(arguments);
    team->is_lost = 1;
    return lay_fail(LAY_ERR_TEAM, "%s", team->why_lost);
}

static lay_status lose_by(lay_team *team, const char *what, int number)
{
    return lay_team_lose(team, "the transport could not %s: %s", what,
                         team->transport.say(team->transport.context, number));
}

int64_t lay_team_requests(int64_t bytes)
{
    return bytes / LAY_MOST_BYTES + 1;
}

lay_status lay_team_send(lay_team *team, int rank, int tag, const void *data, int64_t bytes, void *requests[],
                         int64_t *count)
{
    const lay_transport *const by = &team->transport;
    for (int64_t at = 0; at < bytes; at += LAY_MOST_BYTES) {
        const int64_t some = bytes - at < LAY_MOST_BYTES ? bytes - at : LAY_MOST_BYTES;
        const int error = by->send(by->context, rank, tag, (const char *)data + at, some, &requests[*count]);
        if (error)
            return lose_by(team, "send", error);
        ++*count;
    }
    return LAY_OK;
}

lay_status lay_team_receive(lay_team *team, int rank, int tag, void *data, int64_t bytes, void *requests[],
                            int64_t *count)
{
    const lay_transport *const by = &team->transport;
    for (int64_t at = 0; at < bytes; at += LAY_MOST_BYTES) {
        const int64_t some = bytes - at < LAY_MOST_BYTES ? bytes - at : LAY_MOST_BYTES;
        const int error = by->receive(by->context, rank, tag, (char *)data + at, some, &requests[*count]);
        if (error)
            return lose_by(team, "receive", error);
        ++*count;
    }
    return LAY_OK;
}

void lay_team_drop(lay_team *team, int64_t count, void *requests[])
{
    for (int64_t i = 0; i < count; i++) {
        int is_free = 0;
        if (requests[i] && (team->transport.drop(team->transport.context, &requests[i], &is_free) || !is_free))
            team->has_pending = 1;
        requests[i] = NULL;
    }
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Others may need this CPU to get on. */
static void rest(int64_t rounds)
{
    if (rounds < SPINS)
        sched_yield();
    else
        nanosleep(&(struct timespec){ 0, 50000 }, NULL);
}

lay_status lay_team_test(lay_team *team, int64_t count, void *requests[], int64_t *pending, int *has_moved)
{
    *pending = 0;
    for (int64_t i = 0; i < count; i++) {
        int is_done = 0;
        const int error = requests[i] ? team->transport.test(team->transport.context, &requests[i], &is_done) : 0;
        if (error)
            return lose_by(team, "get on", error);
        if (is_done)
            requests[i] = NULL;
        *has_moved |= is_done;
        *pending += requests[i] != NULL;
    }
    return LAY_OK;
}

lay_team_waiting lay_team_begin_wait(const lay_team *team)
{
    return (lay_team_waiting){ .end = seconds_now() + team->timeout };
}

lay_status lay_team_pause(lay_team *team, lay_team_waiting *waiting, int has_moved)
{
    if (has_moved)
        return LAY_OK;
    if (seconds_now() > waiting->end)
        return lay_team_lose(team, "no answer within %g seconds: a rank is not there, or waits for one that is not",
                             team->timeout);
    rest(waiting->rounds++);
    return LAY_OK;
}

lay_status lay_team_wait(lay_team *team, int64_t count, void *requests[])
{
    lay_team_waiting waiting = lay_team_begin_wait(team);
    int64_t pending = count;
    lay_status status = LAY_OK;
    while (pending > 0 && status == LAY_OK) {
        int has_moved = 0;
        status = lay_team_test(team, count, requests, &pending, &has_moved);
        if (status == LAY_OK && pending > 0)
            status = lay_team_pause(team, &waiting, has_moved);
    }
    if (status != LAY_OK)
        lay_team_drop(team, count, requests);
    return status;
}
