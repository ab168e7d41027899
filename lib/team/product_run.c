/* Runs of products over places, step by step. */
#include "base/scalar.h"
#include "base/status.h"
#include "run.h"
#include "team/check.h"
#include "team/layers/layered.h"
#include "team/rooms/wire.h"

enum { A, B, C };

/* A run: addresses, and what moves. */
typedef struct run {
    lay_team_plan *plan;
    const void *alpha, *beta;
    const void *const *a, *const *b;
    void *const *c;
    lay_transfer move[2][2];
    void **to[2][2];   /* [each]: where panels of A and B go; NULL: held */
    lay_status failed; /* of this rank's places, which go on with the messages, as others wait for them */
} run;

static const void *const *source_of(const run *of, int operand)
{
    return operand == A ? of->a : of->b;
}

/* As options.alignment promises, of a part that is there. */
static lay_status check_alignment(const lay_team_plan *plan, const lay_desc *part, const void *address, char name,
                                  int place)
{
    if (plan->alignment == 0 || (uintptr_t)address % plan->alignment == 0 || lay_desc_extent(part, "") == 0)
        return LAY_OK;
    return lay_fail(LAY_ERR_ARGUMENT, "%c of place %d is no multiple of %zu bytes, as options.alignment promises", name,
                    place, plan->alignment);
}

/* Addresses, of parts that are there, and C clear of A and B. */
static lay_status check_run(const run *of, int has_product)
{
    const lay_team_plan *const plan = of->plan;
    const lay_team *const team = plan->team;
    lay_status status = LAY_OK;
    if (!of->alpha || !of->beta)
        return lay_fail(LAY_ERR_ARGUMENT, "%s is NULL", of->alpha ? "beta" : "alpha");
    for (int i = 0; i < team->each && status == LAY_OK; i++) {
        const lay_team_local *const local = &plan->local[i];
        status = lay_team_check_address(team, plan->type, local->part[C], of->c[i], "c", team->first + i);
        if (status == LAY_OK)
            status = check_alignment(plan, local->part[C], of->c[i], 'c', team->first + i);
        for (int x = A; x <= B && has_product && status == LAY_OK; x++) {
            const char name[] = { "ab"[x], 0 };
            const void *const *const read = source_of(of, x);
            status = lay_team_check_source(team, plan->type, local->part[x], read[i], name, team->first + i);
            if (status == LAY_OK)
                status = check_alignment(plan, local->part[x], read[i], name[0], team->first + i);
            for (int j = 0; j < team->each && status == LAY_OK; j++)
                status = lay_team_check_apart(plan->type, local->part[x], read[i], x == A ? "A" : "B",
                                              plan->local[j].part[C], of->c[j], "C");
        }
    }
    return status;
}

const void *lay_team_one(lay_type sum)
{
    static const double in_double[] = { 1, 0 };
    static const float in_float[] = { 1, 0 };
    return lay_type_is_double(sum) ? (const void *)in_double : in_float;
}

/* One step of one place. */
static lay_status multiply(const run *of, int i, int64_t step, int has_product)
{
    const lay_team_cut *const cut = &of->plan->cut;
    const lay_team_local *const local = &of->plan->local[i];
    if (!local->plan[step])
        return LAY_OK;
    const void *operand[2] = { NULL, NULL };
    for (int x = A; x <= B && has_product; x++)
        operand[x] = local->is_held[x] ? source_of(of, x)[i] : local->panel[x][lay_team_turn(cut, x, step)];
    if (of->plan->layered)
        return lay_layered_multiply(of->plan, i, step, operand);
    const void *const beta = step < cut->chunks ? of->beta : lay_team_one(lay_type_sum(of->plan->type, of->plan->type));
    if (!local->limbs.limbs || !has_product)
        return lay_plan_run(local->plan[step], of->alpha, operand[A], operand[B], beta, of->c[i]);
    lay_asked_run asked = {
        .alpha = of->alpha, .operand = { { .data = operand[A] }, { .data = operand[B] } }, .beta = beta, .c = of->c[i]
    };
    asked.operand[local->limbs.operand].limbs = &local->limbs;
    return lay_run_asked(local->plan[step], &asked);
}

