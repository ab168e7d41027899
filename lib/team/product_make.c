/* Planning a product over places: who sends what in which step, and each place's own products. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "layout/desc.h"
#include "team/layers/layered.h"
#include "ways.h"

enum { A, B, C };

static lay_status lack(const char *what)
{
    return lay_fail(LAY_ERR_MEMORY, "no memory for %s of a product over places", what);
}

static double senders(const void *of, int operand, int64_t depth)
{
    const lay_side *const side = &((const lay_team_plan *)of)->side[operand];
    return lay_side_active(side, lay_side_along(side, 1 - operand), depth);
}

lay_team_shape lay_team_shape_of(const lay_team_plan *plan)
{
    lay_team_shape shape = { .type = plan->type,
                             .is_on_device = plan->team->kind->memory == LAY_MEMORY_DEVICE,
                             .m = plan->m,
                             .n = plan->n,
                             .k = plan->k,
                             .places = plan->team->places,
                             .products = INFINITY,
                             .senders = senders,
                             .of = plan };
    for (int64_t place = 0; place < shape.places; place++) {
        const lay_share share = lay_side_share(plan->side, place);
        const lay_volume volume = lay_volume_of(&share, plan->m, plan->n, plan->k, LAY_STAYS_C);
        shape.batch = max_of(shape.batch, share.c_batch);
        shape.rows = max_of(shape.rows, share.c_rows);
        shape.columns = max_of(shape.columns, share.c_columns);
        shape.moved[A] += (double)volume.of[A];
        shape.moved[B] += (double)volume.of[B];
    }
    return shape;
}

/* A part of the product, for the first of this rank's places: as it would be asked for, of dense operands. */
typedef struct trial {
    const lay_team_plan *plan;
    const lay_options *options;
} trial;

/* And, if it is asked for, the seconds of it in which A and B are prepared. */
static double predict_part(const void *of, int64_t rows, int64_t columns, double shared[2])
{
    const lay_team_plan *const plan = ((const trial *)of)->plan;
    const lay_team *const team = plan->team;
    const int64_t batch = lay_side_share(plan->side, team->first).c_batch;
    const int64_t extent[3][3] = { { batch, rows, plan->k }, { batch, plan->k, columns }, { batch, rows, columns } };
    lay_options options = *((const trial *)of)->options;
    lay_desc *desc[3] = { NULL, NULL, NULL };
    lay_plan *part = NULL;
    lay_plan_info info = LAY_PLAN_INFO_INIT;
    lay_status status = LAY_OK;
    for (int i = 0; i < 3 && status == LAY_OK; i++)
        status = lay_desc_natural(plan->rank, extent[i] + 3 - plan->rank, &desc[i]);
    team->kind->set(&team->room[0], &options);
    const lay_asked asked = { .types = lay_types_of(plan->type),
                              .a = desc[A],
                              .b = desc[B],
                              .c = desc[C],
                              .whole = { plan->m, plan->n, plan->k } };
    if (status == LAY_OK && batch > 0 && rows > 0 && columns > 0 && plan->k > 0)
        status = lay_plan_make_asked(&lay_all_ways, &asked, &options, &part);
    if (part)
        status = lay_plan_query(part, team->kind->memory, &info);
    for (int x = A; x <= B && part && shared && team->kind->hangs_on_values(&team->room[0], part); x++) {
        lay_packed limbs;
        if (team->kind->limbs_size(&team->room[0], part, (lay_operand)x, &shared[x], &limbs) == 0)
            shared[x] = 0;
    }
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    lay_plan_destroy(part);
    return status == LAY_OK ? info.seconds : -1;
}

static double predict(const void *of, int64_t rows, int64_t columns)
{
    return predict_part(of, rows, columns, NULL);
}

/* As matrices lie, not their batch. */
static int find_inner(const lay_side *side)
{
    const int inner = lay_side_find_inner(side) - lay_side_along(side, 0);
    return inner < 0 ? 1 : inner;
}

