/* One side of a matrix that is drawn: its extent, and where blocks begin. */
#include "axis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/texts.h"
#include "layoutgemm_team.h"

enum {
    SCANNED = 1 << 18, /* indices whose offsets are looked at for jumps: some 10 ms */
    SAMPLE = 1 << 10   /* of them, the first ones tell which step is the usual one */
};

void axis_add(axis *to, int64_t period, int is_broken)
{
    const int64_t below = to->levels ? to->period[to->levels - 1] : 1;
    if (period > below && period < to->extent && to->levels < AXIS_LEVELS) {
        to->period[to->levels] = period;
        to->is_broken[to->levels++] = is_broken;
    }
}

/* Of one element: its offset, and its place, if there are some, in such a way that no step over places is one inside.
 */
static int64_t wide_offset(const lay_desc *desc, int64_t number)
{
    const int64_t offset = lay_desc_offset(desc, 1, &number);
    return lay_desc_places(desc) > 1 ? offset + lay_desc_place_of(desc, 1, &number) * ((int64_t)1 << 40) : offset;
}

/* Whether a leaf steps evenly, over places too: of a long one the beginning tells. */
static int steps_over_places(const lay_desc *desc, const char *path)
{
    lay_desc *leaf = NULL;
    if (lay_desc_dim(desc, path, &leaf) != LAY_OK)
        return 0;
    const int64_t extent = lay_desc_extent(leaf, ""), looked_at = extent < SAMPLE ? extent : SAMPLE;
    const int64_t step = extent > 1 ? wide_offset(leaf, 1) - wide_offset(leaf, 0) : 0;
    int is_even = 1;
    for (int64_t i = 2; i < looked_at && is_even; i++)
        is_even = wide_offset(leaf, i) - wide_offset(leaf, i - 1) == step;
    lay_desc_destroy(leaf);
    return is_even;
}

/* Leaves' extents, in order; 0 when some leaf has no constant stride, or parts are left out of a tree. */
static int collect_leaves(const lay_desc *desc, const char *path, int64_t leaves[], int *count)
{
    const int parts = lay_desc_parts(desc, path), first = *count;
    if (parts == 0) {
        leaves[(*count)++] = lay_desc_extent(desc, path);
        return lay_desc_places(desc) > 1 ? steps_over_places(desc, path) : lay_desc_stride(desc, path, NULL) == 1;
    }
    int is_whole = 1;
    for (int i = 0; i < parts && is_whole; i++) {
        char *inner = text_write("%s_%d", path, i);
        is_whole = inner && collect_leaves(desc, inner, leaves, count);
        free(inner);
    }
    int64_t product = 1;
    for (int i = first; i < *count && is_whole; i++)
        if (__builtin_mul_overflow(product, leaves[i], &product))
            return 0;
    return is_whole && product == lay_desc_extent(desc, path);
}

/* Root dimensions as one index. */
typedef struct side {
    const lay_desc *desc;
    int first, last;
    int64_t extent, unit; /* the number of an element is index * unit */
} side;

static int64_t offset_at(const side *of, int64_t i)
{
    return wide_offset(of->desc, i * of->unit);
}

static int64_t step_to(const side *of, int64_t i)
{
    return (int64_t)((uint64_t)offset_at(of, i) - (uint64_t)offset_at(of, i - 1));
}

static int add_levels(const side *of, axis *out)
{
    int64_t leaves[AXIS_LEVELS * 2 + 1];
    int count = 0;
    for (int dim = of->first; dim < of->last; dim++) {
        char path[16];
        snprintf(path, sizeof path, "%d", dim);
        if (!collect_leaves(of->desc, path, leaves, &count))
            return 0;
    }
    int64_t period = 1;
    for (int i = count - 1; i > 0; i--) {
        period *= leaves[i];
        axis_add(out, period, period < out->extent && period > 1 && step_to(of, period) != step_to(of, 1));
    }
    return 1;
}

static int compare_steps(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    const uint64_t size_a = a < 0 ? -(uint64_t)a : (uint64_t)a, size_b = b < 0 ? -(uint64_t)b : (uint64_t)b;
    return size_a != size_b ? (size_a > size_b) - (size_a < size_b) : (a > b) - (a < b);
}

/* The most frequent one of the first steps; of equally frequent ones, the shortest. */
static int64_t find_usual(const side *of)
{
    int64_t step[SAMPLE];
    int count = 0, best = 0, most = 0;
    for (; count < SAMPLE && count + 1 < of->extent; count++)
        step[count] = step_to(of, count + 1);
    qsort(step, (size_t)count, sizeof *step, compare_steps);
    for (int first = 0, i = 0; i < count; i++) {
        first = step[i] == step[first] ? first : i;
        if (i - first + 1 > most) {
            most = i - first + 1;
            best = first;
        }
    }
    return step[best];
}

static int find_jumps(const side *of, axis *out)
{
    const int64_t scanned = of->extent < SCANNED ? of->extent : SCANNED;
    if (scanned < 2)
        return 1;
    out->cut = malloc((size_t)scanned * sizeof *out->cut);
    if (!out->cut)
        return 0;
    const int64_t usual = find_usual(of);
    for (int64_t i = 1; i < scanned; i++)
        if (step_to(of, i) != usual)
            out->cut[out->cuts++] = i;
    out->levels = out->cuts > 0;
    out->is_broken[0] = 1;
    return 1;
}

/* Of a layout without elements, the other extents may multiply to more than there are numbers. */
static void multiply(int64_t *product, const lay_desc *desc, int dim)
{
    char path[16];
    snprintf(path, sizeof path, "%d", dim);
    if (__builtin_mul_overflow(*product, lay_desc_extent(desc, path), product))
        *product = INT64_MAX;
}

int axis_of_dims(const lay_desc *desc, int first, int last, axis *out)
{
    *out = (axis){ .extent = 1 };
    side of = { desc, first, last, 1, 1 };
    for (int dim = first; dim < lay_desc_rank(desc); dim++)
        multiply(dim < last ? &of.extent : &of.unit, desc, dim);
    out->extent = of.extent;
    if (lay_desc_extent(desc, "") == 0 || add_levels(&of, out))
        return 1;
    memset(out->period, 0, sizeof out->period);
    out->levels = 0;
    return find_jumps(&of, out);
}

void axis_free(axis *of)
{
    free(of->cut);
    of->cut = NULL;
}

/* Blocks that begin at or before i, but for the first. */
static int64_t count_cuts(const axis *of, int64_t i)
{
    int64_t low = 0, high = of->cuts;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (of->cut[middle] <= i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int axis_borders(const axis *of, int64_t i)
{
    if (i == 0)
        return 0;
    if (of->cut)
        return count_cuts(of, i) != count_cuts(of, i - 1);
    int level = 0;
    while (level < of->levels && i % of->period[level] == 0)
        level++;
    return level;
}

int64_t axis_block(const axis *of, int level, int64_t i)
{
    return of->cut ? count_cuts(of, i) : level < of->levels ? i / of->period[level] : 0;
}

int64_t axis_blocks(const axis *of, int level)
{
    return of->extent ? axis_block(of, level, of->extent - 1) + 1 : 0;
}

int64_t axis_begin(const axis *of, int level, int64_t block)
{
    if (block == 0 || block >= axis_blocks(of, level))
        return block == 0 ? 0 : of->extent;
    return of->cut ? of->cut[block - 1] : block * of->period[level];
}
