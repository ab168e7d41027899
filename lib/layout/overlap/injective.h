/* Whether a descriptor maps every index to its own element. */
#ifndef LAY_LAYOUT_INJECTIVE_H
#define LAY_LAYOUT_INJECTIVE_H

#include "layoutgemm.h"

/* 1 or 0 when a short search tells, else -1. The maps, total and span are set. */
int lay_injective_quickly(const lay_desc *desc);

#endif
