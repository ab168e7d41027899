/* An operand whose panels were packed before: all of them, block of k by block of k. */
#ifndef LAY_CPU_PACKED_H
#define LAY_CPU_PACKED_H

#include "cpu/job.h"

/* How the panels that there are lie. */
lay_panels_shape lay_packed_shape(const lay_packed *packed);

/* Whether they, if there are any, are what kernel reads of its LAY_LEFT or LAY_RIGHT. Others are matrices like any
 * other: the problem's layout says where their elements lie. */
int lay_panels_are_of(const lay_panels *panels, const lay_kernel *kernel, int side);

/* A dimension of the source as it is indexed, whatever the product makes of it. */
void lay_packed_axis(const lay_desc *desc, int dimension, lay_axis *axis);

/* a way's pack. */
lay_status lay_cpu_pack(lay_branch *branch, int side, const lay_desc *desc, const void *source, lay_packed *packed,
                        int *is_packed);

#endif
