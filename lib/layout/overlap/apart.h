/* Whether two sets of offsets meet. */
#ifndef LAY_LAYOUT_APART_H
#define LAY_LAYOUT_APART_H

#include "layout/overlap/boxes.h"
#include "layout/overlap/reach.h"

/* 1 when an offset of a is one of b plus by, 0 when none is, -1 when *budget ended first. */
int lay_boxes_meet(const lay_box *a, const lay_box *b, lay_wide by, int *budget);

#endif