/* As the first one. */
static void take_candidate(lay_team_plan *plan, int i)
{
    const lay_team_candidate taken = plan->candidate[i];
    memmove(&plan->candidate[1], &plan->candidate[0], (size_t)i * sizeof taken);
    plan->candidate[0] = taken;
}

/* What is chosen by predicted times may differ between ranks: all take the first one's choice, which each has thought
 * of, as it is asked the same. */
static lay_status agree_on_cut(lay_team_plan *plan)
{
    int64_t choice = plan->candidate[0].number;
    const lay_status status = lay_team_agree_on(plan->team, plan->hash, LAY_OK, "the plan of a product",
                                                "types, layouts and options must be the same on all", &choice);
    plan->is_refused = status != LAY_OK;
    int taken = 0;
    while (taken < plan->candidates - 1 && plan->candidate[taken].number != choice)
        taken++;
    take_candidate(plan, taken);
    return status;
}

static lay_status find_steps(lay_team_plan *plan, const lay_options *options)
{
    const trial on = { plan, options };
    const lay_team *const team = plan->team;
    lay_team_shape shape = lay_team_shape_of(plan);
    if (team->is_direct && plan->rank == 2)
        predict_part(&on, shape.rows, shape.columns, shape.shared);
    const lay_team_links links = lay_team_links_get(team->is_direct, team->places > team->each && !team->wire);
    lay_status status = LAY_OK;
    if (!team->is_direct)
        plan->candidates = lay_team_cut_choose(&shape, &links, plan->candidate);
    else {
        plan->candidates = lay_team_cut_direct(&shape, &links, predict, &on, plan->candidate);
        take_candidate(plan, lay_team_cut_pick * (1 + team->transport.rank) % plan->candidates);
        status = team->places > team->each ? agree_on_cut(plan) : LAY_OK;
    }
    plan->cut = plan->candidate[0].cut;
    for (int x = A; x <= B; x++)
        plan->panel[x] = (lay_slab){ .dimension = x,
                                     .inner = find_inner(&plan->side[x]),
                                     .whole = plan->k,
                                     .most = x == lay_team_stepping(&plan->cut) ? plan->cut.width
                                             : x == A                           ? shape.rows
                                                                                : shape.columns,
                                     .depth = plan->cut.depth };
    return status;
}

lay_slab lay_team_slab(const lay_team_plan *plan, int operand, int64_t step)
{
    lay_slab slab = plan->panel[operand];
    slab.from = step / plan->cut.chunks * plan->cut.depth;
    if (operand == lay_team_stepping(&plan->cut)) {
        slab.first = lay_team_chunk_first(&plan->cut, step);
        slab.most = lay_team_chunk_most(&plan->cut, step);
    }
    return slab;
}

static lay_status make_exchange(lay_team_plan *plan, int operand, int64_t step)
{
    if (plan->layered)
        return lay_layered_move(plan, operand, step, &plan->move[operand][step]);
    const lay_slab slab = lay_team_slab(plan, operand, step);
    lay_side target;
    lay_status status = lay_side_of_panel(&plan->side[C], &slab, &target);
    if (status != LAY_OK)
        return status;
    status = lay_exchange_make(plan->team, &plan->side[operand], &target, lay_type_size(plan->type),
                               &plan->move[operand][step]);
    lay_side_free(&target);
    return status;
}

static lay_status make_exchanges(lay_team_plan *plan)
{
    lay_status status = LAY_OK;
    for (int x = A; x <= B && status == LAY_OK; x++) {
        plan->move[x] = calloc((size_t)plan->cut.steps + 1, sizeof *plan->move[x]);
        if (!plan->move[x])
            return lack("the steps");
        const int64_t next = x == lay_team_stepping(&plan->cut) ? 1 : plan->cut.chunks;
        for (int64_t s = 0; s < plan->cut.steps && status == LAY_OK; s += next)
            status = make_exchange(plan, x, s);
    }
    return status;
}

/* The place has the same indices of a dimension of both. */
static int has_same(const lay_side *x, const lay_side *y, int d, int64_t place)
{
    const int64_t of_x = x->value[place * x->rank + d], of_y = y->value[place * y->rank + d];
    for (int64_t i = 0; i < x->extent[d]; i++)
        if ((x->owner[d][i] == of_x) != (y->owner[d][i] == of_y))
            return 0;
    return 1;
}

