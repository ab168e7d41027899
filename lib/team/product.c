/* Plans of products over places: checked, and agreed upon. */
#include "team/layers/layered.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/status.h"
#include "device/device.h"
#include "plan/options.h"
#include "team/check.h"
#include "ways.h"

enum { A, B, C };

static lay_status check_matrices(const lay_team *team, lay_type type, const lay_dealt dealt[3])
{
    static const char *const side[] = { "matrices", "rows", "columns" };
    static const struct {
        int x, x_dim, y, y_dim; /* of a batch of matrices */
    } equal[] = { { A, 2, B, 1 }, { C, 1, A, 1 }, { C, 2, B, 2 }, { C, 0, A, 0 }, { C, 0, B, 0 } };
    lay_status status = lay_team_check_type(type);
    for (int i = 0; i < 3 && status == LAY_OK; i++)
        status = lay_dealt_check(team, &dealt[i]);
    const int rank = status == LAY_OK ? lay_dealt_rank(&dealt[C]) : 0, single = 3 - rank;
    for (int i = 2; i >= 0 && status == LAY_OK; i--)
        if (lay_dealt_rank(&dealt[i]) != 2 && lay_dealt_rank(&dealt[i]) != 3)
            status =
                lay_fail(LAY_ERR_RANK,
                         "%s has rank %d; a product over places takes matrices, rank 2, or batches of them, rank 3",
                         dealt[i].name, lay_dealt_rank(&dealt[i]));
        else if (lay_dealt_rank(&dealt[i]) != rank)
            status = lay_fail(LAY_ERR_RANK, "%s has rank %d, but C has rank %d", dealt[i].name,
                              lay_dealt_rank(&dealt[i]), rank);
    for (int i = 0; i < (rank == 3 ? 5 : 3) && status == LAY_OK; i++) {
        const int64_t x = lay_dealt_extent(&dealt[equal[i].x], equal[i].x_dim - single);
        const int64_t y = lay_dealt_extent(&dealt[equal[i].y], equal[i].y_dim - single);
        if (x != y)
            status = lay_fail(LAY_ERR_SHAPE, "%s has %lld %s but %s has %lld %s", dealt[equal[i].x].name, (long long)x,
                              side[equal[i].x_dim], dealt[equal[i].y].name, (long long)y, side[equal[i].y_dim]);
    }
    if (status == LAY_OK && lay_dealt_is_conjugated(&dealt[C]))
        status = lay_fail(LAY_ERR_UNSUPPORTED, "C is conjugated, which A and B may be");
    if (status != LAY_OK || rank == 2)
        return status;
    if (team->sum != LAY_TEAM_SUM_WHOLE)
        return lay_fail(LAY_ERR_UNSUPPORTED, "sums by slices (LAY_TEAM_SUM_BY_SLICES) are not for batches, rank 3");
    return LAY_OK;
}

/* Devices compute in whatever mode they have; streams are the team's. */
static lay_status check_for_devices(const lay_options *complete)
{
    if (complete->backend == LAY_BACKEND_CPU)
        return lay_fail(LAY_ERR_UNSUPPORTED, "options.backend is the CPU, but the places of the team are devices");
    if (complete->stream)
        return lay_fail(LAY_ERR_UNSUPPORTED, "options.stream is set, but a team of devices has streams of its own");
    if (complete->device_count)
        return lay_fail(LAY_ERR_UNSUPPORTED, "options.devices is set, but a team of devices has its own");
    return LAY_OK;
}

static lay_status read_options(const lay_team *team, const lay_options *options, lay_options *complete,
                               lay_choice *choice)
{
    const lay_order *named;
    lay_status status;
    if ((status = lay_options_read(options, &lay_all_ways, complete, &named)) ||
        (status = lay_machine_choose(complete->threads, complete->isa, choice)))
        return status;
    if (team->kind->memory == LAY_MEMORY_DEVICE)
        return check_for_devices(complete);
    if (complete->backend == LAY_BACKEND_CUDA)
        return lay_fail(LAY_ERR_UNSUPPORTED, "options.backend is CUDA, but the places of a team are host memory");
    if (complete->compute != LAY_COMPUTE_AUTO && complete->compute != LAY_COMPUTE_STRICT)
        return lay_fail(LAY_ERR_UNSUPPORTED, "options.compute is not strict, as products over places are");
    return LAY_OK;
}

/* Of the devices' least: ranks with another one may round otherwise. 0: host memory. */
static int find_capability(const lay_team *team)
{
    int least = 0;
    for (int i = 0; i < team->each && team->kind->memory == LAY_MEMORY_DEVICE; i++) {
        const char *reason;
        const lay_device *const device = lay_device_get(team->room[i].device, &reason);
        if (device && (least == 0 || device->sm < least))
            least = device->sm;
    }
    return least;
}

