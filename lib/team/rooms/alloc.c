/* Storage for a layout over a team's places. */
#include "base/status.h"
#include "device/device.h"
#include "team/check.h"
#include "team/team.h"

/* What one own place holds, in its room. */
static lay_status alloc_part(const lay_team *team, lay_type type, const lay_desc *desc, int i, void **out)
{
    const lay_room *const room = &team->room[i];
    void *before = NULL;
    lay_desc *part = NULL;
    lay_status status = lay_desc_local(desc, team->first + i, &part);
    if (status == LAY_OK && lay_desc_extent(part, "") > 0) {
        if (room->device != LAY_DEVICE_HOST)
            status = lay_device_enter(room->device, &before);
        if (status == LAY_OK) {
            status = lay_alloc(type, part, team->kind->memory, out);
            if (room->device != LAY_DEVICE_HOST)
                lay_device_leave(before);
        }
    }
    lay_desc_destroy(part);
    return status;
}

lay_status lay_team_alloc(const lay_team *team, lay_type type, const lay_desc *desc, void *out[])
{
    lay_status status = team && out ? LAY_OK : lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", team ? "out" : "team");
    if (status != LAY_OK || (status = lay_team_check_type(type)) ||
        (status = lay_team_check_desc(team, desc, "the layout")))
        return status;
    for (int i = 0; i < team->each; i++)
        out[i] = NULL;
    for (int i = 0; i < team->each && status == LAY_OK; i++)
        status = alloc_part(team, type, desc, i, &out[i]);
    for (int i = 0; i < team->each && status != LAY_OK; i++) {
        lay_free(out[i]);
        out[i] = NULL;
    }
    return status;
}
