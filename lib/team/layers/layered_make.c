/* Planning sums that are split over places: who takes what of A and B, and memory for partial sums. */
#include <stdlib.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "base/status.h"
#include "layout/desc.h"
#include "team/layers/layered.h"

enum { A, B, C };

int lay_layered_pick;

/* ---- which part of C, and of k ---------------------------------------------------------------- */

/* Where C has fewer rows or columns than a layer has places along them, some of these have no block. */
static int has_block(const lay_layers *layers, const int64_t extent[2], int64_t place)
{
    for (int d = 0; d < 2; d++) {
        const int64_t parts = layers->count[LAY_AT_ROW + d], at = lay_layers_at(layers, place, LAY_AT_ROW + d);
        if (lay_part_first(extent[d], parts, at) == lay_part_first(extent[d], parts, at + 1))
            return 0;
    }
    return lay_layers_has(layers, place);
}

/* Blocks of rows and of columns, each summed by a place of each layer. */
static lay_status make_block(lay_team_plan *plan)
{
    struct lay_layered *const of = plan->layered;
    const int64_t extent[] = { plan->m, plan->n };
    const lay_status status = lay_side_open(2, plan->team->places, extent, &of->block);
    for (int d = 0; d < 2 && status == LAY_OK; d++) {
        const int64_t parts = of->layers.count[LAY_AT_ROW + d];
        for (int64_t i = 0; i < parts; i++)
            for (int64_t x = lay_part_first(extent[d], parts, i); x < lay_part_first(extent[d], parts, i + 1); x++)
                of->block.owner[d][x] = i;
        for (int64_t place = 0; place < plan->team->places; place++)
            of->block.value[place * 2 + d] = lay_layers_at(&of->layers, place, LAY_AT_ROW + d);
    }
    for (int64_t place = 0; place < plan->team->places && status == LAY_OK; place++)
        of->block.copy[place] = has_block(&of->layers, extent, place) ? 0 : -1;
    return status;
}

static const lay_side *block_of(const lay_team_plan *plan)
{
    return plan->layered->layers.count[LAY_AT_LAYER] > 1 ? &plan->layered->block : &plan->side[C];
}

/* Number `step` of a layer's slices. */
static int64_t first_of(const lay_team_plan *plan, int64_t layer, int64_t step)
{
    const lay_layers *const layers = &plan->layered->layers;
    return lay_part_first(plan->k, layers->slices, layer * lay_layers_steps(layers) + step);
}

static int64_t depth_of(const lay_team_plan *plan, int64_t layer, int64_t step)
{
    return first_of(plan, layer, step + 1) - first_of(plan, layer, step);
}

/* All slices of a place's layer, each as if it were alone in the panel; a step has a window of them. */
static lay_status make_panel(lay_team_plan *plan, int x)
{
    struct lay_layered *const of = plan->layered;
    lay_side *const side = &of->panel[x];
    const int along = 1 - x; /* the dimension of k */
    lay_status status = lay_side_of_panel(block_of(plan), &plan->panel[x], side);
    if (status == LAY_OK)
        status = lay_side_open_windows(side);
    for (int64_t layer = 0; layer < of->layers.count[LAY_AT_LAYER] && status == LAY_OK; layer++)
        for (int64_t s = 0; s < plan->cut.steps; s++)
            for (int64_t y = first_of(plan, layer, s); y < first_of(plan, layer, s + 1); y++) {
                side->owner[along][y] = layer;
                side->offset[along][y] = (y - first_of(plan, layer, s)) * lay_slab_step(&plan->panel[x], along);
            }
    for (int64_t place = 0; place < side->places && status == LAY_OK; place++)
        side->value[place * 2 + along] = lay_layers_at(&of->layers, place, LAY_AT_LAYER);
    return status;
}

static void set_window(lay_team_plan *plan, int x, int64_t step)
{
    lay_side *const side = &plan->layered->panel[x];
    for (int64_t place = 0; place < side->places; place++) {
        int64_t *const window = side->window[place * 2 + 1 - x];
        const int64_t layer = side->value[place * 2 + 1 - x];
        window[0] = first_of(plan, layer, step);
        window[1] = first_of(plan, layer, step + 1);
    }
}

lay_status lay_layered_move(lay_team_plan *plan, int operand, int64_t step, lay_exchange *out)
{
    set_window(plan, operand, step);
    return lay_exchange_make(plan->team, &plan->side[operand], &plan->layered->panel[operand],
                             lay_type_size(plan->type), out);
}

static int64_t find_most(const lay_side *side, int d)
{
    int64_t most = 0;
    for (int64_t place = 0; place < side->places; place++)
        most = max_of(most, lay_side_count(side, place, d));
    return most;
}

