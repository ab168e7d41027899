/* Parts in rooms. */
#include "rooms.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"

static void insist(lay_status status)
{
    if (status == LAY_OK)
        return;
    fprintf(stderr, "%s\n", lay_last_error());
    abort();
}

/* Elements one behind the other, from any memory to any other. */
static void copy_elements(lay_type type, int64_t count, const void *from, void *to)
{
    lay_desc *flat = NULL;
    insist(lay_desc_natural(1, &count, &flat));
    insist(lay_copy(type, flat, from, flat, to, NULL));
    lay_desc_destroy(flat);
}

static void *take(const lay_team *team, int number, int64_t bytes)
{
    void *block = NULL;
    insist(team->kind->take(&team->room[number], (size_t)bytes, &block));
    return block;
}

int rooms_count_devices(void)
{
    const char *reason;
    return lay_device_count(&reason);
}

lay_team *rooms_make_team(int places, int count)
{
    int devices[ROOMS_MOST_PLACES];
    lay_team *team = NULL;
    for (int i = 0; i < places; i++)
        devices[i] = count > 0 ? i % count : LAY_DEVICE_HOST;
    insist(lay_team_devices(places, count > 0 || places % 2 ? devices : NULL, &team));
    return team;
}

int rooms_have_devices(void)
{
    const char *reason;
    if (lay_device_count(&reason) > 0)
        return 1;
    printf("1..0 # SKIP %s\n", reason);
    return 0;
}

housed rooms_send(lay_team *team, spread *of)
{
    const size_t places = (size_t)of->places;
    housed made = { .team = team,
                    .of = of,
                    .lowest = calloc(places, sizeof *made.lowest),
                    .count = calloc(places, sizeof *made.count),
                    .block = calloc(places, sizeof *made.block),
                    .part = calloc(places, sizeof *made.part) };
    const int64_t size = (int64_t)lay_type_size(of->type);
    for (int p = team->first; p < team->first + team->each; p++) {
        lay_desc *part = NULL;
        int64_t highest;
        if (!of->block[p])
            continue;
        insist(lay_desc_local(of->desc, p, &part));
        lay_desc_span(part, &made.lowest[p], &highest);
        lay_desc_destroy(part);
        made.count[p] = highest - made.lowest[p] + 1;
        made.block[p] = take(team, p - team->first, made.count[p] * size);
        copy_elements(of->type, made.count[p], of->block[p], made.block[p]);
        made.part[p] = (void *)((uintptr_t)made.block[p] - (uintptr_t)(made.lowest[p] * size));
    }
    return made;
}

void rooms_fetch(const housed *of)
{
    for (int p = 0; p < of->of->places; p++)
        if (of->block[p]) /* an own place's */
            copy_elements(of->of->type, of->count[p], of->block[p], of->of->block[p]);
}

void rooms_free(housed *of)
{
    for (int i = 0; i < of->team->each; i++)
        of->team->kind->give(&of->team->room[i], of->block[of->team->first + i]);
    free(of->lowest);
    free(of->count);
    free(of->block);
    free(of->part);
}

static lay_status multiply_there(lay_team *team, lay_type type, lay_desc *const desc[3], const void *alpha,
                                 void *there[3], const void *beta, const lay_options *options)
{
    lay_team *alone = NULL;
    lay_options own = options ? *options : (lay_options)LAY_OPTIONS_INIT;
    if (team->sum == LAY_TEAM_SUM_WHOLE) {
        team->kind->set(&team->room[0], &own);
        own.stream = NULL; /* where copies go, too */
        return lay_gemm(type, desc[0], desc[1], desc[2], alpha, there[0], there[1], beta, there[2], &own);
    }
    insist(lay_team_devices(1, &team->room[0].device, &alone));
    insist(lay_team_sum_order(alone, team->sum));
    const lay_status status =
        lay_team_gemm(alone, type, desc[0], desc[1], desc[2], alpha, (const void *const *)&there[0],
                      (const void *const *)&there[1], beta, &there[2], &own);
    lay_team_destroy(alone);
    return status;
}

static lay_status multiply_flat(lay_team *team, lay_type type, int rank, const int64_t extent[3][3], const void *alpha,
                                const void *const given[2], const void *beta, void *c, const lay_options *options)
{
    const void *const from[] = { given[0], given[1], c };
    lay_desc *desc[3] = { NULL };
    void *there[3] = { NULL };
    int64_t count[3];
    for (int i = 0; i < 3; i++) {
        count[i] = extent[i][0] * extent[i][1] * extent[i][2];
        insist(lay_desc_natural(rank, extent[i] + 3 - rank, &desc[i]));
        there[i] = take(team, 0, (count[i] + 1) * (int64_t)lay_type_size(type));
        if (count[i] > 0)
            copy_elements(type, count[i], from[i], there[i]);
    }
    const lay_status status = multiply_there(team, type, desc, alpha, there, beta, options);
    if (count[2] > 0)
        copy_elements(type, count[2], there[2], c);
    for (int i = 0; i < 3; i++) {
        lay_desc_destroy(desc[i]);
        team->kind->give(&team->room[0], there[i]);
    }
    return status;
}

lay_status rooms_multiply(lay_team *team, lay_type type, const int64_t size[3], const void *alpha, const void *a,
                          const void *b, const void *beta, void *c, const lay_options *options)
{
    const int64_t extent[3][3] = { { 1, size[0], size[2] }, { 1, size[2], size[1] }, { 1, size[0], size[1] } };
    return multiply_flat(team, type, 2, extent, alpha, (const void *const[]){ a, b }, beta, c, options);
}

lay_status rooms_multiply_batch(lay_team *team, lay_type type, int64_t batch, const int64_t size[3], const void *alpha,
                                const void *a, const void *b, const void *beta, void *c, const lay_options *options)
{
    const int64_t extent[3][3] = { { batch, size[0], size[2] },
                                   { batch, size[2], size[1] },
                                   { batch, size[0], size[1] } };
    return multiply_flat(team, type, 3, extent, alpha, (const void *const[]){ a, b }, beta, c, options);
}
