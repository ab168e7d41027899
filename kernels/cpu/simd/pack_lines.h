/* Panels by lines of the source: copied, transposed or gathered. Included by simd/pack.h.
 *
 * Along k, a block of rows x LANES is read in whole cache lines, each line once, because rows a
 * power of two apart fall into the same sets of the cache and would push each other out before a
 * second visit; it is transposed in registers and leaves as whole registers too. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#ifndef TRANSPOSE_LINES
#define TRANSPOSE_LINES 8
#endif

/* dst's [steps][rows] block at to, from LANES (or, at the end, fewer) steps of rows many rows. */
static inline __attribute__((always_inline)) void transpose_block(const real *const from[], int64_t p, int steps,
                                                                  real *to, int width, int rows)
{
    vec in[16], out[16];
    const lanes some = first_lanes(steps);
    UNROLLED
    for (int i = 0; i < rows; i++)
        in[i] = steps == LANES ? vec_load(from[i] + p) : vec_load_some(from[i] + p, some);
    transpose_pieces(in, out, rows);
    UNROLLED
    for (int q = 0; q < rows; q += PIECES) {
        transpose_registers(out + q);
        UNROLLED
        for (int l = 0; l < PIECES; l++) {
            const int at = q / PIECES * LANES; /* in this piece's [LANES / PIECES][rows] */
            const int step = l * (LANES / PIECES) + at / rows, place = step * width + at % rows;
            const int left = rows == width ? steps * width - place : step < steps ? LANES : 0;
            if (steps == LANES || left >= LANES)
                vec_store(to + place, out[q + l]);
            else if (left > 0)
                vec_store_some(to + place, first_lanes(left), out[q + l]);
        }
    }
}

/* step[s] = step p + s of LANES rows, for s < steps; the others anything. */
static inline __attribute__((always_inline)) void transpose_lanes(const real *const from[], int64_t p, int steps,
                                                                  vec step[LANES])
{
    vec in[LANES], out[LANES];
    const lanes some = first_lanes(steps);
    UNROLLED
    for (int i = 0; i < LANES; i++)
        in[i] = steps == LANES ? vec_load(from[i] + p) : vec_load_some(from[i] + p, some);
    transpose_pieces(in, out, LANES);
    UNROLLED
    for (int q = 0; q < LANES; q += PIECES) {
        transpose_registers(out + q);
        UNROLLED
        for (int l = 0; l < PIECES; l++)
            step[l * (LANES / PIECES) + q / PIECES] = out[q + l];
    }
}

enum { LINE_STEPS = LINE / (int)sizeof(real), TRANSPOSE_AHEAD = TRANSPOSE_LINES * LINE_STEPS };

/* What is used a panel later as far as the second cache: rows a power of two apart would push each other out of the
 * first. */
static inline __attribute__((always_inline)) void ask_for(const real *line, int is_later)
{
    if (is_later)
        __builtin_prefetch(line, 0, 2);
    else
        __builtin_prefetch(line, 0, 3);
}

/* k steps contiguous from along; to is the panel's step of the first. A line of each group of rows, then the next
 * group: memory is asked ahead for all of them: for the same steps of the next panel where it is known, since rows are
 * short (2 KiB) and a few lines ahead in the same ones the first would come too late (bench/LOG.md, 34). */
static inline __attribute__((always_inline)) void transpose_rows(const lay_panel *pack, int64_t along, int64_t k,
                                                                 real *to, int width, int rows)
{
    const real *from[LAY_MAX_NR + 16], *ahead[LAY_MAX_NR + 16];
    const int groups = (pack->w + rows - 1) / rows;
    for (int i = 0; i < groups * rows; i++) { /* rows past the edge repeat the last: only named elements are read */
        const int row = i < pack->w ? i : pack->w - 1;
        from[i] = (const real *)pack->src + pack->across[row] + along;
        ahead[i] = pack->next ? (const real *)pack->src + pack->next[row] + along : from[i] + TRANSPOSE_AHEAD;
    }
    for (int64_t p = 0; p < k; p += LINE_STEPS) {
        const int64_t end = p + LINE_STEPS < k ? p + LINE_STEPS : k;
        for (int g = 0; g < groups; g++) {
            const real *const *own = from + g * rows;
            UNROLLED
            for (int i = 0; i < rows; i++)
                ask_for(ahead[g * rows + i] + p, !!pack->next);
            int64_t q = p;
            for (; q + LANES <= end; q += LANES)
                transpose_block(own, q, LANES, to + g * rows + q * width, width, rows);
            if (q < end)
                transpose_block(own, q, (int)(end - q), to + g * rows + q * width, width, rows);
        }
    }
}

static inline __attribute__((always_inline)) void pack_along(const lay_panel *pack, int width, int rows)
{
    transpose_rows(pack, pack->along[0], pack->k, pack->dst, width, rows);
}

/* Whole registers are stored where the panel has room after them: what they write past w is the
 * padding and the next step, which is written later. */