static lay_status plan_product(lay_team_plan *plan, const lay_dealt dealt[3], const lay_options *options)
{
    lay_options complete;
    lay_choice choice;
    lay_status status;
    if ((status = check_matrices(plan->team, plan->type, dealt)) ||
        (status = read_options(plan->team, options, &complete, &choice)))
        return status;
    plan->alignment = complete.alignment;
    complete.alignment = min_of((int64_t)complete.alignment, LAY_WORKSPACE_ALIGNMENT); /* panels have no more */
    plan->rank = lay_dealt_rank(&dealt[C]);
    plan->batch = plan->rank == 3 ? lay_dealt_extent(&dealt[C], 0) : 1;
    plan->m = lay_dealt_extent(&dealt[C], plan->rank - 2);
    plan->n = lay_dealt_extent(&dealt[C], plan->rank - 1);
    plan->k = lay_dealt_extent(&dealt[A], plan->rank - 1);
    const int64_t same[] = { plan->type, lay_summation_choose(choice.isa) == LAY_SUM_ROUNDED, plan->team->sum,
                             find_capability(plan->team) };
    plan->hash = lay_team_hash(1, same, sizeof same);
    for (int i = 0; i < 3; i++)
        plan->hash = lay_dealt_hash(plan->hash, plan->team, &dealt[i]);
    status = lay_team_plan_make(plan, dealt, &complete);
    const int64_t cut[] = { plan->cut.depth, plan->cut.lead,   plan->cut.width,
                            plan->cut.more,  plan->cut.growth, plan->cut.by_rows };
    plan->hash = lay_team_hash(plan->hash, cut, sizeof cut);
    if (plan->layered)
        plan->hash = lay_team_hash(plan->hash, &plan->layered->layers, sizeof plan->layered->layers);
    return status;
}

lay_status lay_team_plan_of(lay_team *team, lay_type type, const lay_dealt dealt[3], lay_status refused,
                            const lay_options *options, lay_team_plan **out)
{
    lay_status status = lay_team_check(team);
    if (status != LAY_OK)
        return status;
    lay_team_plan *const plan = calloc(1, sizeof *plan);
    status = refused;
    if (status == LAY_OK && (!plan || !out))
        status = plan ? lay_fail(LAY_ERR_ARGUMENT, "out is NULL") : lay_fail(LAY_ERR_MEMORY, "no memory for a plan");
    if (plan) {
        plan->team = team;
        plan->type = type;
    }
    if (status == LAY_OK)
        status = plan_product(plan, dealt, options);
    if (!plan || !plan->is_refused)
        status = lay_team_agree(team, plan ? plan->hash : 0, status, "the plan of a product");
    if (status != LAY_OK) {
        lay_team_plan_destroy(plan);
        return status;
    }
    *out = plan;
    return LAY_OK;
}

lay_status lay_team_plan_create(lay_team *team, lay_type type, const lay_desc *desc_a, const lay_desc *desc_b,
                                const lay_desc *desc_c, const lay_options *options, lay_team_plan **out)
{
    const lay_dealt dealt[] = { { .desc = desc_a, .name = "A" },
                                { .desc = desc_b, .name = "B" },
                                { .desc = desc_c, .name = "C" } };
    return lay_team_plan_of(team, type, dealt, LAY_OK, options, out);
}

lay_status lay_team_plan_create_distributed(lay_team *team, lay_type type, const lay_distribution *a,
                                            const lay_distribution *b, const lay_distribution *c,
                                            const lay_options *options, lay_team_plan **out)
{
    const lay_dealt dealt[] = { { .by_tables = a, .name = "A" },
                                { .by_tables = b, .name = "B" },
                                { .by_tables = c, .name = "C" } };
    return lay_team_plan_of(team, type, dealt, LAY_OK, options, out);
}

static void free_local(const lay_team_plan *plan, int number, lay_team_local *local)
{
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(local->part[i]);
    for (int64_t s = 0; s < plan->cut.steps && local->plan; s++)
        lay_plan_destroy(local->plan[s]);
    free(local->plan);
    plan->team->kind->give(&plan->team->room[number], local->limbs.limbs);
    if (local->found)
        plan->team->kind->give_packed(&plan->team->room[number], local->found);
    for (int i = 0; i < 4; i++)
        plan->team->kind->give(&plan->team->room[number], local->panel[i / 2][i % 2]);
}

void lay_team_plan_destroy(lay_team_plan *plan)
{
    if (!plan)
        return;
    for (int i = 0; i < plan->team->each && plan->local; i++)
        free_local(plan, i, &plan->local[i]);
    for (int i = 0; i < 8 * plan->team->each && plan->marks; i++)
        plan->team->kind->close_mark(&plan->team->room[i % plan->team->each], plan->marks[i]);
    lay_layered_free(plan);
    free(plan->labels);
    free(plan->local);
    free(plan->targets);
    free(plan->marks);
    for (int x = A; x <= B; x++) {
        for (int64_t s = 0; s < plan->cut.steps && plan->move[x]; s++)
            lay_exchange_free(&plan->move[x][s]);
        free(plan->move[x]);
    }
    for (int i = 0; i < 3; i++)
        lay_side_free(&plan->side[i]);
    for (int i = 0; i < 4; i++)
        lay_mail_close(plan->team, &plan->mail[i / 2][i % 2]);
    free(plan);
}
