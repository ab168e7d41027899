/* Evaluating the function of a dimension: one offset, a run of offsets, all of it as modes. */
#include "layout/map.h"

#include <assert.h>

#include "base/arith.h"

enum { MAX_PARTS = 64 }; /* normal maps: extents of at least 2, a product within 63 bits */

int64_t lay_map_offset(const lay_node *map, int64_t index)
{
    if (map->parts == 0)
        return map->base + map->stride * index;
    const lay_node *part[MAX_PARTS];
    const lay_node *next = map + 1;
    for (int c = 0; c < map->parts; c++, next += next->size)
        part[c] = next;
    int64_t x = map->start + map->step * index, sum = map->base;
    for (int c = map->parts - 1; c > 0; c--) {
        const int64_t rest = x / part[c]->extent;
        sum += lay_map_offset(part[c], x - rest * part[c]->extent);
        x = rest;
    }
    return sum + lay_map_offset(part[0], x);
}

/* The digits of start + step * i and their values, stepping through i. */
struct odometer {
    int parts;
    const lay_node *part[MAX_PARTS];
    int64_t digit[MAX_PARTS], step[MAX_PARTS]; /* of x; of the map's step */
    int64_t value[MAX_PARTS];                  /* part(digit) */
};

static void set_odometer(struct odometer *meter, const lay_node *map, int64_t first)
{
    meter->parts = map->parts;
    const lay_node *next = map + 1;
    for (int c = 0; c < map->parts; c++, next += next->size)
        meter->part[c] = next;
    int64_t x = map->start + map->step * first, step = map->step;
    for (int c = map->parts - 1; c >= 0; c--) {
        const int64_t e = meter->part[c]->extent;
        meter->digit[c] = c > 0 ? x % e : x;
        meter->step[c] = c > 0 ? step % e : step;
        meter->value[c] = lay_map_offset(meter->part[c], meter->digit[c]);
        x /= e;
        step /= e;
    }
}

/* Adds 1 at place c and carries; the caller stays in range. */
static void carry_into(struct odometer *meter, int c)
{
    while (c > 0 && meter->digit[c] == meter->part[c]->extent - 1) {
        meter->digit[c] = 0;
        meter->value[c] = lay_map_offset(meter->part[c], 0);
        c--;
    }
    meter->digit[c]++;
    const lay_node *const part = meter->part[c];
    meter->value[c] = part->parts ? lay_map_offset(part, meter->digit[c]) : meter->value[c] + part->stride;
}

/* Adds the step's digits. */
static void add_step(struct odometer *meter)
{
    int carry = 0;
    for (int c = meter->parts - 1; c >= 0; c--) {
        if (meter->step[c] == 0 && !carry)
            continue;
        int64_t digit = meter->digit[c] + meter->step[c] + carry;
        carry = c > 0 && digit >= meter->part[c]->extent;
        if (carry)
            digit -= meter->part[c]->extent;
        meter->digit[c] = digit;
        meter->value[c] = lay_map_offset(meter->part[c], digit);
    }
}

static int64_t sum_values(const struct odometer *meter, int parts)
{
    int64_t sum = 0;
    for (int c = 0; c < parts; c++)
        sum += meter->value[c];
    return sum;
}

void lay_map_offsets(const lay_node *map, int64_t first, int64_t count, int64_t out[])
{
    if (map->parts == 0) {
        const int64_t base = map->base + map->stride * first;
        for (int64_t i = 0; i < count; i++)
            out[i] = base + map->stride * i;
        return;
    }
    if (count == 0)
        return;
    struct odometer meter;
    set_odometer(&meter, map, first);
    if (map->step > 1) {
        for (int64_t i = 0; i < count; i++) {
            out[i] = map->base + sum_values(&meter, meter.parts);
            if (i + 1 < count)
                add_step(&meter);
        }
        return;
    }
    const int last = meter.parts - 1; /* runs through the last part's digits, a carry between runs */
    const lay_node *const tail = meter.part[last];
    int64_t digit = meter.digit[last];
    for (int64_t i = 0; i < count;) {
        const int64_t run = min_of(tail->extent - digit, count - i);
        const int64_t base = map->base + sum_values(&meter, last);
        if (tail->parts == 0) {
            const int64_t from = base + tail->base + tail->stride * digit;
            for (int64_t r = 0; r < run; r++)
                out[i + r] = from + tail->stride * r;
        } else {
            lay_map_offsets(tail, digit, run, out + i);
            for (int64_t r = 0; r < run; r++)
                out[i + r] += base;
        }
        i += run;
        digit = 0;
        if (i < count)
            carry_into(&meter, last - 1);
    }
}

