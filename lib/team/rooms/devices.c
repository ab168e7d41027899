/* Teams of devices: their rooms, opened and made to reach each other. */
#include "base/status.h"
#include "device/device.h"
#include "device/link.h"
#include "team/team.h"

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
    for (int i = 0; i < team->each && status == LAY_OK; i++) {
        team->room[i].device = devices[i];
        if ((status = lay_room_device.open(&team->room[i])))
            team->room[i] = (lay_room){ .device = devices[i] };
    }
    for (int i = 0; i < team->each * team->each && status == LAY_OK; i++)
        if (devices[i / team->each] != devices[i % team->each])
            status = lay_device_reach(devices[i / team->each], devices[i % team->each]);
    return status;
}

lay_status lay_team_devices(int count, const int devices[], lay_team **out)
{
    lay_team *team = NULL;
    lay_status status = out ? LAY_OK : lay_fail(LAY_ERR_ARGUMENT, "out is NULL");
    if (status == LAY_OK)
        status = lay_team_make(&(lay_transport){ .ranks = 1 }, count, &team);
    for (int i = 0; i < count && devices && status == LAY_OK; i++)
        status = check_device(devices, i);
    if (status == LAY_OK)
        team->is_direct = 1;
    if (status == LAY_OK && devices && devices[0] != LAY_DEVICE_HOST) {
        team->kind = &lay_room_device;
        for (int i = 0; i < count; i++)
            team->room[i] = (lay_room){ .device = devices[i] };
        status = open_rooms(team, devices);
    }
    if (status == LAY_OK)
        *out = team;
    else
        lay_team_destroy(team);
    return status;
}
