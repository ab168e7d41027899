/* The CPU's orders and ways. */
#ifndef LAY_CPU_WAYS_H
#define LAY_CPU_WAYS_H

#include "plan/way.h"

extern const lay_order lay_order_cpu;        /* operands as they are */
extern const lay_order lay_order_cpu_split;  /* f32 by limbs of bfloat16 (kernels/cpu_split.h, docs/numerics.md) */
extern const lay_order lay_order_cpu_narrow; /* 16-bit types */

extern const lay_way lay_way_swept, lay_way_in_place, lay_way_packed, lay_way_vector, lay_way_slices;
extern const lay_way lay_way_cpu_split;
extern const lay_way lay_way_widened, lay_way_vector_widened;
extern const lay_way lay_way_lanes, lay_way_lanes_widened;

#endif
