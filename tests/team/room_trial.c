/* Trials of ranks with rooms. */
#include "room_trial.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "device/device.h"
#include "lazy.h"
#include "rooms.h"
#include "team/rooms/wire.h"

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Twice by one plan, so that the second run meets what the first one left. */
static lay_status multiply(room_trial *of, lay_team *team, int rank, void *const *const part[4])
{
    lay_team_plan *plan = NULL;
    lay_team_plan_info info = LAY_TEAM_PLAN_INFO_INIT;
    lay_options options = LAY_OPTIONS_INIT;
    if (of->is_copy)
        return lay_team_copy(team, of->type, of->of[0].desc, (const void *const *)part[0], of->of[3].desc, part[3]);
    options.threads = 1;
    options.compute = of->compute;
    lay_status status = lay_team_sum_order(team, of->order);
    if (status == LAY_OK)
        status = lay_team_plan_create(team, of->type, of->of[0].desc, of->of[1].desc, of->of[2].desc, &options, &plan);
    if (status != LAY_OK)
        return status;
    of->cut[rank] = plan->cut;
    of->has_wire[rank] = team->wire != NULL;
    for (int i = 0; i < 2 && status == LAY_OK; i++)
        status = lay_team_plan_run(plan, of->alpha, (const void *const *)part[0], (const void *const *)part[1],
                                   of->beta, part[2]);
    lay_team_traffic(team, &of->sent[rank], NULL);
    lay_team_plan_query(plan, &info);
    of->said[rank] = 2 * info.bytes_sent;
    lay_team_plan_destroy(plan);
    if (status == LAY_OK)
        status = lay_team_copy(team, of->type, of->of[2].desc, (const void *const *)part[2], of->of[3].desc, part[3]);
    return status;
}

/* With the parts where they are, or in the rank's devices. */
static lay_status multiply_in_rooms(room_trial *of, lay_team *team, int rank)
{
    const int first = rank * of->each;
    housed there[4];
    void *const *part[4];
    for (int i = 0; i < 4; i++) {
        if (of->devices > 0)
            there[i] = rooms_send(team, &of->of[i]);
        part[i] = (of->devices > 0 ? there[i].part : of->of[i].part) + first;
    }
    const lay_status status = multiply(of, team, rank, part);
    for (int i = 0; i < 4 && of->devices > 0; i++) {
        rooms_fetch(&there[i]);
        rooms_free(&there[i]);
    }
    return status;
}

void room_trial_run(void *argument, int rank)
{
    room_trial *const of = argument;
    end line;
    lay_team *team = NULL;
    int devices[MOST_EACH];
    for (int i = 0; i < of->each; i++)
        devices[i] = of->devices > 0 ? (rank * of->each + i) % of->devices : LAY_DEVICE_HOST;
    of->status[rank] =
        post_team_devices(&of->at, &line, rank, of->each, of->devices > 0 || rank % 2 ? devices : NULL, &team);
    if (of->status[rank] != LAY_OK)
        return;
    if (of->timeout > 0)
        lay_team_timeout(team, of->timeout);
    if (of->is_lazy)
        lazy_begin(team);
    const double start = seconds_now();
    if (of->is_broken)
        lazy_break(team, rank == 1);
    of->status[rank] = multiply_in_rooms(of, team, rank);
    of->seconds[rank] = seconds_now() - start;
    snprintf(of->sentence[rank], sizeof of->sentence[rank], "%s", of->status[rank] ? lay_last_error() : "");
    if (of->is_broken) {
        lazy_break(team, 0);
        of->again[rank] = multiply_in_rooms(of, team, rank);
    }
    if (of->is_lazy)
        lazy_end(team);
    lay_team_destroy(team);
}

int room_trial_find_nccl(void)
{
    const char *reason = "", *const given = getenv("LAY_NCCL");
    const int devices = lay_device_count(&reason);
    lay_wire_library = given ? given : "libnccl.so.2";
    if (devices < 2)
        printf("1..0 # SKIP ranks by NCCL take two devices, here %s\n", devices ? "is one" : reason);
    else if (!dlopen(lay_wire_library, RTLD_NOW | RTLD_LOCAL))
        printf("1..0 # SKIP %s\n", dlerror());
    else
        return 1;
    return 0;
}
