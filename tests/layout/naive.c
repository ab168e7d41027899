/* Layouts as plain tables. */
#include "naive.h"

#include <stdlib.h>

static struct piece {
    struct piece *next;
    int64_t bytes[];
} * pool;

static void *take(size_t bytes)
{
    struct piece *const piece = calloc(1, sizeof *piece + bytes + 8);
    if (!piece)
        abort();
    piece->next = pool;
    pool = piece;
    return piece->bytes;
}

void naive_reset(void)
{
    while (pool) {
        struct piece *const next = pool->next;
        free(pool);
        pool = next;
    }
}

const naive_tree *naive_leaf(int64_t extent)
{
    naive_tree *const tree = take(sizeof *tree);
    tree->extent = extent;
    return tree;
}

int64_t naive_product(int parts, const naive_tree *const part[])
{
    int64_t product = 1;
    for (int c = 0; c < parts; c++)
        product *= part[c]->extent;
    return product;
}

const naive_tree *naive_nest(int parts, const naive_tree *const part[], int64_t count)
{
    naive_tree *const tree = take(sizeof *tree);
    tree->extent = count < 0 ? naive_product(parts, part) : count;
    tree->parts = parts;
    for (int c = 0; c < parts; c++)
        tree->part[c] = part[c];
    return tree;
}

naive_dim naive_step(int64_t extent, int64_t stride)
{
    int64_t *const value = take((size_t)extent * sizeof *value);
    for (int64_t i = 0; i < extent; i++)
        value[i] = stride * i;
    return (naive_dim){ naive_leaf(extent), value };
}

naive_dim naive_join(int parts, const naive_dim part[], int64_t count)
{
    const naive_tree *trees[NAIVE_PARTS];
    for (int c = 0; c < parts; c++)
        trees[c] = part[c].tree;
    const naive_tree *const tree = naive_nest(parts, trees, count);
    int64_t *const value = take((size_t)tree->extent * sizeof *value);
    for (int64_t i = 0; i < tree->extent; i++) {
        int64_t x = i;
        for (int c = parts - 1; c >= 0; c--) {
            value[i] += part[c].value[x % part[c].tree->extent];
            x /= part[c].tree->extent;
        }
    }
    return (naive_dim){ tree, value };
}

static naive_dim pick(naive_dim dim, const naive_tree *tree, int64_t start, int64_t step, int64_t less)
{
    int64_t *const value = take((size_t)tree->extent * sizeof *value);
    for (int64_t i = 0; i < tree->extent; i++)
        value[i] = dim.value[start + step * i] - less;
    return (naive_dim){ tree, value };
}

naive_dim naive_part(naive_dim dim, int c)
{
    int64_t place = 1;
    for (int d = c + 1; d < dim.tree->parts; d++)
        place *= dim.tree->part[d]->extent;
    const naive_tree *const tree = dim.tree->part[c];
    if (dim.tree->extent == 0) /* by convention it steps by 0 */
        return (naive_dim){ tree, take((size_t)tree->extent * sizeof(int64_t)) };
    return pick(dim, tree, 0, place, c > 0 ? dim.value[0] : 0);
}

static const naive_tree *cut_tree(const naive_tree *tree, int64_t start, int64_t count)
{
    if (count == tree->extent)
        return tree;
    if (tree->parts == 0 || count == 0)
        return naive_leaf(count);
    const int64_t block = naive_product(tree->parts - 1, tree->part + 1);
    const int ends = count % block == 0 || start + count == tree->extent;
    if (start % block != 0 || count < block || !ends)
        return naive_leaf(count);
    naive_tree *const cut = take(sizeof *cut);
    *cut = *tree;
    cut->extent = count;
    cut->part[0] = cut_tree(tree->part[0], start / block, (count + block - 1) / block);
    return cut;
}

naive_dim naive_slice(naive_dim dim, int64_t start, int64_t count)
{
    return pick(dim, cut_tree(dim.tree, start, count), start, 1, 0);
}

naive_dim naive_reshape(naive_dim dim, const naive_tree *tree, int64_t start)
{
    return pick(dim, tree, start, 1, 0);
}

naive_dim naive_shift(naive_dim dim, int64_t by)
{
    return pick(dim, dim.tree, 0, 1, -by);
}

int naive_leaves(const naive_tree *tree)
{
    int leaves = tree->parts == 0;
    for (int c = 0; c < tree->parts; c++)
        leaves += naive_leaves(tree->part[c]);
    return leaves;
}

int naive_same_tree(const naive_tree *a, const naive_tree *b)
{
    if (a->extent != b->extent || a->parts != b->parts)
        return 0;
    for (int c = 0; c < a->parts; c++)
        if (!naive_same_tree(a->part[c], b->part[c]))
            return 0;
    return 1;
}

int64_t naive_total(const naive *layout)
{
    int64_t total = 1;
    for (int i = 0; i < layout->rank; i++)
        total *= layout->dim[i].tree->extent;
    return total;
}

int64_t naive_offset(const naive *layout, int64_t i)
{
    int64_t offset = 0;
    for (int d = layout->rank - 1; d >= 0; d--) {
        offset += layout->dim[d].value[i % layout->dim[d].tree->extent];
        i /= layout->dim[d].tree->extent;
    }
    return offset;
}

void naive_digits(const naive_tree *tree, int64_t i, int64_t leaf[])
{
    if (tree->parts == 0) {
        leaf[0] = i;
        return;
    }
    int at = naive_leaves(tree);
    for (int c = tree->parts - 1; c >= 0; c--) {
        at -= naive_leaves(tree->part[c]);
        naive_digits(tree->part[c], i % tree->part[c]->extent, leaf + at);
        i /= tree->part[c]->extent;
    }
}
