/* An operand whose limbs were packed before: all of them, block of k by block of k, and what is known of its lines. */
#ifndef LAY_CPU_SPLIT_PACKED_H
#define LAY_CPU_SPLIT_PACKED_H

#include "cpu/job.h"
#include "cpu/split/split_lines.h"

/* The panels and records of the lines from first on, a multiple of LAY_CPU_SPLIT_LINES, in the block of k that begins
 * with step p. Both are only to be read. */
void lay_split_packed_find(const lay_packed *packed, const lay_cpu_split *split, int64_t p, int64_t first,
                           char **panels, lay_split_lines **lines);

/* a way's pack: a copy, for lines that limbs do not serve and for other ways, and the limbs. */
lay_status lay_split_pack_operand(lay_branch *branch, int side, const lay_desc *desc, const void *source,
                                  lay_packed *packed, int *is_packed);

#endif
