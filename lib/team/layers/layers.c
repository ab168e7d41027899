/* Layers of places: which there may be, and what each moves. */
#include "team/layers/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"

enum { A, B, C };

int64_t lay_slices_of(int64_t k)
{
    int64_t slices = 1;
    while (slices < LAY_SLICES_MOST && k / (2 * slices) >= LAY_SLICE_LEAST)
        slices *= 2;
    return slices;
}

/* ---- who has what of which part --------------------------------------------------------------- */

/* Of one dimension of an operand, cut in parts: how many indices of each part an owner has. */
typedef struct tally {
    int64_t least, owners, parts, *count; /* [owners][parts] */
} tally;

static int tally_open(const lay_side *side, int d, int64_t parts, tally *out)
{
    *out = (tally){ .parts = parts };
    out->owners = lay_side_owners(side, d, &out->least);
    out->count = calloc((size_t)(out->owners * parts) + 1, sizeof *out->count);
    if (!out->count)
        return 0;
    for (int64_t i = 0; i < parts; i++)
        for (int64_t x = lay_part_first(side->extent[d], parts, i); x < lay_part_first(side->extent[d], parts, i + 1);
             x++)
            out->count[(side->owner[d][x] - out->least) * parts + i]++;
    return 1;
}

static int64_t tally_of(const tally *of, const lay_side *side, int d, int64_t place, int64_t part)
{
    const int64_t owner = side->value[place * side->rank + d] - of->least;
    return side->copy[place] < 0 || owner < 0 || owner >= of->owners ? 0 : of->count[owner * of->parts + part];
}

/* All indices of a place. */
static int64_t tally_all(const tally *of, const lay_side *side, int d, int64_t place)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < of->parts; i++)
        sum += tally_of(of, side, d, place, i);
    return sum;
}

/* How many have some of a part; in how many parts a place has some. */
static int64_t count_owners(const tally *of, int64_t part)
{
    int64_t owners = 0;
    for (int64_t i = 0; i < of->owners; i++)
        owners += of->count[i * of->parts + part] > 0;
    return owners;
}

static int64_t count_parts(const tally *of, const lay_side *side, int d, int64_t place)
{
    int64_t parts = 0;
    for (int64_t i = 0; i < of->parts; i++)
        parts += tally_of(of, side, d, place, i) > 0;
    return parts;
}

/* ---- what candidates cost --------------------------------------------------------------------- */

/* By what a candidate is costed: [operand][dimension], each cut as the layers are. */
typedef struct costing {
    lay_type type;
    const lay_side *side; /* of A, B and C */
    const lay_team_links *links;
    tally of[3][2];
} costing;

static int dim_of(int operand, int d)
{
    static const int dim[3][2] = { { LAY_AT_ROW, LAY_AT_LAYER },
                                   { LAY_AT_LAYER, LAY_AT_COLUMN },
                                   { LAY_AT_ROW, LAY_AT_COLUMN } };
    return dim[operand][d];
}

static void costing_close(costing *of)
{
    for (int i = 0; i < 6; i++)
        free(of->of[i / 2][i % 2].count);
}

static int costing_open(const int64_t count[LAY_LAYER_DIMS], costing *of)
{
    int has_room = 1;
    memset(of->of, 0, sizeof of->of);
    for (int i = 0; i < 6 && has_room; i++)
        has_room = tally_open(&of->side[i / 2], i % 2, count[dim_of(i / 2, i % 2)], &of->of[i / 2][i % 2]);
    return has_room;
}

static double part_length(const costing *of, const lay_layers *layers, int operand, int d, int64_t place)
{
    const int dim = dim_of(operand, d);
    const int64_t extent = of->side[operand].extent[d], parts = layers->count[dim];
    const int64_t at = lay_layers_at(layers, place, dim);
    return (double)(lay_part_first(extent, parts, at + 1) - lay_part_first(extent, parts, at));
}

/* What a place's part of an operand is, what of it lies elsewhere, and how many have some. */
typedef struct need {
    double all, lacking, owners;
} need;

static need find_need(const costing *of, const lay_layers *layers, int operand, int64_t place)
{
    need out = { 1, 1, 1 };
    for (int d = 0; d < 2; d++) {
        const tally *const mine = &of->of[operand][d];
        const int64_t at = lay_layers_at(layers, place, dim_of(operand, d));
        out.all *= part_length(of, layers, operand, d, place);
        out.lacking *= (double)tally_of(mine, &of->side[operand], d, place, at);
        out.owners *= (double)count_owners(mine, at);
    }
    out.lacking = out.all - out.lacking;
    return out;
}

/* Each step has messages of its own, from those who have some of its slice. */
static double count_messages(const lay_layers *layers, const need *of)
{
    return of->lacking > 0 ? fmax(of->owners, (double)lay_layers_steps(layers)) : 0;
}

/* What a place does, in elements and messages. */
typedef struct load {
    double gathered[3]; /* A, B, and partial sums for its part of C */
    double messages, products;
} load;

static load find_load(const costing *of, const lay_layers *layers, int64_t place)
{
    const tally *const rows = &of->of[C][0], *const columns = &of->of[C][1];
    const lay_side *const c = &of->side[C];
    load out = { .gathered = { 0 } };
    double own = 0;
    if (lay_layers_has(layers, place)) {
        const need a = find_need(of, layers, A, place), b = find_need(of, layers, B, place);
        const need sums = find_need(of, layers, C, place);
        out.products = a.all * part_length(of, layers, C, 1, place);
        own = sums.all - sums.lacking;
        if (out.products > 0) {
            out.gathered[A] = a.lacking;
            out.gathered[B] = b.lacking;
            out.messages = count_messages(layers, &a) + count_messages(layers, &b);
        }
    }
    const double depth = (double)layers->count[LAY_AT_LAYER];
    out.gathered[C] = depth * (double)(tally_all(rows, c, 0, place) * tally_all(columns, c, 1, place)) - own;
    out.messages += depth * (double)(count_parts(rows, c, 0, place) * count_parts(columns, c, 1, place));
    return out;
}

