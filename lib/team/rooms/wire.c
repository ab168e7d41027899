/* NCCL as a wire. Its functions are declared here, as they are called: it is found when a team is made, never linked.
 */
#include "team/rooms/wire.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "device/device.h"

const char *lay_wire_library = NULL;

/* NCCL's numbers. */
enum { SUCCESS = 0, IN_PROGRESS = 7, BYTES = 0, VERSION = 21400 /* 2.14: of the configuration below */ };
static const unsigned configured = 0xcafebeef;

typedef struct ticket {
    char bytes[128];
} ticket;

typedef struct configuration {
    size_t size;
    unsigned magic, version;
    int blocking;
} configuration;

typedef struct calls {
    int (*get_ticket)(ticket *out);
    int (*open)(void **comm, int places, ticket of, int place, configuration *as);
    int (*give_up)(void *comm);
    int (*ask)(void *comm, int *state);
    int (*begin)(void);
    int (*end)(void);
    int (*send)(const void *data, size_t count, int type, int to, void *comm, void *stream);
    int (*receive)(void *data, size_t count, int type, int from, void *comm, void *stream);
    const char *(*say)(int error);
} calls;

struct lay_wire {
    void *library;
    calls call;
    ticket of;
    void **comm, **mark; /* [own places] */
};

static const char *find_calls(void *library, calls *to)
{
    const struct {
        const char *name;
        void *to;
    } names[] = {
        { "ncclGetUniqueId", &to->get_ticket },
        { "ncclCommInitRankConfig", &to->open },
        { "ncclCommAbort", &to->give_up },
        { "ncclCommGetAsyncError", &to->ask },
        { "ncclGroupStart", &to->begin },
        { "ncclGroupEnd", &to->end },
        { "ncclSend", &to->send },
        { "ncclRecv", &to->receive },
        { "ncclGetErrorString", &to->say },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!(*(void **)names[i].to = dlsym(library, names[i].name)))
            return names[i].name;
    return NULL;
}

/* NCCL takes a device once. */
static int has_device_twice(const lay_team *team)
{
    for (int i = 0; i < team->each; i++)
        for (int j = 0; j < i; j++)
            if (team->room[i].device != LAY_DEVICE_HOST && team->room[i].device == team->room[j].device)
                return 1;
    return 0;
}

static lay_status load(const lay_team *team, lay_wire *wire)
{
    const char *const asked = getenv("LAY_NCCL");
    const char *const given = lay_wire_library ? lay_wire_library : asked;
    if (given && strcmp(given, "0") == 0)
        return lay_fail(LAY_ERR_UNSUPPORTED, "LAY_NCCL is 0");
    if (has_device_twice(team))
        return lay_fail(LAY_ERR_UNSUPPORTED, "a device has several places");
    wire->library = dlopen(given ? given : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!wire->library)
        return lay_fail(LAY_ERR_UNSUPPORTED, "%s", dlerror());
    const char *const missing = find_calls(wire->library, &wire->call);
    return missing ? lay_fail(LAY_ERR_UNSUPPORTED, "it has no %s", missing) : LAY_OK;
}

/* What every rank has to have; LAY_OK where all do. */
static lay_status agree(lay_team *team, lay_status status)
{
    int64_t none = 0;
    return lay_team_agree_on(team, 0, status, "NCCL", "", &none);
}

/* From the first rank to all. */
static lay_status share_ticket(lay_team *team, lay_wire *wire)
{
    const int ranks = team->transport.ranks, is_first = team->transport.rank == 0;
    void **const requests = calloc((size_t)ranks, sizeof *requests);
    int64_t count = 0;
    lay_status status = requests ? LAY_OK : lay_fail(LAY_ERR_MEMORY, "no memory for a team");
    for (int rank = 1; rank < ranks && is_first && status == LAY_OK; rank++)
        status = lay_team_send(team, rank, LAY_TAG_DATA, &wire->of, sizeof wire->of, requests, &count);
    if (!is_first && status == LAY_OK)
        status = lay_team_receive(team, 0, LAY_TAG_DATA, &wire->of, sizeof wire->of, requests, &count);
    if (status == LAY_OK)
        status = lay_team_wait(team, count, requests);
    else if (requests)
        lay_team_drop(team, count, requests);
    free(requests);
    return status;
}

static lay_status refuse(const lay_wire *wire, const char *what, int error)
{
    return lay_fail(LAY_ERR_UNSUPPORTED, "NCCL could not %s: %s", what, wire->call.say(error));
}

/* Until no communicator is under way. *error: the first that is not SUCCESS. LAY_ERR_TEAM at the timeout. */
static lay_status settle(lay_team *team, const lay_wire *wire, int *error)
{
    lay_team_waiting waiting = lay_team_begin_wait(team);
    lay_status status = LAY_OK;
    for (int i = 0; i < team->each && status == LAY_OK && *error == SUCCESS;) {
        int state = SUCCESS;
        const int asked = wire->comm[i] ? wire->call.ask(wire->comm[i], &state) : SUCCESS;
        state = asked != SUCCESS ? asked : state;
        if (state == IN_PROGRESS)
            status = lay_team_pause(team, &waiting, 0);
        else
            i++;
        *error = state == IN_PROGRESS ? SUCCESS : state;
    }
    return status;
}

static int note(int first, int error)
{
    return first != SUCCESS ? first : error == IN_PROGRESS ? SUCCESS : error;
}

