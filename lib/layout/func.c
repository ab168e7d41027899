/* Functions of dimensions as trees: leaves, lists, evaluation, and the way to and from nodes. */
#include "layout/func.h"

#include <assert.h>

#include "base/arith.h"

enum { MAX_DEPTH = 32 }; /* of ranges that cut across radices which hold such ranges */

static int fits_abs(int64_t value, int64_t *magnitude)
{
    *magnitude = value < 0 && value != INT64_MIN ? -value : value;
    return value != INT64_MIN;
}

const lay_func *lay_func_leaf(lay_arena *arena, int64_t extent, int64_t base, int64_t stride)
{
    lay_func *const f = lay_arena_take(arena, sizeof *f);
    if (!f)
        return NULL;
    f->extent = f->full = extent;
    f->base = extent > 0 ? base : 0;
    f->stride = extent > 1 ? stride : 0;
    f->step = 1;
    f->size = f->depth = 1;
    int64_t magnitude, far;
    if (!fits_abs(f->stride, &magnitude) || !fits_mul(magnitude, max_of(extent - 1, 0), &far) ||
        !fits_abs(f->base, &magnitude) || !fits_add(magnitude, far, &f->reach))
        return lay_arena_fail(arena, LAY_ERR_OVERFLOW, "the offsets do not fit 63 bits");
    return f;
}

int lay_fits_product(int n, const int64_t extents[], int64_t *product)
{
    for (int i = 0; i < n; i++)
        if (extents[i] == 0)
            return *product = 0, 1;
    *product = 1;
    for (int i = 0; i < n; i++)
        if (!fits_mul(*product, extents[i], product))
            return 0;
    return 1;
}

int64_t lay_func_at(const lay_func *f, int64_t index)
{
    if (f->parts == 0)
        return f->base + f->stride * index;
    int64_t x = f->start + f->step * index, sum = f->base;
    for (int c = f->parts - 1; c > 0; c--) {
        sum += lay_func_at(f->part[c], x % f->part[c]->extent);
        x /= f->part[c]->extent;
    }
    return sum + lay_func_at(f->part[0], x);
}

int lay_func_is_plain(const lay_func *f)
{
    return f->start == 0 && f->step == 1 && f->extent == f->full;
}

const lay_func *lay_func_shift(lay_arena *arena, const lay_func *f, int64_t by)
{
    if (!f || by == 0 || f->extent == 0)
        return f;
    lay_func *const g = lay_arena_take(arena, sizeof *g + (size_t)f->parts * sizeof g->part[0]);
    if (!g)
        return NULL;
    *g = *f;
    for (int c = 0; c < f->parts; c++)
        g->part[c] = f->part[c];
    int64_t was, is;
    if (!fits_add(f->base, by, &g->base) || !fits_abs(g->base, &is) || !fits_abs(f->base, &was) ||
        !fits_add(f->reach - was, is, &g->reach))
        return lay_arena_fail(arena, LAY_ERR_OVERFLOW, "the offsets do not fit 63 bits");
    return g;
}

const lay_func *lay_func_scale(lay_arena *arena, const lay_func *f, int64_t by)
{
    lay_func *const g = f ? lay_arena_take(arena, sizeof *g + (size_t)f->parts * sizeof g->part[0]) : NULL;
    if (!g)
        return NULL;
    *g = *f;
    for (int c = 0; c < f->parts; c++)
        if (!(g->part[c] = lay_func_scale(arena, f->part[c], by)))
            return NULL;
    if (!fits_mul(f->reach, by, &g->reach)) /* it bounds the others */
        return lay_arena_fail(arena, LAY_ERR_OVERFLOW, "the offsets do not fit 63 bits");
    g->base = f->base * by;
    g->stride = f->stride * by;
    return g;
}

int lay_func_same_but_base(const lay_func *f, const lay_func *g)
{
    if (f == g)
        return 1;
    if (f->extent != g->extent || f->stride != g->stride || f->start != g->start || f->step != g->step ||
        f->parts != g->parts || f->size != g->size)
        return 0;
    for (int c = 0; c < f->parts; c++)
        if (!lay_func_same_but_base(f->part[c], g->part[c]))
            return 0;
    return 1;
}