/* Operations of a multiply-add. */
static double flops_of(lay_type type)
{
    return lay_type_is_complex(type) ? 8 : 2;
}

/* Of steps all transfers but the first one's may go on beside products. */
static double exposed_of(const lay_team_links *links, double steps)
{
    return 1 - links->hidden * (steps - 1) / steps;
}

/* Of the place that has most to do in each respect. */
static lay_layers_candidate cost(const costing *of, lay_layers layers, int64_t places)
{
    const double size = (double)lay_size_of(of->type), sum_size = (double)lay_size_of(lay_type_sum(of->type, of->type));
    const double steps = (double)lay_layers_steps(&layers);
    double operands = 0, sums = 0, messages = 0, products = 0;
    lay_layers_candidate out = { .layers = layers };
    for (int64_t place = 0; place < places; place++) {
        const load mine = find_load(of, &layers, place);
        for (int x = A; x <= C; x++)
            out.moved[x] += mine.gathered[x];
        operands = fmax(operands, size * (mine.gathered[A] + mine.gathered[B]));
        sums = fmax(sums, sum_size * mine.gathered[C]);
        messages = fmax(messages, mine.messages);
        products = fmax(products, flops_of(of->type) * mine.products);
    }
    out.seconds = steps * of->links->step + messages * of->links->message +
                  (operands * exposed_of(of->links, steps) + sums) / of->links->rate + products / of->links->flops;
    return out;
}

/* C as it lies. */
static lay_layers_candidate cost_one(const costing *of, int64_t slices, int64_t places)
{
    const lay_side *const side = of->side;
    const int64_t m = side[C].extent[0], n = side[C].extent[1], k = side[A].extent[1];
    lay_layers_candidate out = { .layers = { slices, { 1, 1, 1 }, { 1, 1, 1 } } };
    double operands = 0, messages = 0, products = 0;
    for (int64_t place = 0; place < places; place++) {
        const lay_share share = lay_side_share(side, place);
        const lay_volume volume = lay_volume_of(&share, m, n, k, LAY_STAYS_C);
        out.moved[A] += (double)volume.of[A];
        out.moved[B] += (double)volume.of[B];
        operands = fmax(operands, (double)lay_size_of(of->type) * (double)(volume.of[A] + volume.of[B]));
        products = fmax(products, flops_of(of->type) * (double)share.c_rows * (double)share.c_columns * (double)k);
    }
    for (int x = A; x <= B; x++)
        if (out.moved[x] > 0)
            messages += lay_side_active(&side[x], 1 - x, ceil_div(max_of(k, 1), slices));
    out.seconds = (double)slices * (of->links->step + messages * of->links->message) +
                  operands * exposed_of(of->links, (double)slices) / of->links->rate + products / of->links->flops;
    return out;
}

/* ---- the list --------------------------------------------------------------------------------- */

static int is_better(const lay_layers_candidate *x, const lay_layers_candidate *y)
{
    return x->seconds < y->seconds ||
           (x->seconds == y->seconds && x->layers.count[LAY_AT_LAYER] < y->layers.count[LAY_AT_LAYER]);
}

static int add(lay_layers_candidate out[], int count, int most, lay_layers_candidate one)
{
    int place = count;
    for (; place > 0 && is_better(&one, &out[place - 1]); place--)
        if (place < most)
            out[place] = out[place - 1];
    if (place < most)
        out[place] = one;
    return count < most ? count + 1 : count;
}

/* Places are numbered along the three dimensions in one of six orders; those that are alike come once. */
static int add_orders(const costing *of, lay_layers layers, int64_t places, int count, int most,
                      lay_layers_candidate out[])
{
    static const int order[6][LAY_LAYER_DIMS] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                                  { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    int64_t seen[6][LAY_LAYER_DIMS];
    for (int i = 0; i < 6; i++) {
        int64_t step = 1;
        for (int d = LAY_LAYER_DIMS - 1; d >= 0; d--) {
            layers.stride[order[i][d]] = layers.count[order[i][d]] > 1 ? step : 1;
            step *= layers.count[order[i][d]];
        }
        memcpy(seen[i], layers.stride, sizeof seen[i]);
        int is_new = 1;
        for (int j = 0; j < i && is_new; j++)
            is_new = memcmp(seen[i], seen[j], sizeof seen[i]) != 0;
        if (is_new)
            count = add(out, count, most, cost(of, layers, places));
    }
    return count;
}

int lay_layers_choose(lay_type type, const lay_side side[3], const lay_team_links *links, int most,
                      lay_layers_candidate out[])
{
    const int64_t slices = lay_slices_of(side[A].extent[1]), places = side[C].places;
    costing of = { .type = type, .side = side, .links = links };
    int count = add(out, 0, most, cost_one(&of, slices, places)), has_room = 1;
    for (int64_t depth = 2; depth <= min_of(slices, places); depth *= 2)
        for (int64_t rows = 1; rows <= places / depth && has_room; rows++) {
            const int64_t columns = places / depth / rows;
            if (columns != places / depth / (rows + 1) || rows == places / depth) {
                lay_layers layers = { slices, { depth, rows, columns }, { 1, 1, 1 } };
                if ((has_room = costing_open(layers.count, &of)))
                    count = add_orders(&of, layers, places, count, most, out);
                costing_close(&of);
            }
        }
    return has_room ? count : 0;
}