lay_status lay_layered_make(lay_team_plan *plan, const lay_options *options)
{
    const lay_team_links links =
        lay_team_links_get(plan->team->is_direct, plan->team->places > plan->team->each && !plan->team->wire);
    struct lay_layered *const of = calloc(1, sizeof *of);
    lay_status status = LAY_OK;
    if (!of || !(of->local = calloc((size_t)plan->team->each, sizeof *of->local)) ||
        !(of->candidates = lay_layers_choose(plan->type, plan->side, &links, LAY_LAYERINGS, of->candidate))) {
        free(of ? of->local : NULL);
        free(of);
        return lay_fail(LAY_ERR_MEMORY, "no memory for the layers of a product over places");
    }
    plan->layered = of;
    of->pick = lay_layered_pick % of->candidates;
    of->layers = of->candidate[of->pick].layers;
    of->sum = lay_type_sum(plan->type, plan->type);
    of->options = (lay_options)LAY_OPTIONS_INIT;
    of->options.threads = options->threads;
    of->options.parallel = options->parallel;
    of->options.parallel_context = options->parallel_context;
    of->inner = lay_side_find_inner(&plan->side[C]);
    if (of->layers.count[LAY_AT_LAYER] > 1 && (status = make_block(plan)))
        return status;
    for (int d = 0; d < 2; d++) {
        of->most[d] = find_most(block_of(plan), d);
        of->taken[d] = find_most(&plan->side[C], d);
    }
    const int64_t steps = lay_layers_steps(&of->layers), depth = ceil_div(max_of(plan->k, 1), of->layers.slices);
    plan->cut = (lay_team_cut){ .depth = depth,
                                .lead = max_of(of->most[1], 1),
                                .width = max_of(of->most[1], 1),
                                .panels = steps,
                                .chunks = 1,
                                .steps = steps };
    for (int x = A; x <= B && status == LAY_OK; x++) {
        plan->panel[x] = (lay_slab){ .dimension = x,
                                     .inner = lay_side_find_inner(&plan->side[x]),
                                     .whole = plan->k,
                                     .most = max_of(of->most[x], 1),
                                     .depth = depth };
        plan->side[x].inner = plan->panel[x].inner;
        status = make_panel(plan, x);
    }
    return status;
}

/* ---- partial sums ----------------------------------------------------------------------------- */

/* Both sides with the layers as a dimension in front of C's. From: each place's sum, its own layer's. To: what a place
 * has of C, once a layer. */
static lay_status stack(const lay_team_plan *plan, const lay_side *block, const int64_t most[2], int is_source,
                        lay_side *out)
{
    const struct lay_layered *const of = plan->layered;
    const int64_t layers = of->layers.count[LAY_AT_LAYER], extent[] = { layers, plan->m, plan->n };
    const int64_t step[] = { of->inner == 0 ? 1 : most[1], of->inner == 0 ? most[0] : 1 };
    lay_status status = lay_side_open(3, plan->team->places, extent, out);
    out->inner = 1 + of->inner;
    for (int64_t i = 0; i < layers && status == LAY_OK; i++) {
        out->owner[0][i] = is_source ? i : 0;
        out->offset[0][i] = is_source ? 0 : i * most[0] * most[1];
    }
    for (int d = 0; d < 2 && status == LAY_OK; d++)
        if ((status = lay_side_number(block, d, out->offset[1 + d])) == LAY_OK)
            for (int64_t x = 0; x < extent[1 + d]; x++) {
                out->owner[1 + d][x] = block->owner[d][x];
                out->offset[1 + d][x] *= step[d];
            }
    for (int64_t place = 0; place < out->places && status == LAY_OK; place++) {
        int64_t *const value = &out->value[place * 3];
        value[0] = is_source ? lay_layers_at(&of->layers, place, LAY_AT_LAYER) : 0;
        value[1] = block->value[place * 2];
        value[2] = block->value[place * 2 + 1];
        out->copy[place] = is_source && block->copy[place] > 0 ? 0 : block->copy[place];
    }
    if (status != LAY_OK)
        lay_side_free(out);
    return status;
}

lay_status lay_layered_gather(lay_team_plan *plan)
{
    struct lay_layered *const of = plan->layered;
    const size_t each = (size_t)plan->team->each;
    lay_side from, to;
    of->source = calloc(each, sizeof *of->source);
    of->target = calloc(each, sizeof *of->target);
    if (!of->source || !of->target)
        return lay_fail(LAY_ERR_MEMORY, "no memory for the places of a product over places");
    if (of->layers.count[LAY_AT_LAYER] == 1)
        return LAY_OK;
    lay_status status = stack(plan, &of->block, of->most, 1, &from);
    if (status != LAY_OK)
        return status;
    if ((status = stack(plan, &plan->side[C], of->taken, 0, &to)) == LAY_OK) {
        status = lay_exchange_make(plan->team, &from, &to, lay_type_size(of->sum), &of->gather);
        lay_side_free(&to);
    }
    lay_side_free(&from);
    return status ? status : lay_mail_open(plan->team, 1, &of->gather, &of->mail, &plan->info.workspace);
}

static lay_status take(lay_team_plan *plan, int number, int64_t elements, char **out)
{
    void *block = NULL;
    const size_t bytes = (size_t)elements * lay_type_size(plan->layered->sum);
    const lay_status status = plan->team->kind->take(&plan->team->room[number], bytes, &block);
    *out = block;
    plan->info.workspace += (int64_t)bytes;
    return status;
}

