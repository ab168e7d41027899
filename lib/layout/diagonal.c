/* The diagonal of two dimensions: one index for both, their offsets added. */
#include "base/arith.h"
#include "layout/build.h"

/* A plain function as digits, outermost first. */
typedef struct digits {
    int count;
    int64_t base;
    lay_leaf leaf[LAY_MAX_NODES];
} digits;

static int take_apart(const lay_func *f, digits *out)
{
    lay_node node[LAY_MAX_NODES];
    if (f->size > LAY_MAX_NODES)
        return 0;
    lay_func_store(f, node);
    return lay_map_flatten(node, out->leaf, &out->count, &out->base);
}

/* The innermost digit of both that is left becomes smaller by the radix that they share. 0: they share none, or the
 * sum of the strides does not fit. */
static int take_digit(digits *x, digits *y, lay_leaf *out)
{
    lay_leaf *const a = &x->leaf[x->count - 1], *const b = &y->leaf[y->count - 1];
    const int64_t radix = min_of(a->extent, b->extent);
    *out = (lay_leaf){ .extent = radix };
    if (a->extent % radix != 0 || b->extent % radix != 0 || !fits_add(a->stride, b->stride, &out->stride))
        return 0;
    digits *const each[] = { x, y };
    for (int i = 0; i < 2; i++) {
        lay_leaf *const leaf = &each[i]->leaf[each[i]->count - 1];
        leaf->extent /= radix;
        if (leaf->extent == 1)
            each[i]->count--;
        else if (!fits_mul(leaf->stride, radix, &leaf->stride))
            return 0;
    }
    return 1;
}

static const lay_func *refuse(lay_arena *arena, const char *name)
{
    return lay_arena_fail(arena, LAY_ERR_UNSUPPORTED,
                          "%s has no diagonal: the radices of its two dimensions do not divide each other", name);
}

static const lay_func *add(lay_arena *arena, const lay_func *f, const lay_func *g, const char *name)
{
    struct scratch {
        digits x, y;
    } *const of = lay_arena_take(arena, sizeof *of);
    const lay_func *part[LAY_MAX_PARTS];
    int first = LAY_MAX_PARTS;
    int64_t base;
    if (!of)
        return NULL;
    if (!take_apart(f, &of->x) || !take_apart(g, &of->y))
        return refuse(arena, name);
    while (of->x.count > 0 && of->y.count > 0) {
        lay_leaf leaf;
        if (first == 0 || !take_digit(&of->x, &of->y, &leaf))
            return refuse(arena, name);
        part[--first] = lay_func_leaf(arena, leaf.extent, 0, leaf.stride);
    }
    if (!fits_add(of->x.base, of->y.base, &base))
        return lay_arena_fail(arena, LAY_ERR_OVERFLOW, "the offsets do not fit 63 bits");
    if (first == LAY_MAX_PARTS)
        return lay_func_leaf(arena, f->extent, base, 0);
    return lay_func_shift(arena, lay_func_list(arena, LAY_MAX_PARTS - first, part + first), base);
}

lay_dim lay_dim_diagonal(lay_arena *arena, lay_dim x, lay_dim y, const char *name)
{
    if (!x.func || !y.func)
        return (lay_dim){ NULL, NULL };
    return (lay_dim){ lay_shape_leaf(arena, x.func->extent), add(arena, x.func, y.func, name) };
}
