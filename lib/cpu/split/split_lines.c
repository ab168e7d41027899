/* Packing a panel for split products: plain lines as they are, others looked at one by one. */
#include "cpu/split/split_lines.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "cpu/packed/pack.h"

/* A multiple of a leaf's steps: a part of a panel that is scaled on the way. */
enum { SCALED_STEPS = 4 * LAY_CPU_SPLIT_STEPS, INFINITE = 0x7f800000 };

static uint32_t magnitude_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffffu;
}

/* Of a finite number that is not 0. */
static int exponent_of(uint32_t magnitude)
{
    return magnitude >> 23 ? (int)(magnitude >> 23) - 127 : 31 - __builtin_clz(magnitude) - 149;
}

/* Line i: its bit in strange, or its scale. */
static void look_at(const float *line, const int64_t along[], int64_t k, int i, lay_split_lines *lines)
{
    uint32_t greatest = 0, least = UINT32_MAX;
    for (int64_t p = 0; p < k; p++) {
        const uint32_t magnitude = magnitude_of(line[along[p]]);
        greatest = magnitude > greatest ? magnitude : greatest;
        least = magnitude && magnitude < least ? magnitude : least;
    }
    if (greatest == 0)
        return;
    const int top = exponent_of(greatest), bottom = exponent_of(least);
    if (greatest >= INFINITE ||
        (top - bottom > LAY_SPLIT_RANGE && !(top <= LAY_CPU_SPLIT_MOST && bottom >= LAY_CPU_SPLIT_LEAST))) {
        lines->strange |= 1u << i;
        return;
    }
    if (top <= LAY_CPU_SPLIT_MOST && bottom >= LAY_CPU_SPLIT_LEAST)
        return;
    lines->scale[i] = (int16_t)(LAY_SPLIT_TOP - top);
    lines->is_scaled = 1;
}

/* Exact: 2^-50 at least. A double holds the power, whatever it is. */
static float scaled(float x, int by)
{
    return (float)((double)x * ldexp(1, by));
}

/* Steps first .. first + k of all lines, as they are to be split: [w][SCALED_STEPS]. */
static void copy_scaled(const lay_cpu_split_pack *panel, int64_t first, int64_t k, const lay_split_lines *lines,
                        float to[])
{
    for (int i = 0; i < panel->w; i++, to += SCALED_STEPS) {
        const float *from = panel->src + panel->across[i];
        for (int64_t p = 0; p < k; p++) {
            const float x = lines->strange >> i & 1 ? 0 : from[panel->along[first + p]];
            to[p] = lines->scale[i] ? scaled(x, lines->scale[i]) : x;
        }
    }
}

static void pack_with_care(const lay_cpu_split_pack *panel, lay_cpu_split_pack_fn *pack, lay_split_lines *lines)
{
    _Alignas(64) float scaled[LAY_CPU_SPLIT_LINES * SCALED_STEPS];
    int64_t across[LAY_CPU_SPLIT_LINES], along[SCALED_STEPS];
    for (int i = 0; i < panel->w; i++) {
        look_at(panel->src + panel->across[i], panel->along, panel->k, i, lines);
        across[i] = (int64_t)i * SCALED_STEPS;
    }
    for (int64_t p = 0; p < SCALED_STEPS; p++)
        along[p] = p;
    for (int64_t first = 0; first < panel->k; first += SCALED_STEPS) {
        lay_cpu_split_pack part = *panel;
        part.k = min_of(SCALED_STEPS, panel->k - first);
        part.src = scaled;
        part.across = across;
        part.along = along;
        part.dst = (char *)panel->dst + (size_t)(first / LAY_CPU_SPLIT_STEPS) * lay_cpu_split_leaf(panel->limbs);
        copy_scaled(panel, first, part.k, lines, scaled);
        const int is_plain = pack(&part);
        assert(is_plain);
        (void)is_plain;
    }
}

/* A panel on its way. */
typedef struct work {
    lay_cpu_split_pack panel;
    lay_cpu_split_pack_fn *pack;
    int64_t across[LAY_CPU_SPLIT_LINES];
    int is_plain; /* all of it so far */
} work;

static void begin(const lay_split_packing *packing, int64_t first, int count, char *to, work *of)
{
    lay_axis_offsets(packing->across, first, count, of->across);
    const lay_pack_class class = lay_offsets_are_unit(of->across, count) ? LAY_PACK_ACROSS
                                 : packing->is_along                     ? LAY_PACK_ALONG
                                                                         : LAY_PACK_ANY;
    of->panel = (lay_cpu_split_pack){ .w = count,
                                      .limbs = packing->limbs,
                                      .src = packing->source,
                                      .across = of->across,
                                      .along = packing->along,
                                      .k = packing->k,
                                      .dst = to };
    of->pack = packing->pack[class];
    of->is_plain = 1;
}

/* The leaf that begins with step. */
static void pack_leaf(work *of, int64_t step)
{
    lay_cpu_split_pack leaf = of->panel;
    leaf.k = min_of(LAY_CPU_SPLIT_STEPS, of->panel.k - step);
    leaf.coming = of->panel.k - step - leaf.k;
    leaf.along += step;
    leaf.dst = (char *)leaf.dst + (size_t)(step / LAY_CPU_SPLIT_STEPS) * lay_cpu_split_leaf(leaf.limbs);
    of->is_plain &= of->pack(&leaf);
}

static void pack_side_by_side(const lay_split_packing *packing, int64_t first, int64_t count, size_t panel, char *to,
                              lay_split_lines lines[])
{
    work of[LAY_SPLIT_SIDE_BY_SIDE];
    const int panels = (int)ceil_div(count, LAY_CPU_SPLIT_LINES);
    for (int i = 0; i < panels; i++) {
        const int64_t done = (int64_t)i * LAY_CPU_SPLIT_LINES;
        begin(packing, first + done, (int)min_of(LAY_CPU_SPLIT_LINES, count - done), to + (size_t)i * panel, of + i);
    }
    for (int64_t step = 0; step < packing->k; step += LAY_CPU_SPLIT_STEPS)
        for (int i = 0; i < panels; i++)
            pack_leaf(of + i, step);
    memset(lines, 0, (size_t)panels * sizeof *lines);
    for (int i = 0; i < panels; i++)
        if (!of[i].is_plain)
            pack_with_care(&of[i].panel, packing->pack[LAY_PACK_ALONG], lines + i);
}

void lay_split_pack_panels(const lay_split_packing *packing, int64_t first, int64_t count, size_t panel, char *to,
                           lay_split_lines lines[])
{
    enum { WIDTH = LAY_SPLIT_SIDE_BY_SIDE * LAY_CPU_SPLIT_LINES };
    for (int64_t done = 0; done < count; done += WIDTH) {
        const int64_t before = done / LAY_CPU_SPLIT_LINES;
        pack_side_by_side(packing, first + done, min_of(WIDTH, count - done), panel, to + (size_t)before * panel,
                          lines + before);
    }
}