void lay_func_store(const lay_func *f, lay_node out[])
{
    out[0] = (lay_node){ .extent = f->extent,
                         .base = f->base,
                         .stride = f->stride,
                         .start = f->start,
                         .step = f->step,
                         .parts = f->parts,
                         .size = f->size };
    lay_node *next = out + 1;
    for (int c = 0; c < f->parts; c++) {
        lay_func_store(f->part[c], next);
        next += f->part[c]->size;
    }
}

/* ---- normal form ------------------------------------------------------------------------------ */

/* i -> base + sum of part[c](digit c of start + step * i), 0 <= i < count: on its way to normal. */
struct walk {
    lay_arena *arena;
    int n;
    const lay_func *part[LAY_MAX_PARTS];
    int64_t base, start, step, count;
};

/* The product of the extents of the parts from c on: the place value of part c - 1. */
static int64_t product_from(const struct walk *walk, int c)
{
    int64_t product = 1;
    for (; c < walk->n; c++)
        product *= walk->part[c]->extent;
    return product;
}

static int64_t walk_at(const struct walk *walk, int64_t index)
{
    int64_t x = walk->start + walk->step * index, sum = walk->base;
    for (int c = walk->n - 1; c > 0; c--) {
        sum += lay_func_at(walk->part[c], x % walk->part[c]->extent);
        x /= walk->part[c]->extent;
    }
    return sum + lay_func_at(walk->part[0], x);
}

/* Appends a part: its base goes to the walk's, plain nesting dissolves, leaves fold. */
static int push(struct walk *walk, const lay_func *f)
{
    if (!f)
        return 0;
    walk->base += f->base;
    if (f->extent == 1)
        return 1;
    if (f->parts > 0 && lay_func_is_plain(f)) {
        for (int c = 0; c < f->parts; c++)
            if (!push(walk, f->part[c]))
                return 0;
        return 1;
    }
    const lay_func *const previous = walk->n > 0 ? walk->part[walk->n - 1] : NULL;
    int64_t run;
    if (f->parts == 0 && previous && previous->parts == 0 && fits_mul(f->extent, f->stride, &run) &&
        previous->stride == run) {
        walk->part[walk->n - 1] = lay_func_leaf(walk->arena, previous->extent * f->extent, 0, f->stride);
        return walk->part[walk->n - 1] != NULL;
    }
    assert(walk->n < LAY_MAX_PARTS);
    walk->part[walk->n] = lay_func_shift(walk->arena, f, -f->base);
    return walk->part[walk->n++] != NULL;
}

/* The walk as one node. */
static const lay_func *make_node(const struct walk *walk)
{
    lay_func *const f = lay_arena_take(walk->arena, sizeof *f + (size_t)walk->n * sizeof f->part[0]);
    if (!f)
        return NULL;
    f->extent = walk->count;
    f->base = walk->base;
    f->start = walk->start;
    f->step = walk->step;
    f->full = 1;
    f->parts = walk->n;
    f->size = 1;
    int fits = fits_abs(walk->base, &f->reach);
    for (int c = 0; c < walk->n; c++) {
        const lay_func *const part = f->part[c] = walk->part[c];
        fits = fits && fits_add(f->reach, part->reach, &f->reach);
        f->full *= part->extent;
        f->size += part->size;
        f->depth = f->depth > part->depth ? f->depth : part->depth;
    }
    f->depth++;
    if (!fits)
        return lay_arena_fail(walk->arena, LAY_ERR_OVERFLOW, "the offsets do not fit 63 bits");
    if (f->size > LAY_MAX_NODES || f->depth > MAX_DEPTH)
        return lay_arena_fail(walk->arena, LAY_ERR_UNSUPPORTED,
                              "the layout is more intricate than this library builds");
    return f;
}

/* A walk that covers its radices exactly. */
static const lay_func *make_plain(struct walk *walk)
{
    if (walk->n == 0)
        return lay_func_leaf(walk->arena, 1, walk->base, 0);
    if (walk->n == 1)
        return lay_func_shift(walk->arena, walk->part[0], walk->base);
    walk->start = 0;
    walk->step = 1;
    walk->count = product_from(walk, 0);
    return make_node(walk);
}

