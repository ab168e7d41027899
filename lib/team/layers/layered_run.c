/* Running sums that are split over places: slices added two by two, and layers where C lies. */
#include "base/scalar.h"
#include "team/layers/layered.h"

void lay_layered_begin(lay_team_plan *plan)
{
    for (int i = 0; i < plan->team->each; i++)
        plan->layered->local[i].count = 0;
}

/* x += y, of partial sums that lie alike. */
static lay_status add(const lay_team_plan *plan, int number, const lay_desc *desc, char *x, const char *y)
{
    const struct lay_layered *const of = plan->layered;
    lay_options options = of->options;
    plan->team->kind->set(&plan->team->room[number], &options);
    return lay_axpby(of->sum, desc, lay_team_one(of->sum), y, of->sum, desc, lay_team_one(of->sum), x, 0, &options);
}

/* The slice's sum, behind those that wait; and the neighbours that are complete now are added, as a counter carries. */
lay_status lay_layered_multiply(lay_team_plan *plan, int number, int64_t step, const void *const operand[2])
{
    const struct lay_layered *const of = plan->layered;
    lay_partial *const partial = &of->local[number];
    const lay_plan *const product = plan->local[number].plan[step];
    static const double zero[2];
    if (!product)
        return LAY_OK;
    lay_status status =
        lay_plan_run(product, lay_team_one(of->sum), operand[0], operand[1], zero, partial->sum[partial->count++]);
    for (int64_t carry = step + 1; carry % 2 == 0 && status == LAY_OK; carry /= 2) {
        partial->count--;
        status = add(plan, number, partial->desc, partial->sum[partial->count - 1], partial->sum[partial->count]);
    }
    return status;
}

/* Layers' sums of what the place has of C, two by two as slices are. */
static lay_status add_layers(const lay_team_plan *plan, int number)
{
    const struct lay_layered *const of = plan->layered;
    const lay_partial *const partial = &of->local[number];
    const int64_t layers = of->layers.count[LAY_AT_LAYER];
    const size_t bytes = (size_t)(of->taken[0] * of->taken[1]) * lay_type_size(of->sum);
    lay_status status = LAY_OK;
    for (int64_t apart = 1; apart < layers; apart *= 2)
        for (int64_t i = 0; i < layers && status == LAY_OK; i += 2 * apart)
            status = add(plan, number, partial->taken, partial->gathered + (size_t)i * bytes,
                         partial->gathered + (size_t)(i + apart) * bytes);
    return status;
}

static void note(lay_status *failed, lay_status status)
{
    *failed = *failed ? *failed : status;
}

/* What moves waits for all sums of this rank. The panels' marks serve: all of them have been waited for. */
static void await_sums(const lay_team_plan *plan, void *const worked[], lay_status *failed)
{
    const lay_team *const team = plan->team;
    for (int i = 0; i < team->each; i++)
        note(failed, team->kind->set_worked(&team->room[i], worked[i]));
    for (int i = 0; i < team->each; i++) {
        for (int j = 0; j < team->each; j++)
            note(failed, team->kind->await_worked(&team->room[i], worked[j]));
        note(failed, team->kind->await_sent(&team->room[i], worked[i]));
    }
}

static lay_status gather(lay_team_plan *plan, lay_status *failed)
{
    struct lay_layered *const of = plan->layered;
    void *const *const worked = lay_team_marks(plan, 1, 0, 0), *const *const arrived = lay_team_marks(plan, 0, 0, 0);
    for (int i = 0; i < plan->team->each; i++) {
        of->source[i] = of->local[i].sum[0];
        of->target[i] = of->local[i].gathered;
    }
    lay_transfer transfer = { .exchange = &of->gather,
                              .type = of->sum,
                              .arrived = arrived,
                              .mail = &of->mail,
                              .target = of->target,
                              .failed = failed };
    await_sums(plan, worked, failed);
    const lay_status status = lay_transfer_start(plan->team, &transfer, (const void *const *)of->source);
    return status ? status : lay_transfer_finish(plan->team, 1, (lay_transfer *const[]){ &transfer });
}

static lay_status finish(const lay_team_plan *plan, int number, int has_product, const void *alpha, const void *beta,
                         void *c)
{
    static const double zero[2];
    const struct lay_layered *const of = plan->layered;
    const lay_partial *const partial = &of->local[number];
    const int is_layered = of->layers.count[LAY_AT_LAYER] > 1;
    const char *const sums = is_layered ? partial->gathered : partial->sum[0];
    lay_options options = of->options;
    if (!c)
        return LAY_OK;
    plan->team->kind->set(&plan->team->room[number], &options);
    lay_status status = is_layered && has_product ? add_layers(plan, number) : LAY_OK;
    if (status == LAY_OK)
        status = lay_axpby(of->sum, partial->taken, has_product ? alpha : zero, has_product ? sums : NULL, plan->type,
                           plan->local[number].part[2], beta, c, 0, &options);
    return status;
}

lay_status lay_layered_end(lay_team_plan *plan, int has_product, const void *alpha, const void *beta, void *const c[],
                           lay_status *failed)
{
    const int is_layered = plan->layered->layers.count[LAY_AT_LAYER] > 1;
    const lay_status status = is_layered && has_product ? gather(plan, failed) : LAY_OK;
    for (int i = 0; i < plan->team->each && status == LAY_OK && *failed == LAY_OK; i++)
        *failed = finish(plan, i, has_product, alpha, beta, c[i]);
    return status;
}