static lay_status open_communicators(lay_team *team, lay_wire *wire, int *error)
{
    configuration as = { sizeof as, configured, VERSION, 0 };
    *error = note(SUCCESS, wire->call.begin());
    for (int i = 0; i < team->each; i++) {
        const int device = team->room[i].device;
        void *before = NULL;
        if (device != LAY_DEVICE_HOST && lay_device_enter(device, &before) != LAY_OK)
            continue;
        *error = note(*error, wire->call.open(&wire->comm[i], team->places, wire->of, team->first + i, &as));
        if (device != LAY_DEVICE_HOST)
            lay_device_leave(before);
    }
    *error = note(*error, wire->call.end());
    return settle(team, wire, error);
}

static lay_status open_marks(const lay_team *team, lay_wire *wire)
{
    lay_status status = LAY_OK;
    for (int i = 0; i < team->each && status == LAY_OK; i++)
        status = team->kind->open_mark(&team->room[i], &wire->mark[i]);
    return status;
}

static lay_status try_to_open(lay_team *team, lay_wire *wire)
{
    int error = SUCCESS;
    lay_status status = load(team, wire);
    if (status == LAY_OK)
        status = open_marks(team, wire);
    if (status == LAY_OK && team->transport.rank == 0 && (error = wire->call.get_ticket(&wire->of)))
        status = refuse(wire, "begin", error);
    if ((status = agree(team, status)) || (status = share_ticket(team, wire)))
        return status;
    if ((status = open_communicators(team, wire, &error)))
        return status;
    return agree(team, error == SUCCESS ? LAY_OK : refuse(wire, "connect the places", error));
}

static void close_wire(const lay_team *team, lay_wire *wire)
{
    for (int i = 0; i < team->each; i++) {
        if (wire->comm && wire->comm[i])
            wire->call.give_up(wire->comm[i]); /* which waits for nobody: all that was put is done, or lost */
        if (wire->mark)
            team->kind->close_mark(&team->room[i], wire->mark[i]);
    }
    free(wire->comm);
    free(wire->mark);
    lay_team_free(team, wire);
}

/* All ranks' rooms are of one kind: of host memory's none asks the others. */
lay_status lay_wire_open(lay_team *team)
{
    if (!lay_wire_library && team->kind->memory != LAY_MEMORY_DEVICE)
        return LAY_OK;
    lay_wire *const wire = calloc(1, sizeof *wire);
    if (wire) {
        wire->comm = calloc((size_t)team->each, sizeof *wire->comm);
        wire->mark = calloc((size_t)team->each, sizeof *wire->mark);
    }
    if (!wire || !wire->comm || !wire->mark) {
        if (wire)
            close_wire(team, wire);
        return agree(team, lay_fail(LAY_ERR_MEMORY, "no memory for a team"));
    }
    const lay_status status = try_to_open(team, wire);
    if (status == LAY_OK)
        team->wire = wire;
    else
        close_wire(team, wire);
    return team->is_lost ? lay_team_check(team) : LAY_OK;
}

void lay_wire_close(lay_team *team)
{
    if (team->wire)
        close_wire(team, team->wire);
    team->wire = NULL;
}

static int put(const lay_team *team, const lay_wire *wire, const lay_message *message)
{
    void *const comm = wire->comm[message->place], *const stream = team->room[message->place].arrive;
    return message->arrives ? wire->call.receive(message->packed, (size_t)message->bytes, BYTES,
                                                 (int)message->parcel->from, comm, stream)
                            : wire->call.send(message->packed, (size_t)message->bytes, BYTES, (int)message->parcel->to,
                                              comm, stream);
}

/* What waits for others in streams ends with it: else rooms could not be joined. */
static lay_status give_up(lay_team *team)
{
    lay_wire *const wire = team->wire;
    for (int i = 0; i < team->each; i++) {
        if (wire->comm[i])
            wire->call.give_up(wire->comm[i]);
        wire->comm[i] = NULL;
    }
    return LAY_ERR_TEAM;
}

static lay_status lose(lay_team *team, int error)
{
    return lay_team_lose(team, "NCCL could not send: %s", team->wire->call.say(error));
}

lay_status lay_wire_move(lay_team *team, int64_t count, const lay_message message[])
{
    const lay_wire *const wire = team->wire;
    int error = note(SUCCESS, wire->call.begin());
    for (int64_t i = 0; i < count; i++)
        error = note(error, put(team, wire, &message[i]));
    error = note(error, wire->call.end());
    lay_status status = settle(team, wire, &error);
    if (status == LAY_OK && error != SUCCESS)
        status = lose(team, error);
    for (int i = 0; i < team->each && status == LAY_OK; i++)
        status = team->kind->set_arrived(&team->room[i], wire->mark[i]);
    return status == LAY_ERR_TEAM ? give_up(team) : status;
}

lay_status lay_wire_await_sent(lay_team *team)
{
    lay_status status = LAY_OK;
    for (int i = 0; i < team->each && status == LAY_OK; i++)
        status = team->kind->await_sent(&team->room[i], team->wire->mark[i]);
    return status;
}

lay_status lay_wire_await(lay_team *team)
{
    const lay_wire *const wire = team->wire;
    lay_team_waiting waiting = lay_team_begin_wait(team);
    lay_status status = LAY_OK;
    int error = SUCCESS;
    for (int i = 0; i < team->each && status == LAY_OK;) {
        int is_done = 0;
        status = team->kind->is_done(&team->room[i], wire->mark[i], &is_done);
        i += is_done;
        if (status == LAY_OK && !is_done && (status = settle(team, wire, &error)) == LAY_OK)
            status = error != SUCCESS ? lose(team, error) : lay_team_pause(team, &waiting, 0);
    }
    return status == LAY_ERR_TEAM ? give_up(team) : status;
}
