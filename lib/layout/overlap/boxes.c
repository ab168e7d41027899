/* Cuts a descriptor into boxes. */
#include "layout/overlap/boxes.h"

#include <string.h>

#include "base/arith.h"
#include "layout/build.h"

enum { MAX_LEAVES = 2 * LAY_MAX_NODES, MAX_POINTS = 64 };

static int gather(const lay_node *map, lay_leaf leaf[], int *n, int64_t *base)
{
    *base += map->base;
    if (map->parts == 0) {
        if (map->extent > 1)
            leaf[(*n)++] = (lay_leaf){ map->extent, map->stride };
        return 1;
    }
    int64_t full = 1;
    int exact = 1;
    const lay_node *part = map + 1;
    for (int c = 0; c < map->parts; c++, part += part->size) {
        full *= part->extent;
        exact = gather(part, leaf, n, base) && exact;
    }
    return exact && full == map->extent && map->step == 1;
}

/* A box of these leaves; all sums fit, as the descriptor's reach does. */
static int keep_box(lay_arena *arena, lay_box *box, int64_t base, int n, const lay_leaf leaf[])
{
    *box = (lay_box){ base, base, base, n, lay_arena_take(arena, ((size_t)n + 1) * sizeof *leaf) };
    if (!box->leaf)
        return 0;
    memcpy(box->leaf, leaf, (size_t)n * sizeof *leaf);
    for (int c = 0; c < n; c++) {
        const int64_t far = leaf[c].stride * (leaf[c].extent - 1);
        box->lowest += min_of(far, 0);
        box->highest += max_of(far, 0);
    }
    return 1;
}

int lay_box_around(lay_arena *arena, const lay_desc *desc, lay_box *box)
{
    lay_leaf leaf[LAY_MAX_NODES];
    int n = 0, exact = 1;
    int64_t base = 0;
    for (int i = 0; i < desc->rank; i++)
        exact = gather(desc->map[i], leaf, &n, &base) && exact;
    return keep_box(arena, box, base, n, leaf) ? exact : -1;
}

/* The functions still to be cut; the sum of all of them is meant. */
struct todo {
    const lay_func *f;
    const struct todo *next;
};

struct cutter {
    lay_arena *arena;
    lay_box *box;
    int boxes, leaves;
    lay_leaf leaf[MAX_LEAVES]; /* of the box being made */
};

static int cut(struct cutter *cutter, const struct todo *todo, int64_t base);

/* A range: from a carry into its first digit to the next is a plain or a smaller range. */
static int cut_range(struct cutter *cutter, const lay_func *f, const struct todo *next, int64_t base)
{
    const int64_t w = f->full / f->part[0]->extent, stop = f->start + f->extent;
    const int64_t cuts[4] = { 0, round_up(f->start, w) - f->start, stop / w * w - f->start, f->extent };
    for (int p = 0; p < 3; p++) {
        if (cuts[p] == cuts[p + 1])
            continue;
        const struct todo piece = { lay_func_range(cutter->arena, f, cuts[p], 1, cuts[p + 1] - cuts[p]), next };
        if (!piece.f || !cut(cutter, &piece, base))
            return 0;
    }
    return 1;
}

static int cut_parts(struct cutter *cutter, const lay_func *f, int c, const struct todo *next, int64_t base)
{
    if (c == f->parts)
        return cut(cutter, next, base);
    const struct todo part = { f->part[c], next };
    return cut_parts(cutter, f, c + 1, &part, base);
}

static int cut(struct cutter *cutter, const struct todo *todo, int64_t base)
{
    if (!todo) {
        if (cutter->boxes == LAY_MAX_BOXES)
            return 0;
        return keep_box(cutter->arena, &cutter->box[cutter->boxes++], base, cutter->leaves, cutter->leaf);
    }
    const lay_func *const f = todo->f;
    if (f->parts == 0) {
        const int leaves = cutter->leaves;
        if (f->extent > 1) {
            if (leaves == MAX_LEAVES)
                return 0;
            cutter->leaf[cutter->leaves++] = (lay_leaf){ f->extent, f->stride };
        }
        const int done = cut(cutter, todo->next, base + f->base);
        cutter->leaves = leaves;
        return done;
    }
    if (lay_func_is_plain(f))
        return cut_parts(cutter, f, 0, todo->next, base + f->base);
    if (f->step == 1)
        return cut_range(cutter, f, todo->next, base);
    if (f->extent > MAX_POINTS)
        return 0;
    for (int64_t i = 0; i < f->extent; i++)
        if (!cut(cutter, todo->next, base + lay_func_at(f, i)))
            return 0;
    return 1;
}

int lay_boxes_of(lay_arena *arena, const lay_desc *desc, lay_box box[])
{
    struct cutter cutter = { .arena = arena, .box = box };
    struct todo todo[LAY_MAX_NODES];
    for (int i = 0; i < desc->rank; i++) {
        todo[i] = (struct todo){ lay_func_load(arena, desc->map[i]), i > 0 ? &todo[i - 1] : NULL };
        if (!todo[i].f)
            return -1;
    }
    return cut(&cutter, &todo[desc->rank - 1], 0) ? cutter.boxes : -1;
}