/* The place has the rows of A that it takes (the columns of B), in this order, and no others; of a batch so, too. */
static int is_held(const lay_team_plan *plan, const lay_team_local *local, int64_t place, int operand)
{
    const lay_side *const from = &plan->side[operand], *const c = &plan->side[C];
    const int along = lay_side_along(from, operand);
    return lay_side_count(from, place, along) == (operand == A ? local->rows : local->columns) &&
           lay_side_count(from, place, lay_side_along(from, 1 - operand)) == plan->k && from->copy[place] >= 0 &&
           has_same(from, c, along, place) && (from->rank == 2 || has_same(from, c, 0, place));
}

lay_status lay_team_slice(const lay_desc *desc, const int64_t first[2], const int64_t extent[2], lay_desc **out)
{
    const int rows = lay_desc_rank(desc) - 2;
    lay_desc *part = NULL;
    const lay_status status = lay_desc_slice(desc, rows, first[0], extent[0], &part);
    if (status != LAY_OK)
        return status;
    const lay_status sliced = lay_desc_slice(part, rows + 1, first[1], extent[1], out);
    lay_desc_destroy(part);
    return sliced;
}

/* A step's part of an operand: where it lies, or of the panel that is as deep and wide as the step is. */
static lay_status make_operand(const lay_team_plan *plan, const lay_team_local *local, int operand, int64_t step,
                               const int64_t first[2], const int64_t extent[2], lay_desc **out)
{
    const lay_slab panel = lay_team_slab(plan, operand, step);
    const int64_t all[] = { local->batch, extent[0], extent[1] };
    const int64_t stride[] = { lay_slab_size(&panel), lay_slab_step(&panel, 0), lay_slab_step(&panel, 1) };
    const int single = 3 - plan->rank;
    return local->is_held[operand] ? lay_team_slice(local->part[operand], first, extent, out)
                                   : lay_desc_strided(plan->rank, all + single, stride + single, out);
}

static lay_status make_operands(const lay_team_plan *plan, const lay_team_local *local, int64_t step, lay_desc *desc[3])
{
    const lay_team_cut *const cut = &plan->cut;
    const int64_t p = step / cut->chunks * cut->depth, depth = min_of(cut->depth, plan->k - p);
    const int64_t first = lay_team_chunk_first(cut, step), most = lay_team_chunk_most(cut, step);
    const int64_t i = cut->by_rows ? first : 0, j = cut->by_rows ? 0 : first;
    const int64_t rows = cut->by_rows ? min_of(most, local->rows - i) : local->rows;
    const int64_t columns = cut->by_rows ? local->columns : min_of(most, local->columns - j);
    lay_status status =
        make_operand(plan, local, A, step, (const int64_t[]){ i, p }, (const int64_t[]){ rows, depth }, &desc[A]);
    if (status == LAY_OK)
        status = make_operand(plan, local, B, step, (const int64_t[]){ p, j }, (const int64_t[]){ depth, columns },
                              &desc[B]);
    return status ? status
                  : lay_team_slice(local->part[C], (const int64_t[]){ i, j }, (const int64_t[]){ rows, columns },
                                   &desc[C]);
}

static lay_status make_step(lay_team_plan *plan, int number, lay_team_local *local, int64_t step,
                            const lay_options *given)
{
    const lay_team *const team = plan->team;
    if (lay_team_chunk_first(&plan->cut, step) >= (plan->cut.by_rows ? local->rows : local->columns) ||
        !lay_team_has_part(local))
        return LAY_OK;
    lay_options options = *given;
    team->kind->set(&team->room[number], &options);
    lay_desc *desc[3] = { NULL, NULL, NULL };
    lay_status status =
        plan->layered ? lay_layered_operands(plan, number, local, step, desc) : make_operands(plan, local, step, desc);
    lay_asked asked = {
        .types = lay_types_of(plan->type),
        .a = desc[A],
        .b = desc[B],
        .c = desc[C],
        .whole = { plan->m, plan->n, plan->k },
        .is_conjugated = { plan->is_conjugated[A], plan->is_conjugated[B], 0 },
    };
    if (status == LAY_OK && plan->layered)
        lay_layered_ask(plan, desc, &asked);
    if (status == LAY_OK)
        status = lay_plan_make_asked(&lay_all_ways, &asked, &options, &local->plan[step]);
    if (status == LAY_OK && plan->k > 0)
        status = team->kind->ready(&team->room[number], local->plan[step]);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return status;
}

