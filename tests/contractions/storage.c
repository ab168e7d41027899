/* Random layouts of tensors: permuted, nested, in tiles, sliced, overlapping. */
#include "storage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_BYTES = 4000, MOST_LEAVES = MAX_RANK * MAX_RADICES, DEPTH = 2, SPAN = 1 << 14, TRIES = 20 };

typedef struct wish {
    random_source *from;
    storage_use use;
    int rank;
    const axis *axes;
    int depth; /* recipes within recipes that are still allowed */
} wish;
typedef lay_desc *recipe(const wish *w);

static lay_desc *make_any(const wish *w);

static lay_desc *insist(lay_status status, lay_desc *made, const char *what)
{
    if (status == LAY_OK)
        return made;
    fprintf(stderr, "storage: %s: %s: %s\n", what, lay_status_name(status), lay_last_error());
    abort();
}

static lay_desc *parse(const char *text)
{
    lay_desc *made = NULL;
    const lay_status status = lay_desc_parse(text, &made);
    return insist(status, made, text);
}

/* A text that grows. */
typedef struct text {
    char of[TEXT_BYTES];
    int length;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    to->length += vsnprintf(to->of + to->length, sizeof to->of - (size_t)to->length, format, arguments);
    va_end(arguments);
}

static void shuffle(random_source *from, int n, int order[])
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int other = (int)random_in(from, 0, i), moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
}

/* ---- radices ---------------------------------------------------------------------------------- */

static int cut(random_source *from, int64_t extent, int64_t radix[MAX_RADICES])
{
    int count = 0;
    while (count < MAX_RADICES - 1 && extent != 1 && !random_one_in(from, 3)) {
        int64_t divisor = 1;
        if (extent > 0)
            do
                divisor = random_in(from, 1, extent);
            while (extent % divisor != 0);
        radix[count++] = extent > 0 ? divisor : random_in(from, 1, 3);
        extent /= divisor;
    }
    radix[count++] = extent;
    return count;
}

axis axis_make(random_source *from, int64_t extent, int is_diagonal)
{
    axis made = { .extent = extent, .is_diagonal = is_diagonal };
    made.radices = cut(from, extent, made.radix);
    return made;
}

/* Of a diagonal's axis some neighbours are taken together, of any other radices are new. */
static int choose_radices(random_source *from, const axis *of, int64_t radix[MAX_RADICES])
{
    int count = 0;
    if (!of->is_diagonal)
        return cut(from, of->extent, radix);
    for (int i = 0; i < of->radices; i++)
        if (count > 0 && random_one_in(from, 2))
            radix[count - 1] *= of->radix[i];
        else
            radix[count++] = of->radix[i];
    return count;
}

/* ---- recipes ---------------------------------------------------------------------------------- */

static lay_desc *make_permuted(const wish *w)
{
    int64_t extent[MAX_RANK];
    int order[MAX_RANK], back[MAX_RANK];
    lay_desc *natural = NULL, *made = NULL;
    shuffle(w->from, w->rank, order);
    for (int d = 0; d < w->rank; d++) {
        extent[d] = w->axes[order[d]].extent;
        back[order[d]] = d;
    }
    insist(lay_desc_natural(w->rank, extent, &natural), NULL, "natural");
    const lay_status status = lay_desc_permute(natural, back, &made);
    lay_desc_destroy(natural);
    return insist(status, made, "permute");
}

static lay_desc *make_windows(const wish *w)
{
    int64_t extent[MAX_RANK], stride[MAX_RANK];
    lay_desc *made = NULL;
    for (int d = 0; d < w->rank; d++) {
        extent[d] = w->axes[d].extent;
        stride[d] = random_in(w->from, -4, 4);
    }
    const lay_status status = lay_desc_strided(w->rank, extent, stride, &made);
    return insist(status, made, "strided");
}

/* The leaves first .. first + count - 1 as a tree. */
static void add_tree(text *to, random_source *from, const int64_t radix[], const int64_t stride[], int count)
{
    if (count == 1) {
        add(to, "[%lld:%lld]", (long long)radix[0], (long long)stride[0]);
        return;
    }
    const int half = (int)random_in(from, 1, count - 1);
    add(to, "[");
    add_tree(to, from, radix, stride, half);
    add_tree(to, from, radix + half, stride + half, count - half);
    add(to, "]");
}

/* Every leaf of every dimension at its own place in memory, some with gaps, some backwards, of inputs some with a
 * stride of 0. */
static lay_desc *make_nested(const wish *w)
{
    int64_t radix[MOST_LEAVES], stride[MOST_LEAVES], place = 1;
    int order[MOST_LEAVES], leaves[MAX_RANK], count = 0;
    text notation = { .length = 0 };
    for (int d = 0; d < w->rank; d++) {
        leaves[d] = choose_radices(w->from, &w->axes[d], radix + count);
        count += leaves[d];
    }
    shuffle(w->from, count, order);
    for (int i = 0; i < count; i++) {
        const int leaf = order[i];
        stride[leaf] = random_one_in(w->from, 4) ? -place : place;
        place *= radix[leaf] > 0 ? radix[leaf] : 1;
        place += random_one_in(w->from, 6) ? random_in(w->from, 1, 3) : 0;
        if (w->use == STORAGE_INPUT && random_one_in(w->from, 10))
            stride[leaf] = 0;
    }
    count = 0;
    for (int d = 0; d < w->rank; count += leaves[d++])
        add_tree(&notation, w->from, radix + count, stride + count, leaves[d]);
    return parse(notation.of);
}

