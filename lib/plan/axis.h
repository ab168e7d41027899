/* An axis: one dimension of one operand as the executors walk it. */
#ifndef LAY_PLAN_AXIS_H
#define LAY_PLAN_AXIS_H

#include <stdint.h>

#include "plan/modes.h"

typedef enum lay_axis_class {
    LAY_AXIS_UNIT,    /* unit stride */
    LAY_AXIS_STRIDED, /* one stride */
    LAY_AXIS_NESTED,  /* blocks: several modes */
    LAY_AXIS_TABLE    /* limits that cut a digit: offsets from the map itself */
} lay_axis_class;

typedef struct lay_axis {
    lay_axis_class class;
    int64_t extent, base;
    int64_t run; /* mean length of its segments of unit stride, at least 1 */
    int count;   /* modes; 0 also for an extent of 1 */
    lay_leaf mode[LAY_MAX_MODES];
    const lay_node *map; /* LAY_AXIS_TABLE */
} lay_axis;

/* operand's side of group; map is its function, whose own digits the axis has where the group is not plain, or to which
 * it refers where it has none. NULL: the operand is the same for every index. */
void lay_axis_make(const lay_group *group, int operand, const lay_node *map, lay_axis *axis);

/* out[0..count) = offsets of the indices from first on. */
void lay_axis_offsets(const lay_axis *axis, int64_t first, int64_t count, int64_t out[]);

/* The offset of one index. */
static inline int64_t lay_axis_offset(const lay_axis *axis, int64_t index)
{
    int64_t out;
    if (axis->class != LAY_AXIS_TABLE && axis->count <= 1)
        return axis->base + (axis->count ? axis->mode[0].stride * index : 0);
    lay_axis_offsets(axis, index, 1, &out);
    return out;
}

/* An index that goes up, and its offset: of nested axes without a division for each. */
typedef struct lay_axis_walk {
    const lay_axis *axis;
    int64_t index, offset;
    int64_t digit[LAY_MAX_MODES];
} lay_axis_walk;
void lay_axis_walk_start(const lay_axis *axis, int64_t index, lay_axis_walk *out);
void lay_axis_walk_on(lay_axis_walk *walk, int64_t by);

/* "unit", "strided", "nested", "table". */
const char *lay_axis_class_name(lay_axis_class class);

#endif