/* The panels of operands that are not held. */
static lay_status take_panels(lay_team_plan *plan, int number, lay_team_local *local)
{
    const lay_team *const team = plan->team;
    const size_t line = (size_t)(local->batch * plan->cut.depth) * lay_type_size(plan->type);
    lay_status status = LAY_OK;
    for (int x = A; x <= B; x++)
        for (int i = 0; i < lay_team_turns(&plan->cut, x) && !local->is_held[x] && status == LAY_OK; i++) {
            void *block = NULL;
            int64_t most = 0; /* of the steps that have this turn */
            for (int64_t s = 0; s < plan->cut.steps; s++)
                if (lay_team_turn(&plan->cut, x, s) == i)
                    most = max_of(most, lay_team_slab(plan, x, s).most);
            status = team->kind->take(&team->room[number], (size_t)most * line, &block);
            local->panel[x][i] = block;
            plan->info.workspace += (int64_t)((size_t)most * line);
        }
    return status;
}

/* Words of message memory, for steps that hang on values. */
static lay_status take_found(lay_team_plan *plan, int number, lay_team_local *local)
{
    const lay_team *const team = plan->team;
    const size_t bytes = (size_t)plan->cut.steps * sizeof *local->found;
    void *block = NULL;
    int is_needed = 0;
    for (int64_t s = 0; s < plan->cut.steps && plan->k > 0; s++)
        is_needed |= local->plan[s] && team->kind->hangs_on_values(&team->room[number], local->plan[s]);
    const lay_status status = is_needed ? team->kind->take_packed(&team->room[number], bytes, &block) : LAY_OK;
    if (block)
        memset(block, 0, bytes);
    local->found = block;
    return status;
}

/* Of the operand that is the same in all steps, where all steps make the same of it. */
static lay_status take_limbs(lay_team_plan *plan, int number, lay_team_local *local)
{
    const lay_team *const team = plan->team;
    const lay_operand operand = lay_team_stepping(&plan->cut) == A ? LAY_OPERAND_B : LAY_OPERAND_A;
    size_t bytes = 0;
    double seconds;
    void *block = NULL;
    if (!local->found || plan->layered || plan->cut.panels > 1 || plan->cut.steps < 2 || plan->rank == 3)
        return LAY_OK;
    for (int64_t s = 0; s < plan->cut.steps; s++) {
        const size_t own = !local->plan[s] ? bytes
                                           : team->kind->limbs_size(&team->room[number], local->plan[s], operand,
                                                                    &seconds, &local->limbs);
        if (own == 0 || (bytes > 0 && own != bytes))
            return LAY_OK;
        bytes = own;
    }
    const lay_status status = team->kind->take(&team->room[number], bytes, &block);
    local->limbs.limbs = block;
    plan->info.workspace += (int64_t)bytes;
    return status;
}

static lay_status make_local(lay_team_plan *plan, int number, const lay_dealt dealt[3], const lay_options *options,
                             lay_team_local *local)
{
    lay_status status = LAY_OK;
    for (int i = 0; i < 3 && status == LAY_OK; i++)
        status = lay_dealt_part(plan->team, &dealt[i], number, &local->part[i]);
    if (status != LAY_OK)
        return status;
    local->batch = plan->rank == 3 ? lay_desc_map(local->part[C], 0)->extent : 1;
    local->rows = lay_desc_map(local->part[C], plan->rank - 2)->extent;
    local->columns = lay_desc_map(local->part[C], plan->rank - 1)->extent;
    for (int i = 0; i < 2; i++)
        local->is_held[i] = !plan->layered && is_held(plan, local, plan->team->first + number, i);
    if (plan->layered && (status = lay_layered_open(plan, number, local)))
        return status;
    local->plan = calloc((size_t)plan->cut.steps + 1, sizeof *local->plan);
    if (!local->plan)
        return lack("the steps");
    status = lay_team_has_part(local) ? take_panels(plan, number, local) : LAY_OK;
    for (int64_t s = 0; s < plan->cut.steps && status == LAY_OK; s++)
        status = make_step(plan, number, local, s, options);
    if (status == LAY_OK && (status = take_found(plan, number, local)) == LAY_OK)
        status = take_limbs(plan, number, local);
    return status;
}

