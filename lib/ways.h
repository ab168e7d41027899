/* Every order and every way of this build. */
#ifndef LAY_WAYS_H
#define LAY_WAYS_H

#include "plan/way.h"

extern const lay_table lay_all_ways;

#endif