const lay_func *lay_func_list(lay_arena *arena, int n, const lay_func *const parts[])
{
    struct walk walk = { .arena = arena };
    int64_t product = 1;
    for (int c = 0; c < n; c++)
        if (!parts[c] || parts[c]->extent == 0)
            return parts[c] ? lay_func_leaf(arena, 0, 0, 0) : NULL;
    for (int c = 0; c < n; c++) {
        int64_t base;
        if (!fits_mul(product, parts[c]->extent, &product))
            return lay_arena_fail(arena, LAY_ERR_OVERFLOW, "the number of indices does not fit 63 bits");
        if (!fits_add(walk.base, parts[c]->base, &base))
            return lay_arena_fail(arena, LAY_ERR_OVERFLOW, "the offsets do not fit 63 bits");
        if (!push(&walk, parts[c]))
            return NULL;
    }
    return make_plain(&walk);
}

static const lay_func *settle(struct walk *walk);

/* Part of the walk's range, settled. */
static const lay_func *settle_piece(const struct walk *walk, int64_t first, int64_t count)
{
    if (count == 1)
        return lay_func_leaf(walk->arena, 1, walk_at(walk, first), 0);
    struct walk piece = *walk;
    piece.start += walk->step * first;
    piece.count = count;
    return settle(&piece);
}

/* Every difference of neighbours is *stride. Looks at a few first, as nearly every walk fails there.
 * Then the pieces between carries into the first digit decide, or with a step, which has no such
 * pieces, all values of a short walk; a long one is taken not to be even. */
static int is_even(const struct walk *walk, int64_t *stride)
{
    enum { SHORT = 1024 };
    const int64_t count = walk->count, zeroth = walk_at(walk, 0);
    int64_t far, next;
    if (!fits_add(walk_at(walk, 1), -zeroth, stride) || !fits_mul(*stride, count - 1, &far) ||
        !fits_add(zeroth, far, &far) || walk_at(walk, count - 1) != far)
        return 0;
    if (count > 2 && (!fits_add(walk_at(walk, 1), *stride, &next) || walk_at(walk, 2) != next))
        return 0;
    if (walk->step > 1) {
        for (int64_t i = 3; i < count && count <= SHORT; i++)
            if (walk_at(walk, i) != zeroth + *stride * i)
                return 0;
        return count <= SHORT;
    }
    if (count == 2)
        return 1;
    const int64_t w = product_from(walk, 1), stop = walk->start + count;
    const int64_t cuts[4] = { 0, round_up(walk->start, w) - walk->start, stop / w * w - walk->start, count };
    for (int p = 0; p < 3; p++) {
        const int64_t length = cuts[p + 1] - cuts[p];
        if (length == 0)
            continue;
        const lay_func *const piece = settle_piece(walk, cuts[p], length);
        if (!piece || piece->parts > 0 || piece->base != zeroth + *stride * cuts[p] ||
            (length > 1 && piece->stride != *stride))
            return 0;
    }
    return 1;
}

/* Folds again what the last step may have changed. A range that leads, over radices that fit in
 * front of the others, becomes part of this range: a slice of a slice is one slice. */
static int refold(struct walk *walk)
{
    const struct walk was = *walk;
    const lay_func *const lead = was.part[0];
    const int64_t w = product_from(&was, 1);
    int64_t product;
    const int dissolve = was.n > 0 && lead->parts > 0 && lead->step == 1 && fits_mul(lead->full, w, &product);
    walk->n = 0;
    if (dissolve) {
        walk->start += lead->start * w;
        walk->base += lead->base;
        for (int c = 0; c < lead->parts; c++)
            if (!push(walk, lead->part[c]))
                return 0;
    }
    for (int c = dissolve; c < was.n; c++)
        if (!push(walk, was.part[c]))
            return 0;
    return 1;
}

/* One step towards the normal form, which makes the radices fewer or smaller: 1 where there was one, 0 where there is
 * none, -1 on failure. */