static lay_status open_mail(lay_team_plan *plan)
{
    lay_status status = LAY_OK;
    for (int x = A; x <= B; x++)
        for (int i = 0; i < lay_team_turns(&plan->cut, x) && status == LAY_OK; i++)
            status =
                lay_mail_open(plan->team, plan->cut.steps, plan->move[x], &plan->mail[x][i], &plan->info.workspace);
    return status;
}

static lay_status open_marks(lay_team_plan *plan)
{
    const int each = plan->team->each;
    lay_status status = LAY_OK;
    plan->marks = calloc(8 * (size_t)each, sizeof *plan->marks);
    if (!plan->marks)
        return lack("the places");
    for (int i = 0; i < 8 * each && status == LAY_OK; i++)
        status = plan->team->kind->open_mark(&plan->team->room[i % each], &plan->marks[i]);
    return status;
}

static void make_info(lay_team_plan *plan)
{
    const int64_t size = (int64_t)lay_type_size(plan->type), places = plan->team->places;
    double bound = (double)places * lay_volume_least((double)plan->batch, (double)plan->m, (double)plan->n,
                                                     (double)plan->k, (double)places);
    for (int64_t place = 0; place < places; place++) {
        const lay_share share = lay_side_share(plan->side, place);
        bound -= (double)(lay_share_a(&share) + lay_share_b(&share) + lay_share_c(&share));
    }
    for (int64_t s = 0; s < 2 * plan->cut.steps; s++) {
        const lay_exchange *const of = &plan->move[s % 2][s / 2];
        plan->info.bytes_sent += of->sent;
        plan->info.bytes_received += of->received;
        plan->info.messages_sent += of->messages;
    }
    if (plan->layered) {
        const lay_exchange *const of = &plan->layered->gather;
        plan->info.bytes_sent += of->sent;
        plan->info.bytes_received += of->received;
        plan->info.messages_sent += of->messages;
    }
    plan->info.bytes_bound = bound > 0 ? (int64_t)(bound * (double)size) : 0;
    plan->info.steps = plan->cut.steps;
}

lay_status lay_team_plan_make(lay_team_plan *plan, const lay_dealt dealt[3], const lay_options *options)
{
    lay_status status = LAY_OK;
    for (int i = 0; i < 3 && status == LAY_OK; i++)
        status = lay_dealt_side(plan->team, &dealt[i], &plan->side[i]);
    if (status != LAY_OK)
        return status;
    for (int i = A; i <= B; i++)
        plan->is_conjugated[i] = lay_dealt_is_conjugated(&dealt[i]);
    status = plan->team->sum == LAY_TEAM_SUM_WHOLE ? find_steps(plan, options) : lay_layered_make(plan, options);
    if (status != LAY_OK)
        return status;
    plan->local = calloc((size_t)plan->team->each, sizeof *plan->local);
    plan->targets = calloc(4 * (size_t)plan->team->each, sizeof *plan->targets);
    if (!plan->local || !plan->targets)
        return lack("the places");
    if ((status = open_marks(plan)) || (status = make_exchanges(plan)) || (status = open_mail(plan)) ||
        (plan->layered && (status = lay_layered_gather(plan))))
        return status;
    for (int i = 0; i < plan->team->each && status == LAY_OK; i++)
        status = make_local(plan, i, dealt, options, &plan->local[i]);
    make_info(plan);
    return status;
}