/* What all steps share of a place, as it lies there or, has_arrived, in its panel. */
static void share_all(run *of, int has_arrived)
{
    const lay_team *const team = of->plan->team;
    for (int i = 0; i < team->each && of->failed == LAY_OK; i++) {
        const lay_team_local *const local = &of->plan->local[i];
        const int x = (int)local->limbs.operand;
        if (local->limbs.limbs && local->plan[0] && local->is_held[x] == !has_arrived)
            of->failed = team->kind->put_limbs(&team->room[i], local->plan[0], &local->limbs,
                                               has_arrived ? local->panel[x][0] : source_of(of, x)[i]);
    }
}

/* Its panels may be written again behind that: where there is one after the next, which has their turn. */
static lay_status note_read(const run *of, int i, int64_t step)
{
    const lay_team *const team = of->plan->team;
    const lay_team_cut *const cut = &of->plan->cut;
    lay_status status = LAY_OK;
    for (int x = A; x <= B && status == LAY_OK; x++)
        if (lay_team_panel_of(cut, x, step) + 2 < lay_team_panel_count(cut, x))
            status =
                team->kind->set_worked(&team->room[i], lay_team_marks(of->plan, 1, x, lay_team_turn(cut, x, step))[i]);
    return status;
}

static lay_status note_values(const run *of, int i, int64_t step)
{
    const lay_team *const team = of->plan->team;
    const lay_team_local *const local = &of->plan->local[i];
    return local->found && local->plan[step] ? team->kind->note(&team->room[i], local->plan[step], &local->found[step])
                                             : LAY_OK;
}

/* What the values made of all parts. */
static lay_status settle_all(const run *of)
{
    const lay_team *const team = of->plan->team;
    lay_status status = LAY_OK;
    for (int i = 0; i < team->each; i++) {
        const lay_team_local *const local = &of->plan->local[i];
        for (int64_t s = 0; s < of->plan->cut.steps && local->found && status == LAY_OK; s++)
            if (local->plan[s])
                status = team->kind->settle(&team->room[i], local->plan[s], local->found[s]);
    }
    return status;
}

static void multiply_all(run *of, int64_t step, int has_product)
{
    for (int i = 0; i < of->plan->team->each && of->failed == LAY_OK; i++) {
        of->failed = multiply(of, i, step, has_product);
        if (of->failed == LAY_OK && has_product)
            of->failed = note_read(of, i, step);
        if (of->failed == LAY_OK && has_product)
            of->failed = note_values(of, i, step);
    }
}

static void find_targets(run *of)
{
    lay_team_plan *const plan = of->plan;
    for (int x = 0; x < 4; x++) {
        of->to[x / 2][x % 2] = plan->targets + x * plan->team->each;
        for (int i = 0; i < plan->team->each; i++)
            of->to[x / 2][x % 2][i] = plan->local[i].panel[x / 2][x % 2];
    }
}

/* What of A and of B a step needs. */
static lay_status start(run *of, int64_t step)
{
    const lay_team_plan *const plan = of->plan;
    lay_status status = LAY_OK;
    for (int x = A; x <= B && status == LAY_OK; x++) {
        const int turn = lay_team_turn(&plan->cut, x, step);
        lay_transfer *const move = &of->move[x][turn];
        if (plan->move[x][step].count == 0)
            continue;
        *move = (lay_transfer){ .exchange = &plan->move[x][step],
                                .type = plan->type,
                                .tag = x,
                                .arrived = lay_team_marks(plan, 0, x, turn),
                                .worked = lay_team_panel_of(&plan->cut, x, step) < 2 ? NULL
                                                                                     : lay_team_marks(plan, 1, x, turn),
                                .mail = &of->plan->mail[x][turn],
                                .target = of->to[x][turn],
                                .failed = &of->failed };
        status = lay_transfer_start(plan->team, move, source_of(of, x));
    }
    return status;
}

static lay_status finish(run *of, int64_t step)
{
    const lay_team_plan *const plan = of->plan;
    lay_transfer *open[2];
    int count = 0;
    for (int x = A; x <= B; x++)
        if (plan->move[x][step].count > 0)
            open[count++] = &of->move[x][lay_team_turn(&plan->cut, x, step)];
    return lay_transfer_finish(plan->team, count, open);
}

