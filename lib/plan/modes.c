/* Refining, folding and ordering the modes of a product. */
#include "plan/modes.h"

#include <stdlib.h>

#include "base/arith.h"

/* One operand's radices while they are taken apart, innermost first. */
typedef struct radices {
    int used; /* this operand has the dimension */
    int left; /* leaves not yet taken, the last one first */
    lay_leaf leaf[LAY_MAX_NODES];
} radices;

/* One mode serves for two neighbours when, in every operand, the outer steps where the inner ends. */
static int folds(const lay_mode *outer, const lay_mode *inner)
{
    for (int operand = 0; operand < LAY_OPERANDS; operand++)
        if (outer->stride[operand] != inner->stride[operand] * inner->extent)
            return 0;
    return 1;
}

static void fold_neighbours(lay_group *group)
{
    int kept = 0;
    for (int i = 1; i < group->count; i++) {
        lay_mode *outer = &group->mode[kept];
        const lay_mode inner = group->mode[i];
        if (folds(outer, &inner)) {
            outer->extent *= inner.extent;
            for (int operand = 0; operand < LAY_OPERANDS; operand++)
                outer->stride[operand] = inner.stride[operand];
        } else {
            group->mode[++kept] = inner;
        }
    }
    if (group->count > 0)
        group->count = kept + 1;
}

/* The largest extent that divides every operand's innermost radix. */
static int64_t next_extent(const radices all[LAY_OPERANDS])
{
    int64_t extent = 0;
    for (int operand = 0; operand < LAY_OPERANDS; operand++)
        if (all[operand].used && all[operand].left > 0)
            extent = common_divisor(all[operand].leaf[all[operand].left - 1].extent, extent);
    return extent;
}

/* Takes the innermost extent indices off an operand's radices; their stride. */
static int64_t take_inner(radices *own, int64_t extent)
{
    lay_leaf *inner = &own->leaf[own->left - 1];
    const int64_t stride = inner->stride;
    inner->extent /= extent;
    if (inner->extent == 1)
        own->left--;
    else
        inner->stride *= extent;
    return stride;
}

static int refine(radices all[LAY_OPERANDS], lay_group *group)
{
    lay_mode inner_first[LAY_MAX_MODES];
    int count = 0;
    for (int64_t rest = group->extent; rest > 1; count++) {
        const int64_t extent = next_extent(all);
        if (extent <= 1 || count == LAY_MAX_MODES)
            return 0;
        inner_first[count] = (lay_mode){ .extent = extent };
        for (int operand = 0; operand < LAY_OPERANDS; operand++)
            if (all[operand].used)
                inner_first[count].stride[operand] = take_inner(&all[operand], extent);
        rest /= extent;
    }
    group->count = count;
    for (int i = 0; i < count; i++)
        group->mode[i] = inner_first[count - 1 - i];
    return 1;
}

void lay_group_refine(const lay_node *const map[LAY_OPERANDS], lay_group *group)
{
    radices all[LAY_OPERANDS];
    *group = (lay_group){ .is_plain = 1 };
    for (int operand = 0; operand < LAY_OPERANDS; operand++) {
        all[operand].used = map[operand] != NULL;
        if (!map[operand])
            continue;
        int64_t base;
        group->extent = map[operand]->extent;
        group->is_plain &= lay_map_flatten(map[operand], all[operand].leaf, &all[operand].left, &base);
    }
    group->is_plain = group->is_plain && refine(all, group);
    if (group->is_plain)
        fold_neighbours(group);
}

/* The first count modes, by falling |stride| in operand. */
static void order(lay_group *group, int count, int operand)
{
    for (int i = 1; i < count; i++) /* insertion: stable, and the lists are short */
        for (int j = i; j > 0 && llabs(group->mode[j].stride[operand]) > llabs(group->mode[j - 1].stride[operand]);
             j--) {
            const lay_mode moved = group->mode[j];
            group->mode[j] = group->mode[j - 1];
            group->mode[j - 1] = moved;
            group->is_reordered = 1;
        }
}

void lay_group_order_by(lay_group *group, int operand)
{
    if (!group->is_plain)
        return;
    order(group, group->count, operand);
    fold_neighbours(group);
}

/* How many of the innermost modes make a segment of result that is contiguous and fills whole lines, if others are
 * left. */
static int count_inner(const lay_group *group, int result)
{
    enum { WHOLE = 16 }; /* elements: a line of the smallest, at most */
    const int last = group->count - 1;
    int64_t run = group->mode[last].extent;
    int kept = 1;
    while (run % WHOLE != 0 && kept < last && group->mode[last].stride[result] == 1 &&
           group->mode[last - kept].stride[result] == run)
        run *= group->mode[last - kept++].extent;
    return run % WHOLE == 0 ? kept : 1;
}

int lay_group_bring_near(lay_group *group, int operand, int result)
{
    const int inner = group->count - 1;
    if (!group->is_plain || group->count < 3)
        return 0;
    int nearest = inner;
    for (int i = 0; i < inner; i++)
        if (llabs(group->mode[i].stride[operand]) < llabs(group->mode[nearest].stride[operand]))
            nearest = i;
    if (nearest == inner)
        return 0;
    const int kept = count_inner(group, result);
    order(group, nearest < group->count - kept ? group->count - kept : inner, operand);
    fold_neighbours(group);
    return 1;
}