static inline __attribute__((always_inline)) void copy_steps(const lay_panel *pack, int width, int vecs)
{
    const real *src = (const real *)pack->src + pack->across[0];
    real *to = pack->dst;
    const int last = (vecs - 1) * LANES, rest = pack->w - last;
    const lanes some = first_lanes(rest);
    const int64_t roomy = pack->k - (vecs * LANES > width ? (vecs * LANES - 1) / width : 0);
    int64_t p = 0;
    for (; p < roomy; p++, to += width) {
        const real *from = src + pack->along[p];
        UNROLLED
        for (int v = 0; v < vecs - 1; v++)
            vec_store(to + v * LANES, vec_load(from + v * LANES));
        vec_store(to + last, rest == LANES ? vec_load(from + last) : vec_load_some(from + last, some));
    }
    for (; p < pack->k; p++, to += width) {
        const real *from = src + pack->along[p];
        UNROLLED
        for (int v = 0; v < vecs - 1; v++)
            vec_store(to + v * LANES, vec_load(from + v * LANES));
        vec_store_some(to + last, some, vec_load_some(from + last, some));
    }
}

static inline __attribute__((always_inline)) void pack_across(const lay_panel *pack, int width)
{
    switch ((pack->w + LANES - 1) / LANES) {
    case 1:
        copy_steps(pack, width, 1);
        break;
    case 2:
        copy_steps(pack, width, 2);
        break;
    default:
        assert(pack->w <= 3 * LANES);
        copy_steps(pack, width, 3);
    }
}

/* Maximal segments of offsets with unit stride. */
static inline int64_t count_runs(const int64_t offset[], int64_t count)
{
    int64_t runs = 1;
    for (int64_t i = 1; i < count; i++)
        runs += offset[i] != offset[i - 1] + 1;
    return runs;
}

static inline int64_t find_run_end(const int64_t offset[], int64_t count, int64_t first)
{
    int64_t end = first + 1;
    while (end < count && offset[end] == offset[end - 1] + 1)
        end++;
    return end;
}

/* Whether along goes up by one from each step to the one digit later. Many are looked at before it is asked, side by
 * side. */
static inline int goes_up(const int64_t along[], int64_t k, int64_t digit)
{
    enum { AT_ONCE = 256 };
    for (int64_t p = digit, end; p < k; p = end) {
        int64_t jumps = 0;
        end = p + AT_ONCE < k ? p + AT_ONCE : k;
        for (int64_t q = p; q < end; q++)
            jumps |= along[q] - along[q - digit] - 1;
        if (jumps)
            return 0;
    }
    return 1;
}

/* The distance at which along goes up by one throughout: the extent of what lies inside an outer digit of unit stride.
 * 0: there is none. */
static inline int64_t find_digit(const int64_t along[], int64_t k)
{
    int64_t digit = 1;
    while (digit < k && along[digit] != along[0] + 1)
        digit++;
    return digit < k && goes_up(along, k, digit) ? digit : 0;
}

/* Whole registers may reach into the entries behind them. */
static inline __attribute__((always_inline)) void store_steps(const vec step[LANES], int steps, real *to, int64_t apart,
                                                              int entries)
{
    UNROLLED
    for (int l = 0; l < LANES; l++)
        if (l < steps && entries >= LANES)
            vec_store(to + l * apart, step[l]);
        else if (l < steps)
            vec_store_some(to + l * apart, first_lanes(entries), step[l]);
}

/* count steps that lie side by side in each piece, to places that are `apart`. The last ones are transposed with some
 * before them once more, where there are any. */
static inline __attribute__((always_inline)) void transpose_pieces_of(const real *const from[], int64_t count, real *to,
                                                                      int64_t apart, int width, int is_roomy)
{
    const int vecs = (width + LANES - 1) / LANES;
    vec step[LANES];
    for (int64_t done = 0; done < count; done += LANES) {
        const int64_t q = done + LANES <= count ? done : count > LANES ? count - LANES : 0;
        UNROLLED
        for (int v = 0; v < vecs; v++) {
            const int entries = is_roomy ? LANES : width - v * LANES;
            real *const place = to + q * apart + v * LANES;
            if (count >= LANES) {
                transpose_lanes(from + v * LANES, q, LANES, step);
                store_steps(step, LANES, place, apart, entries);
            } else {
                transpose_lanes(from + v * LANES, 0, (int)count, step);
                store_steps(step, (int)count, place, apart, entries);
            }
        }
    }
}

/* Steps digit apart lie side by side: they are transposed together. A register may reach into the next step, which is
 * written later, but not where that is one of the digit's first or behind the panel. */
