/* What a plan of a team's product says of itself. */
#include <stdio.h>

#include "base/scalar.h"
#include "base/status.h"
#include "base/text.h"
#include "base/versioned.h"
#include "team/layers/layered.h"

enum { A, B, C };

lay_status lay_team_plan_query(const lay_team_plan *plan, lay_team_plan_info *info)
{
    static const lay_versioned structure = { "info", "LAY_TEAM_PLAN_INFO_INIT", sizeof(lay_team_plan_info),
                                             sizeof(lay_team_plan_info) };
    lay_team_plan_info given = { 0 };
    if (!plan || !info)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", plan ? "info" : "plan");
    const size_t size = info->struct_size;
    const lay_status status = lay_versioned_read(&structure, info, &given);
    if (status != LAY_OK)
        return status;
    *info = plan->info;
    info->struct_size = size;
    return LAY_OK;
}

/* Bytes and messages that a place gets from others. */
static void count_in(const lay_team_plan *plan, int64_t place, int64_t *bytes, int64_t *messages)
{
    *bytes = *messages = 0;
    for (int64_t s = 0; s < 2 * plan->cut.steps; s++) {
        const lay_exchange *const of = &plan->move[s % 2][s / 2];
        for (int64_t i = 0; i < of->count; i++) {
            const int is_in = of->parcel[i].to == place && of->parcel[i].from != place;
            *bytes += is_in ? of->parcel[i].elements * (int64_t)of->size : 0;
            *messages += is_in;
        }
    }
}

static void explain_place(const lay_team_plan *plan, int i, lay_text *text)
{
    static const char *const how[] = { "gathered", "read in place" };
    const lay_team_local *const local = &plan->local[i];
    int64_t bytes, messages;
    count_in(plan, plan->team->first + i, &bytes, &messages);
    lay_text_add(text, "place %d  C ", plan->team->first + i);
    if (plan->rank == 3)
        lay_text_add(text, "%lld of ", (long long)local->batch);
    lay_text_add(text, "%lld x %lld", (long long)local->rows, (long long)local->columns);
    if (plan->layered && plan->layered->layers.count[LAY_AT_LAYER] > 1)
        lay_text_add(text, " of layer %lld",
                     (long long)lay_layers_at(&plan->layered->layers, plan->team->first + i, LAY_AT_LAYER));
    if (lay_team_has_part(local))
        lay_text_add(text, ", rows of A %s, columns of B %s; %lld bytes in %lld messages", how[local->is_held[A]],
                     how[local->is_held[B]], (long long)bytes, (long long)messages);
    lay_text_add(text, "\n");
}

static void explain_candidate(const lay_team_plan *plan, int i, lay_text *text)
{
    const lay_team_candidate *const of = &plan->candidate[i];
    lay_text_add(text, "way      C stays, ");
    if (of->cut.panels == 1)
        lay_text_add(text, "k whole");
    else
        lay_text_add(text, "panels of %lld of k", (long long)of->cut.depth);
    if (of->cut.lead != of->cut.width)
        lay_text_add(text, ", %lld %s ahead", (long long)of->cut.lead, of->cut.by_rows ? "rows" : "columns");
    else if (of->cut.by_rows)
        lay_text_add(text, ", by rows");
    if (of->cut.more > 0)
        lay_text_add(text, ", %d more that grow by %d", of->cut.more, of->cut.growth);
    lay_text_add(text, ", %lld steps: %.4g us beside products, %.4g bytes at once%s\n", (long long)of->cut.steps,
                 1e6 * of->seconds, of->memory, i == 0 ? ", taken" : "");
}

/* What is not done, and what it would move. */
static void explain_refused(const lay_team_plan *plan, const lay_team_shape *shape, lay_text *text)
{
    static const char *const name[] = { [LAY_STAYS_A] = "A stays", [LAY_STAYS_B] = "B stays" };
    const char *const panels = lay_team_refuse_panels(shape);
    const char *const whole = lay_team_refuse_whole(shape);
    if (panels)
        lay_text_add(text, "refused  panels of k: %s\n", panels);
    if (whole)
        lay_text_add(text, "refused  k whole: %s\n", whole);
    for (int stays = LAY_STAYS_A; stays <= LAY_STAYS_B; stays++) {
        double moved = 0;
        for (int64_t place = 0; place < shape->places; place++) {
            const lay_share share = lay_side_share(plan->side, place);
            const lay_volume volume = lay_volume_of(&share, plan->m, plan->n, plan->k, (lay_stays)stays);
            moved += (double)(volume.of[A] + volume.of[B] + volume.of[C]);
        }
        lay_text_add(
            text,
            "refused  %s: sums would be split over places, another order (LAY_TEAM_SUM_BY_SLICES); %.0f bytes to "
            "all places\n",
            name[stays], moved * (double)lay_type_size(plan->type));
    }
}