int lay_map_flatten(const lay_node *map, lay_leaf leaves[], int *count, int64_t *base)
{
    *base = map->base;
    *count = 0;
    if (map->parts == 0) {
        if (map->extent > 1)
            leaves[(*count)++] = (lay_leaf){ map->extent, map->stride };
        return 1;
    }
    if (map->size != map->parts + 1)
        return 0; /* a part is itself a range */
    int64_t full = 1;
    for (int c = 1; c <= map->parts; c++)
        full *= map[c].extent;
    if (map->start != 0 || map->step != 1 || map->extent != full)
        return 0;
    for (int c = 1; c <= map->parts; c++)
        leaves[(*count)++] = (lay_leaf){ map[c].extent, map[c].stride };
    return 1;
}

/* ---- span ------------------------------------------------------------------------------------- */

struct span {
    int64_t low, high;
};

static struct span add_spans(struct span a, struct span b)
{
    return (struct span){ a.low + b.low, a.high + b.high };
}

static struct span join_spans(struct span a, struct span b)
{
    return (struct span){ min_of(a.low, b.low), max_of(a.high, b.high) };
}

/* Bounds over every combination of leaf indices, in range or not. */
static struct span bound_all(const lay_node *map)
{
    const int64_t far = map->parts == 0 ? map->stride * (map->extent - 1) : 0;
    struct span all = { map->base + min_of(far, 0), map->base + max_of(far, 0) };
    const lay_node *next = map + 1;
    for (int c = 0; c < map->parts; c++, next += next->size)
        all = add_spans(all, bound_all(next));
    return all;
}

static struct span span_of(const lay_node *map, int64_t first, int64_t last, int *budget);

/* Over x0 <= x <= x1 in the radices of parts: the whole turns of the lower digits between two cut ones. */
static struct span span_digits(const lay_node *part, int parts, int64_t x0, int64_t x1, int *budget)
{
    if (parts == 1)
        return span_of(part, x0, x1, budget);
    const lay_node *const lower = part + part->size;
    int64_t w = 1;
    const lay_node *next = lower;
    for (int c = 1; c < parts; c++, next += next->size)
        w *= next->extent;
    int64_t from = x0 / w, to = x1 / w;
    struct span all = { INT64_MAX, INT64_MIN };
    if (x0 % w != 0) {
        const int64_t v = lay_map_offset(part, from);
        const int64_t stop = from == to ? x1 % w : w - 1;
        all = join_spans(all, add_spans((struct span){ v, v }, span_digits(lower, parts - 1, x0 % w, stop, budget)));
        from++;
    }
    if (from <= to && x1 % w != w - 1) {
        const int64_t v = lay_map_offset(part, to);
        all = join_spans(all, add_spans((struct span){ v, v }, span_digits(lower, parts - 1, 0, x1 % w, budget)));
        to--;
    }
    if (from <= to)
        all = join_spans(all,
                         add_spans(span_of(part, from, to, budget), span_digits(lower, parts - 1, 0, w - 1, budget)));
    return all;
}

static struct span span_of(const lay_node *map, int64_t first, int64_t last, int *budget)
{
    if (map->parts == 0) {
        const int64_t a = map->base + map->stride * first, b = map->base + map->stride * last;
        return (struct span){ min_of(a, b), max_of(a, b) };
    }
    if (--*budget < 0)
        return bound_all(map);
    const struct span base = { map->base, map->base };
    if (map->step == 1)
        return add_spans(base, span_digits(map + 1, map->parts, map->start + first, map->start + last, budget));
    if (last - first >= *budget)
        return bound_all(map);
    *budget -= (int)(last - first);
    struct span all = { INT64_MAX, INT64_MIN };
    int64_t offset[64];
    for (int64_t i = first; i <= last; i += 64) {
        const int64_t count = min_of(64, last - i + 1);
        lay_map_offsets(map, i, count, offset);
        for (int64_t r = 0; r < count; r++)
            all = join_spans(all, (struct span){ offset[r], offset[r] });
    }
    return all;
}

void lay_map_span(const lay_node *map, int64_t first, int64_t last, int *budget, int64_t *lowest, int64_t *highest)
{
    const struct span span = span_of(map, first, last, budget);
    *lowest = span.low;
    *highest = span.high;
}