/* As it is laid down, of so many rows and columns. */
static lay_status make_dense(const lay_team_plan *plan, const int64_t extent[2], const int64_t most[2], lay_desc **out)
{
    const int is_by_columns = plan->layered->inner == 0;
    return lay_desc_strided(2, extent, (const int64_t[]){ is_by_columns ? 1 : most[1], is_by_columns ? most[0] : 1 },
                            out);
}

/* Whether all that a place takes of an operand lies there, in this order, in each step. */
static int is_held(lay_team_plan *plan, int64_t place, int x)
{
    int64_t count;
    for (int64_t s = 0; s < plan->cut.steps; s++) {
        set_window(plan, x, s);
        for (int d = 0; d < 2; d++)
            if (lay_side_run(&plan->side[x], &plan->layered->panel[x], d, place, &count) < 0)
                return 0;
    }
    return 1;
}

/* Sums that wait: of each level one, and the newest. */
static int count_sums(const lay_team_plan *plan)
{
    int count = 1;
    for (int64_t steps = plan->cut.steps; steps > 1; steps /= 2)
        count++;
    return count;
}

lay_status lay_layered_open(lay_team_plan *plan, int number, lay_team_local *local)
{
    struct lay_layered *const of = plan->layered;
    lay_partial *const partial = &of->local[number];
    const int64_t place = plan->team->first + number;
    const int64_t extent[] = { lay_side_count(block_of(plan), place, 0), lay_side_count(block_of(plan), place, 1) };
    const int64_t taken[] = { lay_desc_map(local->part[C], 0)->extent, lay_desc_map(local->part[C], 1)->extent };
    lay_status status = make_dense(plan, extent, of->most, &partial->desc);
    if (status == LAY_OK)
        status = make_dense(plan, taken, of->taken, &partial->taken);
    local->rows = extent[0];
    local->columns = extent[1];
    for (int x = A; x <= B; x++)
        local->is_held[x] = is_held(plan, place, x);
    for (int i = 0; i < count_sums(plan) && extent[0] > 0 && extent[1] > 0 && status == LAY_OK; i++)
        status = take(plan, number, of->most[0] * of->most[1], &partial->sum[i]);
    if (status == LAY_OK && of->layers.count[LAY_AT_LAYER] > 1 && taken[0] > 0 && taken[1] > 0)
        status = take(plan, number, of->layers.count[LAY_AT_LAYER] * of->taken[0] * of->taken[1], &partial->gathered);
    return status;
}

static lay_status make_operand(const lay_team_plan *plan, const lay_team_local *local, int64_t place, int x,
                               const int64_t extent[2], lay_desc **out)
{
    const lay_slab *const panel = &plan->panel[x];
    int64_t first[2], count;
    if (!local->is_held[x])
        return lay_desc_strided(2, extent, (const int64_t[]){ lay_slab_step(panel, 0), lay_slab_step(panel, 1) }, out);
    for (int d = 0; d < 2; d++)
        first[d] = lay_side_run(&plan->side[x], &plan->layered->panel[x], d, place, &count);
    return lay_team_slice(local->part[x], first, extent, out);
}

lay_status lay_layered_operands(lay_team_plan *plan, int number, const lay_team_local *local, int64_t step,
                                lay_desc *desc[3])
{
    const int64_t place = plan->team->first + number,
                  layer = lay_layers_at(&plan->layered->layers, place, LAY_AT_LAYER);
    const int64_t depth = depth_of(plan, layer, step);
    const int64_t extent[2][2] = { { local->rows, depth }, { depth, local->columns } };
    lay_status status = LAY_OK;
    for (int x = A; x <= B && status == LAY_OK; x++) {
        set_window(plan, x, step);
        status = make_operand(plan, local, place, x, extent[x], &desc[x]);
    }
    return status == LAY_OK ? lay_desc_clone(plan->layered->local[number].desc, &desc[C]) : status;
}

void lay_layered_ask(const lay_team_plan *plan, lay_desc *const desc[3], lay_asked *asked)
{
    const lay_type sum = plan->layered->sum;
    asked->types = (lay_types){ plan->type, plan->type, sum, sum, sum };
    asked->whole[2] = lay_desc_map(desc[A], 1)->extent;
}

void lay_layered_free(lay_team_plan *plan)
{
    struct lay_layered *const of = plan->layered;
    if (!of)
        return;
    for (int i = 0; i < plan->team->each; i++) {
        lay_partial *const partial = &of->local[i];
        lay_desc_destroy(partial->desc);
        lay_desc_destroy(partial->taken);
        for (int s = 0; s < LAY_PARTIALS; s++)
            plan->team->kind->give(&plan->team->room[i], partial->sum[s]);
        plan->team->kind->give(&plan->team->room[i], partial->gathered);
    }
    lay_side_free(&of->block);
    for (int x = A; x <= B; x++)
        lay_side_free(&of->panel[x]);
    lay_exchange_free(&of->gather);
    lay_mail_close(plan->team, &of->mail);
    free(of->source);
    free(of->target);
    free(of->local);
    free(of);
}
