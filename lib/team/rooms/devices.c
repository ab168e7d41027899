/* Teams of devices: their rooms, opened and made to reach each other. */
#include "base/status.h"
#include "device/device.h"
#include "device/link.h"
#include "team/rooms/wire.h"

static lay_status check_device(const int devices[], int i)
{
    const char *reason;
    if (devices[i] < 0 && devices[i] != LAY_DEVICE_HOST)
        return lay_fail(LAY_ERR_ARGUMENT, "devices[%d] is %d, neither a device nor LAY_DEVICE_HOST", i, devices[i]);
    if ((devices[i] == LAY_DEVICE_HOST) != (devices[0] == LAY_DEVICE_HOST))
        return lay_fail(LAY_ERR_UNSUPPORTED,
                        "devices[0] is %s, devices[%d] is %s: a team's places are all devices or all host memory",
                        devices[0] == LAY_DEVICE_HOST ? "host memory" : "a device", i,
                        devices[i] == LAY_DEVICE_HOST ? "host memory" : "a device");
    if (devices[i] != LAY_DEVICE_HOST && !lay_device_get(devices[i], &reason))
        return lay_fail(LAY_ERR_UNSUPPORTED, "devices[%d] is %d, but %s", i, devices[i], reason);
    return LAY_OK;
}

/* Which have been opened are closed with the team. */
static lay_status open_rooms(lay_team *team, const int devices[])
{
    lay_status status = LAY_OK;
    team->kind = &lay_room_device;
    for (int i = 0; i < team->each; i++)
        team->room[i] = (lay_room){ .device = devices[i] };
    for (int i = 0; i < team->each && status == LAY_OK; i++)
        if ((status = lay_room_device.open(&team->room[i])))
            team->room[i] = (lay_room){ .device = devices[i] };
    for (int i = 0; i < team->each * team->each && status == LAY_OK; i++)
        if (devices[i / team->each] != devices[i % team->each])
            status = lay_device_reach(devices[i / team->each], devices[i % team->each]);
    return status;
}

static lay_status make_rooms(lay_team *team, const int devices[])
{
    lay_status status = LAY_OK;
    team->is_direct = 1;
    for (int i = 0; i < team->each && devices && status == LAY_OK; i++)
        status = check_device(devices, i);
    return status == LAY_OK && devices && devices[0] != LAY_DEVICE_HOST ? open_rooms(team, devices) : status;
}

/* A rank that refuses its list says so to the others: even that takes a team. */
static lay_status make_team(const lay_transport *transport, int count, const int devices[], lay_team **out)
{
    lay_team *team = NULL;
    int64_t none = 0;
    lay_status status = lay_team_make(transport, count, &team);
    if (status != LAY_OK && lay_team_make(transport, 1, &team) != LAY_OK)
        return status;
    if (status == LAY_OK)
        status = make_rooms(team, devices);
    const int64_t kind[] = { count, team->kind->memory };
    status = lay_team_agree_on(team, lay_team_hash(1, kind, sizeof kind), status, "the places of a team",
                               "each has as many, all devices or all host memory", &none);
    if (status == LAY_OK && transport->ranks > 1)
        status = lay_wire_open(team);
    if (status == LAY_OK) {
        *out = team;
        return LAY_OK;
    }
    team->transport.destroy = NULL; /* the caller's still */
    lay_team_destroy(team);
    return status;
}

lay_status lay_team_devices(int count, const int devices[], lay_team **out)
{
    if (!out)
        return lay_fail(LAY_ERR_ARGUMENT, "out is NULL");
    return make_team(&(lay_transport){ .ranks = 1 }, count, devices, out);
}

lay_status lay_team_create_devices(const lay_transport *transport, int count, const int devices[], lay_team **out)
{
    lay_transport complete;
    if (!out)
        return lay_fail(LAY_ERR_ARGUMENT, "out is NULL");
    const lay_status status = lay_transport_read(transport, &complete);
    return status ? status : make_team(&complete, count, devices, out);
}
