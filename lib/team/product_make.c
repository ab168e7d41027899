/* Planning a product over places: who sends what in which step, and each place's own products. */
#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "layout/desc.h"
#include "team/product.h"
#include "ways.h"

int64_t lay_team_panel_bytes = 64 << 20;

enum { A, B, C, WIDTH = 64 };

static void *take(size_t bytes, int64_t *workspace)
{
    *workspace += (int64_t)bytes;
    return aligned_alloc(64, (bytes + 64) / 64 * 64);
}

static lay_status lack(const char *what)
{
    return lay_fail(LAY_ERR_MEMORY, "no memory for %s of a product over places", what);
}

/* Of the place that has most: rows (0) or columns (1) of C. */
static int64_t count_most(const lay_team_plan *plan, int d)
{
    int64_t most = 0;
    for (int64_t place = 0; place < plan->team->places; place++)
        most = max_of(most, lay_side_count(&plan->side[C], place, d));
    return most;
}

/* Elements that lie beside each other where they are from do so in a panel, too. */
static int find_inner(const lay_side *from)
{
    int64_t place = 0;
    while (place + 1 < from->places && from->copy[place] < 0)
        place++;
    return lay_side_inner(from, place);
}

/* A step is as wide as its panel's bytes allow: a function of k and the type alone, for ranks to agree. */
static void find_steps(lay_team_plan *plan)
{
    const int64_t line = max_of(plan->k, 1) * (int64_t)lay_type_size(plan->type);
    const int64_t rows = count_most(plan, 0), columns = count_most(plan, 1);
    plan->width = max_of(lay_team_panel_bytes / line / WIDTH, 1) * WIDTH;
    plan->width = min_of(plan->width, max_of(columns, 1));
    plan->steps = ceil_div(columns, plan->width);
    plan->panel[A] = (lay_slab){ .dimension = 0, .inner = find_inner(&plan->side[A]), .whole = plan->k, .most = rows };
    plan->panel[B] =
        (lay_slab){ .dimension = 1, .inner = find_inner(&plan->side[B]), .whole = plan->k, .most = plan->width };
}

static lay_status make_exchange(const lay_team_plan *plan, int operand, int64_t first, lay_exchange *out)
{
    lay_slab slab = plan->panel[operand];
    lay_side target;
    slab.first = first;
    lay_status status = lay_side_of_panel(&plan->side[C], &slab, &target);
    if (status != LAY_OK)
        return status;
    status = lay_exchange_make(plan->team, &plan->side[operand], &target, lay_type_size(plan->type), out);
    lay_side_free(&target);
    return status;
}

static lay_status make_exchanges(lay_team_plan *plan)
{
    lay_status status = make_exchange(plan, A, 0, &plan->a);
    plan->b = calloc((size_t)plan->steps + 1, sizeof *plan->b);
    if (!plan->b)
        return lack("the steps");
    for (int64_t s = 0; s < plan->steps && status == LAY_OK; s++)
        status = make_exchange(plan, B, s * plan->width, &plan->b[s]);
    return status;
}

/* The place has the rows of A that it takes (the columns of B), in this order, and no others. */
static int is_held(const lay_team_plan *plan, const lay_team_local *local, int64_t place, int operand)
{
    const lay_side *const from = &plan->side[operand], *const c = &plan->side[C];
    if (lay_side_count(from, place, operand) != (operand == A ? local->rows : local->columns) ||
        lay_side_count(from, place, 1 - operand) != plan->k || from->copy[place] < 0)
        return 0;
    for (int64_t x = 0; x < from->extent[operand]; x++)
        if ((from->owner[operand][x] == from->value[place * 2 + operand]) !=
            (c->owner[operand][x] == c->value[place * 2 + operand]))
            return 0;
    return 1;
}

/* The columns of a step, of C's part and of B. */
static lay_status make_operands(const lay_team_plan *plan, const lay_team_local *local, int64_t first, int64_t count,
                                lay_desc *desc[3])
{
    const int64_t extent_a[] = { local->rows, plan->k }, extent_b[] = { plan->k, count };
    int64_t step[2][2];
    for (int i = 0; i < 4; i++)
        step[i / 2][i % 2] = lay_slab_step(&plan->panel[i / 2], i % 2);
    lay_status status =
        local->is_held[A] ? lay_desc_clone(local->part[A], &desc[A]) : lay_desc_strided(2, extent_a, step[A], &desc[A]);
    if (status == LAY_OK)
        status = local->is_held[B] ? lay_desc_slice(local->part[B], 1, first, count, &desc[B])
                                   : lay_desc_strided(2, extent_b, step[B], &desc[B]);
    return status ? status : lay_desc_slice(local->part[C], 1, first, count, &desc[C]);
}

