/* An operand whose panels were packed before: all of them, block of k by block of k. */
#ifndef LAY_CPU_PACKED_H
#define LAY_CPU_PACKED_H

#include "cpu/job.h"

/* The panels of block b of k stand at block + b * lay_packed_stride, the same steps in each but the last, and each
 * lay_blocked.left_panel or right_panel bytes from the next. */
size_t lay_packed_stride(const lay_packed *packed, const lay_blocked *blocks);

/* A dimension of the source as it is indexed, whatever the product makes of it. */
void lay_packed_walk(const lay_desc *desc, int dimension, lay_axis *axis);

/* a way's pack. */
lay_status lay_cpu_pack(lay_branch *branch, int side, const lay_desc *desc, const void *source, lay_packed *packed,
                        int *is_packed);

#endif
