/* Packing a panel for split products: plain lines as they are, others looked at one by one. */
#include "cpu/split_lines.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "cpu/pack.h"

/* A multiple of a leaf's steps: a piece of a panel that is scaled on the way. */
enum { PIECE = 4 * LAY_CPU_SPLIT_STEPS, INFINITE = 0x7f800000 };

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

/* Steps first .. first + k of all lines, as they are to be split: [w][PIECE]. */
static void copy_scaled(const lay_cpu_split_pack *panel, int64_t first, int64_t k, const lay_split_lines *lines,
                        float to[])
{
    for (int i = 0; i < panel->w; i++, to += PIECE) {
        const float *from = panel->src + panel->across[i];
        for (int64_t p = 0; p < k; p++) {
            const float x = lines->strange >> i & 1 ? 0 : from[panel->along[first + p]];
            to[p] = lines->scale[i] ? scaled(x, lines->scale[i]) : x;
        }
    }
}

static void pack_with_care(const lay_cpu_split_pack *panel, lay_cpu_split_pack_fn *pack, lay_split_lines *lines)
{
    _Alignas(64) float piece[LAY_CPU_SPLIT_LINES * PIECE];
    int64_t across[LAY_CPU_SPLIT_LINES], along[PIECE];
    for (int i = 0; i < panel->w; i++) {
        look_at(panel->src + panel->across[i], panel->along, panel->k, i, lines);
        across[i] = (int64_t)i * PIECE;
    }
    for (int64_t p = 0; p < PIECE; p++)
        along[p] = p;
    for (int64_t first = 0; first < panel->k; first += PIECE) {
        lay_cpu_split_pack part = *panel;
        part.k = min_of(PIECE, panel->k - first);
        part.src = piece;
        part.across = across;
        part.along = along;
        part.dst = (char *)panel->dst + (size_t)(first / LAY_CPU_SPLIT_STEPS) * lay_cpu_split_leaf(panel->pieces);
        copy_scaled(panel, first, part.k, lines, piece);
        const int is_plain = pack(&part);
        assert(is_plain);
        (void)is_plain;
    }
}

void lay_split_pack_panel(const lay_split_packing *packing, int64_t first, int count, char *to, lay_split_lines *lines)
{
    int64_t across[LAY_CPU_SPLIT_LINES];
    lay_axis_offsets(packing->across, first, count, across);
    const lay_cpu_split_pack panel = {
        .k = packing->k,
        .w = count,
        .pieces = packing->pieces,
        .src = packing->source,
        .across = across,
        .along = packing->along,
        .dst = to,
    };
    const lay_pack_class class = lay_offsets_are_unit(across, count) ? LAY_PACK_ACROSS
                                 : packing->is_along                 ? LAY_PACK_ALONG
                                                                     : LAY_PACK_ANY;
    memset(lines, 0, sizeof *lines);
    if (!packing->pack[class](&panel))
        pack_with_care(&panel, packing->pack[LAY_PACK_ALONG], lines);
}