static lay_status make_step(const lay_team_plan *plan, lay_team_local *local, int64_t step, const lay_options *options)
{
    const int64_t first = step * plan->width, count = min_of(plan->width, local->columns - first);
    if (count <= 0 || local->rows == 0)
        return LAY_OK;
    lay_desc *desc[3] = { NULL, NULL, NULL };
    lay_status status = make_operands(plan, local, first, count, desc);
    const lay_asked asked = {
        .types = lay_types_of(plan->type),
        .a = desc[A],
        .b = desc[B],
        .c = desc[C],
        .whole = { plan->m, plan->n },
        .is_conjugated = { plan->is_conjugated[A], plan->is_conjugated[B], 0 },
    };
    if (status == LAY_OK)
        status = lay_plan_make_asked(&lay_all_ways, &asked, options, &local->plan[step]);
    for (int i = 0; i < 3; i++)
        lay_desc_destroy(desc[i]);
    return status;
}

/* The panels of operands that are not held. */
static lay_status take_panels(lay_team_plan *plan, lay_team_local *local)
{
    const size_t size = lay_type_size(plan->type), line = (size_t)plan->k * size;
    int has_room = 1;
    if (!local->is_held[A])
        has_room &= (local->panel_a = take((size_t)plan->panel[A].most * line, &plan->info.workspace)) != NULL;
    for (int i = 0; i < 2 && !local->is_held[B]; i++)
        has_room &= (local->panel_b[i] = take((size_t)plan->width * line, &plan->info.workspace)) != NULL;
    return has_room ? LAY_OK : lack("panels");
}

static lay_status make_local(lay_team_plan *plan, int number, const lay_dealt dealt[3], const lay_options *options,
                             lay_team_local *local)
{
    lay_status status = LAY_OK;
    for (int i = 0; i < 3 && status == LAY_OK; i++)
        status = lay_dealt_part(plan->team, &dealt[i], number, &local->part[i]);
    if (status != LAY_OK)
        return status;
    local->rows = lay_desc_map(local->part[C], 0)->extent;
    local->columns = lay_desc_map(local->part[C], 1)->extent;
    for (int i = 0; i < 2; i++)
        local->is_held[i] = is_held(plan, local, plan->team->first + number, i);
    local->plan = calloc((size_t)plan->steps + 1, sizeof *local->plan);
    if (!local->plan)
        return lack("the steps");
    status = local->rows > 0 && local->columns > 0 ? take_panels(plan, local) : LAY_OK;
    for (int64_t s = 0; s < plan->steps && status == LAY_OK; s++)
        status = make_step(plan, local, s, options);
    return status;
}

static lay_status take_buffers(lay_team_plan *plan)
{
    size_t buffer = 0, requests = 0;
    for (int64_t s = 0; s < plan->steps; s++) {
        buffer = plan->b[s].buffer > buffer ? plan->b[s].buffer : buffer;
        requests = (size_t)plan->b[s].requests > requests ? (size_t)plan->b[s].requests : requests;
    }
    plan->buffer_a = take(plan->a.buffer, &plan->info.workspace);
    plan->requests_a = calloc((size_t)plan->a.requests + 1, sizeof(void *));
    int has_room = plan->buffer_a && plan->requests_a;
    for (int i = 0; i < 2; i++) {
        plan->buffer_b[i] = take(buffer, &plan->info.workspace);
        plan->requests_b[i] = calloc(requests + 1, sizeof(void *));
        has_room = has_room && plan->buffer_b[i] && plan->requests_b[i];
    }
    return has_room ? LAY_OK : lack("messages");
}

static void add_traffic(lay_team_plan *plan, const lay_exchange *of)
{
    plan->info.bytes_sent += of->sent;
    plan->info.bytes_received += of->received;
    plan->info.messages_sent += of->messages;
}

/* Kwasniewski and others, "Red-blue pebbling revisited: near optimal parallel matrix-matrix multiplication" (2019):
 * with memory for it a place of p touches 3 (mnk/p)^(2/3) elements, of which its share lies there. */
static int64_t find_bound(const lay_team_plan *plan)
{
    const double m = (double)plan->m, n = (double)plan->n, k = (double)plan->k, p = plan->team->places;
    const double elements = 3 * pow(m * n * k / p, 2.0 / 3) - (m * n + m * k + k * n) / p;
    return elements > 0 ? (int64_t)(p * elements * (double)lay_type_size(plan->type)) : 0;
}

static void make_info(lay_team_plan *plan)
{
    add_traffic(plan, &plan->a);
    for (int64_t s = 0; s < plan->steps; s++)
        add_traffic(plan, &plan->b[s]);
    plan->info.bytes_bound = find_bound(plan);
    plan->info.steps = plan->steps;
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
    find_steps(plan);
    plan->local = calloc((size_t)plan->team->each, sizeof *plan->local);
    plan->targets = calloc(3 * (size_t)plan->team->each, sizeof *plan->targets);
    if (!plan->local || !plan->targets)
        return lack("the places");
    if ((status = make_exchanges(plan)) || (status = take_buffers(plan)))
        return status;
    for (int i = 0; i < plan->team->each && status == LAY_OK; i++)
        status = make_local(plan, i, dealt, options, &plan->local[i]);
    make_info(plan);
    return status;
}