/* While a step multiplies, the next one's operands are under way: before it begins, or behind it where products are
 * only launched here, which is not to wait for copies that are. */
static lay_status run_steps(run *of)
{
    lay_team_plan *const plan = of->plan;
    const int64_t steps = plan->cut.steps;
    lay_status status = steps > 0 ? start(of, 0) : LAY_OK;
    share_all(of, 0);
    for (int64_t s = 0; s < steps && status == LAY_OK; s++) {
        if ((status = finish(of, s)))
            break;
        if (s == 0)
            share_all(of, 1);
        if (!plan->team->is_direct && s + 1 < steps)
            status = start(of, s + 1);
        multiply_all(of, s, 1);
        if (plan->team->is_direct && s + 1 < steps)
            status = start(of, s + 1);
    }
    for (int i = 0; i < 4 && status != LAY_OK; i++) /* what else is under way */
        lay_transfer_drop(plan->team, &of->move[i / 2][i % 2]);
    return status;
}

static uint64_t hash_run(const run *of, lay_type sum)
{
    uint64_t hash = of->plan->hash;
    if (!of->alpha || !of->beta)
        return hash;
    hash = lay_team_hash(hash, of->alpha, (size_t)lay_size_of(sum));
    return lay_team_hash(hash, of->beta, (size_t)lay_size_of(sum));
}

static lay_status run_all(run *of, lay_type sum)
{
    lay_team_plan *const plan = of->plan;
    const int has_product = plan->k > 0 && of->alpha && !lay_scalar_is(of->alpha, sum, 0);
    lay_status status = lay_team_agree(plan->team, hash_run(of, sum), check_run(of, has_product), "a run of a product");
    if (status != LAY_OK)
        return status;
    of->failed = plan->team->kind->begin(plan->team->room, plan->team->each);
    if (plan->layered)
        lay_layered_begin(plan);
    if (has_product)
        status = run_steps(of);
    for (int64_t s = 0; s < plan->cut.chunks && !has_product && !plan->layered; s++)
        multiply_all(of, s, 0);
    if (plan->layered && status == LAY_OK)
        status = lay_layered_end(plan, has_product, of->alpha, of->beta, of->c, &of->failed);
    if (plan->team->wire && status == LAY_OK)
        status = lay_wire_await(plan->team);
    const lay_status joined = plan->team->kind->join(plan->team->room, plan->team->each);
    of->failed = of->failed ? of->failed : joined;
    if (status == LAY_OK && of->failed == LAY_OK && has_product)
        of->failed = settle_all(of);
    if (status == LAY_OK)
        status = lay_team_agree(plan->team, plan->hash, of->failed, "the end of a product");
    return status ? lay_fail_spoilt(status) : LAY_OK;
}

lay_status lay_team_plan_run(lay_team_plan *plan, const void *alpha, const void *const a[], const void *const b[],
                             const void *beta, void *const c[])
{
    if (!plan)
        return lay_fail(LAY_ERR_ARGUMENT, "plan is NULL");
    const lay_status status = lay_team_check(plan->team);
    if (status != LAY_OK)
        return status;
    void *const *const nowhere = plan->team->nowhere;
    run of = { .plan = plan,
               .alpha = alpha,
               .beta = beta,
               .a = a ? a : (const void *const *)nowhere,
               .b = b ? b : (const void *const *)nowhere,
               .c = c ? c : nowhere };
    find_targets(&of);
    return run_all(&of, lay_type_sum(plan->type, plan->type));
}

lay_status lay_team_gemm(lay_team *team, lay_type type, const lay_desc *desc_a, const lay_desc *desc_b,
                         const lay_desc *desc_c, const void *alpha, const void *const a[], const void *const b[],
                         const void *beta, void *const c[], const lay_options *options)
{
    lay_team_plan *plan = NULL;
    lay_status status = lay_team_plan_create(team, type, desc_a, desc_b, desc_c, options, &plan);
    if (status == LAY_OK)
        status = lay_team_plan_run(plan, alpha, a, b, beta, c);
    lay_team_plan_destroy(plan);
    return status;
}