/* What all steps share is made once. */
static double predict_place(const lay_team_plan *plan, int number)
{
    const lay_team *const team = plan->team;
    const lay_team_local *const local = &plan->local[number];
    double seconds = 0, shared = 0;
    for (int64_t s = 0; s < plan->cut.steps; s++) {
        lay_plan_info info = LAY_PLAN_INFO_INIT;
        lay_packed limbs;
        if (!local->plan[s] || lay_plan_query(local->plan[s], team->kind->memory, &info) != LAY_OK)
            continue;
        seconds += info.seconds - shared;
        if (local->limbs.limbs && shared == 0)
            team->kind->limbs_size(&team->room[number], local->plan[s], local->limbs.operand, &shared, &limbs);
    }
    return seconds;
}

/* Places' products, on the CPU one after the other; of devices the longest, a device's places together. */
static double predict_products(const lay_team_plan *plan)
{
    const lay_team *const team = plan->team;
    double most = 0;
    for (int i = 0; i < team->each; i++) {
        double seconds = 0;
        for (int j = 0; j < team->each; j++)
            if (team->room[j].device == team->room[i].device)
                seconds += predict_place(plan, j);
        most = seconds > most ? seconds : most;
    }
    return most;
}

static void explain_bounds(const lay_team_plan *plan, const lay_team_shape *shape, lay_text *text)
{
    const double size = (double)lay_type_size(plan->type), places = (double)shape->places;
    const double m = (double)plan->m, n = (double)plan->n, k = (double)plan->k;
    double held = 0;
    for (int64_t place = 0; place < shape->places; place++) {
        const lay_share share = lay_side_share(plan->side, place);
        held += (double)(lay_share_a(&share) + lay_share_b(&share));
    }
    const double whole = places * lay_volume_least_whole_k((double)plan->batch, m, n, k, places) - held;
    lay_text_add(text, "bound    %lld bytes to all places, 3 (mnk/p)^(2/3) elements each less what they have\n",
                 (long long)plan->info.bytes_bound);
    lay_text_add(text,
                 "         (Irony, Toledo, Tiskin 2004; Al Daas and others 2022, with its cases of long sides)\n");
    lay_text_add(text, "least    %.0f bytes with all of k at a place, 2 mnk/(p sqrt(S)) elements each, S = mn/p of C\n",
                 (whole > 0 ? whole : 0) * size);
    lay_text_add(text, "         (Kwasniewski and others 2019); here %.0f\n",
                 (shape->moved[A] + shape->moved[B]) * size);
}

int lay_team_plan_explain(const lay_team_plan *plan, char *text, size_t size)
{
    if (!plan || (!text && size > 0))
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", plan ? "text" : "plan"), -1;
    lay_text to = { .to = text, .size = size };
    const lay_team *const team = plan->team;
    const lay_team_shape shape = lay_team_shape_of(plan);
    const double products = predict_products(plan);
    lay_text_add(&to, "product  %s, ", lay_type_name(plan->type));
    if (plan->rank == 3)
        lay_text_add(&to, "a batch of %lld of ", (long long)plan->batch);
    lay_text_add(&to, "%lld x %lld x %lld on %d places, ", (long long)plan->m, (long long)plan->n, (long long)plan->k,
                 team->places);
    if (plan->layered)
        lay_text_add(&to, "sums by %lld slices of k\n", (long long)plan->layered->layers.slices);
    else
        lay_text_add(&to, "C stays\n");
    lay_text_add(&to, "%s", plan->labels ? plan->labels : "");
    lay_text_add(&to, "steps    %lld, of %lld of k and %lld %s of a place\n", (long long)plan->cut.steps,
                 (long long)plan->cut.depth, (long long)plan->cut.width, plan->cut.by_rows ? "rows" : "columns");
    for (int i = 0; i < team->each; i++)
        explain_place(plan, i, &to);
    lay_text_add(&to, "moves    %lld bytes in %lld messages to other places, %lld bytes from them\n",
                 (long long)plan->info.bytes_sent, (long long)plan->info.messages_sent,
                 (long long)plan->info.bytes_received);
    explain_bounds(plan, &shape, &to);
    lay_text_add(&to, "memory   %lld bytes of panels and messages\n", (long long)plan->info.workspace);
    if (plan->layered) {
        lay_layered_explain(plan, &to);
        return (int)to.length;
    }
    lay_text_add(&to, "time     %.4g us predicted, %.4g of them this rank's products\n",
                 1e6 * (products + plan->candidate[0].seconds), 1e6 * products);
    for (int i = 0; i < plan->candidates; i++)
        explain_candidate(plan, i, &to);
    explain_refused(plan, &shape, &to);
    return (int)to.length;
}