static int reduce(struct walk *walk)
{
    const lay_func **const lead = &walk->part[0], **const tail = &walk->part[walk->n - 1];
    const int64_t w = product_from(walk, 1);
    const int64_t low = walk->start / w, high = (walk->start + walk->step * (walk->count - 1)) / w;
    if (low == high) { /* the first digit stands still */
        walk->base += lay_func_at(*lead, low);
        walk->start -= low * w;
        walk->n--;
        for (int c = 0; c < walk->n; c++)
            walk->part[c] = walk->part[c + 1];
        return 1;
    }
    const int64_t g = common_divisor(walk->step, (*tail)->extent);
    if (g > 1) { /* start + step * i stays the same modulo g */
        *tail = lay_func_range(walk->arena, *tail, walk->start % g, g, (*tail)->extent / g);
        walk->start /= g;
        walk->step /= g;
        return *tail ? 1 : -1;
    }
    if (low > 0 || high < (*lead)->extent - 1) { /* first digits that never come */
        *lead = lay_func_range(walk->arena, *lead, low, 1, high - low + 1);
        walk->start -= low * w;
        return *lead ? 1 : -1;
    }
    return 0;
}

/* A leaf, where neighbours are one stride apart and its reach fits; else NULL. */
static const lay_func *make_even(const struct walk *walk)
{
    const int64_t base = walk_at(walk, 0);
    int64_t stride, far, magnitude, reach;
    return is_even(walk, &stride) && fits_abs(stride, &magnitude) && fits_mul(magnitude, walk->count - 1, &far) &&
                   fits_abs(base, &magnitude) && fits_add(magnitude, far, &reach)
               ? lay_func_leaf(walk->arena, walk->count, base, stride)
               : NULL;
}

/* How many digits the walk has before trailing ones that go all round; all of them where none do. */
static int count_lead(const struct walk *walk)
{
    for (int c = 1; walk->step == 1 && c < walk->n - 1; c++) {
        const int64_t w = product_from(walk, c + 1);
        if (walk->start % w == 0 && walk->count % w == 0)
            return c + 1;
    }
    return walk->n;
}

/* The first n digits settled, and the others, which go all round, behind them. */
static const lay_func *settle_lead(const struct walk *walk, int n)
{
    const int64_t w = product_from(walk, n);
    struct walk lead = *walk, whole = { .arena = walk->arena, .base = walk->base };
    lead.n = n;
    lead.base = 0;
    lead.start /= w;
    lead.count /= w;
    if (!push(&whole, settle(&lead)))
        return NULL;
    for (int c = n; c < walk->n; c++)
        if (!push(&whole, walk->part[c]))
            return NULL;
    return make_plain(&whole);
}

/* The walk's normal form; at least two indices. */
static const lay_func *settle(struct walk *walk)
{
    assert(walk->count >= 2);
    int steps;
    do {
        if (!refold(walk))
            return NULL;
        if (walk->n == 1) {
            const lay_func *const f = lay_func_range(walk->arena, walk->part[0], walk->start, walk->step, walk->count);
            return lay_func_shift(walk->arena, f, walk->base);
        }
        steps = reduce(walk);
    } while (steps > 0);
    if (steps < 0)
        return NULL;
    if (walk->step == 1 && walk->start == 0 && walk->count == product_from(walk, 0))
        return make_plain(walk);
    const lay_func *const even = make_even(walk);
    if (even || walk->arena->status != LAY_OK)
        return even;
    const int lead = count_lead(walk);
    return lead < walk->n ? settle_lead(walk, lead) : make_node(walk);
}

const lay_func *lay_func_range(lay_arena *arena, const lay_func *f, int64_t first, int64_t step, int64_t count)
{
    if (!f || (first == 0 && step == 1 && count == f->extent))
        return f;
    if (count <= 1)
        return lay_func_leaf(arena, count, count == 1 ? lay_func_at(f, first) : 0, 0);
    if (f->parts == 0)
        return lay_func_leaf(arena, count, f->base + f->stride * first, f->stride * step);
    struct walk walk = {
        .arena = arena, .base = f->base, .start = f->start + f->step * first, .step = f->step * step, .count = count
    };
    for (; walk.n < f->parts; walk.n++)
        walk.part[walk.n] = f->part[walk.n];
    return settle(&walk);
}

const lay_func *lay_func_load(lay_arena *arena, const lay_node *map)
{
    if (map->parts == 0)
        return lay_func_leaf(arena, map->extent, map->base, map->stride);
    struct walk walk = {
        .arena = arena, .base = map->base, .start = map->start, .step = map->step, .count = map->extent
    };
    const lay_node *part = map + 1;
    for (; walk.n < map->parts; part += part->size) {
        walk.part[walk.n] = lay_func_load(arena, part);
        if (!walk.part[walk.n++])
            return NULL;
    }
    return make_node(&walk);
}
