/* The modes of a product: m, n and k as lists of extents, each with a stride per operand. */
#ifndef LAY_PLAN_MODES_H
#define LAY_PLAN_MODES_H

#include <stdint.h>

#include "layout/map.h"

enum { LAY_LEFT, LAY_RIGHT, LAY_RESULT, LAY_OPERANDS };
enum { LAY_MAX_MODES = 16 };

typedef struct lay_mode {
    int64_t extent;
    int64_t stride[LAY_OPERANDS]; /* 0 where the operand has no such dimension */
} lay_mode;

/* One of m, n, k or a batch, which two or three operands have. Outermost mode first; an index
 * is written in the modes' extents. */
typedef struct lay_group {
    int64_t extent;
    int is_plain;     /* 0: the operands' radices do not divide; each walks its own map */
    int is_reordered; /* modes are not in the order of the operands' indices */
    int count;
    lay_mode mode[LAY_MAX_MODES];
} lay_group;

/* The maps of the operands that share the dimension (NULL: the operand has it not), refined to
 * common radices and folded where one stride serves in every operand. All have one extent. */
void lay_group_refine(const lay_node *const map[LAY_OPERANDS], lay_group *group);

/* Sorts the modes by falling |stride| in operand, unless the group is not plain, and folds again.
 * The index then counts the same points in another order: good for m and n, never for k. */
void lay_group_order_by(lay_group *group, int operand);

/* Where the innermost mode is not the one with the smallest |stride| in operand, sorts the others, as above, by
 * operand; but those stay that it takes for a segment of whole lines of result. 1 when it did. */
int lay_group_bring_near(lay_group *group, int operand, int result);

#endif