/* Storage in tiles in some dimensions, its axes in any order; the tensor begins and ends inside of them. */
static lay_desc *make_tiles(const wish *w)
{
    int64_t tile[MAX_RANK], first[MAX_RANK], extent[2 * MAX_RANK];
    int order[2 * MAX_RANK], where[2 * MAX_RANK];
    text notation = { .length = 0 };
    for (int d = 0; d < w->rank; d++) {
        const axis *of = &w->axes[d];
        tile[d] = of->is_diagonal ? of->radix[of->radices - 1] : random_in(w->from, 1, 5);
        tile[d] = tile[d] > 0 ? tile[d] : 1;
        first[d] = of->is_diagonal || random_one_in(w->from, 2) ? 0 : random_in(w->from, 0, tile[d] - 1);
        extent[2 * d] = (first[d] + of->extent + tile[d] - 1) / tile[d];
        extent[2 * d + 1] = tile[d];
    }
    shuffle(w->from, 2 * w->rank, order);
    add(&notation, "A=");
    for (int i = 0; i < 2 * w->rank; i++) {
        where[order[i]] = i;
        add(&notation, "[%lld]", (long long)extent[order[i]]);
    }
    add(&notation, "; U=");
    for (int d = 0; d < w->rank; d++)
        add(&notation, "[[#A_%d][#A_%d]]", where[2 * d], where[2 * d + 1]);
    add(&notation, "; ");
    for (int d = 0; d < w->rank; d++)
        add(&notation, "[%lld@%lld#U_%d]", (long long)w->axes[d].extent, (long long)first[d], d);
    return parse(notation.of);
}

/* Dimensions that go through a longer one's function in another order. */
static lay_desc *make_restructured(const wish *w)
{
    text storage = { .length = 0 }, cuts = { .length = 0 }, dims = { .length = 0 }, all = { .length = 0 };
    for (int d = 0; d < w->rank; d++) {
        int64_t radix[MAX_RADICES];
        const axis *of = &w->axes[d];
        const int is_cut = !of->is_diagonal && of->extent > 0 && cut(w->from, of->extent, radix) > 1;
        add(&storage, "[%lld]", (long long)of->extent + (of->is_diagonal ? 0 : (long long)random_in(w->from, 0, 2)));
        if (is_cut) {
            add(&cuts, "[[%lld][%lld]#T_%d]", (long long)radix[0], (long long)(of->extent / radix[0]), d);
            add(&dims, "[[#U_%d_1][#U_%d_0]]", d, d);
        } else {
            add(&cuts, "[%lld#T_%d]", (long long)of->extent, d);
            add(&dims, "[#U_%d]", d);
        }
    }
    add(&all, "T=%s; U=%s; %s", storage.of, cuts.of, dims.of);
    return parse(all.of);
}

/* Part of something larger. A diagonal's dimension, where it is cut, is one leaf of that. */
static lay_desc *make_slice(const wish *w)
{
    axis larger[MAX_RANK];
    int64_t start[MAX_RANK];
    wish whole = *w;
    whole.axes = larger;
    whole.depth--;
    for (int d = 0; d < w->rank; d++) {
        larger[d] = w->axes[d];
        start[d] = 0;
        if (random_one_in(w->from, 2))
            continue;
        start[d] = random_in(w->from, 0, 2);
        larger[d].extent += start[d] + random_in(w->from, 0, 2);
        larger[d].radices = 1;
        larger[d].radix[0] = larger[d].extent;
    }
    lay_desc *made = make_any(&whole);
    for (int d = 0; d < w->rank; d++) {
        lay_desc *const before = made;
        const lay_status status = lay_desc_slice(before, d, start[d], w->axes[d].extent, &made);
        lay_desc_destroy(before);
        insist(status, made, "slice");
    }
    return made;
}

/* The same function in another nesting. */
static lay_desc *make_split(const wish *w)
{
    wish same = *w;
    int64_t radix[MAX_RADICES];
    const int dim = (int)random_in(w->from, 0, w->rank - 1), count = cut(w->from, w->axes[dim].extent, radix);
    lay_desc *made = NULL;
    same.depth--;
    lay_desc *const before = make_any(&same);
    const lay_status status = lay_desc_split(before, dim, count, radix, &made);
    lay_desc_destroy(before);
    return insist(status, made, "split");
}

/* ---- the choice ------------------------------------------------------------------------------- */

static lay_desc *make_any(const wish *w)
{
    static recipe *const flat[] = { make_permuted, make_nested, make_nested, make_tiles, make_restructured };
    static recipe *const deep[] = { make_slice, make_split };
    if (w->use == STORAGE_INPUT && random_one_in(w->from, 12))
        return make_windows(w);
    if (w->depth > 0 && random_one_in(w->from, 3))
        return random_of(w->from, deep)(w);
    return random_of(w->from, flat)(w);
}

lay_desc *storage_plain(int rank, const axis axes[])
{
    int64_t extent[MAX_RANK];
    lay_desc *made = NULL;
    for (int d = 0; d < rank; d++)
        extent[d] = axes[d].extent;
    const lay_status status = lay_desc_natural(rank, extent, &made);
    return insist(status, made, "natural");
}

lay_desc *storage_make(random_source *from, storage_use use, int rank, const axis axes[])
{
    const wish w = { from, use, rank, axes, DEPTH };
    for (int i = 0; i < TRIES; i++) {
        int64_t lowest, highest;
        lay_desc *const made = make_any(&w);
        lay_desc_span(made, &lowest, &highest);
        if (highest - lowest < SPAN && (use == STORAGE_INPUT || lay_desc_is_injective(made)))
            return made;
        lay_desc_destroy(made);
    }
    return storage_plain(rank, axes);
}