static inline __attribute__((always_inline)) void transpose_digits(const lay_panel *pack, int64_t digit, int width)
{
    enum { STEPS_AHEAD = 2 }; /* pieces of many rows are too short for prefetchers */
    const int entries = (width + LANES - 1) / LANES * LANES;
    const int last = pack->w - 1;
    const real *base[LAY_MAX_NR + LANES], *from[LAY_MAX_NR + LANES];
    for (int i = 0; i < entries; i++)
        base[i] = (const real *)pack->src + pack->across[i < pack->w ? i : last]; /* past the edge the last once more */
    for (int64_t p = 0; p < digit; p++) {
        const int64_t count = (pack->k - p + digit - 1) / digit;
        const int64_t ahead = pack->along[p + STEPS_AHEAD < digit ? p + STEPS_AHEAD : p];
        real *const to = (real *)pack->dst + p * width;
        for (int i = 0; i < entries; i++)
            from[i] = base[i] + pack->along[p];
        for (int64_t q = 0; q < count + LINE_STEPS - 1; q += LINE_STEPS)
            for (int i = 0; i < pack->w; i++)
                __builtin_prefetch(base[i] + ahead + (q < count ? q : count - 1), 0, 3);
        if (width > LANES && pack->w <= LANES) /* the first register of each step, whose room is its own */
            transpose_pieces_of(from, count, to, digit * width, LANES, 1);
        else if (p == digit - 1 || p == (pack->k - 1) % digit)
            transpose_pieces_of(from, count, to, digit * width, width, 0);
        else
            transpose_pieces_of(from, count, to, digit * width, width, 1);
    }
}

/* Whether steps are all of one stretch of memory, in another order: a value of the digit of unit stride is followed by
 * what lies inside of it. */
static inline int is_one_stretch(const lay_panel *pack, int64_t digit)
{
    const int64_t count = pack->k / digit;
    int64_t apart = pack->k % digit;
    for (int64_t p = 1; p < digit; p++)
        apart |= pack->along[p] - pack->along[p - 1] - count;
    return apart == 0;
}

/* Such a stretch is read from end to end, in whole registers, each step of which goes where its turn is. The last ones
 * are transposed with some before them once more. Panels have whole registers, so that no step reaches into another. */
static inline __attribute__((always_inline)) void transpose_stretch(const lay_panel *pack, int64_t digit, int width)
{
    const int vecs = width / LANES;
    const int64_t count = pack->k / digit, k = pack->k;
    const real *from[LAY_MAX_NR + LANES];
    vec step[LANES];
    for (int i = 0; i < vecs * LANES; i++)
        from[i] = (const real *)pack->src + pack->across[i < pack->w ? i : pack->w - 1] + pack->along[0];
    for (int64_t done = 0; done < k; done += LANES) {
        const int64_t first = done + LANES <= k ? done : k - LANES;
        UNROLLED
        for (int v = 0; v < vecs; v++) {
            int64_t value = first % count, place = value * digit + first / count;
            if (v > 0 && pack->w <= v * LANES)
                break;
            for (int i = 0; i < LANES && first % LINE_STEPS == 0; i++)
                __builtin_prefetch(from[v * LANES + i] + first + TRANSPOSE_AHEAD, 0, 3);
            transpose_lanes(from + v * LANES, first, LANES, step);
            UNROLLED
            for (int l = 0; l < LANES; l++) {
                vec_store((real *)pack->dst + place * width + v * LANES, step[l]);
                place += digit;
                if (++value == count) {
                    value = 0;
                    place -= k - 1;
                }
            }
        }
    }
}

/* Runs across of at most a register each, copied at every step. */
static inline __attribute__((always_inline)) void copy_runs(const lay_panel *pack, int width)
{
    struct {
        int64_t from;
        int to;
        lanes which;
    } run[LAY_MAX_NR];
    int runs = 0;
    for (int i = 0; i < pack->w;) {
        int end = (int)find_run_end(pack->across, pack->w, i);
        if (end > i + LANES)
            end = i + LANES;
        run[runs].from = pack->across[i];
        run[runs].to = i;
        run[runs++].which = first_lanes(end - i);
        i = end;
    }
    for (int64_t p = 0; p < pack->k; p++) {
        const real *from = (const real *)pack->src + pack->along[p];
        real *to = (real *)pack->dst + p * width;
        for (int i = 0; i < runs; i++)
            vec_store_some(to + run[i].to, run[i].which, vec_load_some(from + run[i].from, run[i].which));
    }
}

/* One element at a time. Four rows along k before the next four where that is the nearer way. */
static inline __attribute__((always_inline)) void gather(const lay_panel *pack, int width)
{
    const int w = pack->w;
    const int64_t *across = pack->across, *along = pack->along;
    const int along_is_near = pack->k > 1 && w > 1 && llabs(along[1] - along[0]) < llabs(across[1] - across[0]);
    int i = 0;
    for (; along_is_near && i + 4 <= w; i += 4) {
        const real *from0 = (const real *)pack->src + across[i], *from1 = (const real *)pack->src + across[i + 1];
        const real *from2 = (const real *)pack->src + across[i + 2], *from3 = (const real *)pack->src + across[i + 3];
        real *to = (real *)pack->dst + i;
        for (int64_t p = 0; p < pack->k; p++, to += width) {
            const int64_t at = along[p];
            to[0] = from0[at];
            to[1] = from1[at];
            to[2] = from2[at];
            to[3] = from3[at];
        }
    }
    if (i == w)
        return;
    for (int64_t p = 0; p < pack->k; p++) {
        const real *from = (const real *)pack->src + along[p];
        real *to = (real *)pack->dst + p * width;
        for (int j = i; j < w; j++)
            to[j] = from[across[j]];
    }
}
