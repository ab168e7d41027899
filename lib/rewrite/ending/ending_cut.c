/* Where a product may be cut so that all pieces have one layout. */
#include "rewrite/ending/ending.h"

#include "base/arith.h"
#include "layout/desc.h"

/* The largest divisor up to most. */
static int64_t find_divisor(int64_t extent, int64_t most)
{
    int64_t found = 1;
    for (int64_t d = 1; d <= min_of(most, extent) && d * d <= extent; d++)
        if (extent % d == 0) {
            found = max_of(found, d);
            if (extent / d <= most)
                return extent / d;
        }
    return found;
}

lay_end_cut lay_end_find_cut(const lay_node *const map[LAY_OPERANDS], int dimension, int64_t extent, int64_t most)
{
    const lay_end_cut whole = { -1, extent, 1 };
    lay_group group;
    most = max_of(1, most);
    if (extent <= most)
        return whole;
    lay_group_refine(map, &group);
    if (!group.is_plain)
        return whole;
    int64_t each = min_of(most, extent), inner = 1; /* indices of the modes inside mode i */
    for (int i = group.count - 1; i >= 0; i--) {
        const int64_t extent_of_mode = group.mode[i].extent;
        if (i == 0) /* the last piece may be shorter */
            each = max_of(1, most / inner) * inner;
        else if (inner * extent_of_mode > most) {
            each = find_divisor(extent_of_mode, max_of(1, most / inner)) * inner;
            break;
        }
        inner *= extent_of_mode;
    }
    return (lay_end_cut){ dimension, each, ceil_div(extent, each) };
}
