/* Packing by offset vectors: one filled for the steps along k, one for each panel across. What is
 * contiguous is found in the vectors, so a handful of packers serves every layout. */
#include "cpu/packed/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scalar.h"
#include "machine/machine.h"

int lay_offsets_are_unit(const int64_t offset[], int64_t count)
{
    int64_t jumps = 0;
    for (int64_t i = 1; i < count; i++)
        jumps |= offset[i] - offset[i - 1] - 1;
    return jumps == 0;
}

enum {
    GROUP = 48,
    CHUNK = 8,
    CHUNK_OF_PAIRS = 64 /* a call of few steps costs as much as they do */,
    MOST = LAY_MAX_NR > LAY_MAX_MR ? LAY_MAX_NR : LAY_MAX_MR
};

/* Panels that are packed together. */
typedef struct group {
    int64_t across[GROUP][MOST];
    lay_pack_class class[GROUP];
    int w[GROUP], count;
} group;

/* Complex numbers side by side, whose parts are steps. */
static int are_pairs_across(const lay_packing *packing, const group *of)
{
    return packing->is_of_numbers && of->class[0] == LAY_PACK_ANY && of->w[0] > 1 &&
           of->across[0][1] == of->across[0][0] + 2;
}

/* Whether what the panels read lies in the same lines or pages, side by side across them or an element of one next to
 * one of the other. */
static int are_close(const lay_packing *packing, const group *of)
{
    int are = of->class[0] == LAY_PACK_ACROSS || are_pairs_across(packing, of);
    for (int q = 1; q < of->count && !are; q++)
        are = llabs(of->across[q][0] - of->across[0][0]) * lay_size_of(packing->type) < LAY_LINE;
    return are;
}

/* Steps to be packed of one panel before the same of the next: all of them, or few where panels are close. Lines are
 * then used up while they are near, and rows are read in longer pieces than a panel is wide. */
static int64_t choose_chunk(const lay_packing *packing, const group *of)
{
    const int is_cut = of->count >= 2 && !packing->is_along && packing->k > CHUNK && are_close(packing, of);
    const int chunk = !packing->is_of_numbers ? CHUNK : are_pairs_across(packing, of) ? CHUNK_OF_PAIRS : 2 * CHUNK;
    return is_cut ? chunk : packing->k;
}

static void fill_group(const lay_packing *packing, int64_t first, int64_t count, group *out)
{
    out->count = 0;
    for (int64_t i = 0; i < count && out->count < GROUP; i += packing->width) {
        int64_t *const across = out->across[out->count];
        const int w = out->w[out->count] = (int)min_of(packing->width, count - i);
        lay_axis_offsets(packing->across, first + i, w, across);
        out->class[out->count++] = lay_offsets_are_unit(across, w) ? LAY_PACK_ACROSS
                                   : packing->is_along             ? LAY_PACK_ALONG
                                                                   : LAY_PACK_ANY;
    }
}

static int are_side_by_side(const group *of, int q, int before, int width)
{
    for (int i = 0; i < width; i++)
        if (of->w[q] < width || of->across[q][i] != of->across[before][i] + 2)
            return 0;
    return 1;
}

/* Panels between one of a group and that which has what lies side by side with all of its lines, where these are
 * complex numbers whose parts are steps: the first such distance, which the group is cut to a multiple of, as far as
 * that is true. 0: there is none. */
static int find_neighbours(const lay_packing *packing, group *of)
{
    const int width = packing->width;
    int64_t parts = packing->k % 2;
    int apart = 1, panels;
    if (!packing->interleaved || of->class[0] != LAY_PACK_ANY || of->w[0] < width)
        return 0;
    for (int64_t p = 0; p + 1 < packing->k; p += 2)
        parts |= packing->along[p + 1] - packing->along[p] - 1;
    while (apart < of->count && of->across[apart][0] != of->across[0][0] + 2)
        apart++;
    if (parts || apart == of->count)
        return 0;
    for (panels = apart; panels < of->count && are_side_by_side(of, panels, panels - apart, width);)
        panels++;
    of->count = panels / apart * apart;
    return panels < 2 * apart ? 0 : apart;
}

/* A group of whole such distances: lines are read from end to end. */
static void pack_neighbours(const lay_packing *packing, const group *of, int apart, char *to)
{
    for (int q = 0; q < apart; q++) {
        const lay_interleaved set = { .first = { .k = packing->k,
                                                 .w = packing->width,
                                                 .src = packing->source,
                                                 .across = of->across[q],
                                                 .along = packing->along,
                                                 .dst = to + (size_t)q * packing->panel },
                                      .count = of->count / apart,
                                      .is_paired = 1,
                                      .further = apart * (int64_t)packing->panel / lay_size_of(packing->type) };
        packing->interleaved(&set);
    }
}

/* Panels of the parts of complex numbers x as those of z = factor x or factor conj(x), rounded as in cpu_expand.h. */
static void turn_panels(const lay_packing *packing, int count, char *to)
{
    const lay_expansion *const by = &packing->turned;
    const int width = packing->width, is_float = packing->type == LAY_F32, is_double = !is_float;
#define TURN(REAL)                                                                                                     \
    for (int64_t p = 0; is_##REAL && p + 1 < packing->k; p += 2) {                                                     \
        REAL *const re = (REAL *)(void *)(to + (size_t)q * packing->panel) + p * width, *const im = re + width;        \
        const REAL own = (REAL)by->factor[0], other = (REAL)by->factor[1];                                             \
        for (int i = 0; i < width; i++) {                                                                              \
            const REAL x = re[i], y = by->is_conjugated ? -im[i] : im[i];                                              \
            re[i] = by->has_factor ? own * x + -other * y : x;                                                         \
            im[i] = by->has_factor ? own * y + other * x : y;                                                          \
        }                                                                                                              \
    }
    for (int q = 0; packing->is_turned && q < count; q++) {
        TURN(float)
        TURN(double)
    }
#undef TURN
}

void lay_pack_panels(const lay_packing *packing, int64_t first, int64_t count, char *to)
{
    const size_t step = (size_t)packing->width * (size_t)lay_size_of(packing->type);
    group now;
    for (int64_t done = 0; done < count; done += now.count * packing->width, to += now.count * packing->panel) {
        fill_group(packing, first + done, count - done, &now);
        const int apart = find_neighbours(packing, &now);
        /* Kernels multiply the padding too: not by what was here before, which might raise flags or be slow. */
        if (now.w[now.count - 1] < packing->width)
            memset(to + (size_t)(now.count - 1) * packing->panel, 0, packing->panel);
        if (apart) {
            pack_neighbours(packing, &now, apart, to);
            turn_panels(packing, now.count, to);
            continue;
        }
        const int64_t chunk = choose_chunk(packing, &now);
        for (int64_t p = 0; p < packing->k; p += chunk)
            for (int q = 0; q < now.count; q++) {
                const int is_followed = q + 1 < now.count && now.w[q + 1] == now.w[q];
                const lay_panel panel = {
                    .k = min_of(chunk, packing->k - p),
                    .w = now.w[q],
                    .src = packing->source,
                    .across = now.across[q],
                    .along = packing->along + p,
                    .next = is_followed ? now.across[q + 1] : NULL,
                    .dst = to + (size_t)q * packing->panel + (size_t)p * step,
                };
                packing->pack[now.class[q]](&panel);
            }
        turn_panels(packing, now.count, to);
    }
}
