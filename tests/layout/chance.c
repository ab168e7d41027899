/* Random notation, made together with its meaning. */
#include "chance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint64_t chance_next(chance *from)
{
    uint64_t z = from->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t chance_in(chance *from, int64_t least, int64_t most)
{
    return least + (int64_t)(chance_next(from) % (uint64_t)(most - least + 1));
}

static int one_in(chance *from, int n)
{
    return chance_next(from) % (uint64_t)n == 0;
}

enum { MAX_TYPES = 4, MAX_LEAVES = 64, TEXT_BYTES = 4096 };

/* The text so far and the types it has defined. */
struct writing {
    chance *from;
    int64_t most;
    char text[TEXT_BYTES];
    size_t length;
    int types;
    naive type[MAX_TYPES];
    int unnamed; /* the type without a name, -1: none */
    int large;   /* something has more than most indices: start again */
};

__attribute__((format(printf, 2, 3))) static void put(struct writing *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->length += (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, arguments);
    va_end(arguments);
    if (one_in(w->from, 12))
        w->length +=
            (size_t)snprintf(w->text + w->length, sizeof w->text - w->length, "%s", one_in(w->from, 2) ? " " : "\n\t");
}

static int64_t some_extent(chance *from, int64_t most)
{
    const int64_t extent = one_in(from, 80) ? 0 : one_in(from, 10) ? 1 : chance_in(from, 2, 7);
    return extent < most ? extent : most;
}

static int64_t shorten(chance *from, int parts, const naive_tree *const part[])
{
    int first = 0;
    while (first < parts - 1 && part[first]->extent == 1)
        first++;
    const int64_t product = naive_product(parts, part), outer = part[first]->extent;
    if (product == 0 || outer < 2 || !one_in(from, 4))
        return product;
    const int64_t block = product / outer;
    return chance_in(from, block * (outer - 1) + 1, product);
}

/* A tree with room for `most` indices. */
static const naive_tree *some_tree(chance *from, int64_t most, int depth)
{
    if (depth == 0 || one_in(from, 2))
        return naive_leaf(some_extent(from, most));
    const naive_tree *part[3];
    const int parts = (int)chance_in(from, 1, 3);
    for (int c = 0; c < parts; c++) {
        part[c] = some_tree(from, most, depth - 1);
        most /= part[c]->extent > 0 ? part[c]->extent : 1;
    }
    return naive_nest(parts, part, shorten(from, parts, part));
}

const naive_tree *chance_tree(chance *from, int64_t extent, int depth)
{
    if (depth == 0 || extent < 2 || one_in(from, 2))
        return naive_leaf(extent);
    const int64_t inner = chance_in(from, 1, extent);
    const naive_tree *const part[2] = { chance_tree(from, (extent + inner - 1) / inner, depth - 1),
                                        chance_tree(from, inner, depth - 1) };
    return naive_nest(2, part, extent);
}

/* ---- natural definitions ------------------------------------------------------------------------ */

static naive_dim mean_tree(const naive_tree *tree, const int64_t **stride)
{
    if (tree->parts == 0)
        return naive_step(tree->extent, *(*stride)++);
    naive_dim part[NAIVE_PARTS];
    for (int c = 0; c < tree->parts; c++)
        part[c] = mean_tree(tree->part[c], stride);
    return naive_join(tree->parts, part, tree->extent);
}

/* Fills the natural strides from the right, stride points behind the last. */
static void be_natural(const naive_tree *tree, int64_t place, int64_t **stride)
{
    if (tree->parts == 0)
        *--*stride = place;
    for (int c = tree->parts - 1; c >= 0; c--) {
        be_natural(tree->part[c], place, stride);
        place *= tree->part[c]->extent;
    }
}

static void put_tree(struct writing *w, const naive_tree *tree, const int64_t **stride)
{
    put(w, "[");
    if (tree->parts > 0 && tree->extent != naive_product(tree->parts, tree->part))
        put(w, "%lld", (long long)tree->extent);
    if (tree->parts == 0)
        put(w, "%lld", (long long)tree->extent);
    if (tree->parts == 0 && stride)
        put(w, ":%lld", (long long)*(*stride)++);
    for (int c = 0; c < tree->parts; c++)
        put_tree(w, tree->part[c], stride);
    put(w, "]");
}

static int64_t some_stride(chance *from)
{
    static const int64_t usual[] = { 1, 2, 3, 4, 6, 8, 12, 24, 30, 60, 120 };
    const int64_t stride = one_in(from, 3) ? chance_in(from, -20, 20) : usual[chance_in(from, 0, 10)];
    return one_in(from, 10) ? -stride : stride;
}

static void define_natural(struct writing *w, naive *layout)
{
    const naive_tree *tree[NAIVE_RANK];
    int64_t strides[MAX_LEAVES], most = w->most;
    int leaves = 0;
    layout->rank = (int)chance_in(w->from, 1, 3);
    for (int i = 0; i < layout->rank; i++) {
        tree[i] = some_tree(w->from, most, 2);
        most /= tree[i]->extent > 0 ? tree[i]->extent : 1;
        leaves += naive_leaves(tree[i]);
    }
    const int strided = one_in(w->from, 2);
    for (int i = 0; i < leaves; i++)
        strides[i] = some_stride(w->from);
    int64_t *end = strides + leaves, place = 1;
    for (int i = layout->rank - 1; i >= 0 && !strided; i--) {
        be_natural(tree[i], place, &end);
        place *= tree[i]->extent;
    }
    const int64_t *meant = strides, *said = strides;
    for (int i = 0; i < layout->rank; i++) {
        layout->dim[i] = mean_tree(tree[i], &meant);
        put_tree(w, tree[i], strided ? &said : NULL);
    }
}

/* ---- artificial definitions --------------------------------------------------------------------- */

static naive_dim put_reference(struct writing *w)
{
    const int type = (int)chance_in(w->from, 0, w->types - 1);
    const naive *const layout = &w->type[type];
    const int nameless = type == w->unnamed;
    put(w, "#");
    if (!nameless)
        put(w, "%c%d", 'A' + type, type);
    naive_dim dim = layout->dim[0];
    if (one_in(w->from, 5)) {
        if (layout->rank > 1)
            dim = naive_join(layout->rank, layout->dim, -1);
        return dim;
    }
    const int i = (int)chance_in(w->from, 0, layout->rank - 1);
    const int plain_start = nameless && one_in(w->from, 2);
    put(w, plain_start ? "%d" : "_%d", i);
    for (dim = layout->dim[i]; dim.tree->parts > 0 && one_in(w->from, 2);) {
        const int c = (int)chance_in(w->from, 0, dim.tree->parts - 1);
        put(w, "_%d", c);
        dim = naive_part(dim, c);
    }
    return dim;
}

/* The text before '#' depends on what is behind: writes the reference, takes it back, writes it there. */
static naive_dim put_artificial(struct writing *w, int depth)
{
    put(w, "[");
    naive_dim part[NAIVE_PARTS];
    if (depth > 0 && one_in(w->from, 3)) {
        const int parts = (int)chance_in(w->from, 1, 3);
        const size_t before = w->length;
        int64_t total = 1;
        for (int c = 0; c < parts; c++) {
            part[c] = put_artificial(w, depth - 1);
            total *= part[c].tree->extent;
        }
        const naive_tree *trees[NAIVE_PARTS];
        for (int c = 0; c < parts; c++)
            trees[c] = part[c].tree;
        w->large = w->large || total > w->most;
        if (w->large)
            return naive_slice(part[0], 0, 0);
        const int64_t count = shorten(w->from, parts, trees);
        if (count != total) {
            char inside[TEXT_BYTES];
            memcpy(inside, w->text + before, w->length - before + 1);
            w->length = before;
            put(w, "%lld", (long long)count);
            put(w, "%s", inside);
        }
        put(w, "]");
        return naive_join(parts, part, count);
    }
    const size_t before = w->length;
    char reference[TEXT_BYTES];
    const naive_dim whole = put_reference(w);
    memcpy(reference, w->text + before, w->length - before + 1);
    w->length = before;
    const int64_t extent = whole.tree->extent;
    const int limited = one_in(w->from, 2), starts = limited && one_in(w->from, 2);
    const int64_t start = starts ? chance_in(w->from, 0, extent / 2) : 0;
    const int64_t count = limited ? chance_in(w->from, 0, extent - start) : extent;
    if (limited)
        put(w, "%lld", (long long)count);
    if (starts)
        put(w, "@%lld", (long long)start);
    const naive_tree *const tree = chance_tree(w->from, count, 2);
    const naive_tree *const named[2] = { tree, NULL };
    const naive_tree *const shape = one_in(w->from, 3) ? naive_nest(1, named, -1) : tree->parts > 0 ? tree : NULL;
    for (int c = 0; shape && (limited || naive_product(shape->parts, shape->part) == count) && c < shape->parts; c++)
        put_tree(w, shape->part[c], NULL);
    put(w, "%s", reference);
    put(w, "]");
    const int shaped = shape && (limited || naive_product(shape->parts, shape->part) == count);
    return shaped ? naive_reshape(whole, shape, start) : limited ? naive_slice(whole, start, count) : whole;
}

static void define_artificial(struct writing *w, naive *layout)
{
    layout->rank = (int)chance_in(w->from, 1, 3);
    for (int i = 0; i < layout->rank; i++)
        layout->dim[i] = put_artificial(w, 2);
}

static int64_t largest(const naive *layout)
{
    int64_t total = 1;
    for (int i = 0; i < layout->rank; i++)
        total *= layout->dim[i].tree->extent > 0 ? layout->dim[i].tree->extent : 1;
    return total;
}

static int nodes_of(const naive_tree *tree)
{
    int nodes = 1;
    for (int c = 0; c < tree->parts; c++)
        nodes += nodes_of(tree->part[c]);
    return nodes;
}

static int is_large(const naive *layout, int64_t most)
{
    int nodes = 0;
    for (int i = 0; i < layout->rank; i++)
        nodes += nodes_of(layout->dim[i].tree);
    return nodes > 40 || largest(layout) > most;
}

/* 0 when chance made something too large. */
static int write_text(struct writing *w)
{
    const int definitions = (int)chance_in(w->from, 1, MAX_TYPES);
    for (w->types = 0; w->types < definitions; w->types++) {
        const int last = w->types == definitions - 1;
        if (!last && w->unnamed < 0 && one_in(w->from, 4))
            w->unnamed = w->types;
        else if (!last)
            put(w, "%c%d=", 'A' + w->types, w->types);
        naive *const layout = &w->type[w->types];
        if (w->types > 0 && !one_in(w->from, 3))
            define_artificial(w, layout);
        else
            define_natural(w, layout);
        if (!last)
            put(w, ";");
        if (w->large || is_large(layout, w->most) || w->length + 64 > sizeof w->text / 2)
            return 0;
    }
    return 1;
}

void chance_text(chance *from, int64_t most, char *text, size_t size, naive *layout)
{
    struct writing w;
    do
        w = (struct writing){ .from = from, .most = most, .unnamed = -1 };
    while (!write_text(&w) || (naive_total(&w.type[w.types - 1]) < most / 16 && !one_in(from, 20)));
    snprintf(text, size, "%s", w.text);
    *layout = w.type[w.types - 1];
}
